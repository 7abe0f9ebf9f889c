//! The errors of the API, with the statuses and bodies of the API reference.

use axum::http::{HeaderName, HeaderValue, header};
use serde_json::{Map, Value};

use crate::response::{BufferedResponse, SerializedBody, reason_phrase};
use botdesk_schema::refusal::RefusalBody;

/// An error to send in place of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// The status of the response.
    pub status: u16,
    header: Option<(HeaderName, String)>,
    body: Box<Map<String, Value>>,
}

impl ApiError {
    fn new(status: u16, error: &str) -> Self {
        Self { status, header: None, body: Box::default() }.with_member("error", error)
    }

    fn with_description(self, description: impl Into<Value>) -> Self {
        self.with_member("error_description", description)
    }

    fn with_member(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.body.insert(member.to_owned(), value.into());
        self
    }

    /// The sandbox does not have the path, although the service may have it.
    pub fn not_mocked() -> Self {
        Self::not_found()
            .with_description("The sandbox does not mock this path; /openapi.json lists the paths that it mocks")
    }

    /// The path or the record does not exist.
    pub fn not_found() -> Self {
        Self::new(404, "Not found")
    }

    /// The path exists, but only for another method.
    pub fn method_not_allowed(allow: &'static str) -> Self {
        Self { header: Some((header::ALLOW, allow.to_owned())), ..Self::new(405, "Method not allowed") }
    }

    /// The API key is missing or unknown.
    pub fn unknown_key() -> Self {
        Self::new(401, "api_key_invalid_or_expired").with_description("The API key is missing, unknown or expired")
    }

    /// The signature is missing or does not match the request.
    pub fn bad_signature() -> Self {
        Self::new(401, "signature_invalid").with_description("Provided signature is invalid")
    }

    /// The API key does not have a permission.
    pub fn missing_permission(permission: &str) -> Self {
        Self::new(403, "Forbidden").with_description(format!("The API key lacks the permission {permission}"))
    }

    /// Inputs break a rule: messages by field.
    pub fn record_invalid(attributes: Map<String, Value>) -> Self {
        Self::new(400, "record_invalid")
            .with_description("Invalid parameters")
            .with_member("error_attributes", attributes)
    }

    /// One field is invalid.
    pub fn invalid_field(field: &str, message: &str) -> Self {
        Self::invalid_fields(&[field], message)
    }

    /// Several fields are invalid for the same reason.
    pub fn invalid_fields(fields: &[&str], message: &str) -> Self {
        let messages = || Value::Array(vec![message.into()]);
        Self::record_invalid(fields.iter().map(|field| ((*field).to_owned(), messages())).collect())
    }

    /// The body is JSON, but its content type is that of a form.
    pub fn json_sent_as_form() -> Self {
        Self::new(400, "Bad request").with_description(
            "The body looks like JSON, but Content-Type is application/x-www-form-urlencoded; \
             send Content-Type: application/json",
        )
    }

    /// The key lacks the permission, or the state of the record does not allow the operation.
    pub fn forbidden() -> Self {
        Self::for_status(403)
    }

    /// The account converted small balances less than six hours ago.
    pub fn dust_limit() -> Self {
        Self::new(422, "bnb_dust_limit_error").with_description("Small balances can be converted once in 6 hours")
    }

    /// The exchange rejected the API key of the account.
    pub fn invalid_exchange_key() -> Self {
        Self::new(422, "invalid_api_key").with_description("The API keys of the account are invalid or incorrect")
    }

    /// The exchange rejected the request with this message.
    pub fn exchange_error(message: String) -> Self {
        Self::new(422, "unknown_market_api_error").with_description(message)
    }

    /// The account has active bots, deals or trades.
    pub fn account_not_deletable() -> Self {
        Self::new(422, "account_not_deletable").with_description("The account has active entities")
    }

    /// The service refused for a reason that it names by a class only.
    pub fn unknown_error_of(class: &str) -> Self {
        Self::new(500, &format!("Unknown error occurred, please contact support #{class}"))
    }

    /// The state of the record does not allow the operation.
    pub fn state_invalid(field: &str, message: &str) -> Self {
        Self { status: 422, ..Self::invalid_field(field, message) }
    }

    /// The order of the deal was not placed by hand, or does not stand any more.
    pub fn order_not_cancellable() -> Self {
        Self::new(422, "Cant be cancelled")
    }

