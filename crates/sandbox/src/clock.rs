//! The clock of the sandbox, which is advanced manually or follows the wall clock.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// The time from a request until the exchange has carried it out, unless the price of the pair changes before.
pub(super) const ARRIVAL: SignedDuration = SignedDuration::from_secs(1);

/// The duration by which each write advances a manual clock.
const WRITE_DURATION: SignedDuration = SignedDuration::from_secs(1);

/// The resolution of timestamps.
const RESOLUTION: SignedDuration = SignedDuration::from_millis(1);

/// A monotonic clock.
///
/// At first only writes advance it, so that the same requests always give the same state.
#[derive(Debug)]
pub(super) struct SandboxClock {
    now: Timestamp,
    /// The lead over the wall clock; None if the clock does not follow the wall clock.
    ahead: Option<SignedDuration>,
}

impl SandboxClock {
    /// Creates a manual clock.
    pub(super) fn at(now: Timestamp) -> Self {
        Self { now: to_milliseconds(now), ahead: None }
    }

    /// Returns the time up to which events have run.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// Advances the clock for a write, and returns the timestamp of the write.
    pub(super) fn tick(&mut self) -> Value {
        self.now = if self.ahead.is_some() {
            self.current_time().max(later(self.now, RESOLUTION))
        } else {
            later(self.now, WRITE_DURATION)
        };
        Value::from(timestamp(self.now))
    }

    /// Returns the time up to which events should run. It is past `now` if the clock follows the wall clock.
    pub(super) fn current_time(&self) -> Timestamp {
        self.ahead.map_or(self.now, |ahead| to_milliseconds(later(Timestamp::now(), ahead)).max(self.now))
    }

    /// Advances the clock to a time; does nothing if that is in the past.
    pub(super) fn advance_to(&mut self, time: Timestamp) {
        self.now = self.now.max(to_milliseconds(time));
        if self.ahead.is_some() {
            self.follow_wall();
        }
    }

    /// Stops following the wall clock, and sets a time, which may be in the past.
    pub(super) fn set(&mut self, time: Timestamp) {
        *self = Self::at(time);
    }

    /// Follows the wall clock from now on. A clock that is ahead stays ahead.
    pub(super) fn follow_wall(&mut self) {
        self.ahead = Some(self.now.duration_since(Timestamp::now()).max(SignedDuration::ZERO));
    }

    /// Returns whether it follows the wall clock.
    pub(super) fn follows_wall(&self) -> bool {
        self.ahead.is_some()
    }

    /// Stops following the wall clock.
    pub(super) fn stop(&mut self) {
        self.ahead = None;
    }
}

/// Adds a duration to a time, saturating at the bounds of `Timestamp`.
pub(super) fn later(time: Timestamp, by: SignedDuration) -> Timestamp {
    let bound = if by.is_negative() { Timestamp::MIN } else { Timestamp::MAX };
    time.checked_add(by).unwrap_or(bound)
}

/// Formats a time as a timestamp of the API.
pub(super) fn timestamp(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// Truncates a time to milliseconds, the resolution of timestamps.
fn to_milliseconds(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(string: &str) -> Timestamp {
        string.parse().unwrap()
    }

    #[test]
    fn only_writes_advance_a_manual_clock() {
        let mut clock = SandboxClock::at(time("2024-03-01T08:00:00.1239Z"));
        assert_eq!(clock.current_time(), time("2024-03-01T08:00:00.123Z"));
        assert_eq!(clock.tick(), "2024-03-01T08:00:01.123Z");
        assert_eq!(clock.now(), time("2024-03-01T08:00:01.123Z"));
    }

    #[test]
    fn it_never_goes_back() {
        let mut clock = SandboxClock::at(time("2024-03-01T08:00:00Z"));
        clock.advance_to(time("2024-02-01T08:00:00Z"));
        assert_eq!(clock.now(), time("2024-03-01T08:00:00Z"));
    }

    #[test]
    fn it_follows_the_wall_clock() {
        let mut clock = SandboxClock::at(time("2024-03-01T08:00:00Z"));
        clock.follow_wall();
        let before = to_milliseconds(Timestamp::now());
        let shown = clock.current_time();
        assert!(before <= shown && shown <= Timestamp::now());
        clock.advance_to(shown);
        clock.stop();
        assert_eq!(clock.current_time(), shown);
    }

    #[test]
    fn a_clock_ahead_of_the_wall_clock_stays_ahead() {
        let far = time("2200-01-01T00:00:00Z");
        let mut clock = SandboxClock::at(far);
        clock.follow_wall();
        // Truncation to milliseconds may lose a part of the wall clock's time.
        assert!(clock.current_time() >= far);
        assert!(clock.current_time() < later(far, SignedDuration::from_hours(24)));
        let write = clock.tick();
        assert!(clock.tick().as_str() > write.as_str());
    }

    #[test]
    fn it_saturates_at_the_last_timestamp() {
        let mut clock = SandboxClock::at(Timestamp::MAX);
        clock.tick();
        assert_eq!(clock.now(), to_milliseconds(Timestamp::MAX));
        assert_eq!(later(Timestamp::MIN, SignedDuration::MIN), Timestamp::MIN);
    }
}
