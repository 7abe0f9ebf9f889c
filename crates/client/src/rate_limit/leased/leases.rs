//! The requests that a process has leased, and what it has to report about them.

use std::collections::VecDeque;
use std::time::{Duration, SystemTime};

use tokio::time::Instant;

use super::demand::{Demand, hold};
use super::lease_sync::{ArrivalTime, LEASE, LeaseSync, LeaseSyncResult, QueueStep, Report};
use crate::rate_limit::limit::RateLimit;

/// The highest number of reports that wait for the server.
const MAX_REPORTS: usize = 10_000;

/// The shortest time for which the server knows a process, besides a lease.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// A leased request that is not used yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnusedLease {
    pub(super) number: u64,
    limit: RateLimit,
    held_until: Instant,
    /// The end of the lease.
    pub(super) ends: Instant,
    begun_system_time: SystemTime,
}

impl UnusedLease {
    fn is_expired(&self, now: Instant, system: SystemTime) -> bool {
        // On Linux and macOS, `Instant` does not count time while the machine is suspended; the server's clock does.
        let has_ended_meanwhile = system.duration_since(self.begun_system_time).is_ok_and(|passed| passed >= LEASE);
        self.held_until <= now || has_ended_meanwhile
    }
}

/// A report about a request that the server has not received yet.
#[derive(Clone, Copy, Debug)]
struct PendingReport {
    number: u64,
    /// The latest time at which it arrives; None if it is not sent.
    arrival: Option<Instant>,
    is_in_flight: bool,
}

/// The requests that a process has leased, and what it has to report about them.
#[derive(Debug, Default)]
pub(super) struct Leases {
    next_number: u64,
    next_exchange: u64,
    /// The leased requests that are not used yet.
    free: VecDeque<UnusedLease>,
    reports: Vec<PendingReport>,
    /// True if a report can't wait.
    is_urgent: bool,
    /// When the first of the reports was made.
    reported_at: Option<Instant>,
    leaves_queue: bool,
    /// Until when the service rejects the API key, as this process has noticed, and as another one has reported.
    rejected_until: Option<Instant>,
    learned_rejection: Option<Instant>,
    demand: Demand,
    /// The time until which no request can be leased for a limit, however those in flight end.
    soonest: Option<(RateLimit, Instant)>,
    /// The number of processes that share the count, this one included; 0 if it was never known.
    processes: u32,
    /// When the last successful exchange began.
    exchanged_at: Option<(Instant, SystemTime)>,
}

impl Leases {
    /// Returns a number that no other request of this process has.
    pub(super) fn next_number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// Takes a leased request that is not used yet.
    pub(super) fn take(&mut self, now: Instant, limit: RateLimit) -> Option<UnusedLease> {
        if self.has_free(now, limit) { self.free.pop_front() } else { None }
    }

    /// Returns true if a leased request is not used yet. Those that were leased for another limit are given up, because they may be above
    /// this one.
    pub(super) fn has_free(&mut self, now: Instant, limit: RateLimit) -> bool {
        self.give_up_expired(now);
        if self.free.front().is_some_and(|lease| lease.limit != limit) {
            self.give_up_all();
        }
        !self.free.is_empty()
    }

    fn give_up_expired(&mut self, now: Instant) {
        let system = SystemTime::now();
        while self.free.front().is_some_and(|lease| lease.is_expired(now, system)) {
            self.give_up_first();
        }
    }

    /// Gives up all leased requests that are not used yet.
    pub(super) fn give_up_all(&mut self) {
        while !self.free.is_empty() {
            self.give_up_first();
        }
    }

    fn give_up_first(&mut self) {
        if let Some(lease) = self.free.pop_front() {
            self.end(lease.number, None);
        }
    }

    /// Stores that a request has ended; `arrival` is the latest time at which it arrives, None if it was not sent. Returns true if nothing
    /// was to be reported before.
    pub(super) fn end(&mut self, number: u64, arrival: Option<Instant>) -> bool {
        self.report(PendingReport { number, arrival, is_in_flight: false })
    }

    /// Stores that a request is in flight for longer than its lease; `arrival` is the latest time at which it arrives. Returns true if
    /// nothing was to be reported before.
    pub(super) fn prolong(&mut self, number: u64, arrival: Instant) -> bool {
        self.report(PendingReport { number, arrival: Some(arrival), is_in_flight: true })
    }

