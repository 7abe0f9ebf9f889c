//! `botdesk.RetryPolicy`.

use pyo3::prelude::*;

use super::seconds::{not_negative, positive};
use crate::arguments::{integer_option, read_float, read_integer, read_optional_float};
use crate::raise::OrPyErr as _;
use botdesk_client::http::retry;

/// The conditions and the waits of retries.
///
/// A read is retried after a failure to connect, a timeout or a broken connection, after 502, 503, 504 and 520 to 524, and
/// after a 429 of the rate limit; after a 500 it is sent once more, unless the error names its reason. A write is retried only if it certainly changed nothing: after a failure to connect, and after a 429
/// of the rate limit. No request is retried after a 429 of the subscription plan or after a 418. The waits are random, from
/// 0 to a bound that doubles each time (full jitter), and never shorter than `Retry-After`. After a 429 they are never
/// shorter than the bound. All attempts and waits together stay within the client's `timeout`.
///
/// Args:
///     retries: The highest number of retries; 0 for none.
///     backoff: The bound of the first wait, in seconds.
///     max_backoff: The bound of any wait, in seconds.
///     attempt_timeout: The time limit of each attempt of a read but the last one, in seconds; a third of the client's
///         `timeout` by default.
///
/// Raises:
///     ConfigurationError: A number is out of range.
///
/// Example:
///     >>> import botdesk
///     >>> botdesk.RetryPolicy(5, backoff=1.0)
///     RetryPolicy(5, backoff=1.0, max_backoff=20.0, attempt_timeout=None)
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct RetryPolicy(pub(crate) retry::RetryPolicy);

#[pymethods]
impl RetryPolicy {
    #[new]
    #[pyo3(signature = (
        retries: "int" = 3, *, backoff: "float" = 0.5, max_backoff: "float" = 20.0, attempt_timeout: "float | None" = None
    ))]
    fn new(
        #[pyo3(from_py_with = read_integer)] retries: i128,
        #[pyo3(from_py_with = read_float)] backoff: f64,
        #[pyo3(from_py_with = read_float)] max_backoff: f64,
        #[pyo3(from_py_with = read_optional_float)] attempt_timeout: Option<f64>,
    ) -> PyResult<Self> {
        Ok(Self(retry::RetryPolicy {
            retries: integer_option("retries", retries).or_py_err()?,
            backoff: not_negative("backoff", backoff).or_py_err()?,
            max_backoff: not_negative("max_backoff", max_backoff).or_py_err()?,
            attempt_timeout: attempt_timeout.map(|given| positive("attempt_timeout", given)).transpose().or_py_err()?,
        }))
    }

    /// The highest number of retries.
    #[getter]
    fn retries(&self) -> u32 {
        self.0.retries
    }

    /// The bound of the first wait, in seconds.
    #[getter]
    fn backoff(&self) -> f64 {
        self.0.backoff.as_secs_f64()
    }

    /// The bound of any wait, in seconds.
    #[getter]
    fn max_backoff(&self) -> f64 {
        self.0.max_backoff.as_secs_f64()
    }

    /// The time limit of each attempt of a read but the last one, in seconds; None for a third of the client's `timeout`.
    #[getter]
    fn attempt_timeout(&self) -> Option<f64> {
        self.0.attempt_timeout.map(|time| time.as_secs_f64())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        let arguments = (self.retries(), self.backoff(), self.max_backoff(), self.attempt_timeout());
        Ok((restore, arguments).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    fn _restore(retries: i128, backoff: f64, max_backoff: f64, attempt_timeout: Option<f64>) -> PyResult<Self> {
        Self::new(retries, backoff, max_backoff, attempt_timeout)
    }

    fn __repr__(&self) -> String {
        let attempt_timeout = self.attempt_timeout().map_or("None".to_owned(), |seconds| format!("{seconds:?}"));
        format!(
            "RetryPolicy({}, backoff={:?}, max_backoff={:?}, attempt_timeout={attempt_timeout})",
            self.retries(),
            self.backoff(),
            self.max_backoff()
        )
    }
}
