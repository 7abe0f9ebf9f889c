//! The permits that an attempt needs: that of the limit which counts its request, and that of the requests in one second.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::rate_limit::client_limiter::ClientLimiter;
use crate::rate_limit::error::RateLimitError;
use crate::rate_limit::limiter::Permit;

/// The rate limiters of a request. The default limits nothing.
#[derive(Clone, Default)]
pub(super) struct RequestLimiters {
    /// The one that counts the request: the general one, or that of its endpoint.
    pub(super) counted: Option<Arc<ClientLimiter>>,
    /// That of the requests in one second, of any API key.
    pub(super) second: Option<Arc<ClientLimiter>>,
}

/// The permits of an attempt.
#[derive(Default)]
pub(super) struct Permits {
    counted: Option<Permit>,
    /// In a box, so that the future of a request stays small. Requests to a service on this machine have none.
    second: Option<Box<Permit>>,
}

/// The error of a limiter, and the limiter.
pub(super) type NotAcquired<'a> = (&'a ClientLimiter, RateLimitError);

impl RequestLimiters {
    /// Waits for all permits, or fails at once if the client does not wait.
    ///
    /// The permit of the second is the last: while it is held, other requests wait for it.
    pub(super) async fn acquire(&self, waits: bool, deadline: Option<Instant>) -> Result<Permits, NotAcquired<'_>> {
        let counted = match self.counted.as_deref() {
            Some(limiter) => Some(acquire(limiter, waits, deadline).await?),
            None => None,
        };
        let second = match self.second.as_deref() {
            Some(limiter) => Some(Box::new(acquire(limiter, waits, deadline).await?)),
            None => None,
        };
        Ok(Permits { counted, second })
    }

    /// Returns true if certainly not all permits are free before the deadline.
    pub(super) fn are_throttled_past(&self, deadline: Instant) -> bool {
        [&self.counted, &self.second].into_iter().flatten().any(|limiter| limiter.check_deadline(deadline).is_err())
    }
}

async fn acquire(limiter: &ClientLimiter, waits: bool, deadline: Option<Instant>) -> Result<Permit, NotAcquired<'_>> {
    let permit = if waits { limiter.acquire(deadline).await } else { limiter.acquire_now().await };
    permit.map_err(|error| (limiter, error))
}

impl Permits {
    /// Notes that the request will now be sent with this timeout, so that other processes count it until then.
    pub(super) fn prolong(&self, timeout: Duration) {
        self.counted.iter().for_each(|permit| permit.prolong(timeout));
        self.second.iter().for_each(|permit| permit.prolong(timeout));
    }

    /// Notes that the request is handed to a connection, and may arrive from now on.
    pub(super) fn mark_sent(&mut self) {
        self.counted.iter_mut().for_each(Permit::mark_sent);
        // An abandoned request may arrive much later. The service allows more requests in a second than the client sends,
        // so a few of them do not matter; in the limit of a minute they do.
        self.second.iter_mut().for_each(|permit| permit.mark_responded());
    }

    /// Notes that the request found no connection.
    pub(super) fn mark_not_sent(&mut self) {
        self.counted.iter_mut().for_each(Permit::mark_not_sent);
        self.second.iter_mut().for_each(|permit| permit.mark_not_sent());
    }

    /// Notes that a response came, so that the request has arrived.
    pub(super) fn mark_responded(&mut self) {
        self.counted.iter_mut().for_each(Permit::mark_responded);
        self.second.iter_mut().for_each(|permit| permit.mark_responded());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::limit::{RateLimit, RateLimitOption, Sharing};

    /// Returns limiters of a service with this name, which no other test may use.
    fn limiters(service: &str, per_minute: u32, per_second: u32) -> RequestLimiters {
        let limiter = |key: &[u8], requests, seconds| {
            let limit = RateLimit { requests, per: Duration::from_secs(seconds) };
            let option = RateLimitOption { limit, sharing: Sharing::Process };
            Some(Arc::new(ClientLimiter::new(key, &format!("https://{service}.example"), false, option)))
        };
        RequestLimiters { counted: limiter(b"key", per_minute, 60), second: limiter(b"\nsecond", per_second, 1) }
    }

    async fn request(limiters: &RequestLimiters) {
        let mut permits = limiters.acquire(true, None).await.unwrap_or_default();
        permits.mark_sent();
        permits.mark_responded();
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_spread_over_seconds() {
        let limiters = limiters("burst", 100, 10);
        let start = Instant::now();
        let mut seconds = Vec::new();
        for _ in 0..25 {
            request(&limiters).await;
            seconds.push(start.elapsed().as_secs());
        }
        assert_eq!(seconds, [[0; 10].as_slice(), &[1; 10], &[2; 5]].concat());
    }

    #[tokio::test(start_paused = true)]
    async fn both_limits_hold() {
        let limiters = limiters("both", 12, 10);
        let start = Instant::now();
        for _ in 0..13 {
            request(&limiters).await;
        }
        assert_eq!(start.elapsed().as_secs(), 60);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_may_not_be_sent_now_uses_up_no_limit() {
        let limiters = limiters("not-sent", 2, 1);
        request(&limiters).await;
        let error = limiters.acquire(false, None).await.err().map(|(limiter, error)| (limiter.limit().requests, error));
        assert_eq!(error, Some((1, RateLimitError::LimitReached(Duration::from_secs(1)))));
        assert!(limiters.are_throttled_past(Instant::now() + Duration::from_millis(500)));
        assert_eq!(limiters.counted.as_ref().map(|limiter| limiter.budget().used), Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn an_abandoned_request_counts_for_a_second_only() {
        let limiters = limiters("abandoned", 100, 1);
        let mut permits = limiters.acquire(true, None).await.unwrap_or_default();
        permits.mark_sent();
        drop(permits);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(limiters.acquire(false, None).await.is_ok());
    }
}
