//! One attempt: a request is handed to the wire, and what comes back is judged.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Request, StatusCode};

use crate::error::{
    Attempts, Error, ErrorResponse, SignedWith, TransportFailure, UnknownWrite, kept, redacted_beginning,
};
use crate::http::client::HttpClient;
use crate::http::idle::{catch_up, run_connections};
use crate::http::pools::root_cause;
use crate::http::recorder::PendingExchange;
use crate::http::response::{BodyError, RawResponse, Response};
use crate::http::retry_after::retry_after;
use crate::rate_limit::limiter::Permit;
use crate::request::spec::RequestSpec;
use botdesk_api::error::{ApiErrorKind, ErrorBody};
use botdesk_api::json::{text_of, without_byte_order_mark};
use botdesk_api::redaction::Redactor;
use botdesk_api::secrets::NAMES;

/// A call on its way, and what becomes of its attempts.
pub(crate) struct Attempt<'a> {
    pub(crate) client: &'a HttpClient,
    pub(crate) call: &'a RequestSpec,
    pub(crate) signature: Option<HeaderValue>,
}

impl Attempt<'_> {
    /// Sends the request once.
    pub(crate) async fn attempt(
        &self,
        mut request: Request,
        timeout: Duration,
        permit: &mut Option<Permit>,
    ) -> Result<Response, Error> {
        catch_up().await.map_err(|error| self.not_sent(&error.to_string()))?;
        // Nothing is awaited between this and the choice of a connection, so none is used that was closed meanwhile.
        let pool = self.client.pool()?;
        *request.timeout_mut() = Some(timeout);
        let exchange = self.client.recorder().and_then(|recorder| PendingExchange::of(recorder, &request));
        // Given up from here on, it may arrive all the same; even while it waits for a connection, there is no telling.
        permit.iter_mut().for_each(Permit::mark_sent);
        let response = match pool.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                if error.is_connect() {
                    permit.iter_mut().for_each(Permit::mark_not_sent);
                }
                run_connections().await;
                // The address has the query in it, which may hold secrets.
                let failure = self.failed(&error.without_url(), timeout);
                if let Some(exchange) = exchange {
                    exchange.failed(failure.to_string());
                }
                return Err(failure);
            }
        };
        permit.iter_mut().for_each(Permit::mark_responded);
        let response = RawResponse::read(response, self.client.settings().max_body).await;
        if response.body_error.is_some() {
            run_connections().await;
        }
        if let Some(exchange) = exchange {
            let why = response.body_error.as_ref().map(BodyError::to_string);
            exchange.answered((response.status, response.version), &response.headers, &response.body, why);
        }
        self.check_status(response, timeout)
    }

    /// What an answer can't be read as.
    pub(crate) fn undecodable(&self, why: &str, body: &[u8]) -> Error {
        let why = self.shown(why.as_bytes());
        let message = format!("the answer to {} can't be read: {why}{}", self.call.operation, self.afterword());
        Error::Decode { message, body: kept(&self.shown(body)), method: Some(self.call.method) }
    }

    /// The answer, if it is a success.
    fn check_status(&self, response: RawResponse, timeout: Duration) -> Result<Response, Error> {
        let RawResponse { status, headers, body, body_error, .. } = response;
        match body_error {
            _ if !status.is_success() => Err(self.refusal(status, &headers, &body)),
            Some(BodyError::Connection(error)) => Err(self.cut(status, &error, timeout)),
            Some(error @ (BodyError::TooLong(_) | BodyError::Encoding(_))) => {
                let message = format!("the answer to {}: {error}{}", self.call.operation, self.afterword());
                Err(Error::Decode { message, body: String::new(), method: Some(self.call.method) })
            }
            None => Ok(Response { status: status.as_u16(), headers, text: text_of(body) }),
        }
    }

    /// A request that got no answer.
    fn failed(&self, error: &reqwest::Error, timeout: Duration) -> Error {
        let what = &self.call.operation;
        let sent = !error.is_connect();
        if sent && self.call.method.writes() {
            return self.outcome_unknown(&format!("no answer came ({})", root_cause(error)));
        }
        if !sent {
            return self.not_sent(&root_cause(error));
        }
        let (failure, message) = if error.is_timeout() {
            (TransportFailure::Timeout, format!("no answer to {what} within {} s", seconds(timeout)))
        } else {
            (TransportFailure::Broken, format!("the connection broke during {what} ({})", root_cause(error)))
        };
        Error::transport(failure, sent, message)
    }

    /// A request for which there is no connection.
    fn not_sent(&self, why: &str) -> Error {
        let address = &self.client.settings().base_url;
        let message = format!("no connection to {address} for {} ({why})", self.call.operation);
        Error::transport(TransportFailure::Connection, false, message)
    }

    /// A request whose successful answer did not come to its end.
    fn cut(&self, status: StatusCode, error: &reqwest::Error, timeout: Duration) -> Error {
        if self.call.method.writes() {
            let status = status.as_u16();
            let said = format!("the service answered {status}, but the answer was cut ({})", root_cause(error));
            return self.outcome_unknown(&said);
        }
        let (failure, why) = if error.is_timeout() {
            (TransportFailure::Timeout, format!("not complete within {} s", seconds(timeout)))
        } else {
            (TransportFailure::Broken, format!("cut ({})", root_cause(error)))
        };
        Error::transport(failure, true, format!("the answer to {} was {why}", self.call.operation))
    }

    /// What to know of a write whose answer says success and nothing more.
    fn afterword(&self) -> &'static str {
        if self.call.method.writes() {
            "; the service answered success, so it was probably carried out: look before you repeat it"
        } else {
            ""
        }
    }

    /// What is known of a write that nobody waited for to its end.
    pub(crate) fn given_up(&self) -> Error {
        self.outcome_unknown("the answer was not waited for")
    }

    fn outcome_unknown(&self, what: &str) -> Error {
        let (method, path) = (self.call.method.as_str(), &self.call.path);
        let message = format!("{what}, and {method} {path} may have been carried out; look before you repeat it");
        self.unknown_write(message, None)
    }

    /// A write that may have been carried out, and the response if one came.
    fn unknown_write(&self, message: String, response: Option<ErrorResponse>) -> Error {
        Error::Transport {
            failure: TransportFailure::OutcomeUnknown,
            sent: true,
            message,
            attempts: Attempts::default(),
            write: Some(Box::new(UnknownWrite {
                operation: self.call.operation.to_string(),
                method: self.call.method,
                path: self.call.path.clone(),
                body: self.call.body.as_ref().map(|body| kept(&self.shown(body.as_bytes()))),
                response,
            })),
        }
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Error {
        let redactor = self.redactor();
        let text = String::from_utf8_lossy(without_byte_order_mark(body));
        // The error is told by what the service sent; what is shown of it is redacted, decoded and as it came.
        let said = ErrorBody::parse(&text);
        let kind = said.kind(status.as_u16());
        let refusal = ErrorResponse {
            kind,
            signed: (kind == ApiErrorKind::SignatureInvalid).then(|| self.signed()),
            status: status.as_u16(),
            body: said.redacted(&redactor),
            raw_body: kept(&redactor.redact(&text)),
            request_id: text_header(headers, "x-request-id").map(|id| redactor.redact(&id)),
            retry_after: retry_after(headers, Timestamp::now()),
            method: self.call.method,
            path: self.call.path.clone(),
        };
        // A failure of the service has a class of its own, which says the same.
        if refusal.may_have_applied() && kind != ApiErrorKind::Server {
            return self.unknown_write(refusal.to_string(), Some(refusal));
        }
        Error::Api(Box::new(refusal))
    }

    /// What was signed, and by which key.
    fn signed(&self) -> SignedWith {
        let payload = kept(&self.shown(self.call.payload_to_show().as_bytes()));
        SignedWith { payload, fingerprint: self.client.key().fingerprint().to_owned() }
    }

    /// Returns the beginning of a body without secrets, should the service repeat them.
    fn shown(&self, body: &[u8]) -> String {
        redacted_beginning(body, |text| self.redactor().redact(text))
    }

    /// Returns what hides the secrets of the request.
    fn redactor(&self) -> Redactor {
        let own = [Some(self.client.api_key()), self.signature.as_ref()].into_iter().flatten();
        let own = own.filter_map(|value| value.to_str().ok());
        Redactor::new(own.chain(self.call.secrets.iter().map(String::as_str)), NAMES)
    }
}

/// A time as a message tells it, to the millisecond.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000.0).round() / 1_000.0
}

fn text_header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}
