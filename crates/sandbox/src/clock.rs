//! The time of the sandbox. It is moved by hand, or follows the wall clock.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// How much later each write is where nobody moves the clock.
const WRITE: SignedDuration = SignedDuration::from_secs(1);

/// The smallest step of a timestamp.
const LEAST: SignedDuration = SignedDuration::from_millis(1);

/// A clock that never goes back.
///
/// At first it passes only when something is written, so that the same requests make the same world.
#[derive(Debug)]
pub(super) struct Clock {
    now: Timestamp,
    /// How far it is ahead of the wall clock, where it follows that.
    ahead: Option<SignedDuration>,
}

impl Clock {
    /// A clock that stands.
    pub(super) fn at(now: Timestamp) -> Self {
        Self { now: whole(now), ahead: None }
    }

    /// The time that it showed last.
    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// The time of one more write, as a timestamp of the document.
    pub(super) fn tick(&mut self) -> Value {
        self.now = if self.ahead.is_some() { self.due().max(later(self.now, LEAST)) } else { later(self.now, WRITE) };
        Value::from(text(self.now))
    }

    /// The time that it should show: the wall clock has gone on meanwhile.
    pub(super) fn due(&self) -> Timestamp {
        self.ahead.map_or(self.now, |ahead| whole(later(Timestamp::now(), ahead)).max(self.now))
    }

    /// Moves on to a time.
    pub(super) fn reach(&mut self, time: Timestamp) {
        self.now = self.now.max(whole(time));
        if self.ahead.is_some() {
            self.follow_wall();
        }
    }

    /// Follows the wall clock from now on. Where it is ahead already, it stays so.
    pub(super) fn follow_wall(&mut self) {
        self.ahead = Some(self.now.duration_since(Timestamp::now()).max(SignedDuration::ZERO));
    }

    /// Stands still from now on.
    pub(super) fn stand(&mut self) {
        self.ahead = None;
    }
}

/// A time so much later; the last time there is where that lies beyond it.
pub(super) fn later(time: Timestamp, by: SignedDuration) -> Timestamp {
    let end = if by.is_negative() { Timestamp::MIN } else { Timestamp::MAX };
    time.checked_add(by).unwrap_or(end)
}

/// A point in time as the document writes it.
pub(super) fn text(time: Timestamp) -> String {
    format!("{time:.3}")
}

/// A time without what a timestamp of the document can't say.
fn whole(time: Timestamp) -> Timestamp {
    Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn it_stands_but_for_the_tick_of_a_write() {
        let mut clock = Clock::at(time("2024-03-01T08:00:00.1239Z"));
        assert_eq!(clock.due(), time("2024-03-01T08:00:00.123Z"));
        assert_eq!(clock.tick(), "2024-03-01T08:00:01.123Z");
        assert_eq!(clock.now(), time("2024-03-01T08:00:01.123Z"));
    }

    #[test]
    fn it_never_goes_back() {
        let mut clock = Clock::at(time("2024-03-01T08:00:00Z"));
        clock.reach(time("2024-02-01T08:00:00Z"));
        assert_eq!(clock.now(), time("2024-03-01T08:00:00Z"));
    }

    #[test]
    fn it_shows_the_time_of_the_wall_clock() {
        let mut clock = Clock::at(time("2024-03-01T08:00:00Z"));
        clock.follow_wall();
        let before = whole(Timestamp::now());
        let shown = clock.due();
        assert!(before <= shown && shown <= Timestamp::now());
        clock.reach(shown);
        clock.stand();
        assert_eq!(clock.due(), shown);
    }

    #[test]
    fn ahead_of_the_wall_clock_it_goes_on_from_where_it_stands() {
        let far = time("2200-01-01T00:00:00Z");
        let mut clock = Clock::at(far);
        clock.follow_wall();
        // The wall clock's share of a millisecond may be lost.
        assert!(clock.due() >= far);
        assert!(clock.due() < later(far, SignedDuration::from_hours(24)));
        let write = clock.tick();
        assert!(clock.tick().as_str() > write.as_str());
    }

    #[test]
    fn it_stops_at_the_last_time_there_is() {
        let mut clock = Clock::at(Timestamp::MAX);
        clock.tick();
        assert_eq!(clock.now(), whole(Timestamp::MAX));
        assert_eq!(later(Timestamp::MIN, SignedDuration::MIN), Timestamp::MIN);
    }
}
