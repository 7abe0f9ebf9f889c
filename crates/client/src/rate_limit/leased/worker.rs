//! The thread that makes the exchanges of a budget with its server. It runs no Python code, and ends with the process.

use std::sync::{Arc, Mutex, mpsc as channel};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::lease_sync::{LeaseSyncResult, QueueStep, Store, StoreError};
use super::leases::Leases;
use crate::rate_limit::error::RateLimitError;
use crate::rate_limit::limit::{Budget, RateLimit};
use crate::warnings::warn_once;
use botdesk_system::lock::locked;

/// The time for which a server is not used after an error.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// Something to do for the worker.
pub(super) enum WorkerJob {
    /// Lease requests, unless some are left.
    Lease { limit: RateLimit, queue: QueueStep, reply: oneshot::Sender<Result<(), LeaseError>> },
    /// Ask how much of a limit is left. Without an answer, the reply is dropped.
    Read { limit: RateLimit, reply: channel::Sender<Budget> },
    /// Give back all leases that are not used, and report the ends of requests.
    GiveBack { reply: channel::Sender<()> },
    /// Something is to be reported soon.
    Wake,
}

/// The reason why no request was leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeaseError {
    Throttled(RateLimitError),
    /// The server can't be used now.
    Unusable,
}

/// Starts the thread, or returns why it can't be started.
pub(super) fn start(
    store: impl Store,
    server: String,
    leases: Arc<Mutex<Leases>>,
    jobs: mpsc::UnboundedReceiver<WorkerJob>,
) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let worker = Worker { store, server, leases, limit: RateLimit::default(), unusable: None };
    let thread = std::thread::Builder::new().name("botdesk-redis".to_owned());
    thread.spawn(move || runtime.block_on(worker.run(jobs))).map(|_| ()).map_err(|error| error.to_string())
}

struct Worker<S> {
    store: S,
    server: String,
    leases: Arc<Mutex<Leases>>,
    /// The limit of the last caller.
    limit: RateLimit,
    unusable: Option<Unusable>,
}

/// A server that can't be used.
struct Unusable {
    until: Instant,
    why: StoreError,
}

impl<S: Store> Worker<S> {
    async fn run(mut self, mut jobs: mpsc::UnboundedReceiver<WorkerJob>) {
        loop {
            let next = match self.due() {
                Some(due) => timeout_at(due, jobs.recv()).await,
                None => Ok(jobs.recv().await),
            };
            match next {
                Ok(Some(job)) => self.carry_out(job).await,
                Ok(None) => return,
                Err(_) => self.report().await,
            }
        }
    }

    /// Returns when something must be reported, at the latest.
    fn due(&self) -> Option<Instant> {
        let due = locked(&self.leases).due(self.limit)?;
        Some(self.unusable.as_ref().map_or(due, |unusable| due.max(unusable.until)))
    }

    async fn carry_out(&mut self, job: WorkerJob) {
        match job {
            WorkerJob::Lease { reply, .. } if reply.is_closed() => {}
            WorkerJob::Lease { limit, queue, reply } => {
                self.limit = limit;
                let outcome = self.lease(queue).await;
                // A caller that has gone leaves its lease to others.
                let _ = reply.send(outcome);
            }
            WorkerJob::Read { limit, reply } => {
                self.limit = limit;
                if let Some(exchanged) = self.exchange(QueueStep::Keep, false).await {
                    let _ = reply.send(budget(limit, &exchanged));
                }
            }
            WorkerJob::GiveBack { reply } => {
                locked(&self.leases).give_up_all();
                self.report().await;
                let _ = reply.send(());
            }
            WorkerJob::Wake => {}
        }
    }

    async fn lease(&mut self, queue: QueueStep) -> Result<(), LeaseError> {
        if locked(&self.leases).has_free(Instant::now(), self.limit) {
            return Ok(());
        }
        let Some(exchanged) = self.exchange(queue, true).await else {
            self.warn_unusable();
            return Err(LeaseError::Unusable);
        };
        if !exchanged.rejected_for.is_zero() {
            return Err(LeaseError::Throttled(RateLimitError::KeyRejected(exchanged.rejected_for)));
        }
        if exchanged.leased == 0 {
            return Err(LeaseError::Throttled(RateLimitError::LimitReached(exchanged.wait)));
        }
        Ok(())
    }

    async fn report(&mut self) {
        let has_reports = locked(&self.leases).has_reports(Instant::now());
        if has_reports {
            self.exchange(QueueStep::Keep, false).await;
        }
    }

