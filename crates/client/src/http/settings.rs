//! The settings of a client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::http::retry::{RetryPolicy, random_share};
use crate::rate_limit::limit::{RateLimit, RateLimitOption};
use crate::request::base_url::BaseUrl;
use crate::request::stream_url::StreamUrl;
use botdesk_schema::mode::Mode;

/// The settings of a client.
#[derive(Clone)]
pub struct Settings {
    /// The base URL of the service.
    pub base_url: BaseUrl,
    /// The mode that signed requests ask for; None for the one that the user has chosen at the service.
    pub mode: Option<Mode>,
    /// The timeout of a call in all, from when the rate limiter allows it.
    pub timeout: Duration,
    /// The timeout for opening a connection.
    pub connect_timeout: Duration,
    /// When requests are retried.
    pub retries: RetryPolicy,
    /// Returns the share of a backoff to wait, from 0 to 1: a random number, so that clients that failed together do not retry together.
    pub random_share: Arc<dyn Fn() -> f64 + Send + Sync>,
    /// The rate limit; None for no limit.
    pub rate_limit: Option<RateLimitOption>,
    /// The number of requests per minute of the plan; it replaces that of the rate limit, in [`Settings::with_plan`].
    pub requests_per_minute: Option<u32>,
    /// The number of requests in one second, 0 for no limit; None for 10, or for no limit if the service runs on this machine.
    pub requests_per_second: Option<u32>,
    /// True if a call waits for the rate limit; otherwise it fails.
    pub wait: bool,
    /// The highest length of a response's body, in bytes.
    pub max_body: usize,
    /// The capacity of the signature cache.
    pub signature_cache: usize,
    /// A PEM file of certificates to trust in addition to those of the system.
    pub ca_file: Option<PathBuf>,
    /// The URL of a proxy; None for the proxy that the environment names.
    pub proxy: Option<String>,
    /// The URL of the live streams; None for the one that follows from the base URL.
    pub stream_url: Option<StreamUrl>,
}

impl Settings {
    /// Returns the default settings: 30 s in all, 10 s to connect, three retries, 100 requests a minute, responses of up
    /// to 32 MiB.
    pub fn new(base_url: BaseUrl) -> Self {
        Self {
            base_url,
            mode: None,
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            retries: RetryPolicy::default(),
            random_share: Arc::new(random_share),
            rate_limit: Some(RateLimitOption::default()),
            requests_per_minute: None,
            requests_per_second: None,
            wait: true,
            max_body: 32 << 20,
            signature_cache: 1_024,
            ca_file: None,
            proxy: None,
            stream_url: None,
        }
    }

    /// Puts the number of requests per minute of the plan into the rate limit, which keeps the processes that share it.
    pub fn with_plan(mut self) -> Result<Self, Error> {
        match self.requests_per_minute.take() {
            None => Ok(self),
            Some(0) => Err(Error::Configuration(
                "requests_per_minute=0 is out of range; it must be at least 1; rate_limit=None sets no limit"
                    .to_owned(),
            )),
            Some(requests) => {
                let sharing = self.rate_limit.unwrap_or_default().sharing;
                let limit = RateLimit { requests, per: Duration::from_secs(60) };
                Ok(Self { rate_limit: Some(RateLimitOption { limit, sharing }), ..self })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate_limit::limit::Sharing;

    fn with_plan(rate_limit: Option<RateLimitOption>, requests: u32) -> Result<Settings, Error> {
        let settings = Settings::new(BaseUrl::parse("https://service.example", false).unwrap());
        Settings { rate_limit, requests_per_minute: Some(requests), ..settings }.with_plan()
    }

    #[test]
    fn a_plan_replaces_the_number_of_the_rate_limit_and_keeps_its_sharing() {
        for (sharing, rate_limit) in [
            (Sharing::Automatic, None),
            (Sharing::Process, Some(RateLimitOption { sharing: Sharing::Process, ..RateLimitOption::default() })),
        ] {
            let settings = with_plan(rate_limit, 50).unwrap();
            let limit = RateLimit { requests: 50, per: Duration::from_secs(60) };
            assert_eq!(settings.rate_limit, Some(RateLimitOption { limit, sharing }));
            assert_eq!(settings.requests_per_minute, None);
        }
    }

    #[test]
    fn a_plan_of_0_a_minute_is_an_error() {
        let message = with_plan(None, 0).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(message.contains("requests_per_minute=0") && message.contains("at least 1"), "{message}");
    }
}
