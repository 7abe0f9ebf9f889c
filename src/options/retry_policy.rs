//! `botdesk.RetryPolicy`.

use pyo3::prelude::*;

use super::seconds::{not_negative, positive};
use crate::arguments::{option, real, real_if_any, whole};
use crate::raise::OrPyErr as _;
use botdesk_client::http::retry;

/// When a request is sent again.
///
/// A read is sent again after a failure to connect, a timeout or a broken connection, after 502, 503 and 504, and after a
/// 429 of the rate limit. A write is sent again only where it certainly changed nothing: after a failure to connect, and
/// after a 429 of the rate limit. Nothing is sent again after a 429 of the subscription plan, or after a 418. The waits are
/// random, from nothing up to a bound that doubles each time (full jitter), and never shorter than `Retry-After` asks; after a
/// 429 they are never shorter than the bound. All attempts and waits together stay within the client's `timeout`.
///
/// Args:
///     retries: How often a request is sent again at most; 0 for never.
///     backoff: The bound of the first wait, in seconds.
///     max_backoff: The bound of any wait, in seconds.
///     attempt_timeout: How long an attempt of a read may take that is not the last, in seconds; a third of the client's
///         `timeout` unless given.
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
        #[pyo3(from_py_with = whole)] retries: i128,
        #[pyo3(from_py_with = real)] backoff: f64,
        #[pyo3(from_py_with = real)] max_backoff: f64,
        #[pyo3(from_py_with = real_if_any)] attempt_timeout: Option<f64>,
    ) -> PyResult<Self> {
        Ok(Self(retry::RetryPolicy {
            retries: option("retries", retries).or_py_err()?,
            backoff: not_negative("backoff", backoff).or_py_err()?,
            max_backoff: not_negative("max_backoff", max_backoff).or_py_err()?,
            attempt_timeout: attempt_timeout.map(|given| positive("attempt_timeout", given)).transpose().or_py_err()?,
        }))
    }

    /// How often a request is sent again at most.
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

    /// How long an attempt of a read may take that is not the last, in seconds; None for a third of the client's `timeout`.
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
