//! `botdesk.RateLimit`, and `botdesk.Budget`: the part of it that is left.

use pyo3::prelude::*;

use super::seconds::{not_negative, positive};
use crate::arguments::{option, real, whole};
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use botdesk_api::table::Table;
use botdesk_client::error::Error;
use botdesk_client::rate_limit;

/// How many requests may be sent in a time; all clients of one API key and address in a process share the account.
///
/// A request counts until `per` after its response. One that ended without a response may still arrive, and counts 30
/// seconds longer.
///
/// Args:
///     requests: How many requests, at least 1.
///     per: In which time, in seconds; any time of that length, wherever it begins.
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
    fn new(#[pyo3(from_py_with = whole)] requests: i128, #[pyo3(from_py_with = real)] per: f64) -> PyResult<Self> {
        let requests = option("requests", requests).or_py_err()?;
        if requests == 0 {
            return Err(
                Error::Configuration("requests must be at least 1; rate_limit=None sets no limit".into()).into_py_err()
            );
        }
        Ok(Self(rate_limit::RateLimit { requests, per: positive("per", per).or_py_err()? }))
    }

    /// How many requests.
    #[getter]
    fn requests(&self) -> u32 {
        self.0.requests
    }

    /// In which time, in seconds.
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

/// What is left of a rate limit.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct Budget(pub(crate) rate_limit::Budget);

#[pymethods]
impl Budget {
    /// How many requests count now.
    #[getter]
    fn used(&self) -> u32 {
        self.0.used
    }

    /// How many may count at once.
    #[getter]
    fn limit(&self) -> u32 {
        self.0.limit
    }

    /// After how many seconds a request may be sent where none may now; otherwise after how many the first one counts no more.
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
