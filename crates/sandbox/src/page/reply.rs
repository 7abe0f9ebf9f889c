//! The responses of the page, all with the headers that isolate it from other sites.

use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::response::Response;
use botdesk_schema::input::Violation;
use botdesk_server::response::{BufferedResponse, SerializedBody};
use serde::Serialize;
use serde_json::json;

/// The policy of the page: it loads its own script and style, sends requests to its own sandbox, and nothing else.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The headers of every response.
const HEADERS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Returns a response with the headers of the page.
pub(super) fn isolated(response: BufferedResponse) -> BufferedResponse {
    HEADERS
        .into_iter()
        .fold(response, |response, (name, value)| response.with_header(name, HeaderValue::from_static(value)))
}

/// Returns a successful JSON response.
pub(super) fn to_response(value: &impl Serialize) -> Response {
    json_response(200, value).into_axum()
}

fn json_response(status: u16, value: &impl Serialize) -> BufferedResponse {
    let response = BufferedResponse::new(status, SerializedBody::serialize(value));
    isolated(response.with_content_type("application/json"))
}

/// An error that the page shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageError {
    status: u16,
    message: String,
    accepted: &'static [Method],
}

impl PageError {
    fn new(status: u16, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), accepted: &[] }
    }

    pub(super) fn invalid(message: impl Into<String>) -> Self {
        Self::new(400, message)
    }

    pub(super) fn missing_token() -> Self {
        Self::new(
            401,
            "the token is missing; open the URL that `botdesk sandbox` printed, or sandbox.page_url in Python",
        )
    }

    pub(super) fn wrong_token() -> Self {
        Self::new(
            403,
            "the token is not that of this sandbox; open the URL that `botdesk sandbox` printed, or sandbox.page_url in Python",
        )
    }

    pub(super) fn foreign_host() -> Self {
        Self::new(403, "the page is only served to this machine; open it at http://127.0.0.1 or http://localhost")
    }

    pub(super) fn foreign_origin() -> Self {
        Self::new(403, "the request comes from a page of another origin; use the page of the sandbox itself")
    }

    pub(super) fn not_found() -> Self {
        Self::new(404, "the page has no such path")
    }

    pub(super) fn method_not_allowed(accepted: &'static [Method]) -> Self {
        Self { accepted, ..Self::new(405, format!("the path accepts only {}", joined(accepted))) }
    }

    pub(super) fn unreadable_body(status: u16) -> Self {
        Self::new(status, "the body is incomplete or too large; send at most 1 MiB")
    }

    pub(super) fn not_json() -> Self {
        Self::new(415, "the body is not JSON; send Content-Type: application/json")
    }

    pub(super) fn action_failed() -> Self {
        Self::new(500, "the action failed, which is a defect of botdesk; restart the sandbox")
    }

    pub(super) fn port_lost(error: &std::io::Error) -> Self {
        Self::new(500, format!("the sandbox can't listen on its port again: {error}; restart it on another one"))
    }

    pub(super) fn into_response(self) -> Response {
        let response = json_response(self.status, &json!({ "error": self.message }));
        let allow = HeaderValue::from_str(&joined(self.accepted)).ok().filter(|_| !self.accepted.is_empty());
        let response = match allow {
            Some(allow) => response.with_header(header::ALLOW, allow),
            None => response,
        };
        response.into_axum()
    }
}

/// Returns the names of methods, with commas between them.
fn joined(methods: &[Method]) -> String {
    methods.iter().map(Method::as_str).collect::<Vec<_>>().join(", ")
}

impl From<Violation> for PageError {
    fn from(violation: Violation) -> Self {
        vec![violation].into()
    }
}

impl From<Vec<Violation>> for PageError {
    fn from(violations: Vec<Violation>) -> Self {
        let messages = violations.iter().map(|violation| format!("{}: {}", violation.field, violation.message));
        Self::invalid(messages.collect::<Vec<_>>().join("; "))
    }
}
