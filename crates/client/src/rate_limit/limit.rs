//! A rate limit, and its used and remaining part.

use std::time::Duration;

use super::leased::redis_url::RedisUrl;

/// The number of requests that may be sent in a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// The number of requests.
    pub requests: u32,
    /// The period. The limit applies to any period of that length.
    pub per: Duration,
}

/// The highest limit that processes can share. Their file has a place for each request that counts.
pub const MAX_SHARED_REQUESTS: u32 = 1_000;

impl RateLimit {
    /// Returns true if processes can share the limit.
    pub fn can_be_shared(&self) -> bool {
        self.requests <= MAX_SHARED_REQUESTS
    }

    /// Returns half of the limit, which is at least one request.
    pub(super) fn halved(self) -> Self {
        Self { requests: (self.requests / 2).max(1), ..self }
    }
}

impl Default for RateLimit {
    /// Returns the limit of the service for an API key: 100 requests a minute.
    fn default() -> Self {
        Self { requests: 100, per: Duration::from_secs(60) }
    }
}

/// The used and the remaining part of a rate limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The number of requests that count now.
    pub used: u32,
    /// The number of requests that may count at once.
    pub limit: u32,
    /// If no request may be sent now, the time until one may; otherwise the time until the first request stops counting. A request
    /// in flight is taken to end now.
    pub resets_in: Duration,
}

/// The rate limit of a client, and the processes that share it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RateLimitOption {
    /// The limit.
    pub limit: RateLimit,
    /// The processes that share it.
    pub sharing: Sharing,
}

impl From<RateLimit> for RateLimitOption {
    fn from(limit: RateLimit) -> Self {
        Self { limit, sharing: Sharing::default() }
    }
}

/// The processes that share a rate limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sharing {
    /// All processes of the user on this machine, unless the service runs on this machine or the limit is too high for it.
    #[default]
    Automatic,
    /// All processes of the user on this machine.
    Machine,
    /// This process alone.
    Process,
    /// All processes, on any machine, that name this server.
    Redis(RedisUrl),
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn limit(requests: u32) -> RateLimit {
        RateLimit { requests, per: Duration::from_secs(60) }
    }

    #[test]
    fn processes_can_share_a_limit_of_at_most_1000_requests() {
        assert!(limit(1).can_be_shared());
        assert!(limit(1_000).can_be_shared());
        assert!(!limit(1_001).can_be_shared());
    }

    #[test]
    fn a_limit_is_shared_automatically() {
        let option = RateLimitOption::from(limit(40));
        assert_eq!(option, RateLimitOption { limit: limit(40), sharing: Sharing::Automatic });
    }
}
