//! Requests of the page, and their way to the files, the state and the actions.

use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::Method;
use axum::http::request::Parts;
use axum::response::Response;

use super::access::{self, PageToken};
use super::reply::{PageError, to_response};
use super::{actions, assets, overview};
use crate::server::SandboxService;
use crate::stream_connections;
use botdesk_schema::operation;
use botdesk_server::api_error::ApiError;
use botdesk_server::connection_handle::ConnectionHandle;
use botdesk_server::handshake::is_stream;
use botdesk_server::request::read_body;

/// The prefix of all paths of the page but its own.
const PREFIX: &str = "/_sandbox/";

/// The path of the state that the page shows.
const STATE: &str = "/_sandbox/state";

/// The prefix of the paths of actions.
const ACTIONS: &str = "/_sandbox/actions/";

/// The page of one sandbox, in front of its service.
pub(crate) struct SandboxPage {
    service: Arc<SandboxService>,
    token: PageToken,
}

impl SandboxPage {
    pub(crate) fn new(service: Arc<SandboxService>, token: PageToken) -> Self {
        Self { service, token }
    }

    /// Returns the token that requests of the page need.
    pub(crate) fn token(&self) -> &str {
        self.token.as_str()
    }

    /// Handles a request of the page, and passes all others to the service.
    async fn handle(self: Arc<Self>, connection: ConnectionHandle, request: Request) -> Response {
        if is_stream(request.uri().path()) {
            return stream_connections::connect(Arc::clone(&self.service), request);
        }
        if !is_for_page(request.method(), request.uri().path()) {
            return self.service.handle(connection, request).await;
        }
        let (parts, body) = request.into_parts();
        if !access::has_local_host(&parts) {
            if parts.uri.path() == assets::PAGE {
                // Of another host, the path is as unknown as it is to the service.
                return self.service.handle(connection, Request::from_parts(parts, body)).await;
            }
            return PageError::foreign_host().into_response();
        }
        let body = read_body(body).await;
        self.respond(&connection, &parts, body).await.unwrap_or_else(PageError::into_response)
    }

    async fn respond(
        self: Arc<Self>,
        connection: &ConnectionHandle,
        parts: &Parts,
        body: Result<Vec<u8>, ApiError>,
    ) -> Result<Response, PageError> {
        let path = parts.uri.path();
        if let Some(asset) = assets::find(path) {
            allow(&parts.method, &[Method::GET, Method::HEAD])?;
            return Ok(asset.to_response());
        }
        self.token.check(parts)?;
        // Otherwise, a fault of connections would cut off the page that injects it, and reset the page's next connection.
        connection.keep_open();
        if path == STATE {
            allow(&parts.method, &[Method::GET])?;
            return Ok(to_response(&overview::overview(&self.service)));
        }
        let name = path.strip_prefix(ACTIONS).ok_or_else(PageError::not_found)?.to_owned();
        allow(&parts.method, &[Method::POST])?;
        self.perform(name, body.map_err(|error| PageError::unreadable_body(error.status))?).await
    }

    /// Performs an action. One that advances the clock far or moves a price far may take a while, so it gets a thread of its own.
    async fn perform(self: Arc<Self>, name: String, body: Vec<u8>) -> Result<Response, PageError> {
        if name == actions::ADD_FAULT {
            let fault = actions::fault(&body)?;
            self.service.faults().add(fault).await;
        } else {
            let action = tokio::task::spawn_blocking(move || actions::perform(&self.service, &name, &body));
            action.await.map_err(|_| PageError::action_failed())??;
        }
        Ok(to_response(&serde_json::json!({})))
    }
}

/// Returns whether a request is for the page.
fn is_for_page(method: &Method, path: &str) -> bool {
    match path {
        assets::PAGE => matches!(*method, Method::GET | Method::HEAD),
        // A proxy may add any prefix to the paths of the service.
        _ => path.starts_with(PREFIX) && !path.contains(operation::PREFIX),
    }
}

/// Fails if a path does not accept this method.
fn allow(method: &Method, accepted: &'static [Method]) -> Result<(), PageError> {
    if accepted.contains(method) { Ok(()) } else { Err(PageError::method_not_allowed(accepted)) }
}

/// Creates the axum router, which passes every request to the page.
pub(crate) fn router(page: Arc<SandboxPage>) -> Router {
    Router::new().fallback(handle).with_state(page)
}

async fn handle(
    State(page): State<Arc<SandboxPage>>,
    ConnectInfo(connection): ConnectInfo<ConnectionHandle>,
    request: Request,
) -> Response {
    page.handle(connection, request).await
}
