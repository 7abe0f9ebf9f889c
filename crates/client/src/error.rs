//! All that can go wrong on the road of a request.

use std::borrow::Cow;
use std::time::Duration;

use botdesk_api::endpoint::Method;
use botdesk_api::error::{ApiErrorKind, ErrorBody, may_have_applied};
use botdesk_api::input::{Change, Violation};
use botdesk_api::secrets::without_secrets;

/// Why a call did not give what it promised.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The key, the base address or an option can't be used.
    #[error("{0}")]
    Configuration(String),
    /// The inputs break rules; nothing was sent.
    #[error("{}", summary(.0))]
    Validation(Vec<Violation>),
    /// The record has changed since the edit was drawn up; nothing was sent.
    #[error("{}", conflict(.0))]
    Conflict(Vec<Change>),
    /// A successful answer is not what the document says.
    #[error("{message}")]
    Decode {
        /// What is wrong with it.
        message: String,
        /// Its text, secrets taken out.
        body: String,
        /// How the request asked; None where no request stands behind it.
        method: Option<Method>,
    },
    /// No answer came, or none that tells what became of a write.
    #[error("{message}{}", attempts.summary(*failure))]
    Transport {
        /// How it failed.
        failure: TransportFailure,
        /// Whether the request may have arrived.
        sent: bool,
        /// What happened in the last attempt and what to do.
        message: String,
        /// The attempts that were made.
        attempts: Attempts,
        /// What was asked, where it may have been carried out.
        write: Option<Box<UnknownWrite>>,
    },
    /// The call was not sent, so as not to be refused.
    #[error("{message}")]
    Throttled {
        /// Which refusal it would have been.
        kind: ApiErrorKind,
        /// After how long it may be sent.
        wait: Duration,
        /// Why, and what to do.
        message: String,
    },
    /// The service refused.
    #[error("{0}")]
    Api(Box<ErrorResponse>),
}

/// How many characters of a body an error keeps.
const KEPT_BODY: usize = 64 * 1024;

/// How many bytes of a body are searched for secrets before it is kept: no character is longer than four.
pub(super) const LOOKED_AT: usize = 4 * KEPT_BODY;

/// Returns the beginning of a body, as errors keep it.
pub(super) fn kept(body: &str) -> String {
    body.chars().take(KEPT_BODY).collect()
}

/// Returns the beginning of a body without secrets; `redact` gets no more than an error keeps of any text.
pub(super) fn redacted_beginning(body: &[u8], redact: impl FnOnce(&str) -> String) -> String {
    redact(&String::from_utf8_lossy(body.get(..LOOKED_AT).unwrap_or(body)))
}

/// Returns the beginning of a body, as errors keep it, without the values of secret fields.
pub fn kept_without_secrets(body: &str) -> String {
    kept(&redacted_beginning(body.as_bytes(), without_secrets))
}

/// A write whose outcome is unknown.
#[derive(Clone, Debug)]
pub struct UnknownWrite {
    /// What the operation is called, such as `dca_bots.edit`.
    pub operation: String,
    /// How the request asks.
    pub method: Method,
    /// Its path, from `/public/api` on.
    pub path: String,
    /// Its body, secrets taken out.
    pub body: Option<String>,
    /// The response, if one came whose status leaves the outcome open.
    pub response: Option<ErrorResponse>,
}

impl Error {
    /// A failure without an answer.
    pub(super) fn transport(failure: TransportFailure, sent: bool, message: String) -> Self {
        Self::Transport { failure, sent, message, attempts: Attempts::default(), write: None }
    }

    /// Which refusal it is; None where the service did not refuse.
    pub fn kind(&self) -> Option<ApiErrorKind> {
        match self {
            Self::Api(refusal) => Some(refusal.kind),
            _ => None,
        }
    }

    /// The status of the response, unless it is a success; None if none came.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Api(refusal) => Some(refusal.status),
            Self::Transport { write: Some(write), .. } => write.response.as_ref().map(|response| response.status),
            _ => None,
        }
    }

    /// Whether a write may have been carried out.
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::Transport { failure: TransportFailure::OutcomeUnknown, .. })
    }

    /// Whether a write that failed so may have been carried out, so that it must not be sent again unseen.
    pub fn may_have_applied(&self) -> bool {
        match self {
            Self::Transport { .. } => self.is_outcome_unknown(),
            // A success that can't be read.
            Self::Decode { .. } => true,
            Self::Api(refusal) => refusal.may_have_applied(),
            Self::Configuration(_) | Self::Validation(_) | Self::Conflict(_) | Self::Throttled { .. } => false,
        }
    }

    /// Whether the service keeps this client out, so that no other request can succeed either.
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::Configuration(_) => true,
            Self::Throttled { kind, .. } => kind.is_fatal(),
            other => other.kind().is_some_and(ApiErrorKind::is_fatal),
        }
    }

    /// How far the request came.
    pub(super) fn delivery(&self) -> Delivery {
        match self {
            Self::Transport { sent: false, .. } => Delivery::NotSent,
            other if other.kind() == Some(ApiErrorKind::RateLimited) => Delivery::RateLimited,
            _ => Delivery::Possible,
        }
    }

    /// Returns the error of attempt number `count`, given how far the attempts before it came.
    pub(super) fn after(mut self, count: u32, earlier: Delivery) -> Self {
        if let Self::Transport { sent, attempts, .. } = &mut self {
            *sent |= earlier == Delivery::Possible;
            *attempts = Attempts { count, earlier };
        }
        self
    }
}

