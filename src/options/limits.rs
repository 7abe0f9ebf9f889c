//! `botdesk.RateLimit` and `botdesk.Budget`.

use pyo3::prelude::*;

use super::seconds::{not_negative, positive};
use crate::arguments::{integer_option, read_float, read_integer};
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use botdesk_api::table::Table;
use botdesk_client::error::Error;
use botdesk_client::rate_limit;

/// A limit on the number of requests in a period. The clients of a process with the same API key and base URL share it.
///
/// A request counts until `per` after its response. One that ended without a response may still arrive, and counts 30
/// seconds longer.
///
/// Args:
///     requests: The number of requests, at least 1.
///     per: The period in seconds. The limit applies to any period of that length, not only to full minutes.
///
/// Raises:
///     ConfigurationError: A number is out of range.
///
/// Example:
///     >>> import botdesk
///     >>> botdesk.RateLimit(100, per=60)
///     RateLimit(100, per=60.0)
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct RateLimit(pub(crate) rate_limit::RateLimit);

#[pymethods]
impl RateLimit {
    #[new]
    #[pyo3(signature = (requests: "int" = 100, per: "float" = 60.0))]
    fn new(
        #[pyo3(from_py_with = read_integer)] requests: i128,
        #[pyo3(from_py_with = read_float)] per: f64,
    ) -> PyResult<Self> {
        let requests = integer_option("requests", requests).or_py_err()?;
        if requests == 0 {
            return Err(
                Error::Configuration("requests must be at least 1; rate_limit=None sets no limit".into()).into_py_err()
            );
        }
        Ok(Self(rate_limit::RateLimit { requests, per: positive("per", per).or_py_err()? }))
    }

    /// The number of requests.
    #[getter]
    fn requests(&self) -> u32 {
        self.0.requests
    }

    /// The period in seconds.
    #[getter]
    fn per(&self) -> f64 {
        self.0.per.as_secs_f64()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok((py.get_type::<Self>(), (self.requests(), self.per())).into_pyobject(py)?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("RateLimit({}, per={:?})", self.requests(), self.per())
    }
}

/// The used and the remaining part of a rate limit.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct Budget(pub(crate) rate_limit::Budget);

#[pymethods]
impl Budget {
    /// The number of requests that count now.
    #[getter]
    fn used(&self) -> u32 {
        self.0.used
    }

    /// The highest number of requests that may count at once.
    #[getter]
    fn limit(&self) -> u32 {
        self.0.limit
    }

    /// The seconds until a request may be sent if the limit is reached; otherwise until the oldest request no longer counts.
    #[getter]
    fn resets_in(&self) -> f64 {
        self.0.resets_in.as_secs_f64()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let restore = py.get_type::<Self>().getattr("_restore")?;
        Ok((restore, (self.used(), self.limit(), self.resets_in())).into_pyobject(py)?.into_any())
    }

    #[staticmethod]
    fn _restore(used: u32, limit: u32, resets_in: f64) -> PyResult<Self> {
        Ok(Self(rate_limit::Budget { used, limit, resets_in: not_negative("resets_in", resets_in).or_py_err()? }))
    }

    fn __repr__(&self) -> String {
        format!("<Budget {} of {} used, resets in {:.1} s>", self.used(), self.limit(), self.resets_in())
    }

    fn _repr_html_(&self) -> String {
        let row = [self.used().to_string(), self.limit().to_string(), format!("{:.1} s", self.resets_in())];
        let heads = vec!["used", "limit", "resets in"];
        Table { title: "Budget".to_owned(), heads, rows: vec![row.to_vec()], ..Table::default() }.html()
    }
}
