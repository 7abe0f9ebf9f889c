//! The delays between attempts to connect.

use std::time::Duration;

use tokio::time::Instant;

/// The first delay.
const FIRST: Duration = Duration::from_secs(1);

/// The longest delay.
const LONGEST: Duration = Duration::from_secs(60);

/// The time for which a connection has to be live until the delays begin anew.
const STABLE: Duration = Duration::from_secs(60);

/// The next delay: it doubles each time.
#[derive(Debug)]
pub(super) struct Backoff {
    next: Duration,
}

impl Backoff {
    /// Returns the delays from the first one on.
    pub(super) fn new() -> Self {
        Self { next: FIRST }
    }

    /// Returns the next delay: between a half of it and all of it, by a random share from 0 to 1. `live_since` is since when the
    /// connection that was lost had been live.
    pub(super) fn delay(&mut self, live_since: Option<Instant>, share: f64) -> Duration {
        if live_since.is_some_and(|since| since.elapsed() >= STABLE) {
            self.next = FIRST;
        }
        let delay = self.next.mul_f64(0.5 + share.clamp(0.0, 1.0) / 2.0);
        self.next = (self.next * 2).min(LONGEST);
        delay
    }
}
