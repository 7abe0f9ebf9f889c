//! Reads candles from whatever a caller has.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use super::{arrow, rows};
use crate::exceptions::{ArgumentError, CatchException as _, OrRaised as _, RustResult as _, raise_or_keep, type_name};
use crate::raise::OrPyErr as _;
use botdesk_schema::input::Violation;
use botdesk_trading::candles::{Candles, CandlesBuilder, CandlesError};

/// The class of the tables of polars that are a query, which runs when it is collected.
const LAZY: &str = "LazyFrame";

/// Reads candles from an Arrow stream or from a list of rows; `name` is the argument that errors name.
pub(crate) fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Candles> {
    raise_or_keep(candles(given))?.map_rust_err(|message| Violation::new(name, message)).or_py_err()
}

fn candles(given: &Bound<'_, PyAny>) -> Result<Candles, ArgumentError> {
    let py = given.py();
    let builder = match given.getattr("__arrow_c_stream__").none_if_exception(py)? {
        Some(export) => arrow::read(&export)?,
        None if type_name(given)? == LAZY => return candles(&given.call_method0("collect").or_raised()?),
        None => from_rows(given)?,
    };
    Ok(py.detach(|| builder.finish()).map_rust_err(|error| error.to_string())?)
}

fn from_rows(given: &Bound<'_, PyAny>) -> Result<CandlesBuilder, ArgumentError> {
    let py = given.py();
    let is_other =
        given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyDict>();
    let rows = if is_other { None } else { given.try_iter().none_if_exception(py)? };
    match rows {
        Some(rows) => rows::read(rows),
        None => Err(format!(
            "expected a table of polars, pyarrow, pandas or duckdb, or a list of [milliseconds, open, high, low, close], not {}",
            type_name(given)?
        )
        .into()),
    }
}

impl From<CandlesError> for ArgumentError {
    fn from(error: CandlesError) -> Self {
        Self::Invalid(error.to_string())
    }
}
