//! The errors of a call.

use std::time::Duration;

use botdesk_schema::error::{ApiErrorKind, ErrorBody, may_have_applied};
use botdesk_schema::input::{Change, Violation};
use botdesk_schema::method::{Effect, Method};
use botdesk_schema::secrets::redact_secrets;
use botdesk_schema::text::{and_more, one_line};

/// The error of a call.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The key, the base URL or an option can't be used.
    #[error("{0}")]
    Configuration(String),
    /// The client was closed before the request could be sent.
    #[error("{0}")]
    Closed(String),
    /// The inputs violate rules; nothing was sent.
    #[error("{}", summary(.0))]
    Validation(Vec<Violation>),
    /// The record has changed since the edit was made; nothing was sent.
    #[error("{}", conflict(.0))]
    Conflict(Vec<Change>),
    /// A successful response does not match the API reference.
    #[error("{message}")]
    Decode {
        /// The error message.
        message: String,
        /// The body, secrets redacted.
        body: String,
        /// The method of the request; None if no request was sent.
        method: Option<Method>,
        /// The id that the service gave the request; None if it gave none.
        request_id: Option<String>,
    },
    /// No response came, or none from which the outcome of a write can be known.
    #[error("{message}{}", attempts.summary(*failure))]
    Transport {
        /// The kind of the failure.
        failure: TransportFailure,
        /// True if the request may have arrived.
        sent: bool,
        /// The error of the last attempt, and what to do.
        message: String,
        /// The attempts.
        attempts: Attempts,
        /// The write, if it may have been applied.
        write: Option<Box<UnknownWrite>>,
    },
    /// The request was not sent because the service would reject it.
    #[error("{message}")]
    Throttled {
        /// The kind of error that the service would return.
        kind: ApiErrorKind,
        /// The time until it may be sent.
        wait: Duration,
        /// The reason why it was not sent, and what to do.
        message: String,
    },
    /// The service returned an error response.
    #[error("{0}")]
    Api(Box<ErrorResponse>),
}

/// The number of characters of a body that an error keeps.
const MAX_BODY_CHARS: usize = 64 * 1024;

/// The number of bytes of a body that are redacted. They contain all characters that are kept, because none has more than four
/// bytes.
pub(super) const REDACTED_BYTES: usize = 4 * MAX_BODY_CHARS;

/// Returns the beginning of a body, as errors keep it.
pub(super) fn truncate_body(body: &str) -> String {
    body.chars().take(MAX_BODY_CHARS).collect()
}

/// The number of characters of an HTML page that an error keeps, if it is all that a proxy or content network sent.
const MAX_PAGE_CHARS: usize = 500;

/// Returns the beginning of a page of a proxy or content network, as errors keep it.
pub(super) fn truncate_page(page: &str) -> String {
    page.chars().take(MAX_PAGE_CHARS).collect()
}

/// Returns the beginning of a body, with its secrets removed by `redact`.
pub(super) fn redacted_beginning(body: &[u8], redact: impl FnOnce(&str) -> String) -> String {
    redact(&String::from_utf8_lossy(body.get(..REDACTED_BYTES).unwrap_or(body)))
}

/// Returns the beginning of a body, as errors keep it, without the values of secret fields.
pub fn redact_and_truncate(body: &str) -> String {
    truncate_body(&redacted_beginning(body.as_bytes(), redact_secrets))
}

/// A write whose outcome is unknown.
#[derive(Clone, Debug)]
pub struct UnknownWrite {
    /// The operation, such as `dca_bots.edit`.
    pub operation: String,
    /// The method.
    pub method: Method,
    /// The path, from `/public/api` on.
    pub path: String,
    /// The body, secrets redacted.
    pub body: Option<String>,
    /// The response, if its status leaves the outcome unknown.
    pub response: Option<ErrorResponse>,
}

impl Error {
    /// Returns the error of a request without a response.
    pub(super) fn transport(failure: TransportFailure, sent: bool, message: String) -> Self {
        Self::Transport { failure, sent, message, attempts: Attempts::default(), write: None }
    }

