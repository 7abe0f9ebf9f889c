//! The reports of a process to the store of the shared count, and the responses.

use std::time::Duration;

use crate::rate_limit::bans::MAX_BAN;
use crate::rate_limit::limit::RateLimit;
use crate::rate_limit::window::{ARRIVES_WITHIN, MAX_LEASE};

/// The lease of a request that may be sent. It is prolonged for an attempt with a longer timeout.
pub(super) const LEASE: Duration = Duration::from_secs(60);

/// The reports and the wishes of a process in one round trip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeaseSync {
    pub(super) limit: RateLimit,
    /// A higher number than those of the exchanges before it.
    pub(super) number: u64,
    /// The requests that it asks for have the numbers from here on.
    pub(super) first: u64,
    pub(super) wanted: u32,
    pub(super) queue: QueueStep,
    pub(super) reports: Vec<Report>,
    /// The time for which the service still rejects the API key, if this process has noticed it.
    pub(super) rejected_for: Duration,
    /// True if the store must still have an earlier exchange of this process.
    pub(super) is_known: bool,
}

/// The change of the place of the process in the queue of all processes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum QueueStep {
    /// It keeps its place, if it has one.
    #[default]
    Keep,
    /// It takes a place, unless it has one, if it is leased no request.
    Join,
    /// It gives up its place.
    Leave,
}

/// The outcome of a leased request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) number: u64,
    pub(super) arrival: ArrivalTime,
}

/// When a request arrived at the service, at the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrivalTime {
    /// It was not sent.
    Never,
    /// It arrived this long ago.
    Ago(Duration),
    /// It has ended, and arrives within this time.
    Within(Duration),
    /// It is in flight, and arrives within this time.
    InFlight(Duration),
}

/// The response of the store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LeaseSyncResult {
    /// The number of requests that are leased.
    pub(super) leased: u32,
    /// Without any, the time until one may be.
    pub(super) wait: Duration,
    /// The time until one may be leased if no request in flight comes to count.
    pub(super) soonest: Duration,
    /// The number of requests that count, those in flight and those just leased included.
    pub(super) used: u32,
    /// If none may be sent, the time until one may; otherwise until the first of them stops counting.
    pub(super) resets_in: Duration,
    /// The time for which the service rejects the API key.
    pub(super) rejected_for: Duration,
    /// The number of processes that have used the count lately, this one included.
    pub(super) processes: u32,
    /// True if values that can't be were discarded, such as times in years.
    pub(super) has_discarded: bool,
    /// True if data of the count had vanished.
    pub(super) has_lost: bool,
}

impl LeaseSyncResult {
    /// Returns true if the times can be those of a limit.
    pub(super) fn is_plausible(&self, limit: RateLimit) -> bool {
        let longest = limit.per.saturating_add(MAX_LEASE + LEASE + ARRIVES_WITHIN);
        [self.wait, self.soonest, self.resets_in].iter().all(|time| *time <= longest) && self.rejected_for <= MAX_BAN
    }
}

/// The reason why the store could not be used. It is shown to the user, and has no secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoreError(pub(super) String);

/// A store of the count that several processes share.
pub(super) trait Store: Send + 'static {
    /// Makes an exchange. One that failed may have taken effect, and can be made again.
    fn exchange(&mut self, exchange: &LeaseSync) -> impl Future<Output = Result<LeaseSyncResult, StoreError>>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_no_limit_has_is_not_plausible() {
        let (limit, year) = (RateLimit::default(), Duration::from_secs(365 * 86_400));
        assert!(
            LeaseSyncResult { wait: limit.per + LEASE, rejected_for: MAX_BAN, ..LeaseSyncResult::default() }
                .is_plausible(limit)
        );
        for exchanged in [
            LeaseSyncResult { wait: year, ..LeaseSyncResult::default() },
            LeaseSyncResult { soonest: year, ..LeaseSyncResult::default() },
            LeaseSyncResult { resets_in: year, ..LeaseSyncResult::default() },
            LeaseSyncResult { rejected_for: year, ..LeaseSyncResult::default() },
        ] {
            assert!(!exchanged.is_plausible(limit), "{exchanged:?}");
        }
    }
}