    /// Makes an exchange; None if the server can't be used now.
    async fn exchange(&mut self, queue: QueueStep, leases: bool) -> Option<LeaseSyncResult> {
        let now = Instant::now();
        if self.unusable.as_ref().is_some_and(|unusable| unusable.until > now) {
            return None;
        }
        let pending = locked(&self.leases).begin(now, self.limit, queue, leases);
        match self.store.exchange(&pending.exchange).await {
            Ok(exchanged) => {
                self.unusable = None;
                locked(&self.leases).finish(Instant::now(), &pending, exchanged);
                self.warn_damaged(&exchanged);
                Some(exchanged)
            }
            Err(why) => {
                self.unusable = Some(Unusable { until: Instant::now() + RETRY_AFTER, why });
                locked(&self.leases).fail(pending);
                None
            }
        }
    }

    /// Warns that a part of the count is forgotten.
    fn warn_damaged(&self, exchanged: &LeaseSyncResult) {
        let server = &self.server;
        if exchanged.has_lost {
            warn_once(format!(
                "the rate limit that is shared through {server} had lost data: the server was flushed, restarted without \
                 persistence, or evicts keys (set maxmemory-policy to noeviction); requests before this count only in the \
                 process that made them"
            ));
        }
        if exchanged.has_discarded {
            warn_once(format!(
                "the rate limit that is shared through {server} had values that can't be, such as times in years; they were \
                 discarded, and requests that they counted are forgotten; does another program write to the keys botdesk:* \
                 there?"
            ));
        }
    }

    /// Warns that a call counts in this process alone.
    fn warn_unusable(&self) {
        let Some(Unusable { why, .. }) = &self.unusable else { return };
        let leases = locked(&self.leases);
        let (processes, share) = (leases.processes(), leases.share(self.limit).requests);
        drop(leases);
        warn_once(unusable(&self.server, &why.0, processes, share));
    }
}

/// Returns the warning that a server can't be used.
fn unusable(server: &str, why: &str, processes: u32, share: u32) -> String {
    let share = match processes {
        0 => {
            "it was never reached, so the number of processes is not known: this one may use the whole limit".to_owned()
        }
        1 => "no other process has used the limit lately: this one may use all of it".to_owned(),
        others => {
            format!("{others} processes have used the limit lately: each may use an equal share, {share} requests")
        }
    };
    format!("the rate limit is not shared through {server} at the moment ({why}); {share}")
}

fn budget(limit: RateLimit, exchanged: &LeaseSyncResult) -> Budget {
    let resets_in = if exchanged.rejected_for.is_zero() { exchanged.resets_in } else { exchanged.rejected_for };
    Budget { used: exchanged.used, limit: limit.requests, resets_in }
}

#[cfg(test)]
mod tests {
    use super::super::lease_sync::LeaseSync;
    use super::*;

    const LIMIT: RateLimit = RateLimit { requests: 100, per: Duration::from_secs(60) };

    /// A server that responds from a list, and keeps what it received.
    #[derive(Clone, Default)]
    struct FakeStore {
        responses: Arc<Mutex<Vec<Result<LeaseSyncResult, StoreError>>>>,
        received: Arc<Mutex<Vec<LeaseSync>>>,
    }

    impl FakeStore {
        fn responding(responses: impl IntoIterator<Item = Result<LeaseSyncResult, &'static str>>) -> Self {
            let responses = responses.into_iter().map(|response| response.map_err(|why| StoreError(why.to_owned())));
            let mut responses: Vec<_> = responses.collect();
            responses.reverse();
            Self { responses: Arc::new(Mutex::new(responses)), received: Arc::default() }
        }

        fn received(&self) -> Vec<LeaseSync> {
            locked(&self.received).clone()
        }
    }

    impl Store for FakeStore {
        async fn exchange(&mut self, exchange: &LeaseSync) -> Result<LeaseSyncResult, StoreError> {
            locked(&self.received).push(exchange.clone());
            locked(&self.responses).pop().unwrap_or_else(|| Ok(LeaseSyncResult::default()))
        }
    }

    fn leased(number: u32) -> LeaseSyncResult {
        LeaseSyncResult { leased: number, processes: 2, ..LeaseSyncResult::default() }
    }

    /// Starts a worker in this runtime, whose clock is paused.
    fn work(store: &FakeStore) -> (mpsc::UnboundedSender<WorkerJob>, Arc<Mutex<Leases>>) {
        let (jobs, waiting) = mpsc::unbounded_channel();
        let leases = Arc::<Mutex<Leases>>::default();
        let server = format!("redis://{:p}", Arc::as_ptr(&store.received));
        let worker = Worker { store: store.clone(), server, leases: Arc::clone(&leases), limit: LIMIT, unusable: None };
        tokio::spawn(worker.run(waiting));
        (jobs, leases)
    }

