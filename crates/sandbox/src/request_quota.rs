//! The rate limit of the sandbox: requests per API key, temporary blocks and IP bans.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

use botdesk_server::api_error::ApiError;

/// The sliding window in which requests are counted.
const WINDOW: Duration = Duration::from_secs(60);

/// The time for which an API key is blocked after it exceeded its rate limit.
const BLOCK_DURATION: Duration = Duration::from_secs(300);

/// The number of requests that a blocked key may send before its IP address is banned.
const TOLERATED_REQUESTS: u32 = 10;

/// The duration of an IP ban.
const BAN_DURATION: Duration = Duration::from_secs(120);

/// The rate limit of all API keys.
pub(super) struct RequestQuota {
    /// The number of requests per minute and key.
    limit: usize,
    keys: HashMap<String, KeyUsage>,
    banned_until: HashMap<IpAddr, Duration>,
}

#[derive(Default)]
struct KeyUsage {
    /// The times of the requests in the window.
    times: VecDeque<Duration>,
    blocked_until: Duration,
    requests_while_blocked: u32,
}

impl RequestQuota {
    pub(super) fn new(limit: u32) -> Self {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self { limit, keys: HashMap::new(), banned_until: HashMap::new() }
    }

    /// Fails if the IP address is banned.
    pub(super) fn check_ban(&self, ip: IpAddr, now: Duration) -> Result<(), ApiError> {
        match self.banned_until.get(&ip) {
            Some(until) if *until > now => Err(ApiError::banned().with_retry_after(seconds(*until, now))),
            _ => Ok(()),
        }
    }

    /// Counts a request of a key; fails if it exceeds the limit.
    pub(super) fn count(&mut self, api_key: &str, ip: IpAddr, now: Duration) -> Result<(), ApiError> {
        let usage = self.keys.entry(api_key.to_owned()).or_default();
        if usage.blocked_until > now {
            usage.requests_while_blocked += 1;
            if usage.requests_while_blocked > TOLERATED_REQUESTS {
                usage.requests_while_blocked = 0;
                self.banned_until.insert(ip, now + BAN_DURATION);
                return self.check_ban(ip, now);
            }
        } else {
            usage.times.retain(|time| now.saturating_sub(*time) < WINDOW);
            if usage.times.len() < self.limit {
                usage.times.push_back(now);
                return Ok(());
            }
            usage.requests_while_blocked = 0;
            usage.blocked_until = now + BLOCK_DURATION;
        }
        Err(ApiError::too_many_requests().with_retry_after(seconds(usage.blocked_until, now)))
    }
}

/// Returns the seconds until a time, rounded up.
fn seconds(until: Duration, now: Duration) -> String {
    let left = until.saturating_sub(now);
    (left.as_secs() + u64::from(left.subsec_nanos() > 0)).to_string()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    /// Returns the status and the `Retry-After` of a request at a time in milliseconds; 200 if it is accepted.
    fn request(quota: &mut RequestQuota, key: &str, milliseconds: u64) -> (u16, String) {
        let now = Duration::from_millis(milliseconds);
        let result = quota.check_ban(LOCALHOST, now).and_then(|()| quota.count(key, LOCALHOST, now));
        result.map_or_else(|error| (error.status, error.header_value()), |()| (200, String::new()))
    }

    fn error(status: u16, seconds: u64) -> (u16, String) {
        (status, seconds.to_string())
    }

    #[test]
    fn a_key_that_exceeds_its_limit_is_blocked_for_five_minutes() {
        let mut quota = RequestQuota::new(2);
        let statuses = [0, 1_000, 59_999].map(|time| request(&mut quota, "one", time).0);
        assert_eq!(statuses, [200, 200, 429]);
        assert_eq!(request(&mut quota, "one", 60_999), error(429, 299));
        assert_eq!(request(&mut quota, "one", 359_998), error(429, 1));
        assert_eq!(request(&mut quota, "one", 359_999).0, 200);
    }

    #[test]
    fn the_window_slides() {
        let mut quota = RequestQuota::new(2);
        let statuses = [0, 30_000, 60_000, 89_999].map(|time| request(&mut quota, "one", time).0);
        assert_eq!(statuses, [200, 200, 200, 429]);
    }

    #[test]
    fn other_keys_are_not_affected() {
        let mut quota = RequestQuota::new(1);
        let statuses = ["one", "one", "other", "other"].map(|key| request(&mut quota, key, 0).0);
        assert_eq!(statuses, [200, 429, 200, 429]);
    }

    #[test]
    fn continuing_gets_the_ip_banned_for_two_minutes() {
        let mut quota = RequestQuota::new(1);
        let statuses: Vec<_> = (0..13).map(|_| request(&mut quota, "one", 0).0).collect();
        assert_eq!(statuses, [[200].as_slice(), &[429; 11], &[418]].concat());
        assert_eq!(request(&mut quota, "other", 1_500), error(418, 119));
        assert_eq!(request(&mut quota, "other", 120_000).0, 200);
        assert_eq!(request(&mut quota, "one", 120_000), error(429, 180));
    }

    #[test]
    fn a_limit_of_0_rejects_every_request() {
        assert_eq!(request(&mut RequestQuota::new(0), "one", 0), error(429, 300));
    }
}
