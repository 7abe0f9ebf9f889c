//! The rate limiter of a client: that of its API key, its own limit, and the count that other processes share.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::error::RateLimitError;
use super::leased::budget::LeasedBudget;
use super::limit::{Budget, RateLimit, RateLimitOption, Sharing};
use super::limiter::{AcquireError, LOCK_RETRY, Permit, RateLimiter};
use super::shared::budget::SharedBudget;
use super::sharing::SharedCounts;
use crate::warnings::warn;

/// The file or server in which another process has stored something.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StoredAt<'a> {
    /// In a file of this machine.
    File(&'a Path),
    /// At a server, whose URL is without its password.
    Server(&'a str),
}

/// The rate limiter of a client.
pub struct ClientLimiter {
    limiter: Arc<RateLimiter>,
    limit: RateLimit,
    shared: SharedCounts,
}

impl ClientLimiter {
    /// Returns the rate limiter for an API key and a service; `is_local` is true if the service runs on this machine.
    pub fn new(api_key: &[u8], service: &str, is_local: bool, option: RateLimitOption) -> Self {
        let limiter = RateLimiter::shared(api_key, service);
        let RateLimitOption { limit, sharing } = option;
        let files = || limiter.shared_files(|| SharedBudget::open(api_key, service));
        let shared = match sharing {
            Sharing::Automatic if is_local || !limit.can_be_shared() => SharedCounts::default(),
            Sharing::Process => SharedCounts::default(),
            Sharing::Automatic | Sharing::Machine => SharedCounts { files: files(), server: None },
            Sharing::Redis(url) => {
                let server = limiter.server(&url, || LeasedBudget::open(&url, api_key, service));
                SharedCounts { files: files(), server }
            }
        };
        Self { limiter, limit, shared }
    }

    /// Returns the limit that holds now: the one that the client was given, or half of it.
    pub fn limit(&self) -> RateLimit {
        self.limiter.effective(self.limit)
    }

    /// Waits for a permit. Callers are served in the order in which they came, and processes in turn.
    pub async fn acquire(&self, deadline: Option<Instant>) -> Result<Permit, RateLimitError> {
        self.limiter.acquire(self.limit(), &self.shared, deadline).await
    }

    /// Returns a permit if one is free now.
    pub async fn acquire_now(&self) -> Result<Permit, RateLimitError> {
        loop {
            match self.limiter.try_acquire(self.limit(), &self.shared, None).await {
                Err(AcquireError::Locked) => sleep(LOCK_RETRY).await,
                Err(AcquireError::Throttled(error)) => return Err(error),
                Ok(permit) => return Ok(permit),
            }
        }
    }

    /// Returns an error if no permit can be free before the deadline, however the requests in flight end.
    pub fn check_deadline(&self, deadline: Instant) -> Result<(), RateLimitError> {
        self.limiter.check_deadline(self.limit(), &self.shared, Some(deadline))
    }

    /// Returns where another process has stored the reason of an error; None if this process has noticed it itself.
    pub(crate) fn origin_of(&self, error: RateLimitError) -> Option<StoredAt<'_>> {
        let files = self.shared.files.as_deref();
        match error {
            RateLimitError::Banned(_) if self.limiter.bans().is_learned() => Some(StoredAt::File(files?.bans_path())),
            RateLimitError::KeyRejected(_) if !self.limiter.knows_rejection() => Some(match &self.shared.server {
                Some(server) => StoredAt::Server(server.server()),
                None => StoredAt::File(files?.requests_path()),
            }),
            _ => None,
        }
    }

    /// Notes that the service rejects the API key for this long.
    pub fn reject_key(&self, wait: Duration) {
        self.halve_if_far_under();
        self.limiter.reject_key(wait);
        match &self.shared {
            SharedCounts { server: Some(server), .. } => server.reject_key(wait),
            SharedCounts { files: Some(files), .. } => files.reject_key(wait),
            _ => {}
        }
    }

    /// Halves the limit if the service rejects a request although less than half of the limit is used, and warns of it.
    ///
    /// Then the plan allows fewer requests, or others that are not counted here use the key.
    fn halve_if_far_under(&self) {
        let Budget { used, limit, .. } = self.budget();
        let half = self.limit.halved().requests;
        if used >= limit.div_ceil(2) || half == self.limit.requests || !self.limiter.halve() {
            return;
        }
        let seconds = self.limit.per.as_secs_f64();
        warn(format!(
            "the service rejected a request for its rate limit (status 429), although only {used} of {limit} in {seconds} s were \
             counted: the plan of the API key allows fewer, or another program uses it too. From now on at most {half} in {seconds} s \
             are sent; set the limit of your plan with `requests_per_minute`"
        ));
    }

    /// Stores that the service has banned the IP address, and the duration if the service reports it.
    pub fn ban(&self, duration: Option<Duration>) {
        let Some(files) = &self.shared.files else { return self.limiter.bans().start(duration) };
        self.limiter.learn_ban(&self.shared);
        self.limiter.bans().start(duration);
        let (left, guess) = self.limiter.bans().current();
        files.store_ban(left, guess);
    }

    /// Returns how long the IP address is still banned; None if it is not.
    pub fn banned_for(&self) -> Option<Duration> {
        self.limiter.learn_ban(&self.shared);
        let (left, _) = self.limiter.bans().current();
        (!left.is_zero()).then_some(left)
    }

    /// Notes that the service sent a response other than a ban.
    pub fn confirm_no_ban(&self) {
        let has_ended = self.limiter.bans().confirm_none();
        if let (true, Some(files)) = (has_ended, &self.shared.files) {
            files.forget_ban();
        }
    }

    /// Returns how much of the limit is left.
    pub fn budget(&self) -> Budget {
        self.limiter.learn_ban(&self.shared);
        let own = self.limiter.budget(self.limit());
        let shared = self.shared.budget(self.limit());
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
