//! The limits on requests: per API key, per endpoint and per IP address, temporary blocks and IP bans.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

use super::limit_options::{LimitOptions, Plan};
use botdesk_schema::operation::{Operation, OwnLimit};
use botdesk_server::api_error::ApiError;

/// The general limit of the service, in requests per minute. Only keys that have all of it have the own limits of endpoints.
const USUAL: u32 = 100;

/// The number of requests that a blocked key may send before its IP address is banned.
const TOLERATED_REQUESTS: u32 = 10;

/// The duration of the first ban of an IP address. Each further one is twice as long.
const FIRST_BAN: Duration = Duration::from_secs(120);

/// The longest ban.
const LONGEST_BAN: Duration = Duration::from_secs(3 * 86_400);

/// A request to count.
#[derive(Clone, Copy)]
pub(super) struct CountedRequest<'a> {
    /// The API key; empty for a request that needs none.
    pub(super) api_key: &'a str,
    pub(super) ip: IpAddr,
    pub(super) operation: &'static Operation,
}

/// The usage of all limits.
pub(super) struct RequestQuota {
    options: LimitOptions,
    /// The usage by key, and by the endpoint with an own limit, which is empty for all others.
    keys: HashMap<(String, &'static str), KeyUsage>,
    addresses: HashMap<IpAddr, AddressUsage>,
}

#[derive(Default)]
struct KeyUsage {
    window: Window,
    blocked_until: Duration,
    requests_while_blocked: u32,
}

#[derive(Default)]
struct AddressUsage {
    window: Window,
    banned_until: Duration,
    /// The duration of the last ban; zero before the first.
    last_ban: Duration,
}

/// The times of the requests that count.
#[derive(Default)]
struct Window(VecDeque<Duration>);

impl Window {
    /// Counts a request; returns false if that exceeds the limit.
    fn count(&mut self, requests: u32, per: Duration, now: Duration, rolling: bool) -> bool {
        self.0.retain(|time| {
            if rolling { now.saturating_sub(*time) < per } else { period_of(*time, per) == period_of(now, per) }
        });
        let is_free = self.0.len() < usize::try_from(requests).unwrap_or(usize::MAX);
        if is_free {
            self.0.push_back(now);
        }
        is_free
    }
}

/// Returns the number of the period that a time is in.
fn period_of(time: Duration, per: Duration) -> u128 {
    time.as_nanos().checked_div(per.as_nanos()).unwrap_or_default()
}

impl RequestQuota {
    pub(super) fn new(options: LimitOptions) -> Self {
        Self { options, keys: HashMap::new(), addresses: HashMap::new() }
    }

    /// Counts a request of an IP address, whatever it is; fails if the address is banned or sends too many in a second.
    pub(super) fn admit(&mut self, ip: IpAddr, now: Duration) -> Result<(), ApiError> {
        self.check_ban(ip, now)?;
        let Some(most) = self.options.requests_per_second else { return Ok(()) };
        let second = Duration::from_secs(1);
        let usage = self.addresses.entry(ip).or_default();
        if usage.window.count(most, second, now, self.options.rolling) {
            return Ok(());
        }
        Err(self.error(ApiError::too_many_requests(), now + second, now))
    }

    /// Fails if the IP address is banned.
    pub(super) fn check_ban(&self, ip: IpAddr, now: Duration) -> Result<(), ApiError> {
        match self.addresses.get(&ip).map(|usage| usage.banned_until) {
            Some(until) if until > now => Err(self.error(ApiError::banned(), until, now)),
            _ => Ok(()),
        }
    }

    /// Counts a request of a key; fails if its plan does not include it, or if it exceeds a limit.
    pub(super) fn count(&mut self, request: CountedRequest<'_>, now: Duration) -> Result<(), ApiError> {
        let CountedRequest { api_key, ip, operation } = request;
        if operation.effect.writes() && !self.options.plan.is_none_or(Plan::includes_writes) {
            return Err(ApiError::not_in_plan(false));
        }
        let Some(general) = self.options.general() else { return Ok(()) };
        let (bucket, limit) = limit_of(operation, general);
        let usage = self.keys.entry((api_key.to_owned(), bucket)).or_default();
        if usage.blocked_until > now {
            usage.requests_while_blocked += 1;
            if usage.requests_while_blocked > TOLERATED_REQUESTS {
                usage.requests_while_blocked = 0;
                self.ban(ip, None, now);
                return self.check_ban(ip, now);
            }
        } else {
            let per = Duration::from_secs(limit.seconds.into());
            if usage.window.count(limit.requests, per, now, self.options.rolling) {
                return Ok(());
            }
            usage.requests_while_blocked = 0;
            usage.blocked_until = now + Duration::from_secs(limit.blocked.into());
        }
        let until = usage.blocked_until;
        Err(self.error(ApiError::too_many_requests(), until, now))
    }

