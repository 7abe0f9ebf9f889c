//! When to poll.

use std::time::Duration;

use tokio::time::Instant;

/// A schedule of polls at even intervals. Missed polls are skipped.
#[derive(Debug)]
pub(super) struct Schedule {
    every: Duration,
    due: Option<Instant>,
}

impl Schedule {
    /// Returns a schedule whose first poll is due now.
    pub(super) fn new(every: Duration) -> Self {
        Self { every, due: None }
    }

    /// Returns when the next poll is due; None if it is due now.
    pub(super) fn pending(&self, now: Instant) -> Option<Instant> {
        self.due.filter(|due| *due > now)
    }

    /// Notes that the poll that is due starts.
    pub(super) fn start(&mut self, now: Instant) {
        let next = self.due.map(|due| due + self.every).filter(|next| *next > now);
        self.due = Some(next.unwrap_or(now + self.every));
    }

    /// Notes that a poll starts early: the intervals continue from now.
    pub(super) fn restart(&mut self, now: Instant) {
        self.due = Some(now + self.every);
    }
}
