//! Sample errors of tests.

use super::errors::BLOCK;
use crate::error::{Error, ErrorResponse, TransportFailure};
use botdesk_schema::error::ErrorBody;
use botdesk_schema::method::{Effect, Method};

/// Returns the error of a request that was sent.
pub(super) fn transport(failure: TransportFailure) -> Error {
    Error::transport(failure, true, String::new())
}

/// Returns the error of a read with this status and body, and the seconds of its `Retry-After`.
pub(super) fn error_response(status: u16, body: &str, retry_after: Option<f64>) -> Error {
    let parsed = ErrorBody::parse(body);
    Error::Api(Box::new(ErrorResponse {
        kind: parsed.kind(status),
        status,
        body: parsed,
        inputs: Vec::new(),
        raw_body: body.to_owned(),
        request_id: None,
        retry_after,
        block: BLOCK,
        method: Method::Get,
        effect: Effect::Read,
        path: String::new(),
        needed: None,
        signed: None,
        from_intermediary: false,
    }))
}
