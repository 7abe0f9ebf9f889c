//! One attempt: a request is handed to the wire, and what comes back is judged.

use std::io::Read as _;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use jiff::Timestamp;
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::TimeZone;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Request, Response, StatusCode, Version};
use tokio::task::yield_now;

use super::ban;
use super::error::{Asked, Attempts, Error, KEPT_BODY, Refusal, SignedWith, TransportFailure, kept};
use super::exchange::Recording;
use super::request::Call;
use super::send::Road;
use super::transport::root_cause;
use crate::service::error::{ApiErrorKind, ErrorBody};
use crate::service::json::{text_of, without_byte_order_mark};
use crate::service::secrets::{without, without_secrets};

/// How many bytes of a refusal are read, and of any answer are made ready to be kept: no character is longer than four.
const LOOKED_AT: usize = 4 * KEPT_BODY;

/// A successful answer.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The status, a 2xx.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The text of the body.
    pub text: String,
}

/// A call on its way, and what becomes of its attempts.
pub(super) struct Trip<'a> {
    pub(super) road: &'a Road,
    pub(super) call: &'a Call,
    pub(super) signature: Option<HeaderValue>,
}

impl Trip<'_> {
    /// Sends the request once.
    pub(super) async fn attempt(
        &self,
        pool: &Client,
        mut request: Request,
        timeout: Duration,
    ) -> Result<Answer, Error> {
        *request.timeout_mut() = Some(timeout);
        let recording = self.road.tape().and_then(|tape| Recording::of(tape, &request));
        let response = match pool.execute(request).await {
            Ok(response) => response,
            Err(error) => {
                close_connection().await;
                // The address has the query in it, which may hold secrets.
                let failure = self.failed(&error.without_url(), timeout);
                if let Some(recording) = recording {
                    recording.failed(failure.to_string());
                }
                return Err(failure);
            }
        };
        let received = Received::of(response, self.road.settings().max_body).await;
        if received.broken.is_some() {
            close_connection().await;
        }
        if let Some(recording) = recording {
            let why = received.broken.as_ref().map(Broken::to_string);
            recording.answered((received.status, received.version), &received.headers, &received.body, why);
        }
        self.judge(received, timeout)
    }

    /// What an answer can't be read as.
    pub(super) fn undecodable(&self, why: &str, body: &[u8]) -> Error {
        let why = self.shown(why.as_bytes());
        let message = format!("the answer to {} can't be read: {why}{}", self.call.operation, self.afterword());
        Error::Decode { message, body: kept(&self.shown(body)), method: Some(self.call.method) }
    }

    /// The answer, if it is a success.
    fn judge(&self, received: Received, timeout: Duration) -> Result<Answer, Error> {
        let Received { status, headers, body, broken, .. } = received;
        match broken {
            _ if !status.is_success() => Err(self.refusal(status, &headers, &body)),
            Some(Broken::Wire(error)) => Err(self.cut(status, &error, timeout)),
            Some(broken @ (Broken::TooLong(_) | Broken::Encoding(_))) => {
                let message = format!("the answer to {}: {broken}{}", self.call.operation, self.afterword());
                Err(Error::Decode { message, body: String::new(), method: Some(self.call.method) })
            }
            None => Ok(Answer { status: status.as_u16(), headers, text: text_of(body) }),
        }
    }

    /// A request that got no answer.
    fn failed(&self, error: &reqwest::Error, timeout: Duration) -> Error {
        let what = &self.call.operation;
        let sent = !error.is_connect();
        if sent && self.call.method.writes() {
            return self.outcome_unknown(&format!("no answer came ({})", root_cause(error)));
        }
        let (failure, message) = if !sent {
            let address = &self.road.settings().base_url;
            let message = format!("no connection to {address} for {what} ({})", root_cause(error));
            (TransportFailure::Connection, message)
        } else if error.is_timeout() {
            (TransportFailure::Timeout, format!("no answer to {what} within {} s", seconds(timeout)))
        } else {
            (TransportFailure::Broken, format!("the connection broke during {what} ({})", root_cause(error)))
        };
        Error::transport(failure, sent, message)
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
    pub(super) fn given_up(&self) -> Error {
        self.outcome_unknown("the answer was not waited for")
    }

    fn outcome_unknown(&self, what: &str) -> Error {
        let (method, path) = (self.call.method.as_str(), &self.call.path);
        Error::Transport {
            failure: TransportFailure::OutcomeUnknown,
            sent: true,
            message: format!("{what}, and {method} {path} may have been carried out; look before you repeat it"),
            attempts: Attempts::default(),
            asked: Some(Box::new(Asked {
                operation: self.call.operation.to_string(),
                method: self.call.method,
                path: path.clone(),
                body: self.call.body.as_ref().map(|body| kept(&self.shown(body.as_bytes()))),
            })),
        }
    }

    fn refusal(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Error {
        let body = self.shown(without_byte_order_mark(body));
        let said = ErrorBody::parse(&body);
        let kind = said.kind(status.as_u16());
        Error::Api(Box::new(Refusal {
            kind,
            signed: (kind == ApiErrorKind::SignatureInvalid).then(|| self.signed()),
            status: status.as_u16(),
            said,
            body: kept(&body),
            request_id: text_header(headers, "x-request-id").map(|id| self.shown(id.as_bytes())),
            retry_after: text_header(headers, RETRY_AFTER.as_str()).and_then(|text| retry_after(&text)),
            method: self.call.method,
            path: self.call.path.clone(),
        }))
    }

    /// What was signed, and by which key.
    fn signed(&self) -> SignedWith {
        let payload = kept(&self.shown(self.call.payload_to_show().as_bytes()));
        SignedWith { payload, fingerprint: self.road.key().fingerprint().to_owned() }
    }

    /// A body without the secrets of records, and without those of the request, should the service repeat them; only
    /// the beginning of a long one.
    fn shown(&self, body: &[u8]) -> String {
        let own = [Some(self.road.api_key()), self.signature.as_ref()].into_iter().flatten();
        let own = own.filter_map(|value| value.to_str().ok());
        let own: Vec<&str> = own.chain(self.call.secrets.iter().map(String::as_str)).collect();
        match body.get(..LOOKED_AT) {
            None => without_secrets(&without(&String::from_utf8_lossy(body), &own)),
            Some(part) => {
                let text = without(&String::from_utf8_lossy(part), &own);
                // Half of a secret, where the part ends, would not be found.
                let longest = own.iter().map(|secret| secret.len()).max().unwrap_or_default();
                let whole: String = text.chars().take(text.chars().count().saturating_sub(longest)).collect();
                without_secrets(&whole)
            }
        }
    }
}

/// Lets the task of a connection close it once its response was dropped. A runtime that runs only during calls would leave
/// it open until the next one.
async fn close_connection() {
    yield_now().await;
    yield_now().await;
}

/// An answer as far as it came.
struct Received {
    status: StatusCode,
    version: Version,
    headers: HeaderMap,
    body: Vec<u8>,
    broken: Option<Broken>,
}

/// Why the body of an answer was not read to its end.
#[derive(Debug, thiserror::Error)]
enum Broken {
    #[error("it was cut ({})", root_cause(.0))]
    Wire(reqwest::Error),
    #[error("it is longer than {0} bytes")]
    TooLong(usize),
    #[error("it can't be decompressed ({0})")]
    Encoding(std::io::Error),
}

impl Received {
    /// Reads an answer whose body has at most so many bytes; a refusal has less to say.
    async fn of(mut response: Response, most: usize) -> Self {
        let most = if response.status().is_success() { most } else { most.min(LOOKED_AT) };
        let mut received = Self {
            status: response.status(),
            version: response.version(),
            headers: std::mem::take(response.headers_mut()),
            body: Vec::with_capacity(length(&response).min(most)),
            broken: None,
        };
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) if received.body.len() + chunk.len() > most => {
                    received.broken = Some(Broken::TooLong(most));
                }
                Ok(Some(chunk)) => {
                    received.body.extend_from_slice(&chunk);
                    continue;
                }
                Ok(None) => {}
                Err(error) => received.broken = Some(Broken::Wire(error.without_url())),
            }
            received.decompress(most);
            return received;
        }
    }

    /// Decompresses a body that reqwest left compressed because the name of its encoding is not in lower case.
    fn decompress(&mut self, most: usize) {
        const MAGIC: &[u8] = b"\x1F\x8B";
        let encoding = self.headers.get(CONTENT_ENCODING).map(HeaderValue::as_bytes).unwrap_or_default().trim_ascii();
        let is_gzip = encoding.eq_ignore_ascii_case(b"gzip") || encoding.eq_ignore_ascii_case(b"x-gzip");
        if !is_gzip || !self.body.starts_with(MAGIC) {
            return;
        }
        let mut body = Vec::new();
        let longest = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        let result = MultiGzDecoder::new(self.body.as_slice()).take(longest).read_to_end(&mut body);
        if body.len() > most {
            body.truncate(most);
            self.broken = self.broken.take().or(Some(Broken::TooLong(most)));
        } else if let Err(error) = result {
            self.broken = self.broken.take().or(Some(Broken::Encoding(error)));
        }
        self.body = body;
        self.headers.remove(CONTENT_ENCODING);
        self.headers.remove(CONTENT_LENGTH);
    }
}

