//! The requests that count against a rate limit.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::limit::RateLimit;

/// The requests of one API key that may count against a rate limit now.
#[derive(Debug, Default)]
pub(super) struct Window {
    /// The number of requests in flight.
    in_flight: usize,
    /// The latest time at which each of the others arrived, the earliest first. An abandoned request may arrive in the future.
    arrivals: VecDeque<Instant>,
    /// The longest `per` of any client of the key.
    longest: Duration,
}

impl Window {
    /// Counts a request that is about to be sent.
    pub(super) fn start(&mut self) {
        self.in_flight += 1;
    }

    /// Ends a request that is in flight; `arrival` is the latest time at which it arrived, None if it was not sent.
    pub(super) fn end(&mut self, arrival: Option<Instant>) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Some(at) = arrival {
            let index = self.arrivals.partition_point(|arrival| *arrival <= at);
            self.arrivals.insert(index, at);
        }
    }

    /// Drops the requests that no longer count for any client of the key.
    pub(super) fn prune(&mut self, now: Instant, limit: RateLimit) {
        self.longest = self.longest.max(limit.per);
        while self.arrivals.front().is_some_and(|first| *first + self.longest <= now) {
            self.arrivals.pop_front();
        }
    }

    /// Returns the number of requests that count against a limit.
    pub(super) fn used(&self, now: Instant, limit: RateLimit) -> usize {
        self.in_flight + self.arrivals.len().saturating_sub(self.expired(now, limit))
    }

    /// Returns when the next request may be sent; None if it may be sent now.
    pub(super) fn free_at(&self, now: Instant, limit: RateLimit) -> Option<Instant> {
        let most = usize::try_from(limit.requests).unwrap_or(usize::MAX);
        let over = (self.used(now, limit) + 1).checked_sub(most).filter(|over| *over > 0)?;
        Some(self.expires_at(over - 1, now, limit))
    }

    /// Returns when a request may be sent if no request in flight comes to count; None if fewer have ended than the limit allows.
    pub(super) fn free_at_soonest(&self, limit: RateLimit) -> Option<Instant> {
        let most = usize::try_from(limit.requests).unwrap_or(usize::MAX);
        let blocking = self.arrivals.len().checked_sub(most)?;
        self.arrivals.get(blocking).map(|arrival| *arrival + limit.per)
    }

    /// Returns when the first request that counts now stops counting; None if no request counts.
    pub(super) fn next_expiry(&self, now: Instant, limit: RateLimit) -> Option<Instant> {
        (self.used(now, limit) > 0).then(|| self.expires_at(0, now, limit))
    }

    /// Returns the number of requests that ended and no longer count against a limit.
    fn expired(&self, now: Instant, limit: RateLimit) -> usize {
        self.arrivals.partition_point(|arrival| *arrival + limit.per <= now)
    }

    /// Returns when one of the requests that count now stops counting. A request in flight ends now at the soonest: after those that
    /// have arrived, and before those that may arrive later.
    fn expires_at(&self, index: usize, now: Instant, limit: RateLimit) -> Instant {
        let index = self.expired(now, limit) + index;
        let arrived = self.arrivals.partition_point(|arrival| *arrival <= now);
        let arrival = if index < arrived {
            self.arrivals.get(index)
        } else {
            index.checked_sub(arrived + self.in_flight).and_then(|late| self.arrivals.get(arrived + late))
        };
        arrival.copied().unwrap_or(now) + limit.per
    }
}
