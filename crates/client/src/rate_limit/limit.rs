//! A rate limit, and how much of it is left.

use std::time::Duration;

/// The number of requests that may be sent within a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The number of requests.
    pub requests: u32,
    /// The time; any time of that length counts, wherever it begins.
    pub per: Duration,
}

impl Default for RateLimit {
    /// Returns what the service allows an API key: 100 requests a minute.
    fn default() -> Self {
        Self { requests: 100, per: Duration::from_secs(60) }
    }
}

/// How much of a rate limit is left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The number of requests that count now.
    pub used: u32,
    /// The number of requests that may count at once.
    pub limit: u32,
    /// If no request may be sent now, the time until one may; otherwise the time until the first request stops counting. A request
    /// in flight is taken to end now.
    pub resets_in: Duration,
}
