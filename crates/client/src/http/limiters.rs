//! The rate limiters of a client: the general one, and those of requests that the service counts apart.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use super::permits::RequestLimiters;
use super::settings::Settings;
use crate::process::PerProcess;
use crate::rate_limit::client_limiter::ClientLimiter;
use crate::rate_limit::limit::{RateLimit, RateLimitOption, Sharing};
use crate::request::spec::RequestSpec;
use crate::sync::{Mutex, locked};
use botdesk_schema::operation::OwnLimit;
use botdesk_schema::permission::Security;

/// The rate limiters of a client, each looked up once: all clients of a key share what they count.
#[derive(Default)]
pub(super) struct Limiters {
    general: PerProcess<Arc<ClientLimiter>>,
    /// That of the requests in one second; None without a limit.
    second: PerProcess<Option<Arc<ClientLimiter>>>,
    /// Those of requests that are counted apart: by operation, and under [`UNSIGNED`].
    apart: PerProcess<Mutex<HashMap<String, Arc<ClientLimiter>>>>,
}

/// The name of the limiter of requests without a key, which the service counts by address.
const UNSIGNED: &str = "unsigned";

/// The key of the limiter of the requests in one second, which is none of the service's.
const SECOND: &[u8] = b"\nsecond";

/// The requests in one second that a client sends. The service allows 15 for each IP address.
const PER_SECOND: u32 = 10;

impl Limiters {
    /// Returns the general rate limiter of an API key; None without a rate limit.
    pub(super) fn general(&self, api_key: &[u8], settings: &Settings) -> Option<&Arc<ClientLimiter>> {
        let option = settings.rate_limit.as_ref()?;
        let limiter = || Arc::new(limiter(api_key, settings, option.clone()));
        let Ok(limiter) = self.general.get_or_try_init(|| Ok::<_, Infallible>(limiter()));
        Some(limiter)
    }

    /// Returns the rate limiters of a request.
    pub(super) fn of(&self, spec: &RequestSpec, api_key: &[u8], settings: &Settings) -> RequestLimiters {
        RequestLimiters { counted: self.counted(spec, api_key, settings), second: self.second(settings) }
    }

    /// Returns the rate limiter of the requests in one second, with any key; None without a limit.
    fn second(&self, settings: &Settings) -> Option<Arc<ClientLimiter>> {
        settings.rate_limit.as_ref()?;
        let limiter = || second_option(settings).map(|option| Arc::new(limiter(SECOND, settings, option)));
        let Ok(limiter) = self.second.get_or_try_init(|| Ok::<_, Infallible>(limiter()));
        limiter.clone()
    }

    /// Returns the rate limiter that counts a request; None without a rate limit.
    fn counted(&self, spec: &RequestSpec, api_key: &[u8], settings: &Settings) -> Option<Arc<ClientLimiter>> {
        let general = self.general(api_key, settings)?;
        if spec.security == Security::None {
            return Some(self.apart(UNSIGNED, &[], settings, general.limit()));
        }
        // A plan with fewer requests than usual counts all of them.
        let Some(own) = spec.limit.filter(|_| !is_slower(general.limit(), RateLimit::default())) else {
            return Some(Arc::clone(general));
        };
        let key = [api_key, b"\n", spec.operation.as_bytes()].concat();
        Some(self.apart(&spec.operation, &key, settings, rate_limit(own)))
    }

    /// Returns the rate limiter of requests that are counted apart, under a name and a key, with a limit.
    fn apart(&self, name: &str, key: &[u8], settings: &Settings, limit: RateLimit) -> Arc<ClientLimiter> {
        let Ok(apart) = self.apart.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
        let mut apart = locked(apart);
        if let Some(limiter) = apart.get(name) {
            return Arc::clone(limiter);
        }
        let limiter = Arc::new(limiter(key, settings, shared_like(settings, limit)));
        apart.insert(name.to_owned(), Arc::clone(&limiter));
        limiter
    }
}

fn limiter(key: &[u8], settings: &Settings, option: RateLimitOption) -> ClientLimiter {
    ClientLimiter::new(key, settings.base_url.origin(), settings.base_url.is_loopback(), option)
}

/// Returns the limit of the requests in one second; None without one.
///
/// The service counts them by IP address. So the processes of this machine share the limit, and not those of others.
fn second_option(settings: &Settings) -> Option<RateLimitOption> {
    let usual = if settings.base_url.is_loopback() { 0 } else { PER_SECOND };
    let requests = settings.requests_per_second.unwrap_or(usual);
    let general = settings.rate_limit.as_ref().filter(|_| requests > 0)?;
    let limit = RateLimit { requests, per: Duration::from_secs(1) };
    let sharing = match &general.sharing {
        _ if !limit.can_be_shared() => Sharing::Process,
        Sharing::Redis(_) => Sharing::Machine,
        other => other.clone(),
    };
    Some(RateLimitOption { limit, sharing })
}

/// Returns a limit that is shared with the processes that share the general one.
fn shared_like(settings: &Settings, limit: RateLimit) -> RateLimitOption {
    RateLimitOption { limit, sharing: settings.rate_limit.clone().unwrap_or_default().sharing }
}

fn rate_limit(own: OwnLimit) -> RateLimit {
    RateLimit { requests: own.requests, per: Duration::from_secs(own.seconds.into()) }
}

