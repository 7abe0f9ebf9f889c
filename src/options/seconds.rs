//! Durations in seconds, as arguments.

use std::time::Duration;

use crate::exceptions::RustResult;
use botdesk_client::error::Error;

/// The longest duration that clocks support, in seconds: some 300 years.
const MAX_SECONDS: u64 = 10_000_000_000;

/// Returns a duration greater than 0; the error names the argument `name`.
pub(crate) fn positive(name: &str, seconds: f64) -> Result<Duration, Error> {
    let duration = duration(seconds).filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| out_of_range(name, "greater than 0"))
}

/// Returns a duration of 0 or more; the error names the argument `name`.
pub(crate) fn not_negative(name: &str, seconds: f64) -> Result<Duration, Error> {
    duration(seconds).ok_or_else(|| out_of_range(name, "of at least 0"))
}

fn duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).rust_ok().filter(|duration| *duration <= Duration::from_secs(MAX_SECONDS))
}

fn out_of_range(name: &str, lowest: &str) -> Error {
    Error::Configuration(format!("{name} must be a number of seconds {lowest} and at most {MAX_SECONDS:e}"))
}
