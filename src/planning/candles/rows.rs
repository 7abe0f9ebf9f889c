//! Candles as a list of rows, such as ccxt returns.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyIterator, PyString};

use super::time::read_time;
use crate::decimals::is_decimal;
use crate::exceptions::{ArgumentError, CatchException as _, OrRaised as _, repr_of, str_of, type_name};
use crate::json::numpy_scalar;
use crate::protocols::cast;
use botdesk_trading::candles::{CandlesBuilder, CandlesError, Number, PriceColumn};

/// The number of rows after which Ctrl-C is looked for.
const ROWS: usize = 4_096;

/// Reads rows of a time and four prices.
pub(super) fn read(rows: Bound<'_, PyIterator>) -> Result<CandlesBuilder, ArgumentError> {
    let py = rows.py();
    let mut builder = CandlesBuilder::default();
    // In a loop, because the adapters of iterators ask Python for a length, and only write out what that raises.
    for row in rows {
        let number = builder.times.len();
        if number.is_multiple_of(ROWS) {
            py.check_signals().or_raised()?;
        }
        let cells = cells(&row.or_raised()?, number)?;
        let Some((time, prices)) = cells.split_first().filter(|(_, prices)| prices.len() == builder.prices.len())
        else {
            return Err(unexpected(number, &format!("{} values", cells.len())));
        };
        builder.times.push(milliseconds(time, number)?);
        for (column, price) in builder.prices.iter_mut().zip(prices) {
            push(column, price)?;
        }
    }
    Ok(builder)
}

/// Returns the time and the prices of a row; ccxt appends the volume, which is left out.
fn cells<'py>(row: &Bound<'py, PyAny>, number: usize) -> Result<Vec<Bound<'py, PyAny>>, ArgumentError> {
    let py = row.py();
    let is_other =
        row.is_instance_of::<PyString>() || row.is_instance_of::<PyBytes>() || row.is_instance_of::<PyDict>();
    let values = if is_other { None } else { row.try_iter().none_if_exception(py)? };
    let Some(values) = values else {
        return Err(unexpected(number, &type_name(row)?));
    };
    let mut cells = Vec::with_capacity(5);
    for value in values {
        cells.push(value.or_raised()?);
        if cells.len() == 5 {
            break;
        }
    }
    Ok(cells)
}

fn unexpected(row: usize, found: &str) -> ArgumentError {
    CandlesError::at(row, format!("expected [milliseconds, open, high, low, close], not {found}")).into()
}

fn milliseconds(given: &Bound<'_, PyAny>, row: usize) -> Result<i64, ArgumentError> {
    match read_time(given) {
        Err(ArgumentError::Invalid(message)) => Err(CandlesError::at(row, format!("time {message}")).into()),
        read => read,
    }
}

fn push(column: &mut PriceColumn, given: &Bound<'_, PyAny>) -> Result<(), ArgumentError> {
    let py = given.py();
    if let Some(float) = cast::<PyFloat>(given) {
        return Ok(column.push_float(float.value())?);
    }
    if given.is_instance_of::<PyString>() || is_decimal(given)? {
        return Ok(column.push_text(&str_of(given)?)?);
    }
    if given.is_instance_of::<PyInt>() && !given.is_instance_of::<PyBool>() {
        return match given.extract::<i128>().none_if_exception(py)? {
            Some(mantissa) => Ok(column.push(Number { mantissa, scale: 0 })?),
            None => Ok(column.push_text(&str_of(given)?)?),
        };
    }
    match numpy_scalar(given).none_if_exception(py)?.flatten() {
        Some(scalar) if !scalar.is_instance_of::<PyBool>() => push(column, &scalar),
        _ => {
            let message = format!("{} {} is not a number", column.name(), repr_of(given)?);
            Err(CandlesError::at(column.len(), message).into())
        }
    }
}