    /// Returns the kind of the error response; None if the service did not return one.
    pub fn kind(&self) -> Option<ApiErrorKind> {
        match self {
            Self::Api(refusal) => Some(refusal.kind),
            _ => None,
        }
    }

    /// Returns the status of the error response; None if there is none.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Api(refusal) => Some(refusal.status),
            Self::Transport { write: Some(write), .. } => write.response.as_ref().map(|response| response.status),
            _ => None,
        }
    }

    /// Returns the id that the service gave the request; None if no response came, or none with an id.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Api(response) => response.request_id.as_deref(),
            Self::Decode { request_id, .. } => request_id.as_deref(),
            Self::Transport { write: Some(write), .. } => write.response.as_ref()?.request_id.as_deref(),
            _ => None,
        }
    }

    /// Returns true if the outcome of a write is unknown.
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Transport { failure: TransportFailure::OutcomeUnknown, .. })
    }

    /// Returns true if a write with this error may have been applied, so that it must not be repeated unchecked.
    pub fn may_have_applied(&self) -> bool {
        match self {
            Self::Transport { .. } => self.is_outcome_unknown(),
            // The status was a success, only the body can't be decoded.
            Self::Decode { .. } => true,
            Self::Api(refusal) => refusal.may_have_applied(),
            Self::Configuration(_)
            | Self::Closed(_)
            | Self::Validation(_)
            | Self::Conflict(_)
            | Self::Throttled { .. } => false,
        }
    }

    /// Returns true if no other request can succeed either.
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::Configuration(_) | Self::Closed(_) => true,
            Self::Throttled { kind, .. } => kind.is_fatal(),
            other => other.kind().is_some_and(ApiErrorKind::is_fatal),
        }
    }

    /// Returns how far the request came.
    pub(super) fn delivery(&self) -> Delivery {
        match self {
            Self::Transport { sent: false, .. } => Delivery::NotSent,
            other if other.kind() == Some(ApiErrorKind::RateLimited) => Delivery::RateLimited,
            _ => Delivery::Possible,
        }
    }

    /// Returns the error of attempt number `count`, given how far the attempts before it came.
    pub(super) fn with_attempts(mut self, count: u32, earlier: Delivery) -> Self {
        if let Self::Transport { sent, attempts, .. } = &mut self {
            *sent |= earlier == Delivery::Possible;
            *attempts = Attempts { count, earlier };
        }
        self
    }
}

/// The progress of a failed request, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Delivery {
    /// Nothing was sent.
    NotSent,
    /// The service rejected it because of the rate limit.
    RateLimited,
    /// It may have arrived.
    Possible,
}

/// The attempts of a request up to the one whose error this is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempts {
    count: u32,
    /// The progress of the attempts before the last one.
    earlier: Delivery,
}

impl Default for Attempts {
    fn default() -> Self {
        Self { count: 1, earlier: Delivery::NotSent }
    }
}

impl Attempts {
    /// Summarizes the attempts for the end of a message about the last one.
    ///
    /// "Nothing was sent" has to be true of all attempts, not just of the last one.
    fn summary(self, last: TransportFailure) -> String {
        let tried = if self.count > 1 { format!("; tried {} times", self.count) } else { String::new() };
        if last != TransportFailure::Connection {
            return tried;
        }
        match self.earlier {
            Delivery::NotSent => format!("; nothing was sent{tried}"),
            Delivery::RateLimited => format!("{tried}, and the service rejected an earlier attempt (429)"),
            Delivery::Possible => format!("{tried}, and an earlier attempt may have arrived"),
        }
    }
}

/// The kind of failure of a request without a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportFailure {
    /// No connection could be opened.
    Connection,
    /// The timeout was reached.
    Timeout,
    /// A write may have been applied.
    OutcomeUnknown,
    /// The connection broke.
    Broken,
}

