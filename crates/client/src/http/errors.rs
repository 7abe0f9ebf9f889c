//! The errors of one request, without its secrets.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};

use super::client::HttpClient;
use super::pools::root_cause;
use super::proxies::is_unreachable;
use super::response::{BodyError, Response};
use super::retry_after::retry_after;
use crate::error::{
    Attempts, Error, ErrorResponse, NeededPermission, SignedWith, TransportFailure, UnknownWrite, redacted_beginning,
    truncate_body, truncate_page,
};
use crate::rate_limit::client_limiter::StoredAt;
use crate::rate_limit::error::RateLimitError;
use crate::rate_limit::limit::RateLimit;
use crate::request::spec::RequestSpec;
use botdesk_api::reference;
use botdesk_schema::error::{ApiErrorKind, ErrorBody};
use botdesk_schema::input::{Inputs, inputs_of_attribute};
use botdesk_schema::json::without_byte_order_mark;
use botdesk_schema::key_text::{shown, shown_path};
use botdesk_schema::operation::Operation;
use botdesk_schema::permission::Permission;
use botdesk_schema::record::DecodeError;
use botdesk_schema::redaction::Redactor;
use botdesk_schema::secrets::NAMES;

/// Makes the errors of one request.
pub(crate) struct RequestErrors<'a> {
    client: &'a HttpClient,
    spec: &'a RequestSpec,
    /// A server may repeat the signature in an error response; it is redacted there.
    signature: Option<HeaderValue>,
}

impl<'a> RequestErrors<'a> {
    pub(crate) fn new(client: &'a HttpClient, spec: &'a RequestSpec, signature: Option<HeaderValue>) -> Self {
        Self { client, spec, signature }
    }

    /// Returns the error of a request that the rate limiter did not allow. `origin` is where another process has stored why.
    pub(super) fn throttled(&self, limit: RateLimit, error: RateLimitError, origin: Option<StoredAt<'_>>) -> Error {
        let (kind, wait, why) = match error {
            RateLimitError::LimitReached(wait) => {
                let (requests, seconds) = (limit.requests, rounded(limit.per));
                (ApiErrorKind::RateLimited, wait, format!("rate limit reached: {requests} requests in {seconds} s"))
            }
            RateLimitError::KeyRejected(wait) => {
                (ApiErrorKind::RateLimited, wait, "the service rejects this API key for a while".to_owned())
            }
            RateLimitError::Banned(wait) => {
                (ApiErrorKind::IpBanned, wait, "the service has banned this IP address for a while".to_owned())
            }
        };
        let seconds = wait.as_secs_f64().ceil();
        let advice = origin.map(advice_on).unwrap_or_default();
        let message = format!("{} was not sent: {why}; try again in {seconds:.0} s{advice}", self.spec.operation);
        Error::Throttled { kind, wait, message }
    }

    /// Returns the error of a request whose client was closed before it was sent, or before it was retried after an error.
    pub(super) fn closed(&self, earlier: Option<&Error>) -> Error {
        let operation = &self.spec.operation;
        Error::Closed(match earlier {
            None => format!("the client is closed: {operation} was not sent; make a new client"),
            Some(error) => format!("the client is closed: {operation} was not retried after an error ({error})"),
        })
    }

    /// Returns the error of a request that found no connection.
    pub(super) fn not_sent(&self, why: &str) -> Error {
        let base_url = shown(&self.client.settings().base_url.to_string());
        let message = format!("no connection to {base_url} for {} ({why})", self.spec.operation);
        Error::transport(TransportFailure::Connection, false, message)
    }

    /// Returns the error of a request that found no connection to the service, or to the proxy before it.
    fn no_connection(&self, error: &reqwest::Error) -> Error {
        let why = root_cause(error);
        let Some(proxy) = self.client.proxy() else { return self.not_sent(&why) };
        let to = if is_unreachable(error) {
            format!("the proxy {proxy}")
        } else {
            format!("{} through the proxy {proxy}", shown(&self.client.settings().base_url.to_string()))
        };
        let message = format!("no connection to {to} for {} ({why})", self.spec.operation);
        Error::transport(TransportFailure::Connection, false, message)
    }

    /// Returns the error of a request without a response.
    pub(super) fn no_response(&self, error: &reqwest::Error, timeout: Duration) -> Error {
        let operation = &self.spec.operation;
        if error.is_connect() {
            return self.no_connection(error);
        }
        if self.spec.effect.writes() {
            return self.outcome_unknown(&format!("no response came ({})", root_cause(error)));
        }
        let (failure, message) = if error.is_timeout() {
            (TransportFailure::Timeout, format!("no response to {operation} within {} s", rounded(timeout)))
        } else {
            (TransportFailure::Broken, format!("the connection broke during {operation} ({})", root_cause(error)))
        };
        Error::transport(failure, true, message)
    }

