//! Failures of Python code, handled so that Ctrl-C is never lost.
//!
//! A signal handler runs inside of the Python code that runs next, and `str()` checks for signals as well. So any call into Python
//! may raise `KeyboardInterrupt`, however harmless it looks. Only an `Exception` may be handled here. `KeyboardInterrupt`,
//! `SystemExit`, `GeneratorExit` and `asyncio.CancelledError` are not `Exception`s, and are raised to the caller.
//!
//! Only this file handles a `PyErr`; all other code of the binding calls it. Clippy forbids the methods of `Result` that drop or
//! replace an error, because they accept a `PyErr` like any other. `RustResult` has versions that do not compile with one.

use crate::raise::IntoPyErr;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

use botdesk_client::error::Error;
use botdesk_planning::error::PlanError;
use botdesk_recording::RecordingError;
use botdesk_sandbox::{PlaybackError, PublicKeyError, StateFileError};
use botdesk_schema::input::Violation;
use botdesk_schema::json::Malformed;
use botdesk_schema::record::FieldError;
use botdesk_trading::candles::CandlesError;

/// The reason why an argument can't be used.
pub(super) enum ArgumentError {
    /// The message for the caller.
    Invalid(String),
    /// An exception that is not an `Exception`; it is raised unchanged.
    Raised(PyErr),
}

impl From<PyErr> for ArgumentError {
    fn from(error: PyErr) -> Self {
        Python::attach(|py| match catch(py, error).and_then(|exception| message(py, &exception)) {
            Ok(message) => Self::Invalid(message),
            Err(raised) => Self::Raised(raised),
        })
    }
}

impl From<String> for ArgumentError {
    fn from(message: String) -> Self {
        Self::Invalid(message)
    }
}

impl From<&str> for ArgumentError {
    fn from(message: &str) -> Self {
        Self::Invalid(message.to_owned())
    }
}

impl ArgumentError {
    /// Returns the error with the name of the argument before its message.
    pub(super) fn of(self, name: &str) -> Self {
        match self {
            Self::Invalid(message) => Self::Invalid(format!("{name}: {message}")),
            raised @ Self::Raised(_) => raised,
        }
    }
}

/// Keeps what Python raised, such as Ctrl-C or the error of a generator: it is not about the argument.
pub(super) trait OrRaised<T> {
    /// Returns the error as one to raise unchanged.
    fn or_raised(self) -> Result<T, ArgumentError>;
}

impl<T> OrRaised<T> for PyResult<T> {
    #[allow(clippy::disallowed_methods, reason = "the error is kept")]
    fn or_raised(self) -> Result<T, ArgumentError> {
        self.map_err(ArgumentError::Raised)
    }
}

/// Raises the exception of an argument that is not an `Exception`; keeps the message of one that can't be used.
pub(super) fn raise_or_keep<T>(result: Result<T, ArgumentError>) -> PyResult<Result<T, String>> {
    match result {
        Ok(value) => Ok(Ok(value)),
        Err(ArgumentError::Invalid(message)) => Ok(Err(message)),
        Err(ArgumentError::Raised(error)) => Err(error),
    }
}

/// Returns an `Exception`, for the caller to handle; raises any other exception.
pub(super) fn catch(py: Python<'_>, error: PyErr) -> PyResult<PyErr> {
    if error.is_instance_of::<PyException>(py) { Ok(error) } else { Err(error) }
}

/// Ways to handle an `Exception`, as `except Exception` does; any other exception is raised.
pub(super) trait CatchException<T> {
    /// Returns None for an `Exception`.
    fn none_if_exception(self, py: Python<'_>) -> PyResult<Option<T>>;

    /// Replaces an `Exception` by another message.
    fn or_invalid(self, py: Python<'_>, message: impl FnOnce() -> String) -> Result<T, ArgumentError>;

    /// Replaces an `Exception` by its message.
    fn or_message(self) -> PyResult<Result<T, String>>;

    /// Replaces an `Exception` by another error.
    fn or_raise<E: IntoPyErr>(self, py: Python<'_>, error: impl FnOnce() -> E) -> PyResult<T>;

    /// Passes an `Exception` to `sys.unraisablehook`, and returns None.
    fn or_unraisable(self, py: Python<'_>, object: Option<&Bound<'_, PyAny>>) -> PyResult<Option<T>>;
}

impl<T> CatchException<T> for PyResult<T> {
    fn none_if_exception(self, py: Python<'_>) -> PyResult<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(error) => catch(py, error).map(|_| None),
        }
    }

    fn or_invalid(self, py: Python<'_>, message: impl FnOnce() -> String) -> Result<T, ArgumentError> {
        match self.none_if_exception(py) {
            Ok(value) => value.ok_or_else(|| ArgumentError::Invalid(message())),
            Err(raised) => Err(ArgumentError::Raised(raised)),
        }
    }

    fn or_message(self) -> PyResult<Result<T, String>> {
        match self {
            Ok(value) => Ok(Ok(value)),
            Err(error) => raise_or_keep(Err(error.into())),
        }
    }

    fn or_raise<E: IntoPyErr>(self, py: Python<'_>, error: impl FnOnce() -> E) -> PyResult<T> {
        self.none_if_exception(py)?.ok_or_else(|| error().into_py_err())
    }

    #[allow(clippy::disallowed_methods, reason = "it is an Exception")]
    fn or_unraisable(self, py: Python<'_>, object: Option<&Bound<'_, PyAny>>) -> PyResult<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                catch(py, error)?.write_unraisable(py, object);
                Ok(None)
            }
        }
    }
}