/// An error response of the service.
#[derive(Clone, Debug)]
pub struct ErrorResponse {
    /// The kind of the error.
    pub kind: ApiErrorKind,
    /// The status.
    pub status: u16,
    /// The parsed body, secrets redacted.
    pub body: ErrorBody,
    /// The messages of the body for each input, under the name that the caller gave.
    pub inputs: Vec<(String, Vec<String>)>,
    /// The body as a string, secrets redacted.
    pub raw_body: String,
    /// The id of the request, for the support of the service.
    pub request_id: Option<String>,
    /// The seconds after which the service allows another request.
    pub retry_after: Option<f64>,
    /// The time for which the service blocks requests after too many of them, if it does not say.
    pub block: Duration,
    /// The method of the request.
    pub method: Method,
    /// What the request does at the service.
    pub effect: Effect,
    /// The path of the request, from `/public/api` on.
    pub path: String,
    /// The operation and the permission that it needs, if the service forbade it.
    pub needed: Option<NeededPermission>,
    /// The signed payload and the key, if the service rejected the signature.
    pub signed: Option<SignedWith>,
    /// True if a proxy or content network refused the request, so that the service has not seen it.
    pub from_intermediary: bool,
}

/// An operation, and the permission that it needs.
#[derive(Clone, Copy, Debug)]
pub struct NeededPermission {
    /// The operation, such as `dca_bots.edit`.
    pub operation: &'static str,
    /// The permission, such as `BOTS_WRITE`.
    pub permission: &'static str,
}

/// A signed payload, and the key that signed it.
#[derive(Clone, Debug)]
pub struct SignedWith {
    /// The signature payload, secrets redacted.
    pub payload: String,
    /// The fingerprint of the key that signed.
    pub fingerprint: String,
}

impl std::fmt::Display for ErrorResponse {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}: {}", self.method.as_str(), self.path, self.status)?;
        if let Some(error) = &self.body.error {
            write!(formatter, " {}", brief(error))?;
        }
        if let Some(description) = &self.body.error_description {
            write!(formatter, " ({})", brief(description))?;
        }
        for (field, messages) in self.inputs.iter().take(MAX_FIELDS) {
            write!(formatter, "; {}: {}", brief(field), brief(&messages.join(", ")))?;
        }
        if let Some(more) = and_more(self.inputs.len(), MAX_FIELDS) {
            write!(formatter, "; {more} fields")?;
        }
        for advice in self.advice() {
            write!(formatter, "; {advice}")?;
        }
        if let Some(limit) = self.advice_on_limit() {
            write!(formatter, "; {limit}")?;
        }
        if let Some(NeededPermission { operation, permission }) = self.needed.filter(|_| !self.is_explained()) {
            write!(formatter, "; either the API key lacks {permission}, which {operation} needs")?;
            write!(formatter, ", or the state of the record or of the account forbids it")?;
        }
        if let Some(signed) = &self.signed {
            write!(formatter, " (fingerprint {})", signed.fingerprint)?;
        }
        if let Some(request_id) = &self.request_id {
            write!(formatter, " [request {}]", brief(request_id))?;
        }
        Ok(())
    }
}

/// The number of characters of each string of a body that the message repeats; the attributes of the error have all of it.
const MAX_TEXT_LENGTH: usize = 1_000;

/// The number of fields that the message lists.
const MAX_FIELDS: usize = 100;

fn brief(text: &str) -> String {
    one_line(text, MAX_TEXT_LENGTH)
}

impl ErrorResponse {
    /// Returns true if the request is a write that may have been applied despite the error.
    pub(super) fn may_have_applied(&self) -> bool {
        self.effect.writes() && may_have_applied(self.status)
    }

    /// Returns true if the response says why the request is forbidden: with words of its own, or as the page of a proxy.
    fn is_explained(&self) -> bool {
        let is_bare = matches!(self.body.error.as_deref(), None | Some("Forbidden"));
        self.from_intermediary || !is_bare || self.body.error_description.is_some()
    }

