//! The thread that makes the exchanges of a budget with its server. It runs no Python code, and ends with the process.

use std::sync::{Arc, Mutex, mpsc as channel};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::exchange::{Exchanged, QueueStep, Store, StoreError};
use super::leases::Leases;
use crate::rate_limit::error::RateLimitError;
use crate::rate_limit::limit::{Budget, RateLimit};
use crate::warnings::warn_once;
use botdesk_system::lock::locked;

/// The time for which a server is not used after an error.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// Something to do for the worker.
pub(super) enum Job {
    /// Lease requests, unless some are left.
    Lease { limit: RateLimit, queue: QueueStep, reply: oneshot::Sender<Result<(), Refusal>> },
    /// Ask how much of a limit is left. Without an answer, the reply is dropped.
    Read { limit: RateLimit, reply: channel::Sender<Budget> },
    /// Give back all leases that are not used, and report the ends of requests.
    GiveBack { reply: channel::Sender<()> },
    /// Something is to be reported soon.
    Wake,
}

/// The reason why no request was leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    Throttled(RateLimitError),
    /// The server can't be used now.
    Unusable,
}

/// Starts the thread, or returns why it can't be started.
pub(super) fn start(
    store: impl Store,
    server: String,
    leases: Arc<Mutex<Leases>>,
    jobs: mpsc::UnboundedReceiver<Job>,
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
    async fn run(mut self, mut jobs: mpsc::UnboundedReceiver<Job>) {
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

    async fn carry_out(&mut self, job: Job) {
        match job {
            Job::Lease { reply, .. } if reply.is_closed() => {}
            Job::Lease { limit, queue, reply } => {
                self.limit = limit;
                let outcome = self.lease(queue).await;
                // A caller that has gone leaves its lease to others.
                let _ = reply.send(outcome);
            }
            Job::Read { limit, reply } => {
                self.limit = limit;
                if let Some(exchanged) = self.exchange(QueueStep::Keep, false).await {
                    let _ = reply.send(budget(limit, &exchanged));
                }
            }
            Job::GiveBack { reply } => {
                locked(&self.leases).give_up_all();
                self.report().await;
                let _ = reply.send(());
            }
            Job::Wake => {}
        }
    }

    async fn lease(&mut self, queue: QueueStep) -> Result<(), Refusal> {
        if locked(&self.leases).has_free(Instant::now()) {
            return Ok(());
        }
        let Some(exchanged) = self.exchange(queue, true).await else {
            self.warn_unusable();
            return Err(Refusal::Unusable);
        };
        if !exchanged.rejected_for.is_zero() {
            return Err(Refusal::Throttled(RateLimitError::KeyRejected(exchanged.rejected_for)));
        }
        if exchanged.leased == 0 {
            return Err(Refusal::Throttled(RateLimitError::LimitReached(exchanged.wait)));
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
    async fn exchange(&mut self, queue: QueueStep, leases: bool) -> Option<Exchanged> {
        let now = Instant::now();
        if self.unusable.as_ref().is_some_and(|unusable| unusable.until > now) {
            return None;
        }
        let pending = locked(&self.leases).begin(now, self.limit, queue, leases);
        match self.store.exchange(&pending.exchange).await {
            Ok(exchanged) => {
                self.unusable = None;
                locked(&self.leases).finish(now, &pending, exchanged);
                Some(exchanged)
            }
            Err(why) => {
                self.unusable = Some(Unusable { until: Instant::now() + RETRY_AFTER, why });
                locked(&self.leases).fail(pending);
                None
            }
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

fn budget(limit: RateLimit, exchanged: &Exchanged) -> Budget {
    let resets_in = if exchanged.rejected_for.is_zero() { exchanged.resets_in } else { exchanged.rejected_for };
    Budget { used: exchanged.used, limit: limit.requests, resets_in }
}
