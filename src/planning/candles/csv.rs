//! Candles of a CSV file, whose lines `csv.reader` of Python splits.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;

use super::class::Candles;
use crate::exceptions::{ArgumentError, OrRaised as _, RustResult as _, raise_or_keep};
use crate::raise::OrPyErr as _;
use botdesk_schema::input::Violation;
use botdesk_trading::candles::CsvCandles;

/// The number of lines after which Ctrl-C is looked for.
const LINES: usize = 4_096;

/// Read candles from a `csv.reader`.
#[pyfunction]
#[pyo3(signature = (reader: "object"))]
pub(crate) fn _candles_of_csv(reader: &Bound<'_, PyAny>) -> PyResult<Candles> {
    raise_or_keep(read(reader))?.map_rust_err(|message| Violation::new("path", message)).or_py_err()
}

fn read(reader: &Bound<'_, PyAny>) -> Result<Candles, ArgumentError> {
    let py = reader.py();
    let mut file = CsvCandles::default();
    for (number, values) in reader.try_iter().or_raised()?.enumerate() {
        if number.is_multiple_of(LINES) {
            py.check_signals().or_raised()?;
        }
        let values: Vec<PyBackedStr> = values.or_raised()?.extract()?;
        // A value in quotes may have several lines, the last of which is the current one.
        let line = reader.getattr("line_num")?.extract()?;
        file.push(&values, line)?;
    }
    let (candles, recognized) = py.detach(|| file.finish())?;
    Ok(Candles { candles, file_format: Some(Arc::from(recognized)) })
}
