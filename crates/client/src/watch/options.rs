//! How to watch.

use std::time::Duration;

use serde_json::{Map, Value};

use super::Scope;
use crate::credentials::account::Identity;
use crate::error::Error;

/// How to watch.
#[derive(Debug)]
pub struct WatchOptions {
    /// How often to poll.
    pub every: Duration,
    /// Which bots' changes are told.
    pub scope: Scope,
    /// Whether deals are watched as well.
    pub deals: bool,
    /// The filters of the list, by their names.
    pub filters: Map<String, Value>,
    /// Whose bots they are.
    pub owner: Identity,
}

/// The shortest time between two polls.
const SHORTEST: Duration = Duration::from_secs(1);

/// The longest time between two polls, a year; what lies beyond is more than a clock can be set to.
const LONGEST: Duration = Duration::from_secs(365 * 86_400);

impl WatchOptions {
    /// The time between two polls that a number of seconds stands for.
    pub fn every(seconds: f64) -> Result<Duration, Error> {
        let every = Duration::try_from_secs_f64(seconds).ok().filter(|every| (SHORTEST..=LONGEST).contains(every));
        every.ok_or_else(|| {
            Error::Configuration(format!("every must be 1 to {} seconds, not {seconds}", LONGEST.as_secs()))
        })
    }
}
