//! The road: every call travels it, from the request's bytes to the answer's text.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Body, Request, Response, StatusCode, Url};

use super::base_url::BaseUrl;
use super::error::{Error, Refusal, TransportFailure};
use super::key::PrivateKey;
use super::request::Call;
use super::signing;
use super::transport::{Transport, chain};
use crate::service::endpoint::Method;
use crate::service::error::ErrorBody;
use crate::service::record::{NotARecord, Record};
use crate::service::secrets::{without, without_secrets};

/// The longest answer that is taken.
const MAX_BODY: usize = 32 * 1024 * 1024;

/// How many characters of an answer an error keeps.
const KEPT_BODY: usize = 64 * 1024;

/// How a client reaches the service.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The address of the service.
    pub base_url: BaseUrl,
    /// How long a call may take in all.
    pub timeout: Duration,
    /// How long a connection may take.
    pub connect_timeout: Duration,
}

impl Settings {
    /// How a service is reached where nothing else is asked for: 30 s in all, 10 s to connect.
    pub fn new(base_url: BaseUrl) -> Self {
        Self { base_url, timeout: Duration::from_secs(30), connect_timeout: Duration::from_secs(10) }
    }
}

/// The road to a service: who asks, and how it is reached.
#[derive(Debug)]
pub struct Road {
    api_key: HeaderValue,
    key: Arc<PrivateKey>,
    settings: Settings,
    writes: AtomicU64,
}

impl Road {
    /// A road for an API key and the private key that signs for it.
    pub fn new(api_key: &str, key: Arc<PrivateKey>, settings: Settings) -> Result<Self, Error> {
        if api_key.is_empty() || !api_key.chars().all(|character| character.is_ascii_graphic()) {
            return Err(Error::Configuration(
                "the API key is empty or holds white space, control characters or characters outside of ASCII; copy it \
                 again from the service"
                    .to_owned(),
            ));
        }
        let mut api_key =
            HeaderValue::from_str(api_key).map_err(|_| Error::Configuration("the API key is unusable".to_owned()))?;
        api_key.set_sensitive(true);
        Ok(Self { api_key, key, settings, writes: AtomicU64::new(0) })
    }

    /// How the service is reached.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The key that signs.
    pub fn key(&self) -> &PrivateKey {
        &self.key
    }

    /// How many writes were begun.
    pub fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    /// Sends a call whose answer is one record.
    pub async fn record<R: Record>(&self, call: Call) -> Result<R, Error> {
        self.send(&call, R::from_json).await
    }

    /// Sends a call whose answer is an array of records.
    pub async fn records<R: Record>(&self, call: Call) -> Result<Vec<R>, Error> {
        self.send(&call, R::list_from_json).await
    }

    /// Sends a call whose answer is an array of records, or a single one in its place.
    pub async fn one_or_many<R: Record>(&self, call: Call) -> Result<Vec<R>, Error> {
        self.send(&call, R::one_or_many_from_json).await
    }

    /// Sends a call and decodes the text of the answer.
    async fn send<T>(&self, call: &Call, decode: impl FnOnce(&str) -> Result<T, NotARecord>) -> Result<T, Error> {
        let request = self.request(call)?;
        let signature = request.headers().get(signing::SIGNATURE).cloned();
        let trip = Trip { road: self, call, signature };
        if call.endpoint.method.writes() {
            self.writes.fetch_add(1, Ordering::Relaxed);
        }
        let response = self.transport().pool()?.execute(request).await.map_err(|error| trip.failed(&error))?;
        let text = trip.receive(response).await?;
        decode(&text).map_err(|error| trip.undecodable(&error.to_string(), text.as_bytes()))
    }

    fn transport(&self) -> Transport {
        // A connection that takes as long as the whole call may would leave open whether anything was sent.
        let at_most = self.settings.timeout.mul_f64(CONNECTING_SHARE);
        Transport {
            connect_timeout: self.settings.connect_timeout.min(at_most),
            loopback: self.settings.base_url.is_loopback(),
        }
    }

    /// The signed request, as it will be sent.
    fn request(&self, call: &Call) -> Result<Request, Error> {
        let url: Url = self.settings.base_url.join(&call.target())?;
        let mut request = Request::new(method(call.endpoint.method), url);
        *request.timeout_mut() = Some(self.settings.timeout);
        if let Some(body) = &call.body {
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            *request.body_mut() = Some(Body::from(body.clone()));
        } else if call.endpoint.method.writes() {
            // Some servers refuse a write that does not tell how long it is.
            request.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
        }
        signing::sign(&mut request, self.settings.base_url.prefix(), &self.api_key, &self.key)?;
        Ok(request)
    }
}

/// A request that was handed to the wire, and what becomes of it.
struct Trip<'a> {
    road: &'a Road,
    call: &'a Call,
    signature: Option<HeaderValue>,
}

