//! The server: takes a request apart, has it judged and carried out, writes the answer and notes what arrived.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::Response;

use super::faults::{Fault, Faults, Kind, Spoiled, instead, spoiled};
use super::log::{Log, Outcome, Received};
use super::openapi;
use super::options::Options;
use super::rate_limit::RateLimit;
use super::route::{Asked, Route};
use super::router;
use super::state::World;
use super::time::Time;
use botdesk_api::endpoint::{Endpoint, Permission};
use botdesk_server::answer::{Refusal, Reply, Told};
use botdesk_server::judge::{Judge, UnusableKey};
use botdesk_server::line::Line;
use botdesk_server::request::{is_form, looks_like_json, path_from_prefix, payload, query, read, unanswered};
use botdesk_server::script::Script;
use botdesk_system::lock::locked;

/// What the requests of one sandbox share.
pub(super) struct Service {
    judge: Mutex<Judge>,
    world: Mutex<World>,
    log: Mutex<Log>,
    faults: Arc<Faults>,
    rate_limit: Option<Mutex<RateLimit>>,
    time: Time,
    served: AtomicU64,
}

/// A request that was read, as far as it goes.
struct Arrived {
    parts: Parts,
    body: Result<Vec<u8>, Refusal>,
    line: Line,
}

/// The operation that a request leads to, and the identifier in its path.
type Found = Result<(&'static Route, Option<u64>), Refusal>;

impl Service {
    pub(super) fn new(options: &Options, world: World, faults: Arc<Faults>) -> Self {
        Self {
            judge: Mutex::default(),
            world: Mutex::new(world),
            log: Mutex::default(),
            faults,
            rate_limit: options.rate_limit.map(RateLimit::new).map(Mutex::new),
            time: Time::begin(),
            served: AtomicU64::new(0),
        }
    }

    pub(super) fn add_key(&self, public_key_pem: &str, permissions: &[Permission]) -> Result<String, UnusableKey> {
        locked(&self.judge).add(public_key_pem, permissions)
    }

    pub(super) fn requests(&self) -> Vec<Received> {
        locked(&self.log).requests()
    }

    /// Lets so much more time pass for the rate limit than really passes.
    pub(super) fn skip(&self, time: std::time::Duration) {
        self.time.skip(time);
    }

    /// The world, at the time that its clock shows, for someone who may change it.
    pub(super) fn world(&self) -> MutexGuard<'_, World> {
        let mut world = locked(&self.world);
        world.memory = None;
        world.catch_up();
        world
    }

    /// The world for an operation, which changes it or only reads it.
    fn world_for(&self, endpoint: &Endpoint) -> MutexGuard<'_, World> {
        if endpoint.method.writes() {
            return self.world();
        }
        let mut world = locked(&self.world);
        world.memory.get_or_insert_default();
        world.catch_up();
        world
    }

    /// Authenticates a request, counts it for the rate limit, and returns where its path leads.
    ///
    /// A request that is refused here, with 401, 403, 418 or 429, uses up no fault; one that passes counts for the rate limit even
    /// if a fault befalls it.
    fn authenticate(&self, Arrived { parts, body, line }: &Arrived) -> Result<Found, Refusal> {
        let body = body.as_deref().map_err(Clone::clone)?;
        let address = line.address().ip();
        self.limited(|limit, now| limit.admit(address, now))?;
        let path = path_from_prefix(parts)?;
        let found = router::find(parts.method.as_str(), path);
        let endpoint = found.as_ref().ok().map(|(route, _)| &route.endpoint);
        match self.check_access(parts, path, body, address, endpoint) {
            // A path that leads nowhere is refused as such whoever asks.
            Err(_) if endpoint.is_none() => found.map(Ok),
            checked => checked.map(|()| found),
        }
    }

    /// Checks the API key, its rate limit, the signature and the permission for an endpoint.
    fn check_access(
        &self,
        parts: &Parts,
        path: &str,
        body: &[u8],
        address: IpAddr,
        endpoint: Option<&Endpoint>,
    ) -> Result<(), Refusal> {
        let is_form = is_form(parts);
        let key = locked(&self.judge).key(&parts.headers)?;
        if endpoint.is_some() {
            self.limited(|limit, now| limit.count(&key.name, address, now))?;
        }
        // Its sender signed it as JSON, so without this the only error would be that of the signature.
        if is_form && looks_like_json(body) {
            return Err(Refusal::json_sent_as_form());
        }
        key.check_signature(&parts.headers, &payload(path, query(parts), body, is_form))?;
        endpoint.map_or(Ok(()), |endpoint| key.check_permission(endpoint.permission))
    }

    /// Carries out what an authenticated request asks.
    fn carry_out(&self, Arrived { parts, body, .. }: &Arrived, found: Found) -> Result<(u16, Told), Refusal> {
        let (route, id) = found?;
        let body = body.as_deref().map_err(Clone::clone)?;
        let asked = Asked { id, query: query(parts), body, is_form: is_form(parts) };
        let answer = (route.handler)(&mut self.world_for(&route.endpoint), &asked)?;
        Ok((route.endpoint.success, answer))
    }

    fn limited(
        &self,
        check: impl FnOnce(&mut RateLimit, std::time::Duration) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        self.rate_limit.as_ref().map_or(Ok(()), |limit| check(&mut locked(limit), self.time.now()))
    }

    async fn answer(&self, line: Line, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let body = read(body).await;
        let arrived = Arrived { parts, body, line };
        if arrived.parts.method == Method::GET && arrived.parts.uri.path() == openapi::PATH {
            return self.describe(&arrived);
        }
        let access = self.authenticate(&arrived);
        if access.is_ok()
            && let Some(fault) = self.faults.befalling(operation(&arrived.parts), &arrived.parts)
        {
            return self.answer_wrongly(&arrived, access.flatten(), &fault).await;
        }
        let (reply, carried_out) = self.reply(&arrived, access.flatten());
        self.note(&arrived, Outcome { status: Some(reply.status), carried_out, fault: None });
        reply.into_response()
    }

    /// The answer to a request, and whether it was carried out.
    fn reply(&self, arrived: &Arrived, found: Found) -> (Reply, bool) {
        match self.carry_out(arrived, found) {
            Ok((status, answer)) => (Reply::json(status, answer, self.number()), true),
            Err(refusal) => (Reply::refusal(refusal, self.number()), false),
        }
    }

    /// Answers what the sandbox is; no fault befalls that, and no key is asked for.
    fn describe(&self, arrived: &Arrived) -> Response {
        self.note(arrived, Outcome { status: Some(200), carried_out: true, fault: None });
        Reply::json(200, Told::of(&openapi::document()), self.number()).into_response()
    }

    /// Lets a fault befall a request.
    async fn answer_wrongly(&self, arrived: &Arrived, found: Found, fault: &Fault) -> Response {
        let kind = Some(fault.kind.as_str());
        if !fault.kind.carries_out() {
            let reply = instead(fault, &arrived.parts.method, operation(&arrived.parts), self.number());
            let status = reply.as_ref().map(|reply| reply.status);
            self.note(arrived, Outcome { status, carried_out: false, fault: kind });
            return match reply {
                Some(reply) => reply.into_response(),
                None if fault.kind == Kind::Stall => std::future::pending().await,
                None => unanswered(&arrived.line, Script::nothing()),
            };
        }
        let (reply, carried_out) = self.reply(arrived, found);
        let status = Some(reply.status).filter(|_| fault.kind != Kind::CloseAfter);
        self.note(arrived, Outcome { status, carried_out, fault: kind });
        match spoiled(fault, reply) {
            Spoiled::Reply(reply) => reply.into_response(),
            Spoiled::Script(script) => unanswered(&arrived.line, script),
        }
    }

    fn number(&self) -> u64 {
        self.served.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn note(&self, arrived: &Arrived, outcome: Outcome) {
        locked(&self.log).note(&arrived.parts, arrived.body.as_deref().unwrap_or_default(), outcome);
    }
}

/// Which operation a request asks for, whoever sends it.
fn operation(parts: &Parts) -> Option<&'static str> {
    let found = router::find(parts.method.as_str(), path_from_prefix(parts).ok()?);
    found.ok().map(|(route, _)| route.endpoint.operation)
}

/// Hands every request to the service.
pub(super) fn router(service: Arc<Service>) -> Router {
    Router::new().fallback(answer).with_state(service)
}

async fn answer(
    State(service): State<Arc<Service>>,
    ConnectInfo(line): ConnectInfo<Line>,
    request: Request,
) -> Response {
    service.answer(line, request).await
}