/// Returns true if a limit allows fewer requests in the long run than another.
fn is_slower(limit: RateLimit, than: RateLimit) -> bool {
    f64::from(limit.requests) * than.per.as_secs_f64() < f64::from(than.requests) * limit.per.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::leased::redis_url::RedisUrl;
    use crate::request::base_url::BaseUrl;
    use crate::request::spec::NO_ID;
    use botdesk_schema::operation::{Operation, get};

    const GENERAL: Operation = get("dca_bots.list", "/ver1/bots");
    const OWN: Operation = get("deals.list", "/ver1/deals").limit(120, 60, 60);
    const PUBLIC: Operation = get("markets.list", "/ver1/accounts/market_list").unsigned();

    fn limits(limiters: &Limiters, rate_limit: Option<RateLimit>) -> [Option<Arc<ClientLimiter>>; 3] {
        let base_url = BaseUrl::parse("http://127.0.0.1:1", false).unwrap();
        let settings = Settings { rate_limit: rate_limit.map(Into::into), ..Settings::new(base_url) };
        [&GENERAL, &OWN, &PUBLIC]
            .map(|operation| limiters.counted(&RequestSpec::plain(operation, NO_ID), b"key", &settings))
    }

    fn is_same(left: Option<&Arc<ClientLimiter>>, right: Option<&Arc<ClientLimiter>>) -> bool {
        left.zip(right).is_some_and(|(left, right)| Arc::ptr_eq(left, right))
    }

    #[test]
    fn an_operation_with_a_limit_of_its_own_is_counted_apart() {
        let limiters = Limiters::default();
        let [general, own, public] = limits(&limiters, Some(RateLimit::default()));
        let limit = |limiter: &Option<Arc<ClientLimiter>>| limiter.as_ref().map(|limiter| limiter.limit().requests);
        assert_eq!([limit(&general), limit(&own), limit(&public)], [Some(100), Some(120), Some(100)]);
        assert!(!is_same(general.as_ref(), own.as_ref()) && !is_same(general.as_ref(), public.as_ref()));
        assert!(is_same(own.as_ref(), limits(&limiters, Some(RateLimit::default()))[1].as_ref()));
    }

    #[test]
    fn a_smaller_plan_counts_all_requests_of_the_key_together() {
        let smaller = RateLimit { requests: 50, per: Duration::from_secs(60) };
        let [general, own, public] = limits(&Limiters::default(), Some(smaller));
        assert!(is_same(general.as_ref(), own.as_ref()));
        assert!(!is_same(general.as_ref(), public.as_ref()));
    }

    /// Returns the limit of the requests in one second, and the processes that share it.
    fn second(base_url: &str, sharing: Sharing, requests_per_second: Option<u32>) -> Option<(u32, Sharing)> {
        let base_url = BaseUrl::parse(base_url, false).unwrap();
        let rate_limit = Some(RateLimitOption { sharing, ..RateLimitOption::default() });
        let settings = Settings { rate_limit, requests_per_second, ..Settings::new(base_url) };
        let option = second_option(&settings)?;
        Some((option.limit.requests, option.sharing))
    }

    #[test]
    fn a_client_sends_ten_requests_a_second_to_a_service_elsewhere() {
        let service = "https://service.example";
        let redis = Sharing::Redis(RedisUrl::parse("redis://cache.example").unwrap());
        assert_eq!(second(service, Sharing::Automatic, None), Some((10, Sharing::Automatic)));
        assert_eq!(second(service, redis, Some(4)), Some((4, Sharing::Machine)));
        assert_eq!(second(service, Sharing::Machine, Some(2_000)), Some((2_000, Sharing::Process)));
        assert_eq!(second(service, Sharing::Process, Some(0)), None);
        assert_eq!(second("http://127.0.0.1:1", Sharing::Automatic, None), None);
        assert_eq!(second("http://127.0.0.1:1", Sharing::Automatic, Some(3)), Some((3, Sharing::Automatic)));
    }

    #[test]
    fn all_requests_of_a_client_share_the_limit_of_a_second() {
        let limiters = Limiters::default();
        let settings = Settings {
            requests_per_second: Some(3),
            ..Settings::new(BaseUrl::parse("http://127.0.0.1:1", false).unwrap())
        };
        let second = |operation| limiters.of(&RequestSpec::plain(operation, NO_ID), b"key", &settings).second;
        assert!(is_same(second(&OWN).as_ref(), second(&PUBLIC).as_ref()));
        let off = Settings { rate_limit: None, ..settings.clone() };
        assert!(limiters.of(&RequestSpec::plain(&GENERAL, NO_ID), b"key", &off).second.is_none());
    }

    #[test]
    fn a_client_without_a_limit_counts_nothing() {
        assert!(limits(&Limiters::default(), None).iter().all(Option::is_none));
    }

    #[test]
    fn the_limit_of_a_smaller_plan_is_slower_than_the_usual_one() {
        let limit = |requests, seconds| RateLimit { requests, per: Duration::from_secs(seconds) };
        for (requests, seconds, slower) in
            [(5, 60, true), (50, 60, true), (100, 60, false), (120, 60, false), (2, 1, false)]
        {
            assert_eq!(is_slower(limit(requests, seconds), RateLimit::default()), slower, "{requests} in {seconds} s");
        }
    }
}
