//! The HTTP service: authenticates each request, executes it, sends the response and logs the request.

use std::io;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, header};
use axum::response::Response;
use jiff::{SignedDuration, Timestamp};

use super::account_mode;
use super::faults::{CorruptedResponse, Fault, FaultInjector, FaultKind, corrupt, replacement};
use super::initial_state::InitialState;
use super::limit_options::LimitOptions;
use super::openapi;
use super::options::SandboxOptions;
use super::request_log::{LoggedRequest, RequestLog, RequestOutcome};
use super::request_quota::{CountedRequest, RequestQuota};
use super::route::RequestParams;
use super::router::{self, Route};
use super::state::State;
use super::streams::StreamHub;
use super::uptime::Uptime;
use botdesk_schema::id::Id;
use botdesk_schema::input::Violation;
use botdesk_schema::operation::Operation;
use botdesk_schema::permission::{Permission, Security};
use botdesk_server::api_error::ApiError;
use botdesk_server::authenticator::{Authenticator, PublicKeyError, RegisteredKey};
use botdesk_server::connection_handle::ConnectionHandle;
use botdesk_server::raw_bytes::RawBytes;
use botdesk_server::request::{is_form, looks_like_json, path_from_prefix, query, read_body, replace_response};
use botdesk_server::response::{BufferedResponse, SerializedBody};
use botdesk_server::signed_text::{SignedForm, SignedParts};
use botdesk_system::lock::locked;

/// The service of one sandbox, shared by its requests.
pub(super) struct SandboxService {
    authenticator: Mutex<Authenticator>,
    initial: InitialState,
    state: Mutex<State>,
    log: Mutex<RequestLog>,
    faults: Arc<FaultInjector>,
    limits: LimitOptions,
    strict_signatures: bool,
    quota: Mutex<RequestQuota>,
    streams: StreamHub,
    uptime: Uptime,
    response_count: AtomicU64,
    /// The number of playbacks that were started. Only the last one may continue.
    playback_count: AtomicU64,
    is_closed: AtomicBool,
}

/// A received request. Its body is an error if it could not be read.
struct IncomingRequest {
    parts: Parts,
    body: Result<Vec<u8>, ApiError>,
    connection: ConnectionHandle,
    received: Instant,
    /// The form of the text that was signed, once the signature is verified.
    signed_form: OnceLock<SignedForm>,
    /// The API key, once the signature is verified.
    key: OnceLock<Arc<RegisteredKey>>,
}