    /// Bans an IP address: for a duration, or twice as long as the last time.
    pub(super) fn ban(&mut self, ip: IpAddr, duration: Option<Duration>, now: Duration) {
        let usage = self.addresses.entry(ip).or_default();
        usage.last_ban = duration.unwrap_or_else(|| (usage.last_ban * 2).clamp(FIRST_BAN, LONGEST_BAN));
        usage.banned_until = now + usage.last_ban;
    }

    fn error(&self, error: ApiError, until: Duration, now: Duration) -> ApiError {
        if self.options.retry_after { error.with_retry_after(seconds(until, now)) } else { error }
    }
}

/// Returns the limit that counts requests of an operation, and the name of its endpoint if that has its own.
fn limit_of(operation: &'static Operation, general: u32) -> (&'static str, OwnLimit) {
    match operation.limit.filter(|_| general >= USUAL) {
        Some(own) => (operation.name, own),
        None => ("", OwnLimit { requests: general, seconds: 60, blocked: 300 }),
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
    use botdesk_schema::operation::{get, post};

    const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
    static BOTS: Operation = get("dca_bots.list", "/ver1/bots");
    static DEALS: Operation = get("deals.list", "/ver1/deals").limit(120, 60, 60);
    static SMART_TRADES: Operation = get("smart_trades.list", "/v2/smart_trades").limit(40, 10, 10);
    static DISABLE: Operation = post("dca_bots.disable", "/ver1/bots/{bot_id}/disable");

    fn limited(requests: u32) -> LimitOptions {
        LimitOptions { requests_per_minute: Some(requests), retry_after: true, ..LimitOptions::default() }
    }

    /// Returns the status and the `Retry-After` of a request at a time in milliseconds; 200 if it is accepted.
    fn sent(quota: &mut RequestQuota, operation: &'static Operation, key: &str, milliseconds: u64) -> (u16, String) {
        let now = Duration::from_millis(milliseconds);
        let request = CountedRequest { api_key: key, ip: LOCALHOST, operation };
        let result = quota.admit(LOCALHOST, now).and_then(|()| quota.count(request, now));
        result.map_or_else(|error| (error.status, error.header_value()), |()| (200, String::new()))
    }

    fn request(quota: &mut RequestQuota, key: &str, milliseconds: u64) -> (u16, String) {
        sent(quota, &BOTS, key, milliseconds)
    }

    /// Returns how many requests of an operation are accepted in one moment.
    fn accepted(quota: &mut RequestQuota, operation: &'static Operation, milliseconds: u64) -> usize {
        std::iter::repeat_with(|| sent(quota, operation, "one", milliseconds).0)
            .take_while(|status| *status == 200)
            .count()
    }

    fn error(status: u16, seconds: u64) -> (u16, String) {
        (status, seconds.to_string())
    }

    #[test]
    fn a_key_that_exceeds_its_limit_is_blocked_for_five_minutes() {
        let mut quota = RequestQuota::new(limited(2));
        let statuses = [0, 1_000, 59_999].map(|time| request(&mut quota, "one", time).0);
        assert_eq!(statuses, [200, 200, 429]);
        assert_eq!(request(&mut quota, "one", 60_999), error(429, 299));
        assert_eq!(request(&mut quota, "one", 359_998), error(429, 1));
        assert_eq!(request(&mut quota, "one", 359_999).0, 200);
    }

    #[test]
    fn the_window_is_the_minute_of_the_clock_or_slides() {
        let statuses = |rolling| {
            let mut quota = RequestQuota::new(LimitOptions { rolling, ..limited(2) });
            [0, 30_000, 60_000, 89_999].map(|time| request(&mut quota, "one", time).0)
        };
        assert_eq!(statuses(false), [200, 200, 200, 200]);
        assert_eq!(statuses(true), [200, 200, 200, 429]);
    }

    #[test]
    fn other_keys_are_not_affected() {
        let mut quota = RequestQuota::new(limited(1));
        let statuses = ["one", "one", "other", "other"].map(|key| request(&mut quota, key, 0).0);
        assert_eq!(statuses, [200, 429, 200, 429]);
    }

    #[test]
    fn endpoints_with_a_limit_of_their_own_are_counted_and_blocked_apart() {
        let mut quota = RequestQuota::new(limited(100));
        for (operation, requests, blocked) in [(&DEALS, 120, 60), (&SMART_TRADES, 40, 10), (&BOTS, 100, 300)] {
            assert_eq!(accepted(&mut quota, operation, 0), requests, "{}", operation.name);
            assert_eq!(sent(&mut quota, operation, "one", 500), error(429, blocked), "{}", operation.name);
        }
        // The window of the SmartTrades and their block are over.
        assert_eq!(accepted(&mut quota, &SMART_TRADES, 10_000), 40);
    }

    #[test]
    fn a_smaller_plan_counts_all_requests_together_and_has_no_writes() {
        for (plan, requests) in [(Plan::Lowest, 5), (Plan::Middle, 50)] {
            let mut quota = RequestQuota::new(LimitOptions { plan: Some(plan), ..LimitOptions::default() });
            assert_eq!(sent(&mut quota, &DISABLE, "one", 0).0, 429, "{plan:?}");
            assert_eq!(sent(&mut quota, &BOTS, "one", 0).0, 200, "{plan:?}");
            assert_eq!(accepted(&mut quota, &DEALS, 0), requests - 1, "{plan:?}");
        }
        let mut quota = RequestQuota::new(LimitOptions { plan: Some(Plan::Highest), ..LimitOptions::default() });
        assert_eq!(accepted(&mut quota, &DISABLE, 0), 120);
    }

    #[test]
    fn the_requests_of_an_address_are_counted_by_the_second_for_all_keys() {
        let options = LimitOptions { requests_per_second: Some(2), retry_after: true, ..LimitOptions::default() };
        let mut quota = RequestQuota::new(options);
        let sent = [("one", 0), ("two", 400), ("three", 999), ("one", 1_000)];
        let responses = sent.map(|(key, time)| request(&mut quota, key, time));
        assert_eq!(responses.map(|(status, _)| status), [200, 200, 429, 200]);
    }

    #[test]
    fn continuing_gets_the_ip_banned_for_two_minutes() {
        let mut quota = RequestQuota::new(limited(1));
        let statuses: Vec<_> = (0..13).map(|_| request(&mut quota, "one", 0).0).collect();
        assert_eq!(statuses, [[200].as_slice(), &[429; 11], &[418]].concat());
        assert_eq!(request(&mut quota, "other", 1_500), error(418, 119));
        assert_eq!(request(&mut quota, "other", 120_000).0, 200);
        assert_eq!(request(&mut quota, "one", 120_000), error(429, 180));
    }

    #[test]
    fn each_ban_is_twice_as_long_up_to_three_days() {
        let mut quota = RequestQuota::new(LimitOptions { retry_after: true, ..LimitOptions::default() });
        let bans: Vec<_> = (0..13)
            .map(|_| {
                quota.ban(LOCALHOST, None, Duration::ZERO);
                request(&mut quota, "one", 0)
            })
            .collect();
        assert_eq!(bans[..3], [error(418, 120), error(418, 240), error(418, 480)]);
        assert_eq!(bans[12], error(418, 259_200));
    }

    #[test]
    fn a_response_has_no_retry_after_unless_it_is_set() {
        let mut quota = RequestQuota::new(LimitOptions { retry_after: false, ..limited(0) });
        assert_eq!(request(&mut quota, "one", 0), (429, String::new()));
        quota.ban(LOCALHOST, None, Duration::ZERO);
        assert_eq!(request(&mut quota, "one", 0), (418, String::new()));
    }

    #[test]
    fn a_limit_of_0_rejects_every_request() {
        assert_eq!(request(&mut RequestQuota::new(limited(0)), "one", 0), error(429, 300));
    }
}