impl Trip<'_> {
    /// The text of the answer, if it is a success.
    async fn receive(&self, mut response: Response) -> Result<String, Error> {
        let status = response.status();
        let headers = std::mem::take(response.headers_mut());
        let (body, broken) = read(response).await;
        match broken {
            _ if !status.is_success() => Err(self.refusal(status, &headers, &body)),
            Some(Broken::Wire(error)) => Err(self.cut(status, &error)),
            Some(Broken::TooLong) => Err(Error::Decode {
                message: format!(
                    "the answer to {} is longer than {MAX_BODY} bytes{}",
                    self.call.endpoint.operation,
                    self.afterword()
                ),
                body: String::new(),
            }),
            None => String::from_utf8(body).map_err(|error| {
                self.undecodable(&format!("it is not UTF-8: {}", error.utf8_error()), error.as_bytes())
            }),
        }
    }

    /// A request that got no answer.
    fn failed(&self, error: &reqwest::Error) -> Error {
        let (what, settings) = (self.call.endpoint.operation, &self.road.settings);
        let sent = !error.is_connect();
        if sent && self.call.endpoint.method.writes() {
            return self.outcome_unknown("no answer came", error);
        }
        let (failure, message) = if !sent {
            let message =
                format!("no connection to {} for {what}; nothing was sent ({})", settings.base_url, chain(error));
            (TransportFailure::Connection, message)
        } else if error.is_timeout() {
            (TransportFailure::Timeout, format!("no answer to {what} within {} s", settings.timeout.as_secs_f64()))
        } else {
            (TransportFailure::Broken, format!("the connection broke during {what} ({})", chain(error)))
        };
        Error::Transport { failure, sent, message }
    }

    /// A request whose successful answer did not come to its end.
    fn cut(&self, status: StatusCode, error: &reqwest::Error) -> Error {
        if self.call.endpoint.method.writes() {
            let said = format!("the service answered {}, but the answer was cut", status.as_u16());
            return self.outcome_unknown(&said, error);
        }
        let (failure, why) = if error.is_timeout() {
            let seconds = self.road.settings.timeout.as_secs_f64();
            (TransportFailure::Timeout, format!("not complete within {seconds} s"))
        } else {
            (TransportFailure::Broken, format!("cut ({})", chain(error)))
        };
        let message = format!("the answer to {} was {why}", self.call.endpoint.operation);
        Error::Transport { failure, sent: true, message }
    }

    /// What to know of a write whose answer says success and nothing more.
    fn afterword(&self) -> &'static str {
        if self.call.endpoint.method.writes() {
            "; the service answered success, so it was probably carried out: look before you repeat it"
        } else {
            ""
        }
    }

    fn outcome_unknown(&self, what: &str, error: &reqwest::Error) -> Error {
        let (method, path) = (self.call.endpoint.method.as_str(), &self.call.path);
        Error::Transport {
            failure: TransportFailure::OutcomeUnknown,
            sent: true,
            message: format!(
                "{what} ({}), and {method} {path} may have been carried out; look before you repeat it",
                chain(error)
            ),
        }
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Error {
        let body = self.shown(body);
        let said = ErrorBody::parse(&body);
        Error::Api(Box::new(Refusal {
            kind: said.kind(status.as_u16()),
            status: status.as_u16(),
            said,
            body: kept(&body),
            request_id: text_header(headers, "x-request-id"),
            retry_after: text_header(headers, RETRY_AFTER.as_str()).and_then(|text| retry_after(&text)),
            method: self.call.endpoint.method,
            path: self.call.path.clone(),
        }))
    }

    fn undecodable(&self, why: &str, body: &[u8]) -> Error {
        let message =
            format!("the answer to {} can't be read: {why}{}", self.call.endpoint.operation, self.afterword());
        Error::Decode { message, body: kept(&self.shown(body)) }
    }

    /// A body without the secrets of records, and without those of the request, should the service repeat them.
    fn shown(&self, body: &[u8]) -> String {
        let own = [Some(&self.road.api_key), self.signature.as_ref()].into_iter().flatten();
        let own = own.filter_map(|value| value.to_str().ok());
        let own: Vec<&str> = own.chain(self.call.secrets.iter().map(String::as_str)).collect();
        without_secrets(&without(&String::from_utf8_lossy(body), &own))
    }
}

/// How much of a call's time its connection may take.
const CONNECTING_SHARE: f64 = 0.9;

fn method(method: Method) -> reqwest::Method {
    match method {
        Method::Get => reqwest::Method::GET,
        Method::Post => reqwest::Method::POST,
        Method::Patch => reqwest::Method::PATCH,
    }
}

/// Why the body of an answer was not read to its end.
enum Broken {
    Wire(reqwest::Error),
    TooLong,
}

/// What came of a body, and why it ends where it does if not by itself.
async fn read(mut response: Response) -> (Vec<u8>, Option<Broken>) {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > MAX_BODY => return (body, Some(Broken::TooLong)),
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => return (body, None),
            Err(error) => return (body, Some(Broken::Wire(error))),
        }
    }
}

fn kept(body: &str) -> String {
    body.chars().take(KEPT_BODY).collect()
}

fn text_header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// After how many seconds to come back: told in seconds or as a date.
fn retry_after(text: &str) -> Option<f64> {
    let seconds = text.trim().parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    seconds.or_else(|| {
        let date = jiff::fmt::rfc2822::parse(text.trim()).ok()?;
        Some(date.timestamp().duration_since(jiff::Timestamp::now()).as_secs_f64().max(0.0))
    })
}
