//! Who calls a service, and how it is reached.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arc_swap::ArcSwapOption;
use reqwest::header::HeaderValue;

use crate::credentials::account::Account;
use crate::credentials::private_key::PrivateKey;
use crate::credentials::signature_cache::SignatureCache;
use crate::error::Error;
use crate::http::events::Listeners;
use crate::http::pools::ConnectionPools;
use crate::http::recorder::Recorder;
use crate::http::settings::Settings;
use crate::rate_limit::limit::Budget;
use crate::rate_limit::limiter::RateLimiter;

/// The road to a service: who asks, and how it is reached.
pub struct HttpClient {
    pub(crate) api_key: HeaderValue,
    pub(crate) key: Arc<PrivateKey>,
    pub(crate) settings: Settings,
    pub(crate) transport: ConnectionPools,
    pub(crate) signatures: Arc<SignatureCache>,
    pub(crate) listeners: Option<Listeners>,
    /// Shared by all roads that were laid from one.
    pub(crate) writes: Arc<AtomicU64>,
    /// Whether the service has returned another record than was asked for: no connection is used for a second request then. Shared in the
    /// same way.
    pub(crate) is_out_of_step: Arc<AtomicBool>,
    /// Whether no call may be made any more.
    is_closed: AtomicBool,
    /// What records the exchanges, while something does.
    recorder: ArcSwapOption<Recorder>,
    /// The local server that must run for as long as anything can call it.
    server: Option<Arc<dyn Any + Send + Sync>>,
}

impl HttpClient {
    /// A road for an API key and the private key that signs for it.
    pub fn new(api_key: &str, key: Arc<PrivateKey>, settings: Settings) -> Result<Self, Error> {
        if api_key.is_empty() || !api_key.chars().all(|character| character.is_ascii_graphic()) {
            return Err(Error::Configuration(
                "the API key is empty or holds white space, control characters or characters outside of ASCII; copy it \
                 again from the service"
                    .to_owned(),
            ));
        }
        let mut api_key =
            HeaderValue::from_str(api_key).map_err(|_| Error::Configuration("the API key is unusable".to_owned()))?;
        api_key.set_sensitive(true);
        Ok(Self {
            api_key,
            key,
            transport: transport(&settings),
            signatures: Arc::new(SignatureCache::of(settings.signature_cache)),
            settings,
            listeners: None,
            writes: Arc::default(),
            is_out_of_step: Arc::default(),
            is_closed: AtomicBool::new(false),
            recorder: ArcSwapOption::empty(),
            server: None,
        })
    }

    /// The same road, taken in another way.
    pub fn with(&self, settings: Settings) -> Result<Self, Error> {
        let transport = transport(&settings);
        transport.check()?;
        let same = self.signatures.most() == settings.signature_cache;
        let signatures =
            if same { Arc::clone(&self.signatures) } else { Arc::new(SignatureCache::of(settings.signature_cache)) };
        Ok(Self {
            transport,
            signatures,
            settings,
            api_key: self.api_key.clone(),
            key: Arc::clone(&self.key),
            listeners: self.listeners.clone(),
            writes: Arc::clone(&self.writes),
            is_out_of_step: Arc::clone(&self.is_out_of_step),
            is_closed: AtomicBool::new(false),
            recorder: ArcSwapOption::new(self.recorder.load_full()),
            server: self.server.clone(),
        })
    }

    /// The same road, with what its events carry for those who listen.
    #[must_use]
    pub fn with_listeners(mut self, listeners: Option<Listeners>) -> Self {
        self.listeners = listeners;
        self
    }

    /// Keeps a local server running for as long as this client and those derived from it live.
    #[must_use]
    pub fn with_server(mut self, server: Arc<dyn Any + Send + Sync>) -> Self {
        self.server = Some(server);
        self
    }

    /// What the road's events carry for those who listen.
    pub fn listeners(&self) -> Option<&Listeners> {
        self.listeners.as_ref()
    }

    /// How the service is reached.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The key that signs.
    pub fn key(&self) -> &PrivateKey {
        &self.key
    }

    /// Returns which account of which service is called.
    pub fn account(&self) -> Account {
        Account::new(&self.settings.base_url, &self.key, self.api_key.as_bytes())
    }

    /// How many writes were begun.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// What is left of the rate limit; None where there is none.
    pub fn budget(&self) -> Option<Budget> {
        self.settings.rate_limit.map(|limit| self.limiter().budget(limit))
    }

    /// Records on a tape what goes over the road from now on; false where another tape records it already.
    pub fn start_recording(&self, recorder: &Arc<Recorder>) -> bool {
        let held = self.recorder.load_full();
        if held.as_ref().is_some_and(|held| !held.is_finished()) {
            return false;
        }
        let before = self.recorder.compare_and_swap(&held, Some(Arc::clone(recorder)));
        before.as_ref().map(Arc::as_ptr) == held.as_ref().map(Arc::as_ptr)
    }

    /// Ends the recording.
    pub fn stop_recording(&self) {
        self.recorder.store(None);
    }

    /// Closes the connections; requests that begin afterwards fail. Those under way go on to their end.
    ///
    /// The connections of a runtime of one thread end when it runs next.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.transport.close_all_connections();
    }

    /// Whether the client was closed.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Returns an error if the client was closed.
    pub(crate) fn check_open(&self) -> Result<(), Error> {
        if !self.is_closed() {
            return Ok(());
        }
        Err(Error::Configuration("the client is closed; make a new one, or call it before it is closed".to_owned()))
    }

    /// Whether an identifier means the same record on both roads: they lead to one service, for one API key.
    pub fn is_same_account(&self, other: &Self) -> bool {
        self.api_key == other.api_key && self.settings.base_url == other.settings.base_url
    }

    /// The connections that a request may use now. They may be closed while a call waits, so each attempt gets them again.
    pub(crate) fn pool(&self) -> Result<reqwest::Client, Error> {
        self.transport.pool(|| !self.is_closed() && !self.is_out_of_step.load(Ordering::Relaxed))
    }

    pub(crate) fn limiter(&self) -> Arc<RateLimiter> {
        RateLimiter::shared(self.api_key.as_bytes(), self.settings.base_url.origin())
    }

    pub(crate) fn api_key(&self) -> &HeaderValue {
        &self.api_key
    }

    pub(crate) fn recorder(&self) -> Option<Arc<Recorder>> {
        self.recorder.load_full()
    }
}

impl std::fmt::Debug for HttpClient {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("HttpClient").field("key", &self.key).finish_non_exhaustive()
    }
}

/// How much of an attempt's time its connection may take.
const CONNECTING_SHARE: f64 = 0.9;

fn transport(settings: &Settings) -> ConnectionPools {
    let Settings { timeout, connect_timeout, retries, base_url, .. } = settings;
    // A connection that takes as long as the attempt may would leave open whether anything was sent.
    let at_most = retries.attempt_timeout(1, false, *timeout, *timeout).mul_f64(CONNECTING_SHARE);
    ConnectionPools {
        connect_timeout: (*connect_timeout).min(at_most),
        loopback: base_url.is_loopback(),
        ca_file: settings.ca_file.clone(),
        proxy: settings.proxy.clone(),
    }
}
