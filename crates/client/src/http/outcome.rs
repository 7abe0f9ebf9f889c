//! The outcome of an attempt: its status, and what it says about the rate limit and bans.

use super::errors::RequestErrors;
use super::response::Response;
use super::retry::RetryPolicy;
use crate::error::Error;
use crate::rate_limit::client_limiter::ClientLimiter;
use botdesk_schema::error::ApiErrorKind;

/// Returns the status of the response; None without a response.
pub(super) fn status(outcome: &Result<Response, Error>) -> Option<u16> {
    match outcome {
        Ok(response) => Some(response.status),
        Err(error) => error.status(),
    }
}

/// Returns the `X-Request-Id` of the response; None without one.
pub(super) fn request_id(outcome: &Result<Response, Error>, errors: &RequestErrors<'_>) -> Option<String> {
    match outcome {
        Ok(response) => errors.request_id(&response.headers),
        Err(error) => error.request_id().map(str::to_owned),
    }
}

/// Reports the outcome of attempt number `attempt` (1, 2, …) to the rate limiter: a rate limit, a ban, or another response. An
/// attempt without a response is not reported.
pub(super) fn report(limiter: &ClientLimiter, retries: &RetryPolicy, attempt: u32, outcome: &Result<Response, Error>) {
    match outcome.as_ref().map_err(|error| (error, error.kind())) {
        Err((error, Some(ApiErrorKind::RateLimited))) => limiter.reject_key(retries.wait(attempt, error, 1.0)),
        Err((error, Some(ApiErrorKind::IpBanned))) => limiter.ban(retries.ban(attempt, error)),
        _ if status(outcome).is_some() => limiter.confirm_no_ban(),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::error::TransportFailure;
    use crate::http::samples::{error_response, transport};
    use crate::rate_limit::limit::{RateLimit, RateLimitOption, Sharing};

    const LIMIT: RateLimit = RateLimit { requests: 100, per: Duration::from_secs(60) };

    /// A rate limiter of a service with this name, which no other test may use.
    fn limiter(name: &str) -> ClientLimiter {
        let option = RateLimitOption { limit: LIMIT, sharing: Sharing::Process };
        ClientLimiter::new(b"key", &format!("https://{name}.example"), false, option)
    }

    fn success() -> Response {
        Response { status: 200, ..Response::default() }
    }

    fn response(status: u16) -> Result<Response, Error> {
        Err(error_response(status, "", None))
    }

    /// Reports the outcome of a first attempt, and returns for how many seconds the limiter then holds requests back.
    fn blocked_after(limiter: &ClientLimiter, outcome: &Result<Response, Error>) -> u64 {
        report(limiter, &RetryPolicy::default(), 1, outcome);
        limiter.budget().resets_in.as_secs()
    }

    #[test]
    fn an_outcome_has_the_status_of_its_response() {
        assert_eq!(status(&Ok(success())), Some(200));
        assert_eq!(status(&response(503)), Some(503));
        assert_eq!(status(&Err(transport(TransportFailure::Connection))), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_rate_limit_holds_requests_of_the_key_back() {
        let limiter = limiter("rejected-key");
        assert_eq!(blocked_after(&limiter, &Ok(success())), 0);
        assert_eq!(blocked_after(&limiter, &response(429)), 300);
        assert_eq!(blocked_after(&limiter, &Ok(success())), 300);
    }

    #[tokio::test(start_paused = true)]
    async fn a_ban_after_a_ban_is_longer_until_the_service_responds() {
        let cases = [
            (Ok(success()), 120),
            (response(500), 120),
            (response(404), 120),
            (Err(transport(TransportFailure::Connection)), 240),
            (Err(transport(TransportFailure::Timeout)), 240),
        ];
        for (number, (between, second_ban)) in cases.into_iter().enumerate() {
            let limiter = limiter(&format!("banned-{number}"));
            assert_eq!(blocked_after(&limiter, &response(418)), 120);
            tokio::time::advance(Duration::from_secs(120)).await;
            assert_eq!(blocked_after(&limiter, &between), 0);
            assert_eq!(blocked_after(&limiter, &response(418)), second_ban, "{between:?}");
        }
    }
}