/// Repeats an exception such as that of Ctrl-C where none can be raised: the code that runs next is interrupted.
pub(super) fn interrupt_later(py: Python<'_>, raised: &PyErr) {
    let interrupted = py.import("_thread").and_then(|thread| thread.call_method0("interrupt_main"));
    // If Ctrl-C comes again meanwhile, one of the two is enough.
    let (Ok(_) | Err(_)) = interrupted.or_unraisable(py, Some(raised.value(py).as_any()));
}

/// Returns an error of the core as an exception object. If a signal handler raises an exception at that time, it is raised instead.
pub(super) fn exception_object(py: Python<'_>, error: impl IntoPyErr) -> PyResult<Bound<'_, PyAny>> {
    Ok(catch(py, error.into_py_err())?.into_value(py).into_bound(py).into_any())
}

/// Returns the exception that was made, or the one that was raised while making it.
pub(super) fn exception_or_failure(made: PyResult<PyErr>) -> PyErr {
    match made {
        Ok(exception) | Err(exception) => exception,
    }
}

/// Returns `str(object)`. `Display` of an object would only print an exception.
#[allow(clippy::disallowed_methods, reason = "what it raises is returned")]
pub(super) fn str_of(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.str()?.to_string_lossy().into_owned())
}

/// Returns `repr(object)`.
#[allow(clippy::disallowed_methods, reason = "what it raises is returned")]
pub(super) fn repr_of(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.repr()?.to_string_lossy().into_owned())
}

/// Returns the name of the type of an object.
pub(super) fn type_name(object: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(object.get_type().name()?.to_string_lossy().into_owned())
}

/// Returns the name of an exception's type and its message, like the last line of a traceback.
fn message(py: Python<'_>, exception: &PyErr) -> PyResult<String> {
    let value = exception.value(py);
    let name = type_name(value)?;
    let text = str_of(value).none_if_exception(py)?;
    Ok(format!("{name}: {}", text.as_deref().unwrap_or("<exception str() failed>")))
}

/// An error that no Python code raised, so that it may be dropped or replaced.
pub(super) trait RustError {}

macro_rules! rust_errors {
    ($($error:ty,)*) => {
        $(impl RustError for $error {})*
    };
}

rust_errors! {
    // The core.
    CandlesError, Error, Malformed, RecordingError, FieldError, PlaybackError, PublicKeyError, StateFileError, Violation, Vec<Violation>,
    &'static str, String, (),
    // Rust and its libraries.
    std::convert::Infallible, std::env::VarError, std::fmt::Error, std::io::Error, std::num::ParseIntError, std::num::TryFromIntError,
    std::time::TryFromFloatSecsError, jiff::Error, serde_json::Error, arrow_schema::ArrowError,
    std::sync::mpsc::RecvError, std::sync::mpsc::RecvTimeoutError, std::sync::mpsc::TryRecvError, tokio::task::JoinError,
    tokio::time::error::Elapsed, botdesk_trading::backtest::Interrupted, bigdecimal::ParseBigDecimalError, PlanError,
}

impl<T> RustError for std::sync::TryLockError<T> {}
impl<T> RustError for std::sync::mpsc::SendError<T> {}
impl<T> RustError for tokio::sync::mpsc::error::SendError<T> {}

/// Methods of `Result` for errors that no Python code raised.
pub(super) trait RustResult<T, E> {
    /// Drops the error, as `Result::ok` does.
    fn rust_ok(self) -> Option<T>;

    /// Replaces the error, as `Result::map_err` does.
    fn map_rust_err<F>(self, replace: impl FnOnce(E) -> F) -> Result<T, F>;
}

impl<T, E: RustError> RustResult<T, E> for Result<T, E> {
    #[allow(clippy::disallowed_methods, reason = "no Python code raised the error")]
    fn rust_ok(self) -> Option<T> {
        self.ok()
    }

    #[allow(clippy::disallowed_methods, reason = "no Python code raised the error")]
    fn map_rust_err<F>(self, replace: impl FnOnce(E) -> F) -> Result<T, F> {
        self.map_err(replace)
    }
}
