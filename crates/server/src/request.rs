//! Requests as they arrive: their path, their body, and the bytes that their signature must be over.

use std::pin::Pin;

use axum::body::{Body, HttpBody};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::response::Response;
use botdesk_api::endpoint::PREFIX;

use crate::answer::Refusal;
use crate::line::Line;
use crate::script::Script;

/// The largest body that is read.
const MAX_BODY: usize = 1 << 20;

/// How much of a body that is too large is read and thrown away, so that the caller comes to read the refusal.
const MAX_DISCARDED: usize = 64 << 20;

/// The answer that the server takes for one while the script is written in its place.
pub fn unanswered(line: &Line, script: Script) -> Response {
    line.follow(script);
    Response::new(Body::empty())
}

/// The path as it stands in the request line, from `/public/api` on: a proxy may have put something before it.
pub fn path_from_prefix(parts: &Parts) -> Result<&str, Refusal> {
    let path = parts.uri.path();
    path.find(PREFIX).and_then(|start| path.get(start..)).ok_or_else(Refusal::not_found)
}

/// The parameters in the query, if there are any.
pub fn query(parts: &Parts) -> Option<&str> {
    parts.uri.query().filter(|query| !query.is_empty())
}

/// Whether the body holds parameters, which are signed as a query is.
pub fn is_form(parts: &Parts) -> bool {
    const FORM: &[u8] = b"application/x-www-form-urlencoded";
    let kind = parts.headers.get(CONTENT_TYPE).map(axum::http::HeaderValue::as_bytes);
    kind.and_then(|kind| kind.get(..FORM.len())).is_some_and(|kind| kind.eq_ignore_ascii_case(FORM))
}

/// Whether a body is JSON rather than a form, in which these characters are percent-encoded.
pub fn looks_like_json(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start().first(), Some(b'{' | b'['))
}

/// The bytes that the signature must be over.
pub fn payload(path: &str, query: Option<&str>, body: &[u8], form: bool) -> Vec<u8> {
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

/// The body, or why it can't be taken.
pub async fn read(mut body: Body) -> Result<Vec<u8>, Refusal> {
    let mut held = Vec::new();
    let mut seen = 0_usize;
    while let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        // What came before the break may look whole, and is not what was asked.
        let Ok(frame) = frame else { return Err(Refusal::cut()) };
        let data = frame.into_data().unwrap_or_default();
        seen += data.len();
        if seen <= MAX_BODY {
            held.extend(data);
        } else if seen > MAX_DISCARDED {
            break;
        }
    }
    if seen <= MAX_BODY { Ok(held) } else { Err(Refusal::too_large(MAX_BODY)) }
}
