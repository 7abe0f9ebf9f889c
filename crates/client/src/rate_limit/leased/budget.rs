//! The budget of one API key and service that the processes of several machines share.

use std::fmt;
use std::sync::{Arc, Mutex, mpsc as channel};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::lease_sync::QueueStep;
use super::leases::{Leases, UnusedLease};
use super::redis_store::RedisStore;
use super::redis_url::RedisUrl;
use super::registry;
use super::worker::{self, LeaseError, WorkerJob};
use crate::rate_limit::error::RateLimitError;
use crate::rate_limit::limit::{Budget, RateLimit};
use crate::rate_limit::window::ARRIVES_WITHIN;
use crate::warnings::warn_once;
use botdesk_system::lock::locked;

/// The longest wait for an answer about the budget: a connection and a response.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// The budget of one API key and service that the processes of several machines share.
pub(crate) struct LeasedBudget {
    server: String,
    leases: Arc<Mutex<Leases>>,
    jobs: mpsc::UnboundedSender<WorkerJob>,
    process: u32,
}

/// Permission to send a request.
#[derive(Debug)]
pub(crate) enum Leased {
    /// The server has counted it.
    Counted(LeasedPermit),
    /// The server can't be used. The request counts against this share of the limit, in this process alone.
    Alone(RateLimit, LeasedPermit),
}

impl LeasedBudget {
    /// Returns the budget for an API key and a service at a server; None, with a warning, if no thread can be started for it.
    pub(crate) fn open(url: &RedisUrl, api_key: &[u8], service: &str) -> Option<Arc<Self>> {
        let server = url.to_string();
        let (leases, (jobs, waiting)) = (Arc::<Mutex<Leases>>::default(), mpsc::unbounded_channel());
        let started = RedisStore::new(url.clone(), api_key, service)
            .and_then(|store| worker::start(store, server.clone(), Arc::clone(&leases), waiting));
        if let Err(why) = started {
            warn_once(format!(
                "the rate limit is not shared through {server}: {why}; requests of this process still count"
            ));
            return None;
        }
        registry::add(jobs.clone());
        Some(Arc::new(Self { server, leases, jobs, process: std::process::id() }))
    }

    /// Returns the server, without its password.
    pub(crate) fn server(&self) -> &str {
        &self.server
    }

    /// Starts a request: with one that is leased, or after an exchange with the server. With a place, a request that has to wait is put
    /// into the queue of all processes.
    pub(crate) async fn start(
        self: &Arc<Self>,
        limit: RateLimit,
        mut place: Option<&mut ServerQueueEntry>,
    ) -> Result<Leased, RateLimitError> {
        let queue = if place.is_some() { QueueStep::Join } else { QueueStep::Keep };
        loop {
            if let Some(permit) = self.take(limit)? {
                if let Some(place) = place {
                    place.is_queued = false;
                }
                return Ok(Leased::Counted(permit));
            }
            if let Some(place) = &mut place {
                place.is_queued = true;
            }
            let (reply, outcome) = oneshot::channel();
            let job = WorkerJob::Lease { limit, queue, reply };
            let outcome = if self.jobs.send(job).is_ok() { outcome.await.ok() } else { None };
            match outcome {
                // Another caller may take the lease first.
                Some(Ok(())) => {}
                Some(Err(LeaseError::Throttled(error))) => return Err(error),
                Some(Err(LeaseError::Unusable)) => return Ok(self.alone(limit)),
                // The worker ends only with the process, unless it fails as nobody expects.
                None => {
                    let server = &self.server;
                    warn_once(format!(
                        "the rate limit is not shared through {server} any more: the thread for it has ended, which is a defect of \
                         botdesk; restart this program"
                    ));
                    return Ok(self.alone(limit));
                }
            }
        }
    }

    /// Starts a request that counts in this process alone.
    fn alone(self: &Arc<Self>, limit: RateLimit) -> Leased {
        let mut leases = locked(&self.leases);
        let (number, share) = (leases.next_number(), leases.share(limit));
        drop(leases);
        Leased::Alone(share, self.permit(number, None))
    }

