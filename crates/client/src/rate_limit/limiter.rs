//! The rate limiter: one for each API key and service, shared by all clients of a process.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::poll_fn;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::bans::BanTracker;
use super::limit::{Budget, RateLimit};
use super::window::Window;
use crate::process::PerProcess;
use botdesk_system::lock::locked;

#[cfg(test)]
mod tests;

/// The reason why a request may not be sent now, with the time until one may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RateLimitError {
    /// The rate limit is reached.
    LimitReached(Duration),
    /// The service rejects the API key for a while.
    KeyRejected(Duration),
    /// The IP address of this machine is banned.
    Banned(Duration),
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
}

#[derive(Debug, Default)]
struct State {
    window: Window,
    rejected_until: Option<Instant>,
}

/// The time in which an abandoned request may still arrive, because it is in a buffer of the service or of a proxy.
///
/// This time has no certain bound. A service that works reads a request within 30 seconds. Together with the default timeout,
/// that is one minute, after which proxies and load balancers drop a request. A longer time would block clients for longer after
/// their requests have timed out.
pub(crate) const ARRIVES_WITHIN: Duration = Duration::from_secs(30);

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
/// as if it arrived [`ARRIVES_WITHIN`] later. A request that was never sent does not count.
#[derive(Debug)]
#[must_use = "the request counts from when this is dropped"]
pub(crate) struct Permit {
    limiter: Arc<RateLimiter>,
    progress: Progress,
}

impl Permit {
    /// Notes that the request is handed to a connection, and may arrive from now on.
    pub(crate) fn mark_sent(&mut self) {
        self.progress = Progress::Sent;
    }

    /// Notes that the request found no connection.
    pub(crate) fn mark_not_sent(&mut self) {
        self.progress = Progress::NotSent;
    }

    /// Notes that a response came, so that the request has arrived.
    pub(crate) fn mark_responded(&mut self) {
        self.progress = Progress::Responded;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = locked(&self.limiter.state);
        state.window.end(match self.progress {
            Progress::NotSent => None,
            Progress::Sent => Some(Instant::now() + ARRIVES_WITHIN),
            Progress::Responded => Some(Instant::now()),
        });
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

    /// Waits for a permit. Callers are served in the order in which they came; a caller whose future is dropped leaves the queue.
    ///
    /// A ban is not waited for: it empties the queue at once. Nor is a permit that is certainly not free before the deadline,
    /// so that no caller holds up the queue for nothing.
    pub(crate) async fn acquire(
        self: &Arc<Self>,
        limit: RateLimit,
        deadline: Option<Instant>,
    ) -> Result<Permit, RateLimitError> {
        let mut banned = pin!(self.bans.banned());
        let mut queued = pin!(self.acquire_in_queue(limit, deadline));
        poll_fn(|context| match banned.as_mut().poll(context) {
            Poll::Ready(wait) => Poll::Ready(Err(RateLimitError::Banned(wait))),
            Poll::Pending => queued.as_mut().poll(context),
        })
        .await
    }

    async fn acquire_in_queue(
        self: &Arc<Self>,
        limit: RateLimit,
        deadline: Option<Instant>,
    ) -> Result<Permit, RateLimitError> {
        self.check_deadline(limit, deadline)?;
        let _head_of_queue = self.queue.lock().await;
        loop {
            match self.try_acquire(limit) {
                Err(RateLimitError::LimitReached(wait) | RateLimitError::KeyRejected(wait)) => {
                    self.check_deadline(limit, deadline)?;
                    // After the time, or after the end of a request, the loop looks again; which of them it was does not matter.
                    let _ = timeout(wait, self.ended.notified()).await;
                }
                other => return other,
            }
        }
    }

    /// Returns an error if no permit can be free before the deadline, however the requests in flight end.
    pub(crate) fn check_deadline(&self, limit: RateLimit, deadline: Option<Instant>) -> Result<(), RateLimitError> {
        let Some(deadline) = deadline else { return Ok(()) };
        let state = locked(&self.state);
        let wait = |until: Option<Instant>| {
            let until = until.filter(|until| *until >= deadline)?;
            Some(until.saturating_duration_since(Instant::now()))
        };
        if let Some(wait) = wait(state.rejected_until) {
            return Err(RateLimitError::KeyRejected(wait));
        }
        wait(state.window.free_at_soonest(limit)).map_or(Ok(()), |wait| Err(RateLimitError::LimitReached(wait)))
    }

    /// Returns a permit if one is free now.
    pub(crate) fn try_acquire(self: &Arc<Self>, limit: RateLimit) -> Result<Permit, RateLimitError> {
        let now = Instant::now();
        if let Some(until) = self.bans.until(now) {
            return Err(RateLimitError::Banned(until - now));
        }
        let mut state = locked(&self.state);
        if let Some(until) = state.rejected_until.filter(|until| *until > now) {
            return Err(RateLimitError::KeyRejected(until - now));
        }
        state.window.prune(now, limit);
        if let Some(free) = state.window.free_at(now, limit) {
            return Err(RateLimitError::LimitReached(free - now));
        }
        state.window.start();
        Ok(Permit { limiter: Arc::clone(self), progress: Progress::NotSent })
    }

    /// Notes that the service rejects the API key for this long.
    pub(crate) fn reject_key(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut state = locked(&self.state);
        state.rejected_until = state.rejected_until.max(Some(until));
    }

    /// Stores that the service has banned the IP address, and the duration if the service reports it.
    pub(crate) fn ban(&self, duration: Option<Duration>) {
        self.bans.start(duration);
    }

    /// Notes that the service sent a response other than a ban.
    pub(crate) fn confirm_no_ban(&self) {
        self.bans.confirm_none();
    }

    /// Returns how much of a limit is left.
    pub(crate) fn budget(&self, limit: RateLimit) -> Budget {
        let now = Instant::now();
        let mut state = locked(&self.state);
        state.window.prune(now, limit);
        let blocked_until = self.bans.until(now).max(state.rejected_until.filter(|until| *until > now));
        let resets_at = blocked_until.or(state.window.free_at(now, limit)).or(state.window.next_expiry(now, limit));
        Budget {
            used: u32::try_from(state.window.used(now, limit)).unwrap_or(u32::MAX),
            limit: limit.requests,
            resets_in: resets_at.map_or(Duration::ZERO, |until| until.saturating_duration_since(now)),
        }
    }
}
