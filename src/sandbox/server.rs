//! The server: takes a request apart, has it judged and carried out, writes the answer and notes what arrived.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::Response;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::answer::{Refusal, response};
use super::judge::{Judge, UnusableKey};
use super::log::{Log, Received};
use super::router::{self, Asked};
use super::socket::{Door, stopped};
use super::state::World;
use super::{Options, seed};
use crate::service::endpoint::{PREFIX, Permission};

/// The largest body that is read.
const MAX_BODY: usize = 1 << 20;

/// How much of a body that is too large is read and thrown away, so that the caller comes to read the refusal.
const MAX_DISCARDED: usize = 64 << 20;

/// What the requests of one sandbox share.
pub(super) struct Service {
    judge: Mutex<Judge>,
    world: Mutex<World>,
    log: Mutex<Log>,
    served: AtomicU64,
}

impl Service {
    pub(super) fn new(options: &Options) -> Self {
        Self {
            judge: Mutex::default(),
            world: Mutex::new(seed::world(options.seed, options.bots)),
            log: Mutex::default(),
            served: AtomicU64::new(0),
        }
    }

    pub(super) fn add_key(&self, public_key_pem: &str, permissions: &[Permission]) -> Result<String, UnusableKey> {
        locked(&self.judge).add(public_key_pem, permissions)
    }

    pub(super) fn requests(&self) -> Vec<Received> {
        locked(&self.log).requests()
    }

    /// Carries out a request: where it leads, whether it may, then what it asks.
    fn carry_out(&self, parts: &Parts, body: &[u8]) -> Result<(u16, Value), Refusal> {
        let path = path_from_prefix(parts)?;
        let query = parts.uri.query().filter(|query| !query.is_empty());
        let (route, id) = router::find(parts.method.as_str(), path)?;
        let form = is_form(parts);
        let key = locked(&self.judge).key(&parts.headers)?;
        key.check_signature(&parts.headers, &payload(path, query, body, form))?;
        key.check_permission(route.endpoint.permission)?;
        let form = std::str::from_utf8(body).ok().filter(|_| form);
        let asked = Asked { id, parameters: query.or(form).unwrap_or_default(), body };
        let answer = (route.handler)(&mut locked(&self.world), &asked)?;
        Ok((route.endpoint.success, answer))
    }

    async fn answer(&self, request: Request) -> Response {
        let (parts, body) = request.into_parts();
        let body = read(body).await;
        let outcome = match &body {
            Some(body) => self.carry_out(&parts, body),
            None => Err(Refusal::too_large(MAX_BODY)),
        };
        let (status, allow, answer) = match outcome {
            Ok((status, answer)) => (status, None, answer),
            Err(refusal) => (refusal.status, refusal.allow, refusal.into_body()),
        };
        locked(&self.log).note(&parts, body.as_deref().unwrap_or_default(), status);
        response(status, &answer, allow, self.served.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// What a mutex guards. A thread that panicked while it held it has left nothing half done that others rely on.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Serves until the sandbox stops. The channel that is returned ends when the port is free again.
pub(super) fn spawn(
    listener: TcpListener,
    service: Arc<Service>,
    running: watch::Receiver<bool>,
) -> watch::Receiver<()> {
    let (listening, port_freed) = watch::channel(());
    let until = stopped(running.clone());
    let router = Router::new().fallback(answer).with_state(service);
    let serving = axum::serve(Door { listener, running }, router);
    tokio::spawn(async move {
        let mut serving = Box::pin(serving.into_future());
        let mut until = until;
        std::future::poll_fn(|context| {
            // Serving ends never by itself.
            let _ = serving.as_mut().poll(context);
            until.as_mut().poll(context)
        })
        .await;
        drop(serving);
        drop(listening);
    });
    port_freed
}

async fn answer(State(service): State<Arc<Service>>, request: Request) -> Response {
    service.answer(request).await
}

/// The path as it stands in the request line, from `/public/api` on: a proxy may have put something before it.
fn path_from_prefix(parts: &Parts) -> Result<&str, Refusal> {
    let path = parts.uri.path();
    path.find(PREFIX).and_then(|start| path.get(start..)).ok_or_else(Refusal::not_found)
}

/// Whether the body holds parameters, which are signed as a query is.
fn is_form(parts: &Parts) -> bool {
    const FORM: &[u8] = b"application/x-www-form-urlencoded";
    let kind = parts.headers.get(CONTENT_TYPE).map(axum::http::HeaderValue::as_bytes);
    kind.and_then(|kind| kind.get(..FORM.len())).is_some_and(|kind| kind.eq_ignore_ascii_case(FORM))
}

/// The bytes that the signature must be over.
fn payload(path: &str, query: Option<&str>, body: &[u8], form: bool) -> Vec<u8> {
    let mut payload = path.as_bytes().to_vec();
    if let Some(query) = query {
        payload.push(b'?');
        payload.extend(query.as_bytes());
    } else if form && !body.is_empty() {
        payload.push(b'?');
    }
    payload.extend(body);
    payload
}

/// The body; None where it is too large.
async fn read(mut body: Body) -> Option<Vec<u8>> {
    let mut held = Vec::new();
    let mut seen = 0_usize;
    loop {
        let frame = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        // A body that breaks off is the end of its connection: nobody will read what is answered.
        let Some(Ok(frame)) = frame else {
            break;
        };
        let data = frame.into_data().unwrap_or_default();
        seen += data.len();
        if seen <= MAX_BODY {
            held.extend(data);
        } else if seen > MAX_DISCARDED {
            break;
        }
    }
    (seen <= MAX_BODY).then_some(held)
}
