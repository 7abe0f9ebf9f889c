//! The rate limit, as the service counts.

use std::collections::VecDeque;
use std::time::Duration;

use botdesk_client::rate_limit::RateLimit;

/// Counts the requests that arrive.
pub(crate) struct RateCheck {
    limit: RateLimit,
    /// The times of the latest requests, as many as the limit allows in a period.
    latest: VecDeque<Duration>,
}

impl RateCheck {
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self { limit, latest: VecDeque::new() }
    }

    /// Counts a request; fails if a period has more requests than the limit.
    pub(crate) fn arrive(&mut self, at: Duration) -> Result<(), String> {
        let RateLimit { requests, per } = self.limit;
        let is_full = u32::try_from(self.latest.len()) == Ok(requests);
        let oldest = if is_full { self.latest.pop_front() } else { None };
        self.latest.push_back(at);
        match oldest.map(|oldest| at.saturating_sub(oldest)).filter(|since| *since < per) {
            Some(since) => {
                Err(format!("{} requests arrived within {since:?}; the limit is {requests} in {per:?}", requests + 1))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seconds: &[u64]) -> Result<(), String> {
        let mut check = RateCheck::new(RateLimit { requests: 2, per: Duration::from_secs(60) });
        seconds.iter().try_for_each(|at| check.arrive(Duration::from_secs(*at)))
    }

    #[test]
    fn any_period_is_checked() {
        assert_eq!(check(&[0, 30, 60, 90, 300, 300, 360, 360]), Ok(()));
        assert_eq!(check(&[0, 30, 59]), Err("3 requests arrived within 59s; the limit is 2 in 60s".to_owned()));
        assert!(check(&[0, 30, 60, 89]).is_err());
    }
}