/// The route of a request and the ids in its path, or the error if no route matches.
type RouteMatch = Result<(&'static Route, Vec<Id>), ApiError>;

/// The key for the rate limit of requests without one.
const NO_KEY: &str = "";

/// The time between two pings of the streams, of the clock of the sandbox.
const PING_PERIOD: SignedDuration = SignedDuration::from_secs(3);

impl SandboxService {
    pub(super) fn new(options: &SandboxOptions, initial: InitialState, faults: Arc<FaultInjector>) -> io::Result<Self> {
        let state = initial.create()?;
        Ok(Self {
            initial,
            authenticator: Mutex::default(),
            state: Mutex::new(state),
            log: Mutex::default(),
            faults,
            limits: options.limits,
            strict_signatures: options.strict_signatures,
            quota: Mutex::new(RequestQuota::new(options.limits)),
            streams: StreamHub::default(),
            uptime: Uptime::start(),
            response_count: AtomicU64::new(0),
            playback_count: AtomicU64::new(0),
            is_closed: AtomicBool::new(false),
        })
    }

    pub(super) fn add_key(&self, public_key_pem: &str, permissions: &[Permission]) -> Result<String, PublicKeyError> {
        locked(&self.authenticator).register(public_key_pem, permissions)
    }

    pub(super) fn add_secret(&self, permissions: &[Permission]) -> Result<(String, String), PublicKeyError> {
        locked(&self.authenticator).register_secret(permissions)
    }

    /// Returns the registered key with this API key.
    pub(super) fn key_named(&self, api_key: &str) -> Option<Arc<RegisteredKey>> {
        locked(&self.authenticator).named(api_key)
    }

    /// Returns the live streams.
    pub(super) fn streams(&self) -> &StreamHub {
        &self.streams
    }

    pub(super) fn requests(&self) -> Vec<LoggedRequest> {
        locked(&self.log).requests()
    }

    /// Returns up to `limit` received requests, newest first, and the number of all.
    pub(super) fn newest_requests(&self, limit: usize) -> (Vec<LoggedRequest>, usize) {
        locked(&self.log).newest(limit)
    }

    pub(super) fn faults(&self) -> &Arc<FaultInjector> {
        &self.faults
    }

    /// Advances the clock by a duration. Returns an error, and changes nothing, if the time is past the last timestamp.
    pub(super) fn advance(&self, by: SignedDuration) -> Result<(), Violation> {
        let mut state = self.state();
        let now = state.clock.now();
        let too_late = |_| {
            let (most, last) = (Timestamp::MAX.duration_since(now).as_secs(), Timestamp::MAX);
            let message =
                format!("must be at most {most}, because no timestamp is later than {last}, not {}", by.as_secs_f64());
            Violation::new("seconds", message)
        };
        state.advance_to(now.checked_add(by).map_err(too_late)?);
        self.ping_after(&state, by);
        self.uptime.skip(by.unsigned_abs());
        Ok(())
    }

    /// Advances the clock to a time. If that is in the past, nothing changes and the error is the current time.
    pub(super) fn advance_to(&self, time: Timestamp) -> Result<(), Timestamp> {
        let mut state = self.state();
        let now = state.clock.now();
        if time < now {
            return Err(now);
        }
        state.advance_to(time);
        self.ping_after(&state, time.duration_since(now));
        self.uptime.skip(time.duration_since(now).unsigned_abs());
        Ok(())
    }

    /// Lets the streams send the ping that was due while the clock was advanced.
    fn ping_after(&self, state: &State, advanced: SignedDuration) {
        if advanced >= PING_PERIOD {
            self.streams.ping(state.clock.now().as_second());
        }
    }

    /// Lets the clock follow the wall clock from now on.
    pub(super) fn follow_wall_clock(&self) {
        let mut state = self.state();
        state.clock.follow_wall();
        state.catch_up();
    }

    /// Stops the clock.
    pub(super) fn stop_clock(&self) {
        self.state().clock.stop();
    }

    /// Returns to the initial state, ends playbacks, removes the faults, and forgets the requests and the usage of the rate limit. API
    /// keys stay valid.
    pub(super) fn reset(&self) -> io::Result<()> {
        let initial = self.initial.create()?;
        {
            let mut state = locked(&self.state);
            self.begin_playback();
            *state = initial;
            self.streams.reset(&mut state);
        }
        *locked(&self.log) = RequestLog::default();
        *locked(&self.quota) = RequestQuota::new(self.limits);
        self.response_count.store(0, Ordering::Relaxed);
        self.faults.reset()
    }

    pub(super) fn take_requests(&self) -> Vec<LoggedRequest> {
        locked(&self.log).take()
    }

    /// Returns the state for modification, after running the events that are due.
    pub(super) fn state(&self) -> StateGuard<'_> {
        let mut state = locked(&self.state);
        state.read_cache = None;
        state.quiet_trades.clear();
        state.catch_up();
        state.write_records();
        self.guard(state)
    }

    /// Returns the state for playing candles. Figures in records are updated only when a request reads them.
    pub(super) fn state_for_play(&self) -> StateGuard<'_> {
        let mut state = locked(&self.state);
        state.read_cache = None;
        self.guard(state)
    }

    fn guard<'a>(&'a self, state: MutexGuard<'a, State>) -> StateGuard<'a> {
        StateGuard { state, streams: &self.streams }
    }

    /// Ends all playbacks for good.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Acquire)
    }

    /// Counts a playback, which ends the one before; returns its number.
    pub(super) fn begin_playback(&self) -> u64 {
        self.playback_count.fetch_add(1, Ordering::AcqRel) + 1
    }

    pub(super) fn is_current_playback(&self, number: u64) -> bool {
        self.playback_count.load(Ordering::Acquire) == number
    }

    /// Returns the state for an operation. An operation that only reads keeps the read cache.
    fn state_for(&self, operation: &Operation) -> StateGuard<'_> {
        if operation.effect.writes() { self.state() } else { self.state_to_read() }
    }

    /// Returns the state for reading, after running the events that are due. The read cache stays.
    pub(super) fn state_to_read(&self) -> StateGuard<'_> {
        let mut state = locked(&self.state);
        state.read_cache.get_or_insert_default();
        state.catch_up();
        state.write_records();
        self.guard(state)
    }

    /// Authenticates a request, counts it for the rate limit, and returns its route.
    ///
    /// A request that fails here, with 401, 403, 418 or 429, does not trigger a fault. A request that passes counts for the rate
    /// limit even if it triggers one.
    fn authenticate(&self, request: &IncomingRequest) -> Result<RouteMatch, ApiError> {
        let body = request.body.as_deref().map_err(Clone::clone)?;
        let ip = request.connection.peer().ip();
        self.check_quota(|quota, now| quota.admit(ip, now))?;
        let path = path_from_prefix(&request.parts)?;
        let route_match = router::find(request.parts.method.as_str(), path);
        let operation = route_match.as_ref().ok().map(|(route, _)| route.operation);
        match self.check_access(request, path, body, operation) {
            // An unknown path is a 404 even without valid credentials.
            Err(_) if operation.is_none() => route_match.map(Ok),
            access => access.map(|()| route_match),
        }
    }

    /// Checks the API key, its rate limit, the signature and the permission for an operation.
    fn check_access(
        &self,
        request: &IncomingRequest,
        path: &str,
        body: &[u8],
        operation: Option<&'static Operation>,
    ) -> Result<(), ApiError> {
        let (parts, ip) = (&request.parts, request.connection.peer().ip());
        let is_form = is_form(parts);
        if let Some(operation) = operation.filter(|operation| operation.security == Security::None) {
            let counted = CountedRequest { api_key: NO_KEY, ip, operation };
            return self.check_quota(|quota, now| quota.count(counted, now));
        }
        let key = locked(&self.authenticator).key(&parts.headers)?;
        if let Some(operation) = operation {
            let counted = CountedRequest { api_key: &key.api_key, ip, operation };
            self.check_quota(|quota, now| quota.count(counted, now))?;
        }
        // The client signed it as JSON, so without this check the error would blame the signature.
        if is_form && looks_like_json(body) {
            return Err(ApiError::json_sent_as_form());
        }
        let signed = SignedParts { path, query: query(parts), body, is_form };
        let form = key.check_signature(&parts.headers, &signed, self.strict_signatures)?;
        request.signed_form.get_or_init(|| form);
        request.key.get_or_init(|| Arc::clone(&key));
        operation.map_or(Ok(()), |operation| key.check_permission(operation.permission))
    }

    fn check_quota(
        &self,
        check: impl FnOnce(&mut RequestQuota, Duration) -> Result<(), ApiError>,
    ) -> Result<(), ApiError> {
        check(&mut locked(&self.quota), self.uptime.now())
    }

    /// Executes an authenticated request; returns the status and the body of its response.
    fn execute(&self, request: &IncomingRequest, route_match: RouteMatch) -> Result<(u16, SerializedBody), ApiError> {
        let (route, ids) = route_match?;
        let body = request.body.as_deref().map_err(Clone::clone)?;
        let parts = &request.parts;
        let params = RequestParams {
            operation: route.operation,
            ids,
            query: query(parts),
            body,
            is_form: is_form(parts),
            key: request.key.get().map(Arc::as_ref),
        };
        let mode = account_mode::of_headers(&parts.headers)?;
        let mut state = self.state_for(route.operation);
        state.mode = mode.unwrap_or(state.user.mode);
        if !state.shows(&params) {
            return Err(params.not_found());
        }
        let result = route.execute(&mut state, &params)?;
        if !route.operation.effect.writes() {
            state.count_read();
        }
        Ok((route.operation.success, result))
    }

    /// Handles a request.
    pub(super) async fn handle(&self, connection: ConnectionHandle, request: Request) -> Response {
        let received = Instant::now();
        let (parts, body) = request.into_parts();
        let body = read_body(body).await;
        let request =
            IncomingRequest { parts, body, connection, received, signed_form: OnceLock::new(), key: OnceLock::new() };
        if request.parts.method == Method::GET && request.parts.uri.path() == openapi::PATH {
            return self.describe_api(&request);
        }
        let access = self.authenticate(&request);
        if access.is_ok()
            && let Some(fault) =
                self.faults.next_fault(operation_of(&request.parts).map(|operation| operation.name), &request.parts)
        {
            return self.handle_with_fault(&request, access.flatten(), &fault).await;
        }
        let (response, carried_out) = self.respond(&request, access.flatten());
        self.log(&request, RequestOutcome { status: Some(response.status), carried_out, ..RequestOutcome::default() });
        response.into_axum()
    }

    /// Returns the response to a request, and whether the request was executed.
    fn respond(&self, request: &IncomingRequest, route_match: RouteMatch) -> (BufferedResponse, bool) {
        let (response, carried_out) = match self.execute(request, route_match) {
            Ok((status, body)) => (BufferedResponse::json(status, body, self.next_number()), true),
            Err(error) => (error.into_numbered_response(self.next_number()), false),
        };
        (self.dated(response), carried_out)
    }

    /// Returns the response with the time of the sandbox: that of the service, for clients.
    fn dated(&self, response: BufferedResponse) -> BufferedResponse {
        let now = locked(&self.state).clock.now();
        let date = HeaderValue::from_str(&now.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
        match date {
            Ok(date) => response.with_header(header::DATE, date),
            Err(_) => response,
        }
    }

    /// Returns the OpenAPI description, which needs no API key and triggers no fault.
    fn describe_api(&self, request: &IncomingRequest) -> Response {
        self.log(request, RequestOutcome { status: Some(200), carried_out: true, ..RequestOutcome::default() });
        BufferedResponse::json(200, SerializedBody::serialize(&openapi::document()), self.next_number()).into_axum()
    }

    /// Handles a request that triggered a fault.
    async fn handle_with_fault(&self, request: &IncomingRequest, route_match: RouteMatch, fault: &Fault) -> Response {
        let kind = Some(fault.kind.as_str());
        if fault.kind == FaultKind::Ban {
            let ip = request.connection.peer().ip();
            locked(&self.quota).ban(ip, fault.options.seconds, self.uptime.now());
        }
        if !fault.kind.executes_request() {
            let response = replacement(fault, &request.parts.method, operation_of(&request.parts), self.next_number());
            let status = response.as_ref().map(|response| response.status);
            self.log(request, RequestOutcome { status, carried_out: false, fault: kind, ..RequestOutcome::default() });
            return match response {
                Some(response) => response.into_axum(),
                None if fault.kind == FaultKind::Stall => std::future::pending().await,
                None => replace_response(&request.connection, RawBytes::empty()),
            };
        }
        let (response, carried_out) = self.respond(request, route_match);
        let status = Some(response.status).filter(|_| fault.kind != FaultKind::CloseAfter);
        self.log(request, RequestOutcome { status, carried_out, fault: kind, ..RequestOutcome::default() });
        match corrupt(fault, response) {
            CorruptedResponse::Http(response) => response.into_axum(),
            CorruptedResponse::Raw(bytes) => replace_response(&request.connection, bytes),
        }
    }

    fn next_number(&self) -> u64 {
        self.response_count.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn log(&self, request: &IncomingRequest, outcome: RequestOutcome) {
        let signed_form = request.signed_form.get().map(|form| form.as_str());
        let outcome = RequestOutcome { duration: request.received.elapsed(), signed_form, ..outcome };
        locked(&self.log).add(&request.parts, request.body.as_deref().unwrap_or_default(), outcome);
    }
}

/// The state, locked. The streams publish what has changed when it is unlocked.
pub(super) struct StateGuard<'a> {
    state: MutexGuard<'a, State>,
    streams: &'a StreamHub,
}

impl Deref for StateGuard<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for StateGuard<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Drop for StateGuard<'_> {
    fn drop(&mut self) {
        self.streams.publish(&mut self.state);
    }
}

/// Returns the operation of a request, whether or not it is authenticated.
fn operation_of(parts: &Parts) -> Option<&'static Operation> {
    let route_match = router::find(parts.method.as_str(), path_from_prefix(parts).ok()?);
    route_match.ok().map(|(route, _)| route.operation)
}
