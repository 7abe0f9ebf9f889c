//! The requests that count against a rate limit.

use std::collections::VecDeque;
use std::ops::Add;
use std::time::Duration;

use super::limit::RateLimit;

/// The time in which an abandoned request may still arrive, because it is in a buffer of the service or of a proxy.
///
/// This time has no certain bound. A service that works reads a request within 30 seconds. Together with the default timeout,
/// that is one minute, after which proxies and load balancers drop a request. A longer time would block clients for longer after
/// their requests have timed out.
pub(super) const ARRIVES_WITHIN: Duration = Duration::from_secs(30);

/// The longest lease. It ends a request whose process can't be observed.
pub(super) const MAX_LEASE: Duration = Duration::from_secs(86_400);

/// The requests of one API key that may count against a rate limit now, with times `T`: of this process, or of all processes of
/// this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window<T> {
    /// The number of requests in flight.
    in_flight: usize,
    /// The latest time at which each of the others arrived, the earliest first. An abandoned request may arrive in the future.
    arrivals: VecDeque<T>,
    /// The longest `per` of any client of the key.
    longest: Duration,
}

impl<T> Default for Window<T> {
    fn default() -> Self {
        Self { in_flight: 0, arrivals: VecDeque::new(), longest: Duration::ZERO }
    }
}

impl<T: Copy + Ord + Add<Duration, Output = T>> Window<T> {
    /// Returns a window with these requests, of which those that have ended are sorted by their arrival.
    pub(super) fn restored(in_flight: usize, arrivals: VecDeque<T>, longest: Duration) -> Self {
        Self { in_flight, arrivals, longest }
    }

    /// Returns the latest times at which the requests arrived that are not in flight, the earliest first.
    pub(super) fn arrivals(&self) -> &VecDeque<T> {
        &self.arrivals
    }

    /// Returns the longest `per` of any client of the key.
    pub(super) fn longest(&self) -> Duration {
        self.longest
    }

    /// Drops all but the latest arrivals. No limit of at most that many requests is affected.
    pub(super) fn keep_latest(&mut self, most: usize) {
        self.arrivals.drain(..self.arrivals.len().saturating_sub(most));
    }

    /// Counts a request that is about to be sent.
    pub(super) fn start(&mut self) {
        self.in_flight += 1;
    }

    /// Ends a request that is in flight; `arrival` is the latest time at which it arrived, None if it was not sent.
    pub(super) fn end(&mut self, arrival: Option<T>) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Some(at) = arrival {
            let index = self.arrivals.partition_point(|arrival| *arrival <= at);
            self.arrivals.insert(index, at);
        }
    }

    /// Drops the requests that no longer count for any client of the key.
    pub(super) fn prune(&mut self, now: T, limit: RateLimit) {
        self.longest = self.longest.max(limit.per);
        while self.arrivals.front().is_some_and(|first| *first + self.longest <= now) {
            self.arrivals.pop_front();
        }
    }

    /// Returns the number of requests that count against a limit.
    pub(super) fn used(&self, now: T, limit: RateLimit) -> usize {
        self.in_flight + self.arrivals.len().saturating_sub(self.expired(now, limit))
    }

    /// Returns when a request may be sent after `ahead` others; None if it may be sent now.
    pub(super) fn free_at(&self, now: T, limit: RateLimit, ahead: usize) -> Option<T> {
        let most = usize::try_from(limit.requests).unwrap_or(usize::MAX);
        let over = (self.used(now, limit) + ahead + 1).checked_sub(most).filter(|over| *over > 0)?;
        Some(self.expires_at(over - 1, now, limit))
    }

    /// Returns when a request may be sent if no request in flight comes to count; None if fewer have ended than the limit allows.
    pub(super) fn free_at_soonest(&self, limit: RateLimit) -> Option<T> {
        let most = usize::try_from(limit.requests).unwrap_or(usize::MAX);
        let blocking = self.arrivals.len().checked_sub(most)?;
        self.arrivals.get(blocking).map(|arrival| *arrival + limit.per)
    }

    /// Returns when the first request that counts now stops counting; None if no request counts.
    pub(super) fn next_expiry(&self, now: T, limit: RateLimit) -> Option<T> {
        (self.used(now, limit) > 0).then(|| self.expires_at(0, now, limit))
    }

    /// Returns the number of requests that ended and no longer count against a limit.
    fn expired(&self, now: T, limit: RateLimit) -> usize {
        self.arrivals.partition_point(|arrival| *arrival + limit.per <= now)
    }

    /// Returns when one of the requests that count now stops counting. A request in flight ends now at the soonest: after those that
    /// have arrived, and before those that may arrive later.
    fn expires_at(&self, index: usize, now: T, limit: RateLimit) -> T {
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
