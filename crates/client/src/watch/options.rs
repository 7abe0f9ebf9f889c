//! The options of a watch.

use std::time::Duration;

use serde_json::{Map, Value};

use super::snapshot::Scope;
use crate::credentials::account::Identity;
use crate::error::Error;

/// The options of a watch.
#[derive(Debug)]
pub struct WatchOptions {
    /// The time between two polls.
    pub every: Duration,
    /// The records whose changes are reported.
    pub scope: Scope,
    /// True to watch the records in them as well.
    pub nested: bool,
    /// The filters of the list by name.
    pub filters: Map<String, Value>,
    /// The owner of the records.
    pub owner: Identity,
}

/// The shortest time between two polls.
const MIN_INTERVAL: Duration = Duration::from_secs(1);

/// The longest time between two polls, a year; longer times can overflow the clock.
const MAX_INTERVAL: Duration = Duration::from_secs(365 * 86_400);

impl WatchOptions {
    /// Returns the time between two polls from a number of seconds.
    pub fn every(seconds: f64) -> Result<Duration, Error> {
        let every =
            Duration::try_from_secs_f64(seconds).ok().filter(|every| (MIN_INTERVAL..=MAX_INTERVAL).contains(every));
        every.ok_or_else(|| {
            Error::Configuration(format!("every must be 1 to {} seconds, not {seconds}", MAX_INTERVAL.as_secs()))
        })
    }
}