/// How far a failed request came, the furthest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Delivery {
    /// Nothing was sent.
    NotSent,
    /// The service refused to read it because of the rate limit.
    RateLimited,
    /// It may have arrived.
    Possible,
}

/// The attempts of a request up to the one whose error this is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempts {
    count: u32,
    /// How far the attempts before the last one came.
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
            Delivery::RateLimited => format!("{tried}, and the service refused an earlier attempt (429)"),
            Delivery::Possible => format!("{tried}, and an earlier attempt may have arrived"),
        }
    }
}

/// How a request failed without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportFailure {
    /// There was no connection.
    Connection,
    /// It took too long.
    Timeout,
    /// A write may have happened.
    OutcomeUnknown,
    /// The connection broke.
    Broken,
}

/// A refusal of the service.
#[derive(Clone, Debug)]
pub struct ErrorResponse {
    /// Which error it is.
    pub kind: ApiErrorKind,
    /// The status.
    pub status: u16,
    /// The parsed body, secrets redacted.
    pub body: ErrorBody,
    /// The body as a string, secrets redacted.
    pub raw_body: String,
    /// What the service calls the request, to tell its support.
    pub request_id: Option<String>,
    /// After how many seconds the service wants to be asked again.
    pub retry_after: Option<f64>,
    /// How the request asked.
    pub method: Method,
    /// The path of the request, from `/public/api` on.
    pub path: String,
    /// What was signed, where the service finds the signature invalid.
    pub signed: Option<SignedWith>,
}

/// What was signed, and by which key.
#[derive(Clone, Debug)]
pub struct SignedWith {
    /// The signature payload, secrets taken out.
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
        for (field, messages) in self.body.error_attributes.iter().take(MOST_FIELDS) {
            write!(formatter, "; {}: {}", brief(field), brief(&messages.join(", ")))?;
        }
        if let Some(more) = self.body.error_attributes.len().checked_sub(MOST_FIELDS).filter(|more| *more > 0) {
            write!(formatter, "; and {more} more fields")?;
        }
        for advice in self.advice() {
            write!(formatter, "; {advice}")?;
        }
        if let Some(signed) = &self.signed {
            write!(formatter, " (fingerprint {})", signed.fingerprint)?;
        }
        if let Some(request_id) = &self.request_id {
            write!(formatter, " [request {request_id}]")?;
        }
        Ok(())
    }
}

/// How many characters of each text of a refusal its message repeats; the error's attributes have all of it.
const LONGEST_TEXT: usize = 1_000;

/// How many fields the message of a refusal names.
const MOST_FIELDS: usize = 100;

fn brief(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

impl ErrorResponse {
    /// Whether it answers a write that may have been carried out all the same.
    pub(super) fn may_have_applied(&self) -> bool {
        self.method.writes() && may_have_applied(self.status)
    }

    fn advice(&self) -> impl Iterator<Item = &'static str> {
        let redirect = matches!(self.status, 300..400).then_some("redirects are not followed; check base_url");
        let unknown = self.may_have_applied().then_some("it may have been carried out; look before you repeat it");
        // Another sentence says itself what is forbidden.
        let is_explained = self.status == 403 && !matches!(self.body.error.as_deref(), None | Some("Forbidden"));
        let of_kind = || if is_explained { None } else { advice(self.kind) };
        [redirect, unknown].into_iter().flatten().chain((redirect.or(unknown).is_none()).then(of_kind).flatten())
    }
}

/// What to do about a refusal, where it is not plain.
fn advice(kind: ApiErrorKind) -> Option<&'static str> {
    Some(match kind {
        ApiErrorKind::SignatureInvalid => "check that the service knows the public half of the private key given",
        ApiErrorKind::Authentication => {
            "check that the API key is spelled right, has not expired, and may be used from this address"
        }
        ApiErrorKind::Forbidden => "check that the API key has the permission that the request needs",
        ApiErrorKind::InvalidApiKey => "the exchange refuses the API key of the account; connect the account again",
        ApiErrorKind::RateLimited => "wait before the next request: going on gets the address banned",
        ApiErrorKind::PlanRestricted => "the subscription plan does not include the request; waiting does not help",
        ApiErrorKind::IpBanned => "the address is banned for a while, from minutes to days; stop asking",
        ApiErrorKind::RecordInvalid
        | ApiErrorKind::WrongParams
        | ApiErrorKind::NotFound
        | ApiErrorKind::MarketApi
        | ApiErrorKind::Server
        | ApiErrorKind::Other => return None,
    })
}

fn summary(violations: &[Violation]) -> String {
    let each: Vec<String> = violations.iter().map(|found| format!("{}: {}", found.field, found.message)).collect();
    format!("refused before sending: {}", each.join("; "))
}

fn conflict(moved: &[Change]) -> String {
    let each: Vec<String> = moved.iter().map(ToString::to_string).collect();
    format!(
        "the record has changed since the edit was drawn up: {}; nothing was sent; refresh() the record and edit it \
         again, or apply(force=True) to set this back",
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
    fn only_what_an_error_may_keep_of_a_body_is_searched_for_secrets() {
        let mut searched = 0;
        let beginning = redacted_beginning("é".repeat(LOOKED_AT).as_bytes(), |text| {
            searched = text.len();
            text.to_owned()
        });
        assert_eq!((searched, beginning.len()), (LOOKED_AT, LOOKED_AT));
        let body = format!("{{\"secret\":\"top\",\"a\":\"{}", "é".repeat(LOOKED_AT));
        let kept = kept_without_secrets(&body);
        assert!(kept.starts_with("{\"secret\":\"<hidden>\",\"a\":\"é"));
        assert_eq!(kept.chars().count(), KEPT_BODY);
    }
}