    /// Takes a request that is leased and not used yet.
    fn take(self: &Arc<Self>, limit: RateLimit) -> Result<Option<LeasedPermit>, RateLimitError> {
        let now = Instant::now();
        let mut leases = locked(&self.leases);
        if let Some(wait) = leases.rejected_for(now) {
            return Err(RateLimitError::KeyRejected(wait));
        }
        Ok(leases.take(now, limit).map(|UnusedLease { number, ends, .. }| self.permit(number, Some(ends))))
    }

    fn permit(self: &Arc<Self>, number: u64, lease_ends: Option<Instant>) -> LeasedPermit {
        LeasedPermit { budget: Arc::clone(self), number, lease_ends }
    }

    /// Returns a place in the queue of all processes. It is taken when a request has to wait.
    pub(crate) fn place(self: &Arc<Self>) -> ServerQueueEntry {
        ServerQueueEntry { budget: Arc::clone(self), is_queued: false }
    }

    /// Returns an error if, as far as this process knows, no request can be sent for at least this long.
    pub(crate) fn check_wait(&self, limit: RateLimit, longest: Duration) -> Result<(), RateLimitError> {
        let Some(soonest) = locked(&self.leases).soonest(limit) else { return Ok(()) };
        let wait = soonest.saturating_duration_since(Instant::now());
        if wait < longest { Ok(()) } else { Err(RateLimitError::LimitReached(wait)) }
    }

    /// Returns how much of a limit is left, from the server; None if it can't be used.
    pub(crate) fn budget(&self, limit: RateLimit) -> Option<Budget> {
        let (reply, outcome) = channel::channel();
        self.jobs.send(WorkerJob::Read { limit, reply }).ok()?;
        outcome.recv_timeout(READ_TIMEOUT).ok()
    }

    /// Notes that the service rejects the API key for this long, for all processes.
    pub(crate) fn reject_key(&self, wait: Duration) {
        locked(&self.leases).reject_key(Instant::now() + wait);
        self.wake();
    }

    /// Stores something to report. The worker is woken only for the first thing; after it, it knows when to report.
    fn note(&self, store: impl FnOnce(&mut Leases) -> bool) {
        let is_first = store(&mut locked(&self.leases));
        if is_first {
            self.wake();
        }
    }

    /// Lets the worker look at what it has to report.
    fn wake(&self) {
        // It fails only when the process ends.
        let _ = self.jobs.send(WorkerJob::Wake);
    }

    /// Returns true if this process is a forked child of the one that opened the budget. The child has no worker, and must not touch
    /// the lock, which a thread of its parent may have held.
    fn is_of_parent(&self) -> bool {
        self.process != std::process::id()
    }
}

impl fmt::Debug for LeasedBudget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("LeasedBudget").field("server", &self.server).finish_non_exhaustive()
    }
}

/// A request that may be sent, until it ends.
#[derive(Debug)]
pub(crate) struct LeasedPermit {
    budget: Arc<LeasedBudget>,
    number: u64,
    /// None if the server could not be used when the request started.
    lease_ends: Option<Instant>,
}

impl LeasedPermit {
    /// Prolongs the lease if it could end before the request, which will be sent now.
    pub(crate) fn prolong(&self, timeout: Duration) {
        let latest = Instant::now() + timeout;
        if self.lease_ends.is_some_and(|ends| latest > ends) && !self.budget.is_of_parent() {
            self.budget.note(|leases| leases.prolong(self.number, latest + ARRIVES_WITHIN));
        }
    }

    /// Ends the request; `arrives_within` is the time within which it has arrived from now on, None if it was not sent.
    pub(crate) fn end(self, arrives_within: Option<Duration>) {
        if self.budget.is_of_parent() || (self.lease_ends.is_none() && arrives_within.is_none()) {
            return;
        }
        let arrival = arrives_within.map(|after| Instant::now() + after);
        self.budget.note(|leases| leases.end(self.number, arrival));
    }
}

/// A place in the queue of all processes, given up when this is dropped.
#[derive(Debug)]
pub(crate) struct ServerQueueEntry {
    budget: Arc<LeasedBudget>,
    is_queued: bool,
}

impl Drop for ServerQueueEntry {
    fn drop(&mut self) {
        if self.is_queued && !self.budget.is_of_parent() {
            self.budget.note(Leases::leave_queue);
        }
    }
}
