//! The rate limiter: one for each API key and service, shared by all clients of a process.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::poll_fn;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::bans::BanTracker;
use super::error::RateLimitError;
use super::leased::budget::{Leased, LeasedBudget};
use super::leased::redis_url::RedisUrl;
use super::limit::{Budget, RateLimit};
use super::shared::budget::{SharedBudget, StartError};
use super::sharing::{QueueEntries, SharedCounts, SharedRequest};
use super::window::{ARRIVES_WITHIN, Window};
use crate::process::PerProcess;
use crate::sync::{Mutex, locked};

#[cfg(test)]
mod tests;

/// The reason why a permit is not free now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AcquireError {
    /// The request may not be sent now.
    Throttled(RateLimitError),
    /// Another process is changing the shared count at this moment.
    Locked,
}

impl From<RateLimitError> for AcquireError {
    fn from(error: RateLimitError) -> Self {
        Self::Throttled(error)
    }
}

/// Limits the requests of one API key to one service.
#[derive(Debug, Default)]
pub(crate) struct RateLimiter {
    /// Callers wait for this lock in the order in which they came; its holder is the next to get a permit.
    queue: tokio::sync::Mutex<()>,
    state: Mutex<State>,
    /// Wakes the head of the queue when a request ends, which may free a permit or rule one out.
    ended: Notify,
    /// Bans concern the IP address, so all keys of a service share them.
    bans: Arc<BanTracker>,
    /// The files that other processes share, opened by the first client that shares them; None without a folder for them.
    files: OnceLock<Option<Arc<SharedBudget>>>,
    /// The counts of servers, by URL; None if one could not be opened.
    servers: Mutex<Vec<(RedisUrl, Option<Arc<LeasedBudget>>)>>,
}

#[derive(Debug, Default)]
struct State {
    window: Window<Instant>,
    rejected_until: Option<Instant>,
    /// True once the service has rejected a request far under the limit, so that the limit must be lower than it was said to be.
    is_halved: bool,
}

/// The longest time after which the head of the queue looks at the shared count again. Nothing wakes it if another process frees a
/// permit, or is banned.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The time between two tries to lock a file that another process has locked.
pub(super) const LOCK_RETRY: Duration = Duration::from_millis(1);

/// The progress of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Nothing of it was sent.
    NotSent,
    /// It was sent, and no response came.
    Sent,
    /// The head of a response came.
    Responded,
}

/// Permission to send a request, held until the request has ended or is abandoned.
///
/// The service counts a request when it arrives, at some time between its start and its end. The limiter counts it from its end, so
/// that the service never counts more requests in a period than the limiter. A request that is abandoned without a response counts
/// as if it arrived 30 seconds later. A request that was never sent does not count.
#[derive(Debug)]
#[must_use = "the request counts from when this is dropped"]
pub struct Permit {
    limiter: Arc<RateLimiter>,
    progress: Progress,
    /// The same request in the count that other processes share.
    shared: Option<SharedRequest>,
}

impl Permit {
    /// Notes that the request will now be sent with this timeout, so that other processes count it until then.
    pub fn prolong(&self, timeout: Duration) {
        self.shared.iter().for_each(|shared| shared.prolong(timeout));
    }

    /// Notes that the request is handed to a connection, and may arrive from now on.
    pub fn mark_sent(&mut self) {
        self.progress = Progress::Sent;
    }

    /// Notes that the request found no connection.
    pub fn mark_not_sent(&mut self) {
        self.progress = Progress::NotSent;
    }

    /// Notes that a response came, so that the request has arrived.
    pub fn mark_responded(&mut self) {
        self.progress = Progress::Responded;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let arrives_within = match self.progress {
            Progress::NotSent => None,
            Progress::Sent => Some(ARRIVES_WITHIN),
            Progress::Responded => Some(Duration::ZERO),
        };
        locked(&self.limiter.state).window.end(arrives_within.map(|after| Instant::now() + after));
        if let Some(shared) = self.shared.take() {
            shared.end(arrives_within);
        }
        self.limiter.ended.notify_one();
    }
}

#[derive(Default)]
struct RateLimiters {
    by_key: HashMap<u64, Arc<RateLimiter>>,
    bans_by_service: HashMap<String, Arc<BanTracker>>,
}

static RATE_LIMITERS: PerProcess<Mutex<RateLimiters>> = PerProcess::new();

impl RateLimiter {
    /// Returns the rate limiter that all clients of this process share for an API key and a service.
    pub(crate) fn shared(api_key: &[u8], service: &str) -> Arc<Self> {
        let Ok(limiters) = RATE_LIMITERS.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
        // The key itself is a secret, so only its hash is kept.
        let mut hasher = DefaultHasher::new();
        (api_key, service).hash(&mut hasher);
        let mut limiters = locked(limiters);
        if let Some(limiter) = limiters.by_key.get(&hasher.finish()) {
            return Arc::clone(limiter);
        }
        let bans = Arc::clone(limiters.bans_by_service.entry(service.to_owned()).or_default());
        let limiter = Arc::new(Self { bans, ..Self::default() });
        limiters.by_key.insert(hasher.finish(), Arc::clone(&limiter));
        limiter
    }

