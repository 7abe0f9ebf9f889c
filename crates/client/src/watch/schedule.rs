//! When to poll.

use std::time::Duration;

use tokio::time::Instant;

/// Polls in even steps of the monotonic clock. Steps that were missed are not caught up on.
#[derive(Debug)]
pub(super) struct Schedule {
    every: Duration,
    due: Option<Instant>,
}

impl Schedule {
    /// A schedule whose first poll is due at once.
    pub(super) fn new(every: Duration) -> Self {
        Self { every, due: None }
    }

    /// Until when to wait; None where a poll is due.
    pub(super) fn pending(&self, now: Instant) -> Option<Instant> {
        self.due.filter(|due| *due > now)
    }

    /// Notes that the poll that was due begins.
    pub(super) fn begin(&mut self, now: Instant) {
        let next = self.due.map(|due| due + self.every).filter(|next| *next > now);
        self.due = Some(next.unwrap_or(now + self.every));
    }

    /// Notes that a poll begins that was not waited for: the steps go on from it.
    pub(super) fn begin_anew(&mut self, now: Instant) {
        self.due = Some(now + self.every);
    }
}
