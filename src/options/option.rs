//! The types of options, each of which is read from Python, checked and converted back.

use std::path::PathBuf;
use std::time::Duration;

use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::limits::RateLimit;
use super::retry_policy::RetryPolicy;
use super::seconds::positive;
use crate::arguments::{FilePath, integer_option, read_float, read_integer};
use crate::exceptions::RustResult;
use crate::hints::{hint, input_type};
use crate::protocols::cast;
use crate::runtime::hooks::Hook;
use botdesk_client::credentials::stored::mode_named;
use botdesk_client::error::Error;
use botdesk_client::http::retry;
use botdesk_client::rate_limit;
use botdesk_client::request::stream_url::StreamUrl;
use botdesk_schema::mode::Mode;

/// A type that holds an option of a client.
pub(crate) trait ClientOption: Sized {
    /// The type of the argument in the stub, apart from None.
    #[cfg(feature = "stubs")]
    const HINT: pyo3::inspect::PyStaticExpr;

    /// True if None is a value; otherwise None means that the option was left out.
    const NONE_IS_A_VALUE: bool = false;

    /// An argument of the right Python type. Errors of its value name the option, which pyo3 does not pass to `read`.
    type Value;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self::Value>;

    fn check(name: &str, argument: Self::Value) -> Result<Self, Error>;

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;
}

/// An option as a caller passed it, or left it out.
pub(crate) struct OptionArgument<T: ClientOption>(Option<T::Value>);

impl<T: ClientOption> OptionArgument<T> {
    /// Returns an option that was left out.
    pub(crate) fn left_out() -> Self {
        Self(None)
    }

    /// Checks the option and stores it; one that was left out changes nothing.
    pub(crate) fn apply(self, name: &str, value: &mut T) -> Result<(), Error> {
        if let Some(argument) = self.0 {
            *value = T::check(name, argument)?;
        }
        Ok(())
    }
}

impl<'py, T: ClientOption> FromPyObject<'_, 'py> for OptionArgument<T> {
    type Error = PyErr;

    input_type!(type_hint_union!(T::HINT, NONE));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_none() && !T::NONE_IS_A_VALUE {
            return Ok(Self::left_out());
        }
        T::read(&given).map(|argument| Self(Some(argument)))
    }
}

impl ClientOption for Duration {
    hint!(type_hint_union!(FLOAT, INT));

    type Value = f64;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<f64> {
        read_float(given)
    }

    fn check(name: &str, seconds: f64) -> Result<Self, Error> {
        positive(name, seconds)
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_secs_f64().into_bound_py_any(py)
    }
}

impl ClientOption for usize {
    hint!(INT);

    type Value = i128;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<i128> {
        read_integer(given)
    }

    fn check(name: &str, number: i128) -> Result<Self, Error> {
        integer_option(name, number)
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.into_bound_py_any(py)
    }
}

impl ClientOption for bool {
    hint!(BOOL);

    type Value = Self;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        given.extract()
    }

    fn check(_: &str, argument: Self) -> Result<Self, Error> {
        Ok(argument)
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.into_bound_py_any(py)
    }
}

/// A retry policy, or the highest number of retries.
pub(crate) enum Retries {
    Policy(retry::RetryPolicy),
    AtMost(i128),
}

impl ClientOption for retry::RetryPolicy {
    hint!(type_hint_union!(RetryPolicy::TYPE_HINT, INT));

    type Value = Retries;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<Retries> {
        match cast::<RetryPolicy>(given) {
            Some(policy) => Ok(Retries::Policy(policy.get().0)),
            None => read_integer(given).map(Retries::AtMost),
        }
    }

    fn check(name: &str, retries: Retries) -> Result<Self, Error> {
        match retries {
            Retries::Policy(policy) => Ok(policy),
            Retries::AtMost(number) => Ok(Self { retries: integer_option(name, number)?, ..Self::default() }),
        }
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        RetryPolicy(*self).into_bound_py_any(py)
    }
}

impl ClientOption for Option<rate_limit::RateLimitOption> {
    hint!(RateLimit::TYPE_HINT);

    const NONE_IS_A_VALUE: bool = true;

    type Value = Self;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let limit: Option<Bound<'_, RateLimit>> = given.extract()?;
        Ok(limit.map(|limit| limit.get().0.clone()))
    }

    fn check(_: &str, argument: Self) -> Result<Self, Error> {
        Ok(argument)
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.clone().map(RateLimit).into_bound_py_any(py)
    }
}

impl ClientOption for Option<u32> {
    hint!(INT);

    type Value = i128;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<i128> {
        read_integer(given)
    }

    fn check(name: &str, number: i128) -> Result<Self, Error> {
        integer_option(name, number).map(Some)
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.into_bound_py_any(py)
    }
}

impl ClientOption for Option<Mode> {
    hint!(Literal::<Mode>::HINT);

    const NONE_IS_A_VALUE: bool = true;

    type Value = Option<String>;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
        given.extract()
    }

    fn check(name: &str, argument: Option<String>) -> Result<Self, Error> {
        argument.map(|mode| mode_named(name, &mode)).transpose()
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.map(Mode::as_str).into_bound_py_any(py)
    }
}

impl ClientOption for Option<PathBuf> {
    hint!(type_hint_union!(STR, PATH));

    type Value = FilePath;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<FilePath> {
        given.extract()
    }

    fn check(_: &str, FilePath(path): FilePath) -> Result<Self, Error> {
        // A client may be pickled for a process with another working directory.
        Ok(Some(std::path::absolute(&path).rust_ok().unwrap_or(path)))
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_ref().into_bound_py_any(py)
    }
}

impl ClientOption for Option<String> {
    hint!(STR);

    type Value = String;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<String> {
        given.extract()
    }

    fn check(_: &str, argument: String) -> Result<Self, Error> {
        Ok(Some(argument))
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_ref().into_bound_py_any(py)
    }
}

impl ClientOption for Option<StreamUrl> {
    hint!(STR);

    type Value = String;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<String> {
        given.extract()
    }

    fn check(_: &str, argument: String) -> Result<Self, Error> {
        StreamUrl::parse(&argument).map(Some)
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_ref().map(ToString::to_string).into_bound_py_any(py)
    }
}

impl ClientOption for Option<Hook> {
    hint!(type_hint_subscript!(
        CALLABLE,
        PyStaticExpr::List { elts: &[type_hint_identifier!("botdesk", "RequestEvent")] },
        type_hint_identifier!("builtins", "object")
    ));

    type Value = Hook;

    fn read(given: &Bound<'_, PyAny>) -> PyResult<Hook> {
        if given.is_callable() {
            Ok(Hook::from(given.clone().unbind()))
        } else {
            Err(PyTypeError::new_err("a hook is a function that takes one argument"))
        }
    }

    fn check(_: &str, argument: Hook) -> Result<Self, Error> {
        Ok(Some(argument))
    }

    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.as_ref().map(|hook| hook.bind(py)).into_bound_py_any(py)
    }
}
