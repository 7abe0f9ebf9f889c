//! The retry policy.

use std::time::Duration;

use crate::error::{Error, TransportFailure, is_plausible_ban};
use botdesk_schema::error::ApiErrorKind;

/// The retry policy: the number of retries, the waits before them, and the timeout of each attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    /// The highest number of retries.
    pub retries: u32,
    /// The longest wait before the first retry; it doubles with each further one.
    pub backoff: Duration,
    /// The longest wait before any retry, unless the service asks for a longer one.
    pub max_backoff: Duration,
    /// The timeout of each attempt of a read but the last; None for a third of the timeout of the call.
    pub attempt_timeout: Option<Duration>,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            retries: 3,
            backoff: Duration::from_millis(500),
            max_backoff: Duration::from_secs(20),
            attempt_timeout: None,
        }
    }
}

/// The default number of attempts of a read that fit into the timeout of a call.
const ATTEMPTS: u32 = 3;

impl RetryPolicy {
    /// No retries.
    pub const NONE: Self =
        Self { retries: 0, backoff: Duration::ZERO, max_backoff: Duration::ZERO, attempt_timeout: None };

    /// Returns true if a request is retried after the failure of attempt number `attempt` (1, 2, …).
    pub fn allows(&self, attempt: u32, error: &Error, writes: bool) -> bool {
        attempt <= self.retries
            && if writes { did_not_arrive(error) } else { is_temporary(error) || (attempt == 1 && is_fault(error)) }
    }

    /// Returns the timeout of an attempt, within the time that is left to the call. A write gets all of that time, because it is
    /// not sent again after a timeout.
    pub fn attempt_timeout(&self, attempt: u32, writes: bool, timeout: Duration, left: Duration) -> Duration {
        if writes || attempt > self.retries {
            return left;
        }
        self.attempt_timeout.unwrap_or(timeout / ATTEMPTS).min(left)
    }

    /// Returns how long to wait after attempt number `attempt`; `share` is a random number from 0 to 1.
    ///
    /// It is never shorter than `Retry-After`. The client's own wait is random, so that clients that failed together do not retry
    /// together. After a rate limit it is the full step, even with a shorter `Retry-After`, because clients that continue at once get
    /// their IP banned.
    pub fn wait(&self, attempt: u32, error: &Error, share: f64) -> Duration {
        let is_limited = error.kind() == Some(ApiErrorKind::RateLimited);
        let own = self.step(attempt).mul_f64(if is_limited { 1.0 } else { share.clamp(0.0, 1.0) });
        requested_wait(error).map_or(own, |wait| wait.max(own))
    }

    /// Returns how long a ban lasts that ended attempt number `attempt`; None if the service does not say.
    pub fn ban(&self, attempt: u32, error: &Error) -> Option<Duration> {
        requested_wait(error)
            .filter(|wait| is_plausible_ban(wait.as_secs_f64()))
            .map(|wait| wait.max(self.step(attempt)))
    }

    /// Returns the full backoff after attempt number `attempt`.
    fn step(&self, attempt: u32) -> Duration {
        let doubled = self.backoff.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1)));
        doubled.min(self.max_backoff)
    }
}

/// Returns a random number from 0 to 1, the share of a backoff to wait.
pub(crate) fn random_share() -> f64 {
    let mut random = [0; 4];
    // Without randomness the wait is the longest, which is safe too.
    match aws_lc_rs::rand::fill(&mut random) {
        Ok(()) => f64::from(u32::from_le_bytes(random)) / f64::from(u32::MAX),
        Err(_) => 1.0,
    }
}

/// Returns true if a request with this error certainly changed nothing.
fn did_not_arrive(error: &Error) -> bool {
    match error {
        Error::Transport { failure, .. } => *failure == TransportFailure::Connection,
        Error::Api(response) => response.kind == ApiErrorKind::RateLimited,
        _ => false,
    }
}

/// Returns true if a read with this error may succeed when it is retried.
fn is_temporary(error: &Error) -> bool {
    match error {
        Error::Transport { .. } => true,
        Error::Api(response) => response.kind == ApiErrorKind::RateLimited || is_of_gateway(response.status),
        _ => false,
    }
}

/// Returns true if the service failed without a reason that another attempt would meet again. One more attempt shows if it lasts.
fn is_fault(error: &Error) -> bool {
    matches!(error, Error::Api(response) if response.status == 500 && !response.body.is_lasting())
}