    /// Returns the files that other processes share; `open` opens them for the first caller.
    pub(crate) fn shared_files(&self, open: impl FnOnce() -> Option<Arc<SharedBudget>>) -> Option<Arc<SharedBudget>> {
        self.files.get_or_init(open).clone()
    }

    /// Returns the count of a server; `open` opens it for the first caller.
    pub(crate) fn server(
        &self,
        url: &RedisUrl,
        open: impl FnOnce() -> Option<Arc<LeasedBudget>>,
    ) -> Option<Arc<LeasedBudget>> {
        let mut servers = locked(&self.servers);
        if let Some((_, server)) = servers.iter().find(|(known, _)| known == url) {
            return server.clone();
        }
        let server = open();
        servers.push((url.clone(), server.clone()));
        server
    }

    /// Returns the bans by the service.
    pub(crate) fn bans(&self) -> &BanTracker {
        &self.bans
    }

    /// Takes over a ban that another process has stored.
    pub(crate) fn learn_ban(&self, shared: &SharedCounts) {
        if let Some((left, guess)) = shared.files.as_ref().and_then(|files| files.ban()) {
            self.bans.learn(left, guess);
        }
    }

    /// Waits for a permit. Callers are served in the order in which they came; a caller whose future is dropped leaves the queue.
    /// The first caller of each process that shares the limit is in a queue of all processes.
    ///
    /// A ban is not waited for: it empties the queue at once. Nor is a permit that is certainly not free before the deadline,
    /// so that no caller holds up the queue for nothing.
    pub(crate) async fn acquire(
        self: &Arc<Self>,
        limit: RateLimit,
        shared: &SharedCounts,
        deadline: Option<Instant>,
    ) -> Result<Permit, RateLimitError> {
        let mut banned = pin!(self.bans.banned());
        let mut queued = pin!(self.acquire_in_queue(limit, shared, deadline));
        poll_fn(|context| match banned.as_mut().poll(context) {
            Poll::Ready(wait) => Poll::Ready(Err(RateLimitError::Banned(wait))),
            Poll::Pending => queued.as_mut().poll(context),
        })
        .await
    }

    async fn acquire_in_queue(
        self: &Arc<Self>,
        limit: RateLimit,
        shared: &SharedCounts,
        deadline: Option<Instant>,
    ) -> Result<Permit, RateLimitError> {
        self.check_deadline(limit, shared, deadline)?;
        let _head_of_queue = self.queue.lock().await;
        let mut places = shared.places();
        loop {
            let wait = match self.try_acquire(limit, shared, Some(&mut places)).await {
                Err(AcquireError::Throttled(
                    RateLimitError::LimitReached(wait) | RateLimitError::KeyRejected(wait),
                )) => {
                    self.check_deadline(limit, shared, deadline)?;
                    if shared.counts_others() { wait.min(LOOK_AGAIN) } else { wait }
                }
                Err(AcquireError::Throttled(banned)) => return Err(banned),
                Err(AcquireError::Locked) => LOCK_RETRY,
                Ok(permit) => return Ok(permit),
            };
            // After the time, or after the end of a request, the loop looks again; which of them it was does not matter.
            let _ = timeout(wait, self.ended.notified()).await;
        }
    }

    /// Returns an error if no permit can be free before the deadline, however the requests in flight end.
    pub(crate) fn check_deadline(
        &self,
        limit: RateLimit,
        shared: &SharedCounts,
        deadline: Option<Instant>,
    ) -> Result<(), RateLimitError> {
        let Some(deadline) = deadline else { return Ok(()) };
        let wait = |until: Option<Instant>| {
            let until = until.filter(|until| *until >= deadline)?;
            Some(until.saturating_duration_since(Instant::now()))
        };
        let state = locked(&self.state);
        if let Some(wait) = wait(state.rejected_until) {
            return Err(RateLimitError::KeyRejected(wait));
        }
        if let Some(wait) = wait(state.window.free_at_soonest(limit)) {
            return Err(RateLimitError::LimitReached(wait));
        }
        drop(state);
        let left = deadline.saturating_duration_since(Instant::now());
        match (&shared.server, &shared.files) {
            (Some(server), _) => server.check_wait(limit, left),
            (None, Some(files)) => files.check_wait(limit, left),
            (None, None) => Ok(()),
        }
    }

