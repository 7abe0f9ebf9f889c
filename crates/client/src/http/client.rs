//! The client: its account, its service, its settings, and the state that it shares with other clients.

use std::any::Any;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use jiff::Timestamp;
use reqwest::header::HeaderValue;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::events::Listeners;
use super::limiters::Limiters;
use super::paper_accounts::PaperAccounts;
use super::permits::RequestLimiters;
use super::pools::{ConnectionPools, Pool};
use super::proxies::ResolvedProxy;
use super::recorder::Recorder;
use super::service_time::ServiceTime;
use super::settings::Settings;
use crate::credentials::account::ClientAccount;
use crate::credentials::signature_cache::SignatureCache;
use crate::credentials::signing;
use crate::credentials::signing_key::SigningKey;
use crate::error::Error;
use crate::process::PerProcess;
use crate::rate_limit::client_limiter::ClientLimiter;
use crate::rate_limit::limit::Budget;
use crate::recent_writes::RecentWrites;
use crate::request::signed::Signed;
use crate::request::spec::RequestSpec;
use crate::request::stream_url::StreamUrl;
use botdesk_schema::key_text::shown;
use botdesk_schema::record::DecodeError;

/// A client of the service for one API key.
pub struct HttpClient {
    pub(super) api_key: HeaderValue,
    pub(super) key: SigningKey,
    /// The fingerprint of the key.
    fingerprint: Arc<str>,
    pub(super) settings: Settings,
    /// An error if the proxy that the environment names can't be used.
    pools: Result<ConnectionPools, Error>,
    pub(super) signatures: Arc<SignatureCache>,
    listeners: Option<Listeners>,
    limiters: Limiters,
    /// The number of writes, shared by all clients derived from one.
    pub(super) writes: Arc<AtomicU64>,
    /// True after the service returned another record than the requested one. From then on, no connection is reused. Shared like
    /// `writes`.
    has_mismatched_responses: Arc<AtomicBool>,
    /// The accounts that are known to be paper accounts. Shared like `writes`.
    pub(super) paper_accounts: Arc<PaperAccounts>,
    /// Shared like `writes`.
    pub(crate) recent_writes: Arc<RecentWrites>,
    /// Shared like `writes`.
    pub(super) service_time: Arc<ServiceTime>,
    is_closed: AtomicBool,
    /// Wakes the waiting requests when the client is closed.
    closing: PerProcess<Notify>,
    /// Records the requests and responses, if set.
    recorder: ArcSwapOption<Recorder>,
    /// The name of the profile that the credentials are from.
    profile: Option<Arc<str>>,
    /// A local server, such as the sandbox, that runs as long as a client can call it.
    server: Option<Arc<dyn Any + Send + Sync>>,
}

impl HttpClient {
    /// Returns a client for an API key and the private key or the secret that signs for it.
    pub fn new(api_key: &str, key: impl Into<SigningKey>, settings: Settings) -> Result<Self, Error> {
        if api_key.is_empty() || !api_key.chars().all(|character| character.is_ascii_graphic()) {
            return Err(Error::Configuration(
                "the API key is empty or has white space, control characters or characters outside of ASCII; copy it \
                 again from the service"
                    .to_owned(),
            ));
        }
        let mut api_key =
            HeaderValue::from_str(api_key).map_err(|_| Error::Configuration("the API key is unusable".to_owned()))?;
        api_key.set_sensitive(true);
        let key = key.into();
        let fingerprint = key.fingerprint(api_key.as_bytes()).into();
        Ok(Self::of(api_key, key, fingerprint, settings))
    }

    /// Returns a client without credentials, which sends only requests that need no signature.
    pub fn public(settings: Settings) -> Self {
        let key = SigningKey::Absent;
        let fingerprint = key.fingerprint(&[]).into();
        Self::of(HeaderValue::from_static(""), key, fingerprint, settings)
    }

    /// Returns a client that shares nothing.
    fn of(api_key: HeaderValue, key: SigningKey, fingerprint: Arc<str>, settings: Settings) -> Self {
        Self {
            api_key,
            key,
            fingerprint,
            pools: connection_pools(&settings),
            signatures: Arc::new(SignatureCache::new(settings.signature_cache)),
            settings,
            listeners: None,
            limiters: Limiters::default(),
            writes: Arc::default(),
            has_mismatched_responses: Arc::default(),
            paper_accounts: Arc::default(),
            recent_writes: Arc::default(),
            service_time: Arc::default(),
            is_closed: AtomicBool::new(false),
            closing: PerProcess::new(),
            recorder: ArcSwapOption::empty(),
            profile: None,
            server: None,
        }
    }