/// Returns true if a gateway or content network did not get a response from the service.
fn is_of_gateway(status: u16) -> bool {
    matches!(status, 502..=504 | 520..=524)
}

/// Returns how long the service asks the client to wait.
fn requested_wait(error: &Error) -> Option<Duration> {
    let Error::Api(response) = error else { return None };
    let wait = response.retry_after.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    wait.or_else(|| (response.kind == ApiErrorKind::RateLimited).then_some(response.block))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::http::samples::{error_response, transport};

    const PLAN: &str = r#"{"error":"not available with your current subscription plan"}"#;

    #[test]
    fn a_read_is_retried_after_temporary_errors() {
        let policy = RetryPolicy::default();
        let is_retried = |error: &Error| policy.allows(1, error, false);
        for failure in [TransportFailure::Connection, TransportFailure::Timeout, TransportFailure::Broken] {
            assert!(is_retried(&transport(failure)), "{failure:?}");
        }
        for status in [502, 503, 504, 520, 521, 522, 523, 524, 429] {
            assert!(is_retried(&error_response(status, "", None)), "{status}");
        }
        for status in [400, 401, 403, 404, 418, 422, 501, 505, 519, 525, 526] {
            assert!(!is_retried(&error_response(status, "", None)), "{status}");
        }
        assert!(!is_retried(&error_response(429, PLAN, None)));
        assert!(!is_retried(&Error::Decode {
            message: String::new(),
            body: String::new(),
            method: None,
            request_id: None
        }));
    }

    #[test]
    fn a_read_that_the_service_fails_to_carry_out_is_repeated_once() {
        let policy = RetryPolicy::default();
        for body in ["", r#"{"error":"unknown_error"}"#, r#"{"error":"unknown_market50x_error"}"#] {
            let attempts = (1..4).map(|attempt| policy.allows(attempt, &error_response(500, body, None), false));
            assert_eq!(attempts.collect::<Vec<_>>(), [true, false, false], "{body}");
        }
        for code in ["grid_lines_not_marked", "pair_not_supported", "unknown_error #NoMethodError"] {
            let body = format!("{{\"error\":\"{code}\"}}");
            assert!(!policy.allows(1, &error_response(500, &body, None), false), "{code}");
        }
    }

    #[test]
    fn a_write_is_retried_only_if_it_certainly_changed_nothing() {
        let policy = RetryPolicy::default();
        let is_retried = |error: &Error| policy.allows(1, error, true);
        assert!(is_retried(&transport(TransportFailure::Connection)));
        assert!(is_retried(&error_response(429, "", None)));
        for failure in [TransportFailure::OutcomeUnknown, TransportFailure::Timeout, TransportFailure::Broken] {
            assert!(!is_retried(&transport(failure)), "{failure:?}");
        }
        for status in [502, 503, 504, 520, 521, 522, 523, 524, 500, 418] {
            assert!(!is_retried(&error_response(status, "", None)), "{status}");
        }
        assert!(!is_retried(&error_response(429, PLAN, None)));
    }

    #[test]
    fn the_number_of_retries_is_limited() {
        let error = transport(TransportFailure::Connection);
        let allowed = (1..10).filter(|attempt| RetryPolicy::default().allows(*attempt, &error, false)).count();
        assert_eq!(allowed, 3);
        assert!(!RetryPolicy::NONE.allows(1, &error, false));
    }

    #[test]
    fn the_backoff_doubles_up_to_the_longest_and_all_of_it_is_random() {
        let policy = RetryPolicy::default();
        let error = transport(TransportFailure::Broken);
        let bounds: Vec<f64> = (1..=8).map(|attempt| policy.wait(attempt, &error, 1.0).as_secs_f64()).collect();
        assert_eq!(bounds, [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 20.0, 20.0]);
        assert_eq!(policy.wait(3, &error, 0.5), Duration::from_secs(1));
        assert_eq!(policy.wait(3, &error, 0.0), Duration::ZERO);
    }

    #[test]
    fn the_retry_after_of_the_service_is_respected() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.wait(1, &error_response(503, "", Some(7.0)), 0.0), Duration::from_secs(7));
        assert_eq!(policy.wait(1, &error_response(429, "", None), 0.0), Duration::from_secs(300));
        assert_eq!(policy.wait(1, &error_response(429, "", Some(70.0)), 0.0), Duration::from_secs(70));
    }

    #[test]
    fn the_wait_after_a_rate_limit_is_at_least_the_full_backoff() {
        let policy = RetryPolicy::default();
        for retry_after in [0.0, 0.001] {
            let waits = (1..=4)
                .map(|attempt| policy.wait(attempt, &error_response(429, "", Some(retry_after)), 0.0).as_secs_f64());
            assert_eq!(waits.collect::<Vec<_>>(), [0.5, 1.0, 2.0, 4.0], "{retry_after}");
        }
        let waits = (1..=4).map(|attempt| policy.wait(attempt, &error_response(429, "", Some(1.5)), 0.0).as_secs_f64());
        assert_eq!(waits.collect::<Vec<_>>(), [1.5, 1.5, 2.0, 4.0]);
    }

    #[test]
    fn a_retry_after_of_zero_leaves_the_backoff_as_it_is() {
        let policy = RetryPolicy::default();
        assert_eq!(policy.wait(2, &error_response(503, "", Some(0.0)), 0.5), Duration::from_millis(500));
    }

    #[test]
    fn a_ban_has_the_duration_from_the_service_unless_that_is_implausible() {
        let ban = |retry_after| RetryPolicy::default().ban(1, &error_response(418, "", retry_after));
        assert_eq!(ban(Some(500.0)), Some(Duration::from_secs(500)));
        assert_eq!(ban(Some(1.0)), Some(Duration::from_secs(1)));
        for retry_after in [None, Some(0.0), Some(0.9)] {
            assert_eq!(ban(retry_after), None, "{retry_after:?}");
        }
        let patient = RetryPolicy { backoff: Duration::from_secs(5), ..RetryPolicy::default() };
        assert_eq!(patient.ban(1, &error_response(418, "", Some(1.0))), Some(Duration::from_secs(5)));
    }

    #[test]
    fn an_attempt_of_a_read_leaves_time_for_another_one() {
        let policy = RetryPolicy::default();
        let seconds = Duration::from_secs;
        assert_eq!(policy.attempt_timeout(1, false, seconds(30), seconds(30)), seconds(10));
        assert_eq!(policy.attempt_timeout(2, false, seconds(30), seconds(4)), seconds(4));
        assert_eq!(policy.attempt_timeout(4, false, seconds(30), seconds(20)), seconds(20));
        assert_eq!(policy.attempt_timeout(1, true, seconds(30), seconds(30)), seconds(30));
        assert_eq!(RetryPolicy::NONE.attempt_timeout(1, false, seconds(30), seconds(30)), seconds(30));
    }

    proptest! {
        #[test]
        fn a_wait_after_a_rate_limit_is_never_short(
            attempt in 1_u32..1_000,
            retry_after in proptest::option::of(0.0..1e6),
            share in 0.0..=1.0,
        ) {
            let policy = RetryPolicy::default();
            let wait = policy.wait(attempt, &error_response(429, "", retry_after), share);
            prop_assert!(wait >= policy.backoff);
            prop_assert!(wait >= Duration::from_secs_f64(retry_after.unwrap_or(300.0)));
        }

        #[test]
        fn a_wait_is_random_and_bounded(attempt in 1_u32..1_000, share in 0.0..=1.0) {
            let policy = RetryPolicy::default();
            let wait = policy.wait(attempt, &transport(TransportFailure::Broken), share);
            prop_assert!(wait <= policy.max_backoff);
            let longest = policy.wait(attempt, &transport(TransportFailure::Broken), 1.0);
            prop_assert!(wait <= longest);
        }
    }

    #[test]
    fn the_last_attempt_of_a_read_gets_all_the_time_that_is_left() {
        let policy = RetryPolicy { retries: 2, ..RetryPolicy::default() };
        let (timeout, left) = (Duration::from_secs(30), Duration::from_secs(25));
        let timeouts = [1, 2, 3].map(|attempt| policy.attempt_timeout(attempt, false, timeout, left));
        assert_eq!(timeouts, [Duration::from_secs(10), Duration::from_secs(10), left]);
    }

    #[test]
    fn waits_of_clients_differ() {
        let shares: Vec<f64> = (0..100).map(|_| random_share()).collect();
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
        assert!(shares.iter().any(|share| *share < 0.5) && shares.iter().any(|share| *share > 0.5));
    }
}