    /// Returns the error of a request whose response has a successful status, but no readable body.
    pub(super) fn unreadable_body(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        error: &BodyError,
        timeout: Duration,
    ) -> Error {
        match error {
            BodyError::Connection(error) => self.incomplete(status, error, timeout),
            BodyError::TooLong(_) | BodyError::Encoding(_) => {
                let message = format!("the response to {}: {error}{}", self.spec.operation, self.advice_on_success());
                let request_id = self.request_id(headers);
                Error::Decode { message, body: String::new(), method: Some(self.spec.method), request_id }
            }
        }
    }

    fn incomplete(&self, status: StatusCode, error: &reqwest::Error, timeout: Duration) -> Error {
        if self.spec.effect.writes() {
            let (status, cause) = (status.as_u16(), root_cause(error));
            return self.outcome_unknown(&format!("the status was {status}, but the response was cut off ({cause})"));
        }
        let (failure, why) = if error.is_timeout() {
            (TransportFailure::Timeout, format!("not complete within {} s", rounded(timeout)))
        } else {
            (TransportFailure::Broken, format!("cut off ({})", root_cause(error)))
        };
        Error::transport(failure, true, format!("the response to {} was {why}", self.spec.operation))
    }

    /// Returns the error of a request whose response has an error status.
    pub(super) fn error_status(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Error {
        let redactor = self.redactor();
        let text = String::from_utf8_lossy(without_byte_order_mark(body));
        // The kind follows from the unredacted body; the error shows only the redacted one.
        let body = ErrorBody::parse(&text);
        let kind = body.kind(status.as_u16());
        let from_intermediary = refuses_request(kind) && is_page(headers, &text);
        let redacted_text = redactor.redact(&text);
        let redacted_body = body.redacted(&redactor);
        let response = ErrorResponse {
            kind,
            inputs: self.inputs_of(&redacted_body),
            needed: self.needed_permission().filter(|_| kind == ApiErrorKind::Forbidden),
            signed: (kind == ApiErrorKind::SignatureInvalid).then(|| self.signed_with()),
            status: status.as_u16(),
            body: redacted_body,
            raw_body: if from_intermediary { truncate_page(&redacted_text) } else { truncate_body(&redacted_text) },
            request_id: request_id(headers, &redactor),
            retry_after: retry_after(headers, Timestamp::now()),
            block: self.spec.limit.map_or(BLOCK, |own| Duration::from_secs(own.blocked.into())),
            method: self.spec.method,
            effect: self.spec.effect,
            path: self.spec.path.clone(),
            from_intermediary,
        };
        // A 5xx has its own error class, which warns as well.
        if response.may_have_applied() && kind != ApiErrorKind::Server {
            return self.unknown_write(response.to_string(), Some(response));
        }
        Error::Api(Box::new(response))
    }

    /// Returns the `X-Request-Id` of a response, secrets redacted; None without one.
    pub(super) fn request_id(&self, headers: &HeaderMap) -> Option<String> {
        request_id(headers, &self.redactor())
    }

    fn needed_permission(&self) -> Option<NeededPermission> {
        let operation = reference::operation(&self.spec.operation)?;
        let permission = Some(operation.permission).filter(|permission| *permission != Permission::None)?;
        Some(NeededPermission { operation: operation.name, permission: permission.as_str() })
    }

    /// Returns the messages of an error body for each input, under the name that the caller gave.
    fn inputs_of(&self, body: &ErrorBody) -> Vec<(String, Vec<String>)> {
        let inputs = reference::operation(&self.spec.operation).and_then(Operation::inputs);
        let names = |attribute: &str| inputs_of_attribute(inputs.unwrap_or(&Inputs::NONE), attribute);
        let mut found: Vec<(String, Vec<String>)> = Vec::new();
        for (attribute, messages) in &body.error_attributes {
            for name in names(attribute) {
                match found.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) => known.extend(messages.iter().cloned()),
                    None => found.push((name, messages.clone())),
                }
            }
        }
        found
    }

    /// Returns the error of a request whose response can't be decoded.
    pub(super) fn undecodable(&self, error: DecodeError, response: &Response) -> Error {
        let encoding = response.headers.get(CONTENT_ENCODING).and_then(|encoding| encoding.to_str().ok());
        let encoding = encoding.map(|encoding| format!("; its Content-Encoding is {encoding:?}"));
        // To build a redactor takes longer than to use it.
        let redactor = self.redactor();
        let redacted = |text: &str| redacted_beginning(text.as_bytes(), |text| redactor.redact(text));
        // A secret that the message shortens could not be found in it any more.
        let error = error.redacted(redacted);
        let why = redacted(&format!("{error}{}", encoding.unwrap_or_default()));
        let (operation, advice) = (&self.spec.operation, self.advice_on_success());
        let message = format!("the response to {operation} can't be read: {why}{advice}");
        let body = truncate_body(&redacted(&response.text));
        let request_id = request_id(&response.headers, &redactor);
        Error::Decode { message, body, method: Some(self.spec.method), request_id }
    }

    /// Returns the error of a write whose response was not waited for.
    pub(crate) fn abandoned(&self) -> Error {
        self.outcome_unknown("the response was not waited for")
    }

    /// Returns what to know about a write if nothing but the status of the response can be read.
    fn advice_on_success(&self) -> &'static str {
        if self.spec.effect.writes() {
            "; the status was a success, so it was probably carried out: look before you repeat it"
        } else {
            ""
        }
    }

    fn outcome_unknown(&self, why: &str) -> Error {
        let (method, path) = (self.spec.method.as_str(), &self.spec.path);
        let message = format!("{why}, and {method} {path} may have been carried out; look before you repeat it");
        self.unknown_write(message, None)
    }

    fn unknown_write(&self, message: String, response: Option<ErrorResponse>) -> Error {
        Error::Transport {
            failure: TransportFailure::OutcomeUnknown,
            sent: true,
            message,
            attempts: Attempts::default(),
            write: Some(Box::new(UnknownWrite {
                operation: self.spec.operation.to_string(),
                method: self.spec.method,
                path: self.spec.path.clone(),
                body: self.spec.body.as_ref().map(|body| truncate_body(&self.redacted(body.as_bytes()))),
                response,
            })),
        }
    }

    fn signed_with(&self) -> SignedWith {
        let payload =
            truncate_body(&self.redacted(self.spec.redacted_payload(self.client.key().body_separator()).as_bytes()));
        SignedWith { payload, fingerprint: self.client.fingerprint().to_owned() }
    }

    /// Returns the beginning of a body without the secrets of the request, which a server may repeat.
    fn redacted(&self, body: &[u8]) -> String {
        redacted_beginning(body, |text| self.redactor().redact(text))
    }

    fn redactor(&self) -> Redactor {
        let headers = [Some(self.client.api_key()), self.signature.as_ref()].into_iter().flatten();
        // A public client has an empty API key.
        let headers = headers.filter_map(|value| value.to_str().ok()).filter(|value| !value.is_empty());
        let secrets = headers.chain(self.client.key().shared_secret());
        Redactor::new(secrets.chain(self.spec.secrets.iter().map(String::as_str)), NAMES)
    }
}

