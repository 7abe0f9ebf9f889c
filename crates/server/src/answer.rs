//! What the sandbox answers: the refusals of the document, and the form of every answer.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use serde_json::{Map, Value};

/// A request that is not carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// The status of the response.
    pub status: u16,
    header: Option<(HeaderName, String)>,
    body: Box<Map<String, Value>>,
}

impl Refusal {
    fn new(status: u16, error: &str) -> Self {
        Self { status, header: None, body: Box::default() }.with("error", error)
    }

    fn because(self, description: impl Into<Value>) -> Self {
        self.with("error_description", description)
    }

    fn with(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.body.insert(member.to_owned(), value.into());
        self
    }

    /// There is no such path or no such record.
    pub fn not_found() -> Self {
        Self::new(404, "Not found")
    }

    /// The path is there, for other methods.
    pub fn method_not_allowed(allow: &'static str) -> Self {
        Self { header: Some((header::ALLOW, allow.to_owned())), ..Self::new(405, "Method not allowed") }
    }

    /// The API key is missing or unknown.
    pub fn unknown_key() -> Self {
        Self::new(401, "api_key_invalid_or_expired").because("The API key is missing, unknown or expired")
    }

    /// The signature is missing or not that of the request.
    pub fn bad_signature() -> Self {
        Self::new(401, "signature_invalid").because("Provided signature is invalid")
    }

    /// The key lacks a permission.
    pub fn lacks(permission: &str) -> Self {
        Self::new(403, "Forbidden").because(format!("The API key lacks the permission {permission}"))
    }

    /// Inputs break a rule: messages by field.
    pub fn record_invalid(attributes: Map<String, Value>) -> Self {
        Self::new(400, "record_invalid").because("Invalid parameters").with("error_attributes", attributes)
    }

    /// One field is invalid.
    pub fn of_field(field: &str, message: &str) -> Self {
        Self::of_fields(&[field], message)
    }

    /// Several fields are invalid for the same reason.
    pub fn of_fields(fields: &[&str], message: &str) -> Self {
        let messages = || Value::Array(vec![message.into()]);
        Self::record_invalid(fields.iter().map(|field| ((*field).to_owned(), messages())).collect())
    }

    /// The body is JSON, and its content type is that of a form.
    pub fn json_sent_as_form() -> Self {
        Self::new(400, "Bad request").because(
            "The body looks like JSON, but Content-Type is application/x-www-form-urlencoded; \
             send Content-Type: application/json",
        )
    }

    /// The account is of a kind that the operation is not for.
    pub fn unavailable_for_account() -> Self {
        Self::new(403, "Forbidden. Unavailable for this account.")
    }

    /// The exchange refuses the key of an account.
    pub fn invalid_exchange_key() -> Self {
        Self::new(422, "invalid_api_key").because("The API keys of the account are invalid or incorrect")
    }

    /// The exchange refuses what it was asked, in its own words.
    pub fn of_exchange(words: String) -> Self {
        Self::new(422, "unknown_market_api_error").because(words)
    }

    /// There is no such SmartTrade.
    pub fn no_smart_trade() -> Self {
        Self::not_found().because("Smart Trade not found")
    }

    /// The SmartTrade is in a state in which its funds can't be reduced.
    pub fn no_reducing_now() -> Self {
        Self::new(400, "Wrong param(s)").because("Reduce funds is not allowed in the current status")
    }

    /// The body breaks off, or is not written as HTTP writes one.
    pub fn cut() -> Self {
        Self::new(400, "Bad request").because("The body of the request did not come to its end")
    }

    /// The body is larger than is read.
    pub fn too_large(most: usize) -> Self {
        Self::new(413, "Payload too large").because(format!("A body may have at most {most} bytes"))
    }

    /// The key asks too often.
    pub fn too_many_requests() -> Self {
        Self::new(429, "Too many requests").because("The API key has asked too often; wait before the next request")
    }

    /// The subscription does not include the request.
    pub fn not_in_plan(reading: bool) -> Self {
        let kind = if reading { "read" } else { "write" };
        Self::new(429, "Forbidden")
            .because(format!("The request type '{kind}' is not available with your current subscription plan"))
    }

