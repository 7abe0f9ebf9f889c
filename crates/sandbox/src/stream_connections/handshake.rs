//! The handshake: it upgrades a request to a connection of a stream.

use std::sync::Arc;

use axum::extract::Request;
use axum::response::Response;

use super::connection;
use crate::server::SandboxService;
use botdesk_server::handshake::{Handshake, required, subprotocols};
use botdesk_server::subscription::StreamAttempt;

/// Upgrades a request to a connection of a stream, and serves it.
pub(crate) fn connect(service: Arc<SandboxService>, request: Request) -> Response {
    let (path, subprotocol) = (request.uri().path().to_owned(), subprotocols(&request));
    let attempt = StreamAttempt { path, subprotocol, ..StreamAttempt::default() };
    let Some(handshake) = Handshake::of(request) else {
        let cause = "the request is no handshake of a WebSocket";
        service.streams().note(StreamAttempt { result: "refused", cause, ..attempt });
        return required();
    };
    match service.streams().admit(attempt.clone()) {
        Some(status) => handshake.refuse(status),
        None => handshake.accept(|socket| connection::serve(service, socket, attempt)),
    }
}