    async fn lease(jobs: &mpsc::UnboundedSender<WorkerJob>) -> Result<(), LeaseError> {
        let (reply, outcome) = oneshot::channel();
        jobs.send(WorkerJob::Lease { limit: LIMIT, queue: QueueStep::Join, reply }).ok().unwrap();
        outcome.await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_that_is_left_needs_no_exchange() {
        let store = FakeStore::responding([Ok(leased(1))]);
        let (jobs, leases) = work(&store);
        assert_eq!(lease(&jobs).await, Ok(()));
        assert_eq!(lease(&jobs).await, Ok(()));
        assert_eq!(store.received().len(), 1);
        assert!(locked(&leases).take(Instant::now(), LIMIT).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_lease_is_given_back_after_a_second_without_a_call() {
        let store = FakeStore::responding([Ok(leased(1))]);
        let (jobs, _leases) = work(&store);
        lease(&jobs).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1_001)).await;
        assert_eq!(store.received().last().unwrap().reports.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_of_a_request_is_reported_within_a_second() {
        let store = FakeStore::default();
        let (jobs, leases) = work(&store);
        locked(&leases).end(7, Some(Instant::now()));
        jobs.send(WorkerJob::Wake).ok().unwrap();
        tokio::time::sleep(Duration::from_millis(999)).await;
        assert_eq!(store.received(), []);
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert_eq!(store.received().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_refusal_says_why_and_how_long_to_wait() {
        let wait = Duration::from_secs(5);
        let store = FakeStore::responding([
            Ok(LeaseSyncResult { wait, ..leased(0) }),
            Ok(LeaseSyncResult { rejected_for: wait, ..leased(0) }),
        ]);
        let (jobs, _leases) = work(&store);
        assert_eq!(lease(&jobs).await, Err(LeaseError::Throttled(RateLimitError::LimitReached(wait))));
        assert_eq!(lease(&jobs).await, Err(LeaseError::Throttled(RateLimitError::KeyRejected(wait))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_fails_is_tried_again_after_ten_seconds() {
        let store = FakeStore::responding([Err("no connection"), Ok(leased(1))]);
        let (jobs, _leases) = work(&store);
        assert_eq!(lease(&jobs).await, Err(LeaseError::Unusable));
        assert_eq!(lease(&jobs).await, Err(LeaseError::Unusable));
        assert_eq!(store.received().len(), 1);
        tokio::time::sleep(RETRY_AFTER).await;
        assert_eq!(lease(&jobs).await, Ok(()));
        let warned = crate::warnings::warnings_about(&format!("{:p}", Arc::as_ptr(&store.received)));
        assert_eq!(warned, 1);
    }

    #[tokio::test(start_paused = true)]
    async fn lost_and_discarded_data_are_warned_of_once() {
        let damaged = || Ok(LeaseSyncResult { has_lost: true, has_discarded: true, ..leased(0) });
        let store = FakeStore::responding([Ok(leased(0)), damaged(), damaged()]);
        let (jobs, _leases) = work(&store);
        let mut known = Vec::new();
        for warnings in [0, 2, 2] {
            assert!(lease(&jobs).await.is_err());
            let about = format!("{:p} had ", Arc::as_ptr(&store.received));
            assert_eq!(crate::warnings::warnings_about(&about), warnings);
            known.push(store.received().last().unwrap().is_known);
        }
        assert_eq!(known, [false, true, true]);
    }

    #[tokio::test(start_paused = true)]
    async fn the_server_need_not_know_a_process_that_made_no_exchange_for_long() {
        let store = FakeStore::default();
        let (jobs, _leases) = work(&store);
        for (pause, is_known) in [(0, false), (119, true), (120, false)] {
            tokio::time::sleep(Duration::from_secs(pause)).await;
            assert!(lease(&jobs).await.is_err());
            assert_eq!(store.received().last().unwrap().is_known, is_known, "after {pause} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_has_gone_leases_nothing() {
        let store = FakeStore::default();
        let (jobs, _leases) = work(&store);
        let (reply, outcome) = oneshot::channel();
        drop(outcome);
        jobs.send(WorkerJob::Lease { limit: LIMIT, queue: QueueStep::Keep, reply }).ok().unwrap();
        tokio::task::yield_now().await;
        assert_eq!(store.received(), []);
    }
}
