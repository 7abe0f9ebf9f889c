//! The rate limiters of a client: the general one, and those of requests that the service counts apart.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use super::client::HttpClient;
use crate::process::PerProcess;
use crate::rate_limit::client_limiter::ClientLimiter;
use crate::rate_limit::limit::{RateLimit, RateLimitOption};
use crate::request::spec::RequestSpec;
use crate::sync::{Mutex, locked};
use botdesk_schema::operation::OwnLimit;
use botdesk_schema::permission::Security;

/// The rate limiters of a client, each looked up once: all clients of a key share what they count.
#[derive(Default)]
pub(super) struct Limiters {
    general: PerProcess<Arc<ClientLimiter>>,
    /// Those of requests that are counted apart: by operation, and under [`UNSIGNED`].
    apart: PerProcess<Mutex<HashMap<String, Arc<ClientLimiter>>>>,
}

/// The name of the limiter of requests without a key, which the service counts by address.
const UNSIGNED: &str = "unsigned";

impl HttpClient {
    /// Returns the general rate limiter; None without a rate limit.
    pub(super) fn rate_limit(&self) -> Option<&Arc<ClientLimiter>> {
        let option = self.settings().rate_limit.as_ref()?;
        let limiter = || Arc::new(self.limiter(self.api_key().as_bytes(), option.clone()));
        let Ok(limiter) = self.limiters().general.get_or_try_init(|| Ok::<_, Infallible>(limiter()));
        Some(limiter)
    }

    /// Returns the rate limiter that counts a request; None without a rate limit.
    pub(super) fn limiter_of(&self, spec: &RequestSpec) -> Option<Arc<ClientLimiter>> {
        let general = self.rate_limit()?;
        if spec.security == Security::None {
            return Some(self.limiter_apart(UNSIGNED, &[], general.limit()));
        }
        // A plan with fewer requests than usual counts all of them.
        let Some(own) = spec.limit.filter(|_| !is_slower(general.limit(), RateLimit::default())) else {
            return Some(Arc::clone(general));
        };
        let key = [self.api_key().as_bytes(), b"\n", spec.operation.as_bytes()].concat();
        Some(self.limiter_apart(&spec.operation, &key, rate_limit(own)))
    }

    /// Returns the rate limiter of requests that are counted apart, under a name and a key.
    fn limiter_apart(&self, name: &str, key: &[u8], limit: RateLimit) -> Arc<ClientLimiter> {
        let Ok(apart) = self.limiters().apart.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
        let mut apart = locked(apart);
        if let Some(limiter) = apart.get(name) {
            return Arc::clone(limiter);
        }
        let sharing = self.settings().rate_limit.clone().unwrap_or_default().sharing;
        let limiter = Arc::new(self.limiter(key, RateLimitOption { limit, sharing }));
        apart.insert(name.to_owned(), Arc::clone(&limiter));
        limiter
    }

    fn limiter(&self, key: &[u8], option: RateLimitOption) -> ClientLimiter {
        let base_url = &self.settings().base_url;
        ClientLimiter::new(key, base_url.origin(), base_url.is_loopback(), option)
    }
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
    use crate::credentials::private_key::PrivateKey;
    use crate::http::settings::Settings;
    use crate::request::base_url::BaseUrl;
    use crate::request::spec::NO_ID;
    use botdesk_schema::operation::{Operation, get};

    const GENERAL: Operation = get("dca_bots.list", "/ver1/bots");
    const OWN: Operation = get("deals.list", "/ver1/deals").limit(120, 60, 60);
    const PUBLIC: Operation = get("markets.list", "/ver1/accounts/market_list").unsigned();

    fn client(rate_limit: Option<RateLimit>) -> HttpClient {
        let base_url = BaseUrl::parse("http://127.0.0.1:1", false).unwrap();
        let settings = Settings { rate_limit: rate_limit.map(Into::into), ..Settings::new(base_url) };
        HttpClient::new("an-api-key", Arc::new(PrivateKey::generate(2048).unwrap()), settings).unwrap()
    }

    fn limits(client: &HttpClient) -> [Option<Arc<ClientLimiter>>; 3] {
        let of = |operation: &'static Operation| client.limiter_of(&RequestSpec::plain(operation, NO_ID));
        [of(&GENERAL), of(&OWN), of(&PUBLIC)]
    }

    fn is_same(left: Option<&Arc<ClientLimiter>>, right: Option<&Arc<ClientLimiter>>) -> bool {
        left.zip(right).is_some_and(|(left, right)| Arc::ptr_eq(left, right))
    }

    #[test]
    fn an_operation_with_a_limit_of_its_own_is_counted_apart() {
        let client = client(Some(RateLimit::default()));
        let [general, own, public] = limits(&client);
        let limit = |limiter: &Option<Arc<ClientLimiter>>| limiter.as_ref().map(|limiter| limiter.limit().requests);
        assert_eq!([limit(&general), limit(&own), limit(&public)], [Some(100), Some(120), Some(100)]);
        assert!(!is_same(general.as_ref(), own.as_ref()) && !is_same(general.as_ref(), public.as_ref()));
        assert!(is_same(own.as_ref(), limits(&client)[1].as_ref()));
    }

    #[test]
    fn a_smaller_plan_counts_all_requests_of_the_key_together() {
        let client = client(Some(RateLimit { requests: 50, per: Duration::from_secs(60) }));
        let [general, own, public] = limits(&client);
        assert!(is_same(general.as_ref(), own.as_ref()));
        assert!(!is_same(general.as_ref(), public.as_ref()));
    }

    #[test]
    fn a_client_without_a_limit_counts_nothing() {
        assert!(limits(&client(None)).iter().all(Option::is_none));
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
