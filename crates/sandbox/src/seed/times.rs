//! The times of the initial state. They do not depend on the wall clock.

use jiff::Timestamp;

use crate::clock;

/// The creation time of the first bot: 2024-03-01T08:00:00Z.
pub(super) const FIRST_CREATED: i64 = 1_709_280_000;

/// The time between the creation of two bots, in seconds.
pub(super) const BOT_INTERVAL: i64 = 7_213;

/// An hour in seconds.
pub(super) const HOUR: i64 = 3_600;

/// A day in seconds.
pub(super) const DAY: i64 = 24 * HOUR;

/// The time between the creation of the last bot and the start of the sandbox, in seconds. All seeded events are earlier.
const START_DELAY: i64 = 30 * DAY;

/// Returns the time at which a sandbox with a number of DCA bots starts.
pub(crate) fn start(bots: usize) -> Timestamp {
    let count = i64::try_from(bots).unwrap_or(i64::MAX);
    time(FIRST_CREATED.saturating_add(count.saturating_mul(BOT_INTERVAL)).saturating_add(START_DELAY), 0)
}

/// Returns the time of a Unix timestamp in seconds, plus milliseconds.
fn time(seconds: i64, milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(seconds.saturating_mul(1_000).saturating_add(milliseconds)).unwrap_or_default()
}

/// Formats a Unix timestamp as a timestamp of the API.
pub(super) fn timestamp(seconds: i64, milliseconds: i64) -> String {
    clock::timestamp(time(seconds, milliseconds))
}