    fn report(&mut self, report: PendingReport) -> bool {
        // Without its report, a request counts until its lease ends.
        let excess = (self.reports.len() + 1).saturating_sub(MAX_REPORTS);
        self.reports.drain(..excess);
        self.reports.push(report);
        self.note_report()
    }

    /// Stores that the process gives up its place in the queue. Returns true if nothing was to be reported before.
    pub(super) fn leave_queue(&mut self) -> bool {
        self.leaves_queue = true;
        self.note_report()
    }

    /// Notes that there is something to report, and returns true if it is the first thing.
    fn note_report(&mut self) -> bool {
        let is_first = self.reported_at.is_none();
        self.reported_at.get_or_insert_with(Instant::now);
        is_first
    }

    /// Stores that the service rejects the API key until then.
    pub(super) fn reject_key(&mut self, until: Instant) {
        self.rejected_until = self.rejected_until.max(Some(until));
        self.give_up_all();
        self.is_urgent = true;
        self.note_report();
    }

    /// Returns for how long the service rejects the API key.
    pub(super) fn rejected_for(&self, now: Instant) -> Option<Duration> {
        let until = self.rejected_until.max(self.learned_rejection).filter(|until| *until > now)?;
        Some(until - now)
    }

    /// Returns when the server must hear of this process, at the latest; None if there is nothing to report.
    pub(super) fn due(&self, limit: RateLimit) -> Option<Instant> {
        let expiry = self.free.front().map(|lease| lease.held_until);
        let report = self.reported_at.map(|at| if self.is_urgent { at } else { at + hold(limit) });
        expiry.into_iter().chain(report).min()
    }

    /// Returns true if there is something to report.
    pub(super) fn has_reports(&mut self, now: Instant) -> bool {
        self.give_up_expired(now);
        self.reported_at.is_some()
    }

    /// Returns the time until which no request can be leased for a limit, however those in flight end; None if it is not known.
    pub(super) fn soonest(&self, limit: RateLimit) -> Option<Instant> {
        self.soonest.filter(|(known, _)| *known == limit).map(|(_, soonest)| soonest)
    }

    /// Returns the part of a limit that is left to each process while the server can't be used.
    pub(super) fn share(&self, limit: RateLimit) -> RateLimit {
        RateLimit { requests: (limit.requests / self.processes.max(1)).max(1), ..limit }
    }

    /// Returns the number of processes that share the count, this one included; 0 if it was never known.
    pub(super) fn processes(&self) -> u32 {
        self.processes
    }