    /// Returns how long to send nothing, if the service refuses further requests.
    fn advice_on_limit(&self) -> Option<String> {
        let asked = self.retry_after.map(f64::ceil);
        match self.kind {
            ApiErrorKind::RateLimited => {
                let seconds = asked.unwrap_or(self.block.as_secs_f64()).max(1.0);
                Some(format!("wait {seconds} s before the next request: clients that continue get their IP banned"))
            }
            ApiErrorKind::IpBanned => {
                let time = asked.filter(|seconds| is_plausible_ban(*seconds)).map(|seconds| format!("{seconds} s"));
                let time = time.unwrap_or_else(|| "minutes to days".to_owned());
                Some(format!("this IP address is banned for {time}; stop sending requests"))
            }
            _ => None,
        }
    }

    fn advice(&self) -> impl Iterator<Item = &'static str> {
        let redirect = matches!(self.status, 300..400).then_some("redirects are not followed; check base_url");
        let unknown = self.may_have_applied().then_some("it may have been carried out; look before you repeat it");
        let is_about_key = self.kind == ApiErrorKind::Authentication;
        let of_kind = || if self.from_intermediary && is_about_key { None } else { advice(self.kind) };
        let intermediary = self.from_intermediary.then_some(
            "a proxy or content network in front of the service refused the request (the body is HTML, not JSON), so this is \
             not about the API key; check the proxy, the VPN and the IP address that you use",
        );
        let first = [redirect, unknown, intermediary].into_iter().flatten();
        first.chain((redirect.or(unknown).is_none()).then(of_kind).flatten())
    }
}

/// Returns true if a ban of this many seconds is plausible. The duration of a shorter one counts as unknown.
pub(crate) fn is_plausible_ban(seconds: f64) -> bool {
    seconds >= 1.0
}

/// Returns what to do about an error, if that is not obvious.
fn advice(kind: ApiErrorKind) -> Option<&'static str> {
    Some(match kind {
        ApiErrorKind::SignatureInvalid => {
            "check that the private key or the secret belongs to the API key: a self-generated key has a private key, a \
             system-generated one a secret"
        }
        ApiErrorKind::Authentication => {
            "check that the API key is spelled right, has not expired, and may be used from this IP address"
        }
        ApiErrorKind::InvalidApiKey => "the exchange rejects the API key of the account; connect the account again",
        ApiErrorKind::PlanRestricted => "the subscription plan does not include the request; waiting does not help",
        ApiErrorKind::RateLimited
        | ApiErrorKind::IpBanned
        | ApiErrorKind::RecordInvalid
        | ApiErrorKind::WrongParams
        | ApiErrorKind::Forbidden
        | ApiErrorKind::NotFound
        | ApiErrorKind::MarketApi
        | ApiErrorKind::Server
        | ApiErrorKind::Other => return None,
    })
}

/// The number of violations that the message of an error has. The error itself has all.
const MAX_SHOWN: usize = 20;

fn summary(violations: &[Violation]) -> String {
    let shown = violations.iter().take(MAX_SHOWN).map(|found| format!("{}: {}", found.field, found.message));
    let more = and_more(violations.len(), MAX_SHOWN);
    format!("validation failed: {}", shown.chain(more).collect::<Vec<_>>().join("; "))
}

fn conflict(changes: &[Change]) -> String {
    let each: Vec<String> = changes.iter().map(ToString::to_string).collect();
    format!(
        "the record has changed since the edit was made: {}; nothing was sent; refresh() the record and edit it \
         again, or apply(force=True) to overwrite this",
        each.join("; ")
    )
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Self::Validation(vec![violation])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_part_of_a_body_that_an_error_keeps_is_searched_for_secrets() {
        let mut searched = 0;
        let beginning = redacted_beginning("é".repeat(REDACTED_BYTES).as_bytes(), |text| {
            searched = text.len();
            text.to_owned()
        });
        assert_eq!((searched, beginning.len()), (REDACTED_BYTES, REDACTED_BYTES));
        let body = format!("{{\"secret\":\"top\",\"a\":\"{}", "é".repeat(REDACTED_BYTES));
        let kept = redact_and_truncate(&body);
        assert!(kept.starts_with("{\"secret\":\"<hidden>\",\"a\":\"é"));
        assert_eq!(kept.chars().count(), MAX_BODY_CHARS);
    }
}
