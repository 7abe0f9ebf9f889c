//! How often a key may ask, and what comes of asking too often.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::time::Duration;

use botdesk_server::answer::Refusal;

/// In which time the requests are counted.
const WINDOW: Duration = Duration::from_secs(60);

/// For how long a key that asked too often is refused.
const REFUSED: Duration = Duration::from_secs(300);

/// How often a refused key may go on asking before its address is banned.
const PATIENCE: u32 = 10;

/// For how long an address is banned.
const BANNED: Duration = Duration::from_secs(120);

/// Counts the requests of each key.
pub(super) struct RateLimit {
    /// How many requests a key has in a minute.
    most: usize,
    keys: HashMap<String, Requests>,
    banned_until: HashMap<IpAddr, Duration>,
}

#[derive(Default)]
struct Requests {
    /// When the requests of the last minute came.
    times: VecDeque<Duration>,
    refused_until: Duration,
    /// How many came since the key was refused.
    further: u32,
}

impl RateLimit {
    pub(super) fn new(most: u32) -> Self {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        Self { most, keys: HashMap::new(), banned_until: HashMap::new() }
    }

    /// Refuses an address that is banned.
    pub(super) fn admit(&self, address: IpAddr, now: Duration) -> Result<(), Refusal> {
        match self.banned_until.get(&address) {
            Some(until) if *until > now => Err(Refusal::banned().retry_after(seconds(*until, now))),
            _ => Ok(()),
        }
    }

    /// Counts a request of a key, and refuses it where that is one too many.
    pub(super) fn count(&mut self, api_key: &str, address: IpAddr, now: Duration) -> Result<(), Refusal> {
        let requests = self.keys.entry(api_key.to_owned()).or_default();
        if requests.refused_until > now {
            requests.further += 1;
            if requests.further > PATIENCE {
                requests.further = 0;
                self.banned_until.insert(address, now + BANNED);
                return self.admit(address, now);
            }
        } else {
            requests.times.retain(|time| now.saturating_sub(*time) < WINDOW);
            if requests.times.len() < self.most {
                requests.times.push_back(now);
                return Ok(());
            }
            requests.further = 0;
            requests.refused_until = now + REFUSED;
        }
        Err(Refusal::too_many_requests().retry_after(seconds(requests.refused_until, now)))
    }
}

/// The whole seconds until a time.
fn seconds(until: Duration, now: Duration) -> String {
    let left = until.saturating_sub(now);
    (left.as_secs() + u64::from(left.subsec_nanos() > 0)).to_string()
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    /// The status and the `Retry-After` of a request at a time in milliseconds; 200 where it is let through.
    fn ask(limit: &mut RateLimit, key: &str, milliseconds: u64) -> (u16, String) {
        let now = Duration::from_millis(milliseconds);
        let asked = limit.admit(HOME, now).and_then(|()| limit.count(key, HOME, now));
        asked.map_or_else(|refusal| (refusal.status, refusal.header_text()), |()| (200, String::new()))
    }

    fn refused(status: u16, seconds: u64) -> (u16, String) {
        (status, seconds.to_string())
    }

    #[test]
    fn a_key_may_ask_so_often_in_a_minute_and_is_then_refused_for_five() {
        let mut limit = RateLimit::new(2);
        let asked = [0, 1_000, 59_999].map(|time| ask(&mut limit, "one", time).0);
        assert_eq!(asked, [200, 200, 429]);
        assert_eq!(ask(&mut limit, "one", 60_999), refused(429, 299));
        assert_eq!(ask(&mut limit, "one", 359_998), refused(429, 1));
        assert_eq!(ask(&mut limit, "one", 359_999).0, 200);
    }

    #[test]
    fn the_minute_slides() {
        let mut limit = RateLimit::new(2);
        let asked = [0, 30_000, 60_000, 89_999].map(|time| ask(&mut limit, "one", time).0);
        assert_eq!(asked, [200, 200, 200, 429]);
    }

    #[test]
    fn other_keys_are_not_concerned() {
        let mut limit = RateLimit::new(1);
        let asked = ["one", "one", "other", "other"].map(|key| ask(&mut limit, key, 0).0);
        assert_eq!(asked, [200, 429, 200, 429]);
    }

    #[test]
    fn going_on_gets_the_address_banned_for_two_minutes() {
        let mut limit = RateLimit::new(1);
        let asked: Vec<_> = (0..13).map(|_| ask(&mut limit, "one", 0).0).collect();
        assert_eq!(asked, [[200].as_slice(), &[429; 11], &[418]].concat());
        assert_eq!(ask(&mut limit, "other", 1_500), refused(418, 119));
        assert_eq!(ask(&mut limit, "other", 120_000).0, 200);
        assert_eq!(ask(&mut limit, "one", 120_000), refused(429, 180));
    }

    #[test]
    fn a_limit_of_none_refuses_all() {
        assert_eq!(ask(&mut RateLimit::new(0), "one", 0), refused(429, 300));
    }
}