    /// Returns a permit if one is free now. A caller that waits passes its places in the queue of all processes.
    pub(crate) async fn try_acquire(
        self: &Arc<Self>,
        limit: RateLimit,
        shared: &SharedCounts,
        places: Option<&mut QueueEntries>,
    ) -> Result<Permit, AcquireError> {
        self.learn_ban(shared);
        match &shared.server {
            Some(server) => self.acquire_leased(limit, server, places).await,
            None => self.acquire_in_file(limit, shared.files.as_ref(), places),
        }
    }

    /// Returns a permit if one is free in this process, and in the file that others share.
    fn acquire_in_file(
        self: &Arc<Self>,
        limit: RateLimit,
        file: Option<&Arc<SharedBudget>>,
        places: Option<&mut QueueEntries>,
    ) -> Result<Permit, AcquireError> {
        self.start(limit)?;
        let place = places.and_then(|places| places.file.as_mut());
        match file.map(|file| file.start(limit, place)).transpose() {
            Ok(started) => Ok(self.permit(started.map(SharedRequest::InFile))),
            Err(error) => {
                // It does not wake the head of the queue, which may be the caller.
                locked(&self.state).window.end(None);
                Err(match error {
                    StartError::Throttled(error) => AcquireError::Throttled(error),
                    StartError::Locked => AcquireError::Locked,
                })
            }
        }
    }

    /// Returns a permit if the server leases a request. A ban, or the rejection of the key, needs no look at the server.
    async fn acquire_leased(
        self: &Arc<Self>,
        limit: RateLimit,
        server: &Arc<LeasedBudget>,
        places: Option<&mut QueueEntries>,
    ) -> Result<Permit, AcquireError> {
        self.check_open(Instant::now())?;
        let place = places.and_then(|places| places.server.as_mut());
        let (limit, request) = match server.start(limit, place).await? {
            Leased::Counted(request) => (limit, request),
            Leased::Alone(share, request) => (share, request),
        };
        match self.start(limit) {
            Ok(()) => Ok(self.permit(Some(SharedRequest::Leased(request)))),
            Err(error) => {
                request.end(None);
                Err(error.into())
            }
        }
    }

    fn permit(self: &Arc<Self>, shared: Option<SharedRequest>) -> Permit {
        Permit { limiter: Arc::clone(self), progress: Progress::NotSent, shared }
    }

    /// Counts a request of this process, if it may be sent now.
    fn start(&self, limit: RateLimit) -> Result<(), RateLimitError> {
        let now = Instant::now();
        self.check_open(now)?;
        let mut state = locked(&self.state);
        state.window.prune(now, limit);
        if let Some(free) = state.window.free_at(now, limit, 0) {
            return Err(RateLimitError::LimitReached(free - now));
        }
        state.window.start();
        Ok(())
    }

    /// Returns an error during a ban, or while the service rejects the API key.
    fn check_open(&self, now: Instant) -> Result<(), RateLimitError> {
        if let Some(until) = self.bans.until(now) {
            return Err(RateLimitError::Banned(until - now));
        }
        match locked(&self.state).rejected_until.filter(|until| *until > now) {
            Some(until) => Err(RateLimitError::KeyRejected(until - now)),
            None => Ok(()),
        }
    }

    /// Notes that the service rejects the API key for this long.
    pub(crate) fn reject_key(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut state = locked(&self.state);
        state.rejected_until = state.rejected_until.max(Some(until));
    }

    /// Halves the limit for as long as the process runs; returns true if it was not halved before.
    pub(crate) fn halve(&self) -> bool {
        !std::mem::replace(&mut locked(&self.state).is_halved, true)
    }

    /// Returns the limit that holds now in place of the one that the client was given.
    pub(crate) fn effective(&self, limit: RateLimit) -> RateLimit {
        if locked(&self.state).is_halved { limit.halved() } else { limit }
    }

    /// Returns true if this process has noticed itself that the service rejects the API key.
    pub(crate) fn knows_rejection(&self) -> bool {
        locked(&self.state).rejected_until.is_some_and(|until| until > Instant::now())
    }

    /// Returns for how long a ban, or the rejection of the API key, blocks all requests.
    pub(crate) fn blocked_for(&self) -> Option<Duration> {
        let now = Instant::now();
        let rejected_until = locked(&self.state).rejected_until.filter(|until| *until > now);
        self.bans.until(now).max(rejected_until).map(|until| until - now)
    }

    /// Returns how much of a limit is left.
    pub(crate) fn budget(&self, limit: RateLimit) -> Budget {
        let blocked_until = self.blocked_for().map(|wait| Instant::now() + wait);
        let now = Instant::now();
        let mut state = locked(&self.state);
        state.window.prune(now, limit);
        let resets_at = blocked_until.or(state.window.free_at(now, limit, 0)).or(state.window.next_expiry(now, limit));
        Budget {
            used: u32::try_from(state.window.used(now, limit)).unwrap_or(u32::MAX),
            limit: limit.requests,
            resets_in: resets_at.map_or(Duration::ZERO, |until| until.saturating_duration_since(now)),
        }
    }
}