    /// The address went on asking after it was told to wait.
    pub fn banned() -> Self {
        Self::new(418, "I'm a teapot").because("The address is banned for a while")
    }

    /// The error for a status, in the words of the API reference; some operations have their own.
    pub fn of_status(status: u16, operation: Option<&str>) -> Self {
        match (operation.unwrap_or_default(), status) {
            ("accounts.networks_info" | "accounts.deposit_data", 400) => {
                Self::of_fields(&["currency", "network"], "is required")
            }
            ("accounts.networks_info", 403) => Self::unavailable_for_account(),
            ("smart_trades.reduce_funds_info", 404) => Self::no_smart_trade(),
            _ => Self::of_any_operation(status),
        }
    }

    fn of_any_operation(status: u16) -> Self {
        match status {
            400 => Self::record_invalid(Map::new()),
            401 => Self::bad_signature(),
            403 => Self::new(403, "Forbidden"),
            404 => Self::not_found(),
            418 => Self::banned(),
            422 => Self::of_exchange("The exchange refused the request".to_owned()),
            429 => Self::too_many_requests(),
            _ => Self::new(status, reason(status)),
        }
    }

    /// What its header says.
    pub fn header_text(&self) -> String {
        self.header.as_ref().map(|(_, text)| text.clone()).unwrap_or_default()
    }

    /// The same refusal, saying when to ask again.
    #[must_use]
    pub fn retry_after(self, when: impl Into<String>) -> Self {
        Self { header: Some((header::RETRY_AFTER, when.into())), ..self }
    }
}

impl Refusal {
    /// The answer that says it.
    pub fn into_reply(self) -> Reply {
        Reply::bare(self.status, Value::Object(*self.body).to_string()).typed("application/json")
    }
}

/// What a status is called.
pub fn reason(status: u16) -> &'static str {
    StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Unknown")
}

/// What an operation answers, in JSON.
pub struct Told(Vec<u8>);

impl Told {
    /// Writes it as it is held: a copy of it would take longer than all else that a request does.
    pub fn of(answer: &impl Serialize) -> Self {
        // What the sandbox holds came from JSON, or has text for its keys: it can be written.
        Self(serde_json::to_vec(answer).unwrap_or_default())
    }
}

/// An answer before it is written.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers, without those that the server adds.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// An answer of that type. Its request id tells its place among all answers of the sandbox.
    pub fn new(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>, number: u64) -> Self {
        let mut reply = Self::bare(status, body).typed(content_type);
        if let Ok(id) = HeaderValue::from_str(&format!("sandbox-{number:08}")) {
            reply.headers.insert("x-request-id", id);
        }
        reply
    }

    /// An answer without headers of its own.
    pub fn bare(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: HeaderMap::new(), body: body.into() }
    }

    /// The same answer, whose body is of that type.
    #[must_use]
    pub fn typed(mut self, content_type: &'static str) -> Self {
        self.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        self
    }

    /// An answer in JSON.
    pub fn json(status: u16, answer: Told, number: u64) -> Self {
        Self::new(status, "application/json", answer.0, number)
    }

    /// The answer to a request that is not carried out.
    pub fn refusal(refusal: Refusal, number: u64) -> Self {
        let mut reply = Self::json(refusal.status, Told::of(&refusal.body), number);
        if let Some((name, value)) = refusal.header
            && let Ok(value) = HeaderValue::try_from(value)
        {
            reply.headers.insert(name, value);
        }
        reply
    }

    /// The same answer with one header more.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// The answer for the server to write.
    pub fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        *response.headers_mut() = self.headers;
        response
    }

    /// The status line and the headers as they stand on the wire, for a body said to be that long, after which the
    /// connection ends.
    pub fn head(&self, length: usize) -> Vec<u8> {
        let mut head = format!("HTTP/1.1 {} {}\r\n", self.status, reason(self.status)).into_bytes();
        for (name, value) in &self.headers {
            head.extend(name.as_str().bytes().chain(*b": "));
            head.extend(value.as_bytes().iter().chain(b"\r\n"));
        }
        head.extend(format!("content-length: {length}\r\nconnection: close\r\n\r\n").bytes());
        head
    }
}
