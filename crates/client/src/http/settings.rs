//! How a client reaches the service.

use std::path::PathBuf;
use std::time::Duration;

use crate::http::retry::RetryPolicy;
use crate::rate_limit::limit::RateLimit;
use crate::request::base_url::BaseUrl;

/// How a client reaches the service.
#[derive(Clone)]
pub struct Settings {
    /// The address of the service.
    pub base_url: BaseUrl,
    /// How long a call may take in all, from when its turn has come.
    pub timeout: Duration,
    /// How long a connection may take.
    pub connect_timeout: Duration,
    /// When a request is sent again.
    pub retries: RetryPolicy,
    /// How many requests may be sent; None for as many as the caller likes.
    pub rate_limit: Option<RateLimit>,
    /// Whether a call waits where there were too many; without it is refused.
    pub wait: bool,
    /// The longest answer that is taken, in bytes.
    pub max_body: usize,
    /// How many signatures are kept, so that the same request is signed once.
    pub signature_cache: usize,
    /// A file of certificates in PEM to trust beside the system's.
    pub ca_file: Option<PathBuf>,
    /// The address of a proxy; None for what the environment says.
    pub proxy: Option<String>,
}

impl Settings {
    /// How a service is reached where nothing else is asked for: 30 s in all, 10 s to connect, three retries, 100
    /// requests a minute, answers of up to 32 MiB.
    pub fn new(base_url: BaseUrl) -> Self {
        Self {
            base_url,
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(10),
            retries: RetryPolicy::default(),
            rate_limit: Some(RateLimit::default()),
            wait: true,
            max_body: 32 << 20,
            signature_cache: 1_024,
            ca_file: None,
            proxy: None,
        }
    }
}