    /// Returns a client with other settings that shares this one's keys and caches.
    pub fn with_settings(&self, settings: Settings) -> Result<Self, Error> {
        let mut client = Self::of(self.api_key.clone(), self.key.clone(), Arc::clone(&self.fingerprint), settings);
        client.pools()?.check()?;
        if client.signatures.capacity() == self.signatures.capacity() {
            client.signatures = Arc::clone(&self.signatures);
        }
        Ok(Self {
            listeners: self.listeners.clone(),
            writes: Arc::clone(&self.writes),
            has_mismatched_responses: Arc::clone(&self.has_mismatched_responses),
            paper_accounts: Arc::clone(&self.paper_accounts),
            recent_writes: Arc::clone(&self.recent_writes),
            service_time: Arc::clone(&self.service_time),
            recorder: ArcSwapOption::new(self.recorder.load_full()),
            profile: self.profile.clone(),
            server: self.server.clone(),
            ..client
        })
    }

    /// Returns this client with other listeners.
    #[must_use]
    pub fn with_listeners(mut self, listeners: Option<Listeners>) -> Self {
        self.listeners = listeners;
        self
    }

    /// Notes the profile that the credentials are from.
    #[must_use]
    pub fn with_profile(mut self, name: &str) -> Self {
        self.profile = Some(name.into());
        self
    }

    /// Keeps a local server running as long as this client and those derived from it live.
    #[must_use]
    pub fn with_server(mut self, server: Arc<dyn Any + Send + Sync>) -> Self {
        self.server = Some(server);
        self
    }

    /// Returns the listeners, which the events of the client carry.
    pub fn listeners(&self) -> Option<&Listeners> {
        self.listeners.as_ref()
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the URL of the live streams.
    pub fn stream_url(&self) -> StreamUrl {
        self.settings.stream_url.clone().unwrap_or_else(|| StreamUrl::of(&self.settings.base_url))
    }

    /// Returns the key that signs.
    pub fn key(&self) -> &SigningKey {
        &self.key
    }

    /// Returns the fingerprint of the key, which is safe to show.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns the account and the service that the client is for.
    pub fn account(&self) -> ClientAccount {
        ClientAccount::new(&self.settings.base_url, &self.fingerprint, self.api_key.as_bytes())
    }

    /// Returns where the requests go, for people: the service, and the profile or the fingerprint of the key.
    pub fn destination(&self) -> String {
        let service = shown(&self.settings.base_url.to_string());
        let mode = self.settings.mode.map(|mode| format!(", mode {}", mode.as_str())).unwrap_or_default();
        match &self.profile {
            Some(name) => format!("{service}, profile {}{mode}", shown(name)),
            None => format!("{service}, key {}{mode}", self.fingerprint),
        }
    }

    /// Returns true if an identifier means the same record for both clients: they have the same service and API key.
    pub fn is_same_account(&self, other: &Self) -> bool {
        self.api_key == other.api_key && self.settings.base_url == other.settings.base_url
    }

    /// Returns the number of writes that were started.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Returns the used and the remaining part of the rate limit; None without a rate limit.
    pub fn budget(&self) -> Option<Budget> {
        self.limiter().map(|limiter| limiter.budget())
    }

    /// Returns how long the IP address is still banned, as far as is known; None if it is not, and without a rate limit.
    pub(crate) fn banned_for(&self) -> Option<Duration> {
        self.limiter()?.banned_for()
    }

    /// Notes that the service has banned the IP address, and for how long if it says so.
    pub(super) fn note_ban(&self, duration: Option<Duration>) {
        if let Some(limiter) = self.limiter() {
            limiter.ban(duration);
        }
    }

    /// Returns the general rate limiter; None without a rate limit.
    fn limiter(&self) -> Option<&Arc<ClientLimiter>> {
        self.limiters.general(self.api_key.as_bytes(), &self.settings)
    }

    /// Signs a request without sending it.
    pub fn sign(&self, spec: RequestSpec) -> Result<Signed, Error> {
        let request = self.signed_request(&spec)?;
        let payload = signing::payload(&request, self.settings.base_url.prefix(), &self.key);
        let signature = request.headers().get(signing::SIGNATURE).and_then(|value| value.to_str().ok());
        Ok(Signed {
            payload: String::from_utf8_lossy(&payload).into_owned(),
            signature: signature.unwrap_or_default().to_owned(),
            url: request.url().to_string(),
            mode: self.settings.mode,
            spec,
        })
    }

    /// Records the requests and responses from now on; returns false if another recorder does so already.
    pub fn start_recording(&self, recorder: &Arc<Recorder>) -> bool {
        let current = self.recorder.load_full();
        if current.as_ref().is_some_and(|current| !current.is_finished()) {
            return false;
        }
        let previous = self.recorder.compare_and_swap(&current, Some(Arc::clone(recorder)));
        previous.as_ref().map(Arc::as_ptr) == current.as_ref().map(Arc::as_ptr)
    }

    /// Stops recording.
    pub fn stop_recording(&self) {
        self.recorder.store(None);
    }

    /// Closes the connections; requests that are not sent yet fail, and those in flight finish.
    ///
    /// The connections of a current-thread runtime end when it runs next.
    pub fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        self.closing().notify_waiters();
        if let Ok(pools) = &self.pools {
            pools.close_all_connections();
        }
    }

