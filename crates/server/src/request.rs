//! Received requests: their path and their body.

use std::pin::Pin;

use axum::body::{Body, HttpBody};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::Response;
use botdesk_schema::operation::PREFIX;

use crate::api_error::ApiError;
use crate::connection_handle::ConnectionHandle;
use crate::raw_bytes::RawBytes;

/// The size limit of a body.
const MAX_BODY: usize = 1 << 20;

/// The number of bytes of an oversized body that are read and discarded, so that the client gets to read the error.
const MAX_DISCARDED: usize = 64 << 20;

/// Writes raw bytes in place of the response, and returns the placeholder that axum expects.
pub fn replace_response(connection: &ConnectionHandle, bytes: RawBytes) -> Response {
    connection.replace_response(bytes);
    Response::new(Body::empty())
}

/// Returns the path from `/public/api` on, as it is in the request line: a proxy may have added a prefix.
pub fn path_from_prefix(parts: &Parts) -> Result<&str, ApiError> {
    let path = parts.uri.path();
    path.find(PREFIX).and_then(|start| path.get(start..)).ok_or_else(ApiError::not_found)
}

/// Returns the query string, if it is not empty.
pub fn query(parts: &Parts) -> Option<&str> {
    parts.uri.query().filter(|query| !query.is_empty())
}

/// Returns true if the body is a form. Its signature covers it like a query string.
pub fn is_form(parts: &Parts) -> bool {
    const FORM: &[u8] = b"application/x-www-form-urlencoded";
    let content_type = parts.headers.get(CONTENT_TYPE).map(axum::http::HeaderValue::as_bytes);
    content_type.and_then(|value| value.get(..FORM.len())).is_some_and(|value| value.eq_ignore_ascii_case(FORM))
}

/// Returns true if a body starts like JSON. A form can't: it percent-encodes these characters.
pub fn looks_like_json(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Reads the body; fails if it is incomplete or too large.
pub async fn read_body(mut body: Body) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    let mut received = 0_usize;
    while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        // The part before the failure might parse, but it is not what the client meant to send.
        let Ok(frame) = frame else { return Err(ApiError::incomplete_body()) };
        let data = frame.into_data().unwrap_or_default();
        received += data.len();
        if received <= MAX_BODY {
            bytes.extend(data);
        } else if received > MAX_DISCARDED {
            break;
        }
    }
    if received <= MAX_BODY { Ok(bytes) } else { Err(ApiError::body_too_large(MAX_BODY)) }
}
