//! Responses before they are sent.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;

/// Returns the reason phrase of a status, such as `Not Found`.
pub fn reason_phrase(status: u16) -> &'static str {
    StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Unknown")
}

/// A serialized JSON body.
pub struct SerializedBody(Vec<u8>);

impl SerializedBody {
    /// Returns the body of a response that has none.
    pub fn empty() -> Self {
        Self(Vec::new())
    }

    /// Serializes a value by reference: copying it first would take longer than the rest of the request.
    pub fn serialize(value: &impl Serialize) -> Self {
        // Serialization can't fail: the values come from JSON or have strings as keys.
        Self(serde_json::to_vec(value).unwrap_or_default())
    }

    /// Returns an object that has the value in a member.
    #[must_use]
    pub fn within(self, member: &str) -> Self {
        let name = serde_json::Value::from(member).to_string();
        Self([b"{", name.as_bytes(), b":", &self.0, b"}"].concat())
    }
}

impl From<SerializedBody> for Vec<u8> {
    fn from(body: SerializedBody) -> Self {
        body.0
    }
}

/// A response whose whole body is in memory.
#[derive(Clone, Debug)]
pub struct BufferedResponse {
    /// The status.
    pub status: u16,
    /// The headers, without those that the HTTP server adds.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl BufferedResponse {
    /// Creates a response without headers.
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: HeaderMap::new(), body: body.into() }
    }

    /// Creates a response with a content type, and with the request id of its number.
    pub fn numbered(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>, number: u64) -> Self {
        let mut response = Self::new(status, body).with_content_type(content_type);
        if let Ok(id) = HeaderValue::from_str(&format!("sandbox-{number:08}")) {
            response.headers.insert("x-request-id", id);
        }
        response
    }

    /// Creates a JSON response, with the request id of its number.
    pub fn json(status: u16, body: SerializedBody, number: u64) -> Self {
        Self::numbered(status, "application/json", body, number)
    }

    /// Returns this response with a content type.
    #[must_use]
    pub fn with_content_type(mut self, content_type: &'static str) -> Self {
        self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        self
    }

    /// Returns this response with another header.
    #[must_use]
    pub fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Converts the response for axum to send.
    pub fn into_axum(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        *response.headers_mut() = self.headers;
        response
    }

    /// Returns the bytes of the status line and the headers, with the given `Content-Length` and `Connection: close`.
    pub fn head(&self, content_length: usize) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason_phrase(self.status)).into_bytes();
        for (name, value) in &self.headers {
            head.extend(name.as_str().bytes().chain(*b": "));
            head.extend(value.as_bytes().iter().chain(b"\r\n"));
        }
        head.extend(format!("content-length: {content_length}\r\nconnection: close\r\n\r\n").bytes());
        head
    }
}
