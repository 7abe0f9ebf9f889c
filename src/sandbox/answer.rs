//! What the sandbox answers: the refusals of the document, and the form of every answer.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde_json::{Map, Value};

/// A request that is not carried out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) allow: Option<&'static str>,
    body: Box<Map<String, Value>>,
}

impl Refusal {
    fn new(status: u16, error: &str) -> Self {
        Self { status, allow: None, body: Box::default() }.with("error", error)
    }

    fn because(self, description: impl Into<Value>) -> Self {
        self.with("error_description", description)
    }

    fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.body.insert(member.to_owned(), value.into());
        self
    }

    /// There is no such path or no such record.
    pub(super) fn not_found() -> Self {
        Self::new(404, "Not found")
    }

    /// The path is there, for other methods.
    pub(super) fn method_not_allowed(allow: &'static str) -> Self {
        Self { allow: Some(allow), ..Self::new(405, "Method not allowed") }
    }

    /// The API key is missing or unknown.
    pub(super) fn unknown_key() -> Self {
        Self::new(401, "api_key_invalid_or_expired").because("The API key is missing, unknown or expired")
    }

    /// The signature is missing or not that of the request.
    pub(super) fn bad_signature() -> Self {
        Self::new(401, "signature_invalid").because("Provided signature is invalid")
    }

    /// The key lacks a permission.
    pub(super) fn lacks(permission: &str) -> Self {
        Self::new(403, "Forbidden").because(format!("The API key lacks the permission {permission}"))
    }

    /// Inputs break a rule: messages by field.
    pub(super) fn record_invalid(attributes: Map<String, Value>) -> Self {
        Self::new(400, "record_invalid").because("Invalid parameters").with("error_attributes", attributes)
    }

    /// The account is of a kind that the operation is not for.
    pub(super) fn unavailable_for_account() -> Self {
        Self::new(403, "Forbidden. Unavailable for this account.")
    }

    /// The exchange refuses the key of an account.
    pub(super) fn invalid_exchange_key() -> Self {
        Self::new(422, "invalid_api_key").because("The API keys of the account are invalid or incorrect")
    }

    /// The exchange refuses what it was asked, in its own words.
    pub(super) fn of_exchange(words: String) -> Self {
        Self::new(422, "unknown_market_api_error").because(words)
    }

    /// There is no such SmartTrade.
    pub(super) fn no_smart_trade() -> Self {
        Self::not_found().because("Smart Trade not found")
    }

    /// The SmartTrade is in a state in which its funds can't be reduced.
    pub(super) fn no_reducing_now() -> Self {
        Self::new(400, "Wrong param(s)").because("Reduce funds is not allowed in the current status")
    }

    /// The body is larger than is read.
    pub(super) fn too_large(most: usize) -> Self {
        Self::new(413, "Payload too large").because(format!("A body may have at most {most} bytes"))
    }

    /// The error body.
    pub(super) fn into_body(self) -> Value {
        Value::Object(*self.body)
    }
}

/// An answer. Its request id tells its place among all answers of the sandbox.
pub(super) fn response(status: u16, answer: &Value, allow: Option<&'static str>, number: u64) -> Response {
    let mut response = Response::new(Body::from(answer.to_string()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    set_headers(response.headers_mut(), allow, number);
    response
}

fn set_headers(headers: &mut HeaderMap, allow: Option<&'static str>, number: u64) {
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Ok(id) = HeaderValue::from_str(&format!("sandbox-{number:08}")) {
        headers.insert("x-request-id", id);
    }
    if let Some(allow) = allow {
        headers.insert(header::ALLOW, HeaderValue::from_static(allow));
    }
}