    /// Returns the time of the service at an instant; None if no response has told it.
    pub fn service_time(&self, instant: Instant) -> Option<Timestamp> {
        self.service_time.at(instant)
    }

    /// Returns true if the client is closed.
    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Returns an error if the client is closed.
    pub(super) fn check_open(&self) -> Result<(), Error> {
        if !self.is_closed() {
            return Ok(());
        }
        Err(Error::Closed("the client is closed; make a new one, or call it before it is closed".to_owned()))
    }

    /// Awaits a future that delays a request; returns None once the client is closed.
    pub(crate) async fn unless_closed<T>(&self, wait: impl Future<Output = T>) -> Option<T> {
        let (mut wait, mut closed) = (pin!(wait), pin!(self.closed()));
        // Most permits are ready at once; `closed` is not polled then.
        poll_fn(|context| match wait.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending => closed.as_mut().poll(context).map(|()| None),
        })
        .await
    }

    async fn closed(&self) {
        let mut closed = pin!(self.closing().notified());
        // Register for the notification before reading `is_closed`, so that a `close` in between is not missed.
        closed.as_mut().enable();
        if !self.is_closed() {
            closed.await;
        }
    }

    fn closing(&self) -> &Notify {
        let Ok(closing) = self.closing.get_or_try_init(|| Ok::<_, Infallible>(Notify::new()));
        closing
    }

    /// Returns the connection pool for a request.
    pub(super) fn pool(&self) -> Result<Pool, Error> {
        self.pools()?.pool(|| self.reuses_connections())
    }

    /// Returns the proxy of the requests; None if there is none.
    pub fn proxy(&self) -> Option<&ResolvedProxy> {
        self.pools.as_ref().ok()?.proxy.as_ref()
    }

    fn pools(&self) -> Result<&ConnectionPools, Error> {
        self.pools.as_ref().map_err(Clone::clone)
    }

    /// Returns the connections of a pool; if the pool was closed meanwhile, it is replaced by an open one.
    pub(super) fn open_pool(&self, pool: &mut Pool) -> Result<reqwest::Client, Error> {
        loop {
            if let Some(connections) = pool.get(self.reuses_connections()) {
                return Ok(connections);
            }
            *pool = self.pool()?;
        }
    }

    /// Closes connections that returned a response to another request, so that no later request gets one.
    pub(super) async fn close_mismatched_connections(&self, error: &DecodeError) {
        if error.is_of_another_record() {
            // The next mismatched response could be about the same record, and would not be detected.
            self.has_mismatched_responses.store(true, Ordering::Relaxed);
        }
        if error.may_be_of_another_request() {
            // The next response on that connection may belong to this request.
            if let Ok(pools) = &self.pools {
                pools.close_connections().await;
            }
        }
    }

    /// Returns the rate limiters of a request.
    pub(super) fn limiters_of(&self, spec: &RequestSpec) -> RequestLimiters {
        self.limiters.of(spec, self.api_key.as_bytes(), &self.settings)
    }

    /// Returns the API key.
    pub(crate) fn api_key(&self) -> &HeaderValue {
        &self.api_key
    }

    pub(crate) fn recorder(&self) -> Option<Arc<Recorder>> {
        self.recorder.load_full()
    }

    /// Returns true if pages may be requested in advance. Against a local server, such as the sandbox, and in a recording, the order of
    /// the requests is that of the calls, so that it is the same in every run.
    pub(crate) fn may_read_ahead(&self) -> bool {
        let records = self.recorder().is_some_and(|recorder| !recorder.is_finished());
        self.server.is_none() && !records && !self.is_closed()
    }

    fn reuses_connections(&self) -> bool {
        !self.is_closed() && !self.has_mismatched_responses.load(Ordering::Relaxed)
    }
}

impl std::fmt::Debug for HttpClient {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("HttpClient").field("key", &self.key).finish_non_exhaustive()
    }
}

/// The share of an attempt's timeout that connecting may take.
const CONNECTING_SHARE: f64 = 0.9;

fn connection_pools(settings: &Settings) -> Result<ConnectionPools, Error> {
    let Settings { timeout, connect_timeout, retries, .. } = settings;
    // If connecting could take the whole timeout of an attempt, it would be unknown after a timeout whether anything was sent.
    let at_most = retries.attempt_timeout(1, false, *timeout, *timeout).mul_f64(CONNECTING_SHARE);
    Ok(ConnectionPools {
        connect_timeout: (*connect_timeout).min(at_most),
        ca_file: settings.ca_file.clone(),
        proxy: ResolvedProxy::of(settings)?,
    })
}
