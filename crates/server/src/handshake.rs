//! The handshake of a WebSocket: it upgrades a request to a connection.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    CONNECTION, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION,
    UPGRADE,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;

use botdesk_api::reference;

/// A connection after its handshake.
pub type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The path of the streams. The name of a resource may follow, which makes no difference.
const PATH: &str = "/websocket";

/// The subprotocol, which is chosen if the client offers it.
const SUBPROTOCOL: &str = "actioncable-v1-json";

/// The text that RFC 6455 appends to the key of a handshake.
const ACCEPT_SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// Returns true if a path is that of a stream.
pub fn is_stream(path: &str) -> bool {
    let Some(rest) = path.strip_prefix(PATH) else { return false };
    rest.is_empty() || rest.strip_prefix('/').and_then(reference::resource).is_some_and(|of| of.streamed.is_some())
}

/// Returns the subprotocols that a request offers.
pub fn subprotocols(request: &Request) -> Option<String> {
    header(request.headers(), &SEC_WEBSOCKET_PROTOCOL).map(ToOwned::to_owned)
}

/// Returns the response to a request that is no handshake.
pub fn required() -> Response {
    empty(StatusCode::UPGRADE_REQUIRED)
}

/// A request that is a handshake.
pub struct Handshake {
    key: String,
    request: Request,
}

impl Handshake {
    /// Reads a request; None if it is no handshake.
    pub fn of(request: Request) -> Option<Self> {
        Some(Self { key: key_of(&request)?.to_owned(), request })
    }

    /// Refuses it with a status.
    pub fn refuse(self, status: u16) -> Response {
        empty(StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN))
    }

    /// Accepts it, and serves the connection.
    pub fn accept<F>(mut self, serve: impl FnOnce(Socket) -> F + Send + 'static) -> Response
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let upgrade = hyper::upgrade::on(&mut self.request);
        tokio::spawn(async move {
            // If the client is gone meanwhile, there is no connection to serve.
            let Ok(upgraded) = upgrade.await else { return };
            serve(WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await).await;
        });
        accepted(&self.key, subprotocols(&self.request).as_deref())
    }
}

/// Returns the key of a handshake; None if the request is none.
fn key_of(request: &Request) -> Option<&str> {
    let headers = request.headers();
    let has = |name, value: &str| {
        header(headers, &name).is_some_and(|given| given.split(',').any(|part| part.trim().eq_ignore_ascii_case(value)))
    };
    let is_handshake = request.method() == Method::GET
        && has(CONNECTION, "upgrade")
        && has(UPGRADE, "websocket")
        && has(SEC_WEBSOCKET_VERSION, "13");
    is_handshake.then(|| header(headers, &SEC_WEBSOCKET_KEY)).flatten()
}

fn header<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Returns the response that accepts a handshake.
fn accepted(key: &str, offered: Option<&str>) -> Response {
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, format!("{key}{ACCEPT_SUFFIX}").as_bytes());
    let mut response = empty(StatusCode::SWITCHING_PROTOCOLS);
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    if let Ok(accept) = HeaderValue::from_str(&STANDARD.encode(hash)) {
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    }
    if offered.is_some_and(|offered| offered.split(',').any(|name| name.trim() == SUBPROTOCOL)) {
        headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
    }
    response
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