/// How many bytes a body says that it has, as far as that is believed before they are there.
fn length(response: &Response) -> usize {
    const BELIEVED: usize = 1 << 20;
    response.content_length().and_then(|length| length.try_into().ok()).map_or(0, |length: usize| length.min(BELIEVED))
}

/// A time as a message tells it, to the millisecond.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1_000.0).round() / 1_000.0
}

fn text_header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// After how many seconds to come back: told in seconds or as a date.
fn retry_after(text: &str) -> Option<f64> {
    let seconds = text.trim().parse::<f64>().ok().filter(|seconds| seconds.is_finite() && *seconds >= 0.0);
    let told = seconds.or_else(|| {
        let date = date(text.trim())?;
        Some(date.duration_since(Timestamp::now()).as_secs_f64().max(0.0))
    });
    // No wait is believed to be longer than the longest ban.
    told.map(|seconds| seconds.min(ban::LONGEST.as_secs_f64()))
}

/// A date of HTTP: in the form that it prefers, or in one of the two old ones that it still has everybody read.
fn date(text: &str) -> Option<Timestamp> {
    const OLD: [&str; 2] = ["%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"];
    let preferred = rfc2822::parse(text).ok().map(|date| date.timestamp());
    let old = |form: &&str| strtime::parse(form, text).ok()?.to_datetime().ok()?.to_zoned(TimeZone::UTC).ok();
    preferred.or_else(|| OLD.iter().find_map(old).map(|date| date.timestamp()))
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan;

    use super::*;

    #[test]
    fn a_wait_is_told_in_seconds_or_by_a_date_in_any_form_of_http() {
        assert_eq!(retry_after("120"), Some(120.0));
        let then = (Timestamp::now() + 1.hour()).to_zoned(TimeZone::UTC);
        for form in ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"] {
            let text = then.strftime(form).to_string();
            let wait = retry_after(&text).unwrap_or_default();
            assert!((3_000.0..=3_600.0).contains(&wait), "{text}: {wait}");
        }
        assert_eq!(retry_after("Sun Nov  6 08:49:37 1994"), Some(0.0));
        assert_eq!(retry_after("Sunday, 06-Nov-94 08:49:37 GMT"), Some(0.0));
    }

    #[test]
    fn what_tells_no_time_is_no_wait() {
        for text in
            ["", "soon", "-1", "nan", "inf", "Sun Nov  6 1994", "Sunday, 06-Nov-94", "Sun, 99 Nov 1994 08:49:37 GMT"]
        {
            assert_eq!(retry_after(text), None, "{text}");
        }
    }
}
