//! The core's errors as Python exceptions.

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

use crate::exceptions::exception_or_failure;
use crate::raise::IntoPyErr;
use crate::runtime::active_calls::ActiveCall;
use crate::to_python::input_value;
use botdesk_client::credentials::private_key::KeyError;
use botdesk_client::error::{Error, ErrorResponse, TransportFailure};
use botdesk_planning::error::PlanError;
use botdesk_recording::RecordingError;
use botdesk_schema::error::ApiErrorKind;
use botdesk_schema::input::{Change, Violation};
use botdesk_schema::key_text::shown_message;
use botdesk_schema::method::Method;
use botdesk_schema::record::{DecodeError, FieldError};

/// The module that defines the classes.
const MODULE: &str = "botdesk.errors";

impl IntoPyErr for Error {
    fn into_py_err(self) -> PyErr {
        let error = self;
        Python::attach(|py| {
            let _call = ActiveCall::start(py);
            exception_or_failure(raised(py, &error))
        })
    }
}

impl IntoPyErr for RecordingError {
    fn into_py_err(self) -> PyErr {
        let error = self;
        let raised = |py: Python<'_>| exception(py, "RecordingError", &error.to_string(), &PyDict::new(py));
        Python::attach(|py| exception_or_failure(raised(py)))
    }
}

impl IntoPyErr for FieldError {
    fn into_py_err(self) -> PyErr {
        let error = self;
        Python::attach(|py| exception_or_failure(field_error(py, &error, &error.to_string())))
    }
}

impl IntoPyErr for PlanError {
    fn into_py_err(self) -> PyErr {
        let error = self;
        let message = error.to_string();
        match error {
            PlanError::Values(violations) => Error::Validation(violations).into_py_err(),
            PlanError::Field { field, .. } => {
                Python::attach(|py| exception_or_failure(field_error(py, &field, &message)))
            }
        }
    }
}

fn field_error(py: Python<'_>, field: &FieldError, message: &str) -> PyResult<PyErr> {
    let details = [("record", field.record), ("field", field.field), ("text", field.text.as_str())];
    exception(py, "DecodeError", message, &details.into_py_dict(py)?)
}

impl IntoPyErr for DecodeError {
    fn into_py_err(self) -> PyErr {
        let error = self;
        Error::Decode { message: error.to_string(), body: String::new(), method: None, request_id: None }.into_py_err()
    }
}

impl IntoPyErr for KeyError {
    fn into_py_err(self) -> PyErr {
        let error = self;
        Error::from(error).into_py_err()
    }
}

impl IntoPyErr for Violation {
    fn into_py_err(self) -> PyErr {
        let violation = self;
        Error::from(violation).into_py_err()
    }
}

fn raised(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    let class = match error {
        Error::Configuration(_) | Error::Closed(_) => "ConfigurationError",
        Error::Validation(violations) => {
            details.set_item("errors", by_field(py, violations)?)?;
            "ValidationError"
        }
        Error::Conflict(changes) => {
            details.set_item("fields", changed_fields(py, changes)?)?;
            "EditConflictError"
        }
        Error::Decode { body, method, request_id, .. } => {
            details.set_item("body", body)?;
            details.set_item("request_id", request_id)?;
            details.set_item("method", method.map(Method::as_str))?;
            "DecodeError"
        }
        Error::Transport { failure, sent, write, .. } => {
            details.set_item("sent", sent)?;
            if let Some(write) = write {
                details.set_item("operation", &write.operation)?;
                details.set_item("method", write.method.as_str())?;
                details.set_item("path", &write.path)?;
                details.set_item("body", &write.body)?;
                if let Some(response) = &write.response {
                    details.set_item("status", response.status)?;
                    details.set_item("response_body", &response.raw_body)?;
                    details.set_item("request_id", &response.request_id)?;
                }
            }
            transport_class(*failure)
        }
        Error::Throttled { kind, wait, .. } => return throttled(py, *kind, wait.as_secs_f64(), &error.to_string()),
        Error::Api(response) => return error_response(py, response),
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

/// Returns the error of a request that was not sent because of the rate limit or a ban.
fn throttled(py: Python<'_>, kind: ApiErrorKind, wait: f64, message: &str) -> PyResult<PyErr> {
    let exception = exception(py, api_class(kind), message, &PyDict::new(py))?;
    exception.value(py).setattr("retry_after", wait)?;
    Ok(exception)
}

fn error_response(py: Python<'_>, response: &ErrorResponse) -> PyResult<PyErr> {
    let details = PyDict::new(py);
    details.set_item("status", response.status)?;
    details.set_item("error", &response.body.error)?;
    details.set_item("error_description", &response.body.error_description)?;
    details.set_item("error_attributes", response.body.error_attributes.iter().cloned().into_py_dict(py)?)?;
    details.set_item("inputs", response.inputs.iter().cloned().into_py_dict(py)?)?;
    details.set_item("exception_class", response.body.exception_class())?;
    details.set_item("request_id", &response.request_id)?;
    details.set_item("method", response.method.as_str())?;
    details.set_item("path", &response.path)?;
    details.set_item("body", &response.raw_body)?;
    let exception = exception(py, api_class(response.kind), &response.to_string(), &details)?;
    if matches!(response.kind, ApiErrorKind::RateLimited | ApiErrorKind::IpBanned) {
        exception.value(py).setattr("retry_after", response.retry_after)?;
    }
    if let Some(signed) = &response.signed {
        exception.value(py).setattr("payload", &signed.payload)?;
        exception.value(py).setattr("fingerprint", &signed.fingerprint)?;
    }
    Ok(exception)
}

/// Returns the fields that were changed by others, each with its old and its new value.
fn changed_fields<'py>(py: Python<'py>, changes: &[Change]) -> PyResult<Bound<'py, PyDict>> {
    let fields = PyDict::new(py);
    for Change { name, input_type, old, new } in changes {
        fields.set_item(
            name,
            (input_value(py, *input_type, old.as_ref())?, input_value(py, *input_type, new.as_ref())?),
        )?;
    }
    Ok(fields)
}

fn by_field<'py>(py: Python<'py>, violations: &[Violation]) -> PyResult<Bound<'py, PyDict>> {
    let mut fields: Vec<(&str, Vec<String>)> = Vec::new();
    for Violation { field, message, .. } in violations {
        let message = shown_message(message);
        match fields.iter_mut().find(|(name, _)| name == field) {
            Some((_, messages)) => messages.push(message),
            None => fields.push((field, vec![message])),
        }
    }
    fields.into_py_dict(py)
}

/// Returns an exception. Its message may have text of the service, or a key that was passed in place of something else.
fn exception(py: Python<'_>, class: &str, message: &str, details: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let class = py.import(MODULE)?.getattr(class)?;
    Ok(PyErr::from_value(class.call((shown_message(message),), Some(details))?))
}