    /// Begins an exchange. Its outcome is passed to [`Self::finish`] or [`Self::fail`].
    pub(super) fn begin(&mut self, now: Instant, limit: RateLimit, queue: QueueStep, leases: bool) -> Pending {
        let reports = std::mem::take(&mut self.reports);
        let queue = if queue == QueueStep::Keep && self.leaves_queue { QueueStep::Leave } else { queue };
        let wanted = if leases { self.demand.next(now, limit) } else { 0 };
        let first = self.next_number + 1;
        self.next_number += u64::from(wanted);
        (self.reported_at, self.leaves_queue) = (None, false);
        self.is_urgent = false;
        self.next_exchange += 1;
        let sent = |report: &PendingReport| Report {
            number: report.number,
            arrival: match report.arrival {
                None => ArrivalTime::Never,
                Some(arrival) if report.is_in_flight => ArrivalTime::InFlight(arrival.saturating_duration_since(now)),
                Some(arrival) if arrival > now => ArrivalTime::Within(arrival - now),
                Some(arrival) => ArrivalTime::Ago(now - arrival),
            },
        };
        let exchange = LeaseSync {
            limit,
            number: self.next_exchange,
            first,
            wanted,
            queue,
            reports: reports.iter().map(sent).collect(),
            rejected_for: self.rejected_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now)),
            is_known: self.is_known(now, limit),
        };
        Pending { begun: now, begun_system_time: SystemTime::now(), exchange, reports }
    }

    /// Returns true if the server must still have the last exchange of this process.
    fn is_known(&self, now: Instant, limit: RateLimit) -> bool {
        // It forgets a process `KEPT_FOR` or `per` after its last exchange, and the longest lease later.
        let kept_for = limit.per.max(KEPT_FOR).saturating_add(LEASE);
        let system = SystemTime::now();
        self.exchanged_at.is_some_and(|(at, system_time)| {
            // `Instant` may not count time while the machine is suspended.
            now.saturating_duration_since(at) < kept_for
                && system.duration_since(system_time).is_ok_and(|passed| passed < kept_for)
        })
    }

    /// Takes over the response of the server, which has come now.
    pub(super) fn finish(&mut self, now: Instant, pending: &Pending, exchanged: LeaseSyncResult) {
        let LeaseSync { limit, first, wanted, .. } = pending.exchange;
        // The server may have begun the leases when the exchange began.
        let Pending { begun, begun_system_time, .. } = *pending;
        let lease = |number| UnusedLease {
            number,
            limit,
            held_until: now + hold(limit),
            ends: begun + LEASE,
            begun_system_time,
        };
        self.free.extend((first..).take(exchanged.leased.min(wanted) as usize).map(lease));
        if exchanged.leased > 0 {
            self.demand.note(now, exchanged.leased);
        }
        if self.rejected_until.is_some_and(|until| until <= now) {
            self.rejected_until = None;
        }
        self.learned_rejection = Some(pending.begun + exchanged.rejected_for);
        if !exchanged.rejected_for.is_zero() {
            self.give_up_all();
        }
        self.soonest = Some((limit, now + exchanged.soonest));
        self.processes = exchanged.processes;
        self.exchanged_at = Some((begun, begun_system_time));
    }

    /// Takes back what was to be reported. The requests that were to be leased are given up, because the exchange may have taken
    /// effect.
    pub(super) fn fail(&mut self, pending: Pending) {
        let Pending { exchange, mut reports, .. } = pending;
        reports.append(&mut self.reports);
        self.reports = reports;
        self.leaves_queue |= exchange.queue != QueueStep::Keep;
        for number in (exchange.first..).take(exchange.wanted as usize) {
            self.end(number, None);
        }
        self.is_urgent |= !exchange.rejected_for.is_zero();
        self.note_report();
    }
}

/// An exchange whose outcome is not known yet.
#[derive(Debug)]
pub(super) struct Pending {
    begun: Instant,
    begun_system_time: SystemTime,
    pub(super) exchange: LeaseSync,
    reports: Vec<PendingReport>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: RateLimit = RateLimit { requests: 100, per: Duration::from_secs(60) };
    const SECOND: Duration = Duration::from_secs(1);

    /// Returns the numbers of an exchange that leases all that is wanted.
    fn lease(leases: &mut Leases, now: Instant) -> Pending {
        let pending = leases.begin(now, LIMIT, QueueStep::Keep, true);
        let exchanged = LeaseSyncResult { leased: pending.exchange.wanted, processes: 4, ..LeaseSyncResult::default() };
        leases.finish(now, &pending, exchanged);
        pending
    }

    fn take(leases: &mut Leases, now: Instant) -> Option<u64> {
        leases.take(now, LIMIT).map(|lease| lease.number)
    }

    fn reported(leases: &mut Leases, now: Instant) -> Vec<Report> {
        leases.begin(now, LIMIT, QueueStep::Keep, false).exchange.reports
    }

