//! The responses of faults.

use std::io::Write;
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use axum::http::{HeaderName, HeaderValue, Method};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::{Fault, FaultKind};
use crate::route::error_of;
use botdesk_schema::operation::Operation;
use botdesk_server::api_error::ApiError;
use botdesk_server::raw_bytes::RawBytes;
use botdesk_server::response::{BufferedResponse, reason_phrase};

/// The size of a huge body. The client accepts at most 32 MiB.
const HUGE_BODY: usize = 40 << 20;

/// The size of the decompressed gzip bomb.
const GZIP_BOMB: usize = 128 << 20;

/// The size of the chunks of a large body.
const CHUNK: usize = 64 << 10;

/// The nesting depth of deep JSON.
const JSON_DEPTH: usize = 10_000;

/// The number of headers of a header flood.
const FLOOD_HEADERS: usize = 2_000;

/// The default target of a redirect. The reserved top-level domain `.invalid` never resolves.
const DEFAULT_LOCATION: &str = "http://elsewhere.invalid/";

/// Returns the HTML page of a proxy that can't reach the service.
fn html_page(status: u16) -> String {
    let title = format!("{status} {}", reason_phrase(status));
    format!("<html><head><title>{title}</title></head><body><center><h1>{title}</h1></center></body></html>\n")
}

/// Returns the response of a fault that does not execute the request; None if the fault sends no response.
pub(crate) fn replacement(
    fault: &Fault,
    method: &Method,
    operation: Option<&Operation>,
    number: u64,
) -> Option<BufferedResponse> {
    match fault.kind {
        FaultKind::Status | FaultKind::Ban => Some(error_response(fault, method, operation, number)),
        FaultKind::Redirect => {
            let target = fault.options.location.as_deref().unwrap_or(DEFAULT_LOCATION);
            let target = HeaderValue::from_str(target).ok()?;
            Some(BufferedResponse::numbered(302, "text/html", html_page(302), number).with_header(LOCATION, target))
        }
        _ => None,
    }
}

fn error_response(fault: &Fault, method: &Method, operation: Option<&Operation>, number: u64) -> BufferedResponse {
    let status = if fault.kind == FaultKind::Ban { 418 } else { fault.options.status.unwrap_or(429) };
    if matches!(status, 502 | 504 | 520..=524) && fault.options.retry_after.is_none() {
        return BufferedResponse::numbered(status, "text/html", html_page(status), number);
    }
    let error = if fault.options.plan {
        ApiError::not_in_plan(*method == Method::GET)
    } else {
        operation.map_or_else(|| ApiError::for_status(status), |operation| error_of(operation, status))
    };
    let error = match &fault.options.retry_after {
        Some(value) => error.with_retry_after(value),
        None => error,
    };
    error.into_numbered_response(number)
}

/// A response that a fault has corrupted.
pub(crate) enum CorruptedResponse {
    /// A response that the HTTP server can send.
    Http(BufferedResponse),
    /// Bytes that the HTTP server would refuse to send.
    Raw(RawBytes),
}

/// Corrupts the response to an executed request.
pub(crate) fn corrupt(fault: &Fault, response: BufferedResponse) -> CorruptedResponse {
    match fault.kind {
        FaultKind::Trickle => {
            let bytes = with_length(&response, response.body.len());
            let each = bytes.into_iter().map(|byte| Bytes::copy_from_slice(&[byte]));
            CorruptedResponse::Raw(RawBytes::new(each).with_pause(fault.options.interval.unwrap_or_default()))
        }
        FaultKind::CutBody => CorruptedResponse::Raw(one_chunk(cut_body(&response))),
        FaultKind::WrongLength => {
            CorruptedResponse::Raw(one_chunk(with_length(&response, response.body.len().saturating_sub(1))))
        }
        FaultKind::HugeBody => CorruptedResponse::Raw(huge_body(&response)),
        FaultKind::HeaderFlood => CorruptedResponse::Raw(one_chunk(header_flood(response))),
        FaultKind::WrongJson => CorruptedResponse::Http(wrong_json(response)),
        FaultKind::BadUtf8 => {
            CorruptedResponse::Http(BufferedResponse { body: b"{\"name\": \"\xff\xfe\"}".to_vec(), ..response })
        }
        FaultKind::DeepJson => CorruptedResponse::Http(BufferedResponse {
            body: ["[".repeat(JSON_DEPTH), "]".repeat(JSON_DEPTH)].concat().into(),
            ..response
        }),
        FaultKind::GzipBomb => CorruptedResponse::Http(gzip_bomb(response)),
        FaultKind::Status
        | FaultKind::Ban
        | FaultKind::Refuse
        | FaultKind::Reset
        | FaultKind::CloseBefore
        | FaultKind::CloseAfter
        | FaultKind::Stall
        | FaultKind::Redirect => CorruptedResponse::Raw(RawBytes::empty()),
    }
}

fn one_chunk(bytes: Vec<u8>) -> RawBytes {
    RawBytes::new(std::iter::once(Bytes::from(bytes)))
}

/// Returns the bytes of a response with the given `Content-Length`.
fn with_length(response: &BufferedResponse, content_length: usize) -> Vec<u8> {
    let mut bytes = response.head(content_length);
    bytes.extend(&response.body);
    bytes
}

/// Returns the bytes of a response with half of its body, but the `Content-Length` of the whole body.
fn cut_body(response: &BufferedResponse) -> Vec<u8> {
    let mut bytes = response.head(response.body.len());
    bytes.extend(response.body.iter().take(response.body.len() / 2));
    bytes
}

/// Returns the response with half of its body, and the `Content-Length` of that half.
fn wrong_json(mut response: BufferedResponse) -> BufferedResponse {
    response.body.truncate(response.body.len() / 2);
    response
}

/// Returns a JSON object with one huge string. Its chunks are computed while they are sent.
fn huge_body(response: &BufferedResponse) -> RawBytes {
    let (begin, end) = (Bytes::from_static(b"{\"name\": \""), Bytes::from_static(b"\"}"));
    let head = Bytes::from(response.head(begin.len() + HUGE_BODY + end.len()));
    let filling = std::iter::repeat_n(Bytes::from(vec![b'x'; CHUNK]), HUGE_BODY / CHUNK);
    RawBytes::new([head, begin].into_iter().chain(filling).chain([end]))
}

fn header_flood(mut response: BufferedResponse) -> Vec<u8> {
    let value = HeaderValue::from_static("drop");
    for number in 0..FLOOD_HEADERS {
        if let Ok(name) = HeaderName::try_from(format!("x-flood-{number}")) {
            response.headers.insert(name, value.clone());
        }
    }
    with_length(&response, response.body.len())
}

fn gzip_bomb(response: BufferedResponse) -> BufferedResponse {
    /// Compressing it takes a moment, so it is done once.
    static COMPRESSED: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let chunk = vec![b' '; CHUNK];
        for _ in 0..GZIP_BOMB / CHUNK {
            // Writing to memory can't fail.
            let _ = encoder.write_all(&chunk);
        }
        encoder.finish().unwrap_or_default()
    });
    BufferedResponse { body: COMPRESSED.clone(), ..response }
        .with_header(CONTENT_ENCODING, HeaderValue::from_static("gzip"))
        .with_header(CONTENT_TYPE, HeaderValue::from_static("application/json"))
}