fn request_id(headers: &HeaderMap, redactor: &Redactor) -> Option<String> {
    headers.get("x-request-id").and_then(|id| id.to_str().ok()).map(|id| redactor.redact(id))
}

/// The time for which the service blocks a key after too many requests, by its general limit.
pub(super) const BLOCK: Duration = Duration::from_secs(300);

/// Returns true if a response of this kind may be that of a proxy or content network which does not let a request through.
fn refuses_request(kind: ApiErrorKind) -> bool {
    matches!(kind, ApiErrorKind::Authentication | ApiErrorKind::Forbidden | ApiErrorKind::RateLimited)
}

/// Returns true if a body is an HTML page. The service sends JSON.
fn is_page(headers: &HeaderMap, body: &str) -> bool {
    let content_type = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let is_html = content_type.to_ascii_lowercase().starts_with(b"text/html");
    let body = body.trim_start();
    body.starts_with('<') || (is_html && !body.is_empty() && !body.starts_with(['{', '[']))
}

/// Returns seconds, rounded to the millisecond.
fn rounded(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000.0).round() / 1_000.0
}

/// Returns what to do about a ban or a rejection that another process has stored, if it is wrong.
fn advice_on(origin: StoredAt<'_>) -> String {
    match origin {
        StoredAt::File(file) => {
            let file = shown_path(file);
            format!(
                " (another process stored this in {file}; if it is wrong, delete the file and restart this program)"
            )
        }
        StoredAt::Server(server) => {
            format!(" (another process stored this at {server}; if it is wrong, delete the keys botdesk:* there)")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_advice_names_the_file_to_delete() {
        let advice = advice_on(StoredAt::File(Path::new("/state/a.bans")));
        assert!(advice.contains("another process stored this in /state/a.bans; if it is wrong, delete the file"));
    }
}
