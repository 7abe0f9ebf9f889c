//! The options of a stream.

use std::time::Duration;

use crate::error::Error;
use crate::watch::WatchOptions;

/// The options of a stream.
#[derive(Clone, Debug)]
pub struct StreamOptions {
    /// The time between two polls of what has no stream.
    pub every: Duration,
    /// The time without any frame after which a connection counts as dead; None to rely on the operating system.
    pub stale_after: Option<Duration>,
    /// True to return events of the connection too.
    pub states: bool,
    /// True to poll the records that have not ended, too, if the stream sends some changes only.
    pub targets: bool,
    /// The pairs whose prices are followed; None for no prices.
    pub prices: Option<PricedPairs>,
}

/// The pairs whose prices are followed.
#[derive(Clone, Debug)]
pub struct PricedPairs {
    /// The code of the exchange.
    pub market_code: String,
    /// The pairs.
    pub pairs: Vec<String>,
}

/// The shortest time after which a connection may count as dead: two pings of the service.
const MIN_STALE: f64 = 6.0;

/// The longest time after which a connection may count as dead.
const MAX_STALE: f64 = 86_400.0;

impl StreamOptions {
    /// Returns the options from numbers of seconds.
    pub fn new(every: f64, stale_after: f64, states: bool) -> Result<Self, Error> {
        let is_valid = stale_after == 0.0 || (MIN_STALE..=MAX_STALE).contains(&stale_after);
        if !is_valid {
            return Err(Error::Configuration(format!(
                "stale_after must be {MIN_STALE} to {MAX_STALE} seconds, or 0 to switch the check off, not {stale_after}"
            )));
        }
        let stale_after = Duration::try_from_secs_f64(stale_after).ok().filter(|limit| !limit.is_zero());
        Ok(Self { every: WatchOptions::every(every)?, stale_after, states, targets: false, prices: None })
    }
}
