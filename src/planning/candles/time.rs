//! Times of candles and backtests, as callers write them.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};

use crate::datetimes::to_timestamp;
use crate::exceptions::{ArgumentError, CatchException as _, RustResult as _, repr_of, str_of};
use crate::json::numpy_scalar;
use crate::protocols::{cast, cast_datetime};

/// Returns the milliseconds since 1970 of a datetime, or of whole milliseconds.
pub(crate) fn read_time(given: &Bound<'_, PyAny>) -> Result<i64, ArgumentError> {
    if cast_datetime(given)?.is_some() {
        return Ok(to_timestamp(given)?.as_millisecond());
    }
    match whole(given)? {
        Some(time) => Ok(time),
        None => Err(format!("{} is neither whole milliseconds since 1970 nor a datetime", repr_of(given)?).into()),
    }
}

/// Returns a whole number, also as a float or as text; None for anything else.
fn whole(given: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    let py = given.py();
    if given.is_instance_of::<PyBool>() {
        return Ok(None);
    }
    if given.is_instance_of::<PyInt>() {
        return given.extract().none_if_exception(py);
    }
    if let Some(float) = cast::<PyFloat>(given) {
        return Ok(super::column::whole(float.value()));
    }
    if given.is_instance_of::<PyString>() {
        return Ok(str_of(given)?.parse().rust_ok());
    }
    match numpy_scalar(given).none_if_exception(py)?.flatten() {
        Some(scalar) if scalar.is_instance_of::<PyInt>() => whole(&scalar),
        _ => Ok(None),
    }
}
