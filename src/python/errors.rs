//! The core's errors as Python exceptions.

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::client::error::{Error, Refusal, TransportFailure};
use crate::client::key::KeyError;
use crate::service::error::ApiErrorKind;
use crate::service::input::Violation;
use crate::service::record::{NotARecord, Unreadable};

/// The module that defines the classes.
const MODULE: &str = "botdesk.errors";

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        Python::attach(|py| raised(py, &error).unwrap_or_else(|failure| failure))
    }
}

impl From<Unreadable> for PyErr {
    fn from(unreadable: Unreadable) -> Self {
        Python::attach(|py| {
            let details =
                [("record", unreadable.record), ("field", unreadable.field), ("text", unreadable.text.as_str())];
            let made = details
                .into_py_dict(py)
                .and_then(|details| exception(py, "DecodeError", &unreadable.to_string(), &details));
            made.unwrap_or_else(|failure| failure)
        })
    }
}

impl From<NotARecord> for PyErr {
    fn from(error: NotARecord) -> Self {
        Error::Decode { message: error.to_string(), body: String::new() }.into()
    }
}

impl From<KeyError> for PyErr {
    fn from(error: KeyError) -> Self {
        Error::from(error).into()
    }
}

impl From<Violation> for PyErr {
    fn from(violation: Violation) -> Self {
        Error::from(violation).into()
    }
}

fn raised(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    let class = match error {
        Error::Configuration(_) => "ConfigurationError",
        Error::Validation(violations) => {
            details.set_item("errors", by_field(py, violations)?)?;
            "ValidationError"
        }
        Error::Decode { body, .. } => {
            details.set_item("body", body)?;
            "DecodeError"
        }
        Error::Transport { failure, sent, .. } => {
            details.set_item("sent", sent)?;
            transport_class(*failure)
        }
        Error::Api(refusal) => return refused(py, refusal),
    };
    exception(py, class, &error.to_string(), &details)
}

fn transport_class(failure: TransportFailure) -> &'static str {
    match failure {
        TransportFailure::Connection => "ConnectionFailedError",
        TransportFailure::Timeout => "RequestTimeoutError",
        TransportFailure::OutcomeUnknown => "OutcomeUnknownError",
        TransportFailure::Broken => "TransportError",
    }
}

fn api_class(kind: ApiErrorKind) -> &'static str {
    match kind {
        ApiErrorKind::RecordInvalid => "RecordInvalidError",
        ApiErrorKind::WrongParams => "WrongParamsError",
        ApiErrorKind::SignatureInvalid => "SignatureInvalidError",
        ApiErrorKind::Authentication => "AuthenticationError",
        ApiErrorKind::Forbidden => "ForbiddenError",
        ApiErrorKind::NotFound => "NotFoundError",
        ApiErrorKind::InvalidApiKey => "InvalidApiKeyError",
        ApiErrorKind::MarketApi => "MarketApiError",
        ApiErrorKind::RateLimited => "RateLimitedError",
        ApiErrorKind::PlanRestricted => "PlanRestrictedError",
        ApiErrorKind::IpBanned => "IpBannedError",
        ApiErrorKind::Server => "ServerError",
        ApiErrorKind::Other => "ApiError",
    }
}

fn refused(py: Python<'_>, refusal: &Refusal) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    details.set_item("status", refusal.status)?;
    details.set_item("error", &refusal.said.error)?;
    details.set_item("error_description", &refusal.said.error_description)?;
    details.set_item("error_attributes", refusal.said.error_attributes.iter().cloned().into_py_dict(py)?)?;
    details.set_item("request_id", &refusal.request_id)?;
    details.set_item("method", refusal.method.as_str())?;
    details.set_item("path", &refusal.path)?;
    details.set_item("body", &refusal.body)?;
    let exception = exception(py, api_class(refusal.kind), &refusal.to_string(), &details)?;
    if matches!(refusal.kind, ApiErrorKind::RateLimited | ApiErrorKind::IpBanned) {
        exception.value(py).setattr("retry_after", refusal.retry_after)?;
    }
    Ok(exception)
}

fn by_field<'py>(py: Python<'py>, violations: &[Violation]) -> PyResult<Bound<'py, PyDict>> {
    let mut fields: Vec<(&str, Vec<&str>)> = Vec::new();
    for Violation { field, message } in violations {
        match fields.iter_mut().find(|(name, _)| name == field) {
            Some((_, messages)) => messages.push(message),
            None => fields.push((field, vec![message])),
        }
    }
    fields.into_py_dict(py)
}

fn exception(py: Python<'_>, class: &str, message: &str, details: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let class = py.import(MODULE)?.getattr(class)?;
    Ok(PyErr::from_value(class.call((message,), Some(details))?))
}
