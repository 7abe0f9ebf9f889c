//! The settings of a client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::http::retry::{RetryPolicy, random_share};
use crate::rate_limit::limit::RateLimitOption;
use crate::request::base_url::BaseUrl;

/// The settings of a client.
#[derive(Clone)]
pub struct Settings {
    /// The base URL of the service.
    pub base_url: BaseUrl,
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
}

impl Settings {
    /// Returns the default settings: 30 s in all, 10 s to connect, three retries, 100 requests a minute, responses of up
    /// to 32 MiB.
    pub fn new(base_url: BaseUrl) -> Self {
        Self {
            base_url,
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            retries: RetryPolicy::default(),
            random_share: Arc::new(random_share),
            rate_limit: Some(RateLimitOption::default()),
            wait: true,
            max_body: 32 << 20,
            signature_cache: 1_024,
            ca_file: None,
            proxy: None,
        }
    }
}