    #[test]
    fn a_lease_is_used_once() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        lease(&mut leases, now);
        assert_eq!([take(&mut leases, now), take(&mut leases, now)], [Some(1), None]);
        lease(&mut leases, now);
        assert_eq!([take(&mut leases, now), take(&mut leases, now), take(&mut leases, now)], [Some(2), Some(3), None]);
    }

    #[test]
    fn a_lease_that_is_not_used_within_a_second_is_given_back() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        lease(&mut leases, now);
        assert_eq!(leases.due(LIMIT), Some(now + SECOND));
        assert!(!leases.has_reports(now + SECOND / 2));
        assert!(leases.has_reports(now + SECOND));
        assert_eq!(take(&mut leases, now + SECOND), None);
        assert_eq!(reported(&mut leases, now), [Report { number: 1, arrival: ArrivalTime::Never }]);
        assert!(!leases.has_reports(now + SECOND));
    }

    #[test]
    fn a_lease_that_has_ended_while_the_machine_was_suspended_is_given_back() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        let pending = leases.begin(now, LIMIT, QueueStep::Keep, true);
        let suspended = Pending { begun_system_time: pending.begun_system_time - LEASE, ..pending };
        leases.finish(now, &suspended, LeaseSyncResult { leased: 1, ..LeaseSyncResult::default() });
        assert_eq!(take(&mut leases, now), None);
        assert_eq!(reported(&mut leases, now), [Report { number: 1, arrival: ArrivalTime::Never }]);
    }

    #[test]
    fn a_lease_for_a_higher_limit_is_not_used_for_a_lower_one() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        lease(&mut leases, now);
        assert_eq!(leases.take(now, RateLimit { requests: 5, ..LIMIT }), None);
        assert_eq!(reported(&mut leases, now), [Report { number: 1, arrival: ArrivalTime::Never }]);
    }

    #[test]
    fn the_wait_for_one_limit_says_nothing_about_another() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        assert_eq!(leases.soonest(LIMIT), None);
        let pending = leases.begin(now, LIMIT, QueueStep::Keep, true);
        leases.finish(now, &pending, LeaseSyncResult { soonest: 40 * SECOND, ..LeaseSyncResult::default() });
        assert_eq!(leases.soonest(LIMIT), Some(now + 40 * SECOND));
        assert_eq!(leases.soonest(RateLimit { requests: 200, ..LIMIT }), None);
    }

    #[test]
    fn a_lease_that_comes_late_can_be_used_for_as_long() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        let pending = leases.begin(now, LIMIT, QueueStep::Keep, true);
        leases.finish(now + 3 * SECOND, &pending, LeaseSyncResult { leased: 1, ..LeaseSyncResult::default() });
        let lease = leases.take(now + 3 * SECOND, LIMIT).unwrap();
        assert_eq!(lease.ends, now + LEASE);
    }

    #[test]
    fn a_rejection_that_another_process_has_reported_is_remembered_and_not_reported_again() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        let pending = leases.begin(now, LIMIT, QueueStep::Keep, true);
        leases.finish(now, &pending, LeaseSyncResult { rejected_for: 9 * SECOND, ..LeaseSyncResult::default() });
        assert_eq!(leases.rejected_for(now + SECOND), Some(8 * SECOND));
        assert_eq!(leases.begin(now, LIMIT, QueueStep::Keep, false).exchange.rejected_for, Duration::ZERO);
    }

    #[test]
    fn the_times_of_reports_are_relative_to_the_exchange() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        leases.end(7, Some(now));
        leases.end(8, Some(now + 30 * SECOND));
        let reports = reported(&mut leases, now + 5 * SECOND);
        let arrivals = [ArrivalTime::Ago(5 * SECOND), ArrivalTime::Within(25 * SECOND)];
        assert_eq!(reports.iter().map(|report| report.arrival).collect::<Vec<_>>(), arrivals);
    }

    #[test]
    fn after_a_failure_all_is_reported_again_and_the_leases_that_may_exist_are_given_back() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        leases.end(100, Some(now));
        let pending = leases.begin(now, LIMIT, QueueStep::Join, true);
        leases.end(101, None);
        leases.fail(pending);
        let again = leases.begin(now, LIMIT, QueueStep::Keep, false).exchange;
        assert_eq!(again.reports.iter().map(|report| report.number).collect::<Vec<_>>(), [100, 101, 1]);
        assert_eq!(again.queue, QueueStep::Leave);
    }

    #[test]
    fn a_rejected_key_is_reported_until_it_is_over_and_gives_back_all_leases() {
        let (mut leases, now) = (Leases::default(), Instant::now());
        lease(&mut leases, now);
        leases.reject_key(now + 9 * SECOND);
        assert!(leases.due(LIMIT).unwrap() <= Instant::now());
        assert_eq!(take(&mut leases, now), None);
        let pending = leases.begin(now + SECOND, LIMIT, QueueStep::Keep, false);
        assert_eq!(pending.exchange.rejected_for, 8 * SECOND);
        leases.fail(pending);
        let later = leases.begin(now + 10 * SECOND, LIMIT, QueueStep::Keep, false);
        assert_eq!(later.exchange.rejected_for, Duration::ZERO);
    }

    #[test]
    fn each_process_has_an_equal_share_of_the_limit() {
        let mut leases = Leases::default();
        assert_eq!(leases.share(LIMIT).requests, 100);
        lease(&mut leases, Instant::now());
        assert_eq!(leases.share(LIMIT).requests, 25);
        assert_eq!(leases.share(RateLimit { requests: 3, ..LIMIT }).requests, 1);
    }
}