    /// No level of the grid bot has an order to buy or to sell.
    pub fn grid_lines_not_marked() -> Self {
        Self::new(500, "grid_lines_not_marked").with_description("The grid has no levels, or none has a side")
    }

    /// The inputs of a simple trade are missing or invalid; the service does not say which.
    pub fn invalid_request() -> Self {
        Self::new(422, "invalid_request").with_description("Missing or invalid parameters")
    }

    /// The simple trade is over.
    pub fn not_cancelable() -> Self {
        Self::new(400, "unprocessable_entity").with_description("The trade can't be cancelled")
    }

    /// The status of the SmartTrade does not allow an action, by its title.
    pub fn not_allowed(action: &str) -> Self {
        Self::new(400, "Wrong param(s)").with_description(format!("{action} is not allowed in the current status"))
    }

    /// The body is incomplete, or its transfer encoding is malformed.
    pub fn incomplete_body() -> Self {
        Self::new(400, "Bad request").with_description("The body of the request is incomplete")
    }

    /// The body is larger than the limit in bytes.
    pub fn body_too_large(limit: usize) -> Self {
        Self::new(413, "Payload too large").with_description(format!("A body may have at most {limit} bytes"))
    }

    /// The API key exceeded its rate limit.
    pub fn too_many_requests() -> Self {
        Self::new(429, "Too many requests")
    }

    /// The subscription plan does not include this type of request. The body has nothing but the sentence.
    pub fn not_in_plan(reading: bool) -> Self {
        let request_type = if reading { "read" } else { "write" };
        let sentence =
            format!("The request type '{request_type}' is not available with your current subscription plan");
        Self::new(429, &sentence)
    }

    /// The IP address is banned, because its client continued after a 429. The body is empty.
    pub fn banned() -> Self {
        Self { status: 418, header: None, body: Box::default() }
    }

    /// Returns the error of a status with the body that a row has for it.
    pub fn refused(status: u16, body: RefusalBody) -> Self {
        let error = Self::new(status, body.error);
        let error = if body.description.is_empty() { error } else { error.with_description(body.description) };
        if body.attributes.is_empty() {
            return error;
        }
        let messages = |(field, message): &(&str, &str)| ((*field).to_owned(), Value::Array(vec![(*message).into()]));
        error.with_member("error_attributes", body.attributes.iter().map(messages).collect::<Map<_, _>>())
    }

    /// Returns the error of a status, as the API reference has it for any operation.
    pub fn for_status(status: u16) -> Self {
        match status {
            400 => Self::record_invalid(Map::new()),
            401 => Self::bad_signature(),
            403 => Self::new(403, "Forbidden"),
            404 => Self::not_found(),
            418 => Self::banned(),
            422 => Self::exchange_error("The exchange refused the request".to_owned()),
            429 => Self::too_many_requests(),
            _ => Self::new(status, reason_phrase(status)),
        }
    }

    /// Returns the value of the extra header, or an empty string if the error has none.
    pub fn header_value(&self) -> String {
        self.header.as_ref().map(|(_, value)| value.clone()).unwrap_or_default()
    }

    /// Returns this error with another status.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Returns this error with a `Retry-After` header.
    #[must_use]
    pub fn with_retry_after(self, value: impl Into<String>) -> Self {
        Self { header: Some((header::RETRY_AFTER, value.into())), ..self }
    }

    /// Builds the response, without a request id.
    pub fn into_response(self) -> BufferedResponse {
        let response = BufferedResponse::new(self.status, self.serialized()).with_content_type("application/json");
        self.add_header_to(response)
    }

    /// Builds the response, with the request id of its number.
    pub fn into_numbered_response(self, number: u64) -> BufferedResponse {
        let response = BufferedResponse::numbered(self.status, "application/json", self.serialized(), number);
        self.add_header_to(response)
    }

    fn serialized(&self) -> Vec<u8> {
        if self.body.is_empty() { Vec::new() } else { SerializedBody::serialize(&self.body).into() }
    }

    fn add_header_to(self, response: BufferedResponse) -> BufferedResponse {
        let header = self.header.and_then(|(name, value)| Some((name, HeaderValue::try_from(value).ok()?)));
        match header {
            Some((name, value)) => response.with_header(name, value),
            None => response,
        }
    }
}
