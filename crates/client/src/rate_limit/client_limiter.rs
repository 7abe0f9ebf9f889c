//! The rate limiter of a client: that of its API key, its own limit, and the count that other processes share.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::error::RateLimitError;
use super::limit::{Budget, RateLimit, RateLimitOption, Sharing};
use super::limiter::{AcquireError, LOCK_RETRY, Permit, RateLimiter};
use super::shared::budget::SharedBudget;

/// The rate limiter of a client.
pub struct ClientLimiter {
    limiter: Arc<RateLimiter>,
    limit: RateLimit,
    shared: Option<Arc<SharedBudget>>,
}

impl ClientLimiter {
    /// Returns the rate limiter for an API key and a service; `is_local` is true if the service runs on this machine.
    pub fn new(api_key: &[u8], service: &str, is_local: bool, option: RateLimitOption) -> Self {
        let limiter = RateLimiter::shared(api_key, service);
        let RateLimitOption { limit, sharing } = option;
        let is_shared = match sharing {
            Sharing::Automatic => !is_local && limit.can_be_shared(),
            Sharing::Machine => true,
            Sharing::Process => false,
        };
        let shared = if is_shared { limiter.shared_budget(|| SharedBudget::open(api_key, service)) } else { None };
        Self { limiter, limit, shared }
    }

    /// Returns the limit.
    pub fn limit(&self) -> RateLimit {
        self.limit
    }

    /// Waits for a permit. Callers are served in the order in which they came, and processes in turn.
    pub async fn acquire(&self, deadline: Option<Instant>) -> Result<Permit, RateLimitError> {
        self.limiter.acquire(self.limit, self.shared.as_ref(), deadline).await
    }

    /// Returns a permit if one is free now.
    pub async fn acquire_now(&self) -> Result<Permit, RateLimitError> {
        loop {
            match self.limiter.try_acquire(self.limit, self.shared.as_ref(), None) {
                Err(AcquireError::Locked) => sleep(LOCK_RETRY).await,
                Err(AcquireError::Throttled(error)) => return Err(error),
                Ok(permit) => return Ok(permit),
            }
        }
    }

    /// Returns an error if no permit can be free before the deadline, however the requests in flight end.
    pub fn check_deadline(&self, deadline: Instant) -> Result<(), RateLimitError> {
        self.limiter.check_deadline(self.limit, self.shared.as_ref(), Some(deadline))
    }

    /// Returns the file that another process has stored the reason of an error in; None if this process has noticed it itself.
    pub(crate) fn file_of(&self, error: RateLimitError) -> Option<&Path> {
        let shared = self.shared.as_ref()?;
        match error {
            RateLimitError::Banned(_) => self.limiter.bans().is_learned().then(|| shared.bans_path()),
            RateLimitError::KeyRejected(_) => (!self.limiter.knows_rejection()).then(|| shared.requests_path()),
            RateLimitError::LimitReached(_) => None,
        }
    }

    /// Notes that the service rejects the API key for this long.
    pub fn reject_key(&self, wait: Duration) {
        self.limiter.reject_key(wait);
        if let Some(shared) = &self.shared {
            shared.reject_key(wait);
        }
    }

    /// Stores that the service has banned the IP address, and the duration if the service reports it.
    pub fn ban(&self, duration: Option<Duration>) {
        let Some(shared) = &self.shared else { return self.limiter.bans().start(duration) };
        self.limiter.learn_ban(shared);
        self.limiter.bans().start(duration);
        let (left, guess) = self.limiter.bans().current();
        shared.store_ban(left, guess);
    }

    /// Notes that the service sent a response other than a ban.
    pub fn confirm_no_ban(&self) {
        let has_ended = self.limiter.bans().confirm_none();
        if let (true, Some(shared)) = (has_ended, &self.shared) {
            shared.forget_ban();
        }
    }

    /// Returns how much of the limit is left.
    pub fn budget(&self) -> Budget {
        if let Some(shared) = &self.shared {
            self.limiter.learn_ban(shared);
        }
        let own = self.limiter.budget(self.limit);
        let shared = self.shared.as_ref().and_then(|shared| shared.budget(self.limit));
        match shared {
            // A ban and a rejected key are known here, the requests of other processes there.
            Some(shared) if shared.used >= own.used => {
                let blocked = self.limiter.blocked_for().unwrap_or_default();
                Budget { resets_in: shared.resets_in.max(blocked), ..shared }
            }
            _ => own,
        }
    }
}

#[cfg(test)]
mod tests;
