//! All that can go wrong on the road of a request.

use crate::service::endpoint::Method;
use crate::service::error::{ApiErrorKind, ErrorBody};
use crate::service::input::Violation;

use super::key::KeyError;

/// Why a call did not give what it promised.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// The key, the base address or an option can't be used.
    #[error("{0}")]
    Configuration(String),
    /// The inputs break rules; nothing was sent.
    #[error("{}", summary(.0))]
    Validation(Vec<Violation>),
    /// A successful answer is not what the document says.
    #[error("{message}")]
    Decode {
        /// What is wrong with it.
        message: String,
        /// Its text, secrets taken out.
        body: String,
    },
    /// No answer came.
    #[error("{message}")]
    Transport {
        /// How it failed.
        failure: TransportFailure,
        /// Whether the request may have arrived.
        sent: bool,
        /// What happened and what to do.
        message: String,
    },
    /// The service refused.
    #[error("{0}")]
    Api(Box<Refusal>),
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
pub struct Refusal {
    /// Which error it is.
    pub kind: ApiErrorKind,
    /// The status.
    pub status: u16,
    /// What the body says.
    pub said: ErrorBody,
    /// The text of the body, secrets taken out.
    pub body: String,
    /// What the service calls the request, to tell its support.
    pub request_id: Option<String>,
    /// After how many seconds the service wants to be asked again.
    pub retry_after: Option<f64>,
    /// How the request asked.
    pub method: Method,
    /// The path of the request, from `/public/api` on.
    pub path: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} {}: {}", self.method.as_str(), self.path, self.status)?;
        if let Some(error) = &self.said.error {
            write!(formatter, " {error}")?;
        }
        if let Some(description) = &self.said.error_description {
            write!(formatter, " ({description})")?;
        }
        for (field, messages) in &self.said.error_attributes {
            write!(formatter, "; {field}: {}", messages.join(", "))?;
        }
        if let Some(advice) = self.advice() {
            write!(formatter, "; {advice}")?;
        }
        if let Some(request_id) = &self.request_id {
            write!(formatter, " [request {request_id}]")?;
        }
        Ok(())
    }
}

impl Refusal {
    fn advice(&self) -> Option<&'static str> {
        match self.status {
            300..400 => Some("redirects are not followed; check base_url"),
            408 | 500.. if self.method.writes() => Some("it may have been carried out; look before you repeat it"),
            // Another sentence says itself what is forbidden.
            403 if !matches!(self.said.error.as_deref(), None | Some("Forbidden")) => None,
            _ => advice(self.kind),
        }
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

impl From<KeyError> for Error {
    fn from(error: KeyError) -> Self {
        Self::Configuration(error.to_string())
    }
}

impl From<Violation> for Error {
    fn from(violation: Violation) -> Self {
        Self::Validation(vec![violation])
    }
}
