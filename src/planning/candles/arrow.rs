//! Candles as an Arrow stream, which every library for tables exports.

use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{RecordBatch, RecordBatchReader as _};
use arrow_schema::{ArrowError, DataType, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::column::{extend_prices, extend_times};
use crate::exceptions::{ArgumentError, RustResult as _};
use botdesk_trading::candles::{CandlesBuilder, CandlesError, PRICE_NAMES, TIME_NAMES};

/// The number of rows after which Ctrl-C is looked for.
const ROWS: usize = 1 << 17;

/// The name that pandas gives to an index without a name.
const PANDAS_INDEX: &str = "__index_level_0__";

/// The indices of the columns of times and prices.
struct Layout {
    time: usize,
    prices: [usize; 4],
}

/// Reads the table that a method `__arrow_c_stream__` exports.
pub(super) fn read(export: &Bound<'_, PyAny>) -> Result<CandlesBuilder, ArgumentError> {
    let py = export.py();
    let mut reader = reader(export)?;
    let layout = Layout::of(&reader.schema())?;
    let mut builder = CandlesBuilder::default();
    loop {
        // The table may be the result of a query that runs only now.
        let next = py.detach(|| reader.next());
        let message = |error| failed_with(&reader.schema(), error);
        let Some(batch) = next.transpose().map_rust_err(message)? else { return Ok(builder) };
        builder.reserve(batch.num_rows());
        for start in (0..batch.num_rows()).step_by(ROWS) {
            let rows = batch.slice(start, ROWS.min(batch.num_rows() - start));
            py.detach(|| layout.append(&mut builder, &rows))?;
            if let Err(raised) = py.check_signals() {
                return Err(ArgumentError::Raised(raised));
            }
        }
    }
}

fn reader(export: &Bound<'_, PyAny>) -> Result<RecordBatchStreamReader, ArgumentError> {
    // What the library raises, such as an import that is missing, is its own.
    let stream = match exported(export) {
        Ok(stream) => stream,
        Err(raised) => return Err(ArgumentError::Raised(raised)),
    };
    Ok(RecordBatchStreamReader::try_new(stream).map_rust_err(failed)?)
}

fn exported(export: &Bound<'_, PyAny>) -> PyResult<FFI_ArrowArrayStream> {
    let capsule = export.call0()?.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a pointer to such a stream, as the PyCapsule interface of Arrow asks for, and outlives
    // this call. The stream is moved out, so that the capsule does not release it too.
    Ok(unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) })
}

fn failed(error: ArrowError) -> String {
    format!("the Arrow stream failed: {error}")
}

/// Returns the message for a stream that failed. It names a column of type null: polars exports those in a form that Arrow does not allow.
fn failed_with(schema: &Schema, error: ArrowError) -> String {
    let column = schema.fields().iter().find(|field| field.data_type().is_null());
    let hint =
        column.map(|field| format!("; if the cause is the column '{}', which has no values, drop it", field.name()));
    failed(error) + &hint.unwrap_or_default()
}

impl Layout {
    fn of(schema: &Schema) -> Result<Self, CandlesError> {
        let time = match index(schema, TIME_NAMES)? {
            Some(time) => time,
            None => pandas_index(schema).ok_or_else(|| missing(schema, TIME_NAMES))?,
        };
        let mut prices = [0; 4];
        for (price, names) in prices.iter_mut().zip(PRICE_NAMES) {
            *price = index(schema, names)?.ok_or_else(|| missing(schema, names))?;
        }
        Ok(Self { time, prices })
    }

    fn append(&self, builder: &mut CandlesBuilder, rows: &RecordBatch) -> Result<(), CandlesError> {
        extend_times(&mut builder.times, rows.column(self.time))?;
        for (column, index) in builder.prices.iter_mut().zip(self.prices) {
            extend_prices(column, rows.column(index))?;
        }
        Ok(())
    }
}

/// Returns the column with the first of these names that there is.
fn index(schema: &Schema, names: &[&str]) -> Result<Option<usize>, CandlesError> {
    for name in names {
        let fields = schema.fields().iter().enumerate();
        let mut found = fields.filter(|(_, field)| field.name().trim().eq_ignore_ascii_case(name));
        match (found.next(), found.next()) {
            (Some((_, one)), Some((_, other))) => {
                let message =
                    format!("two columns are named '{name}': '{}' and '{}'; drop one", one.name(), other.name());
                return Err(CandlesError::new(message));
            }
            (Some((_, field)), None) if field.data_type().is_null() => {
                let message = format!("the column '{}' has no values; each candle needs one", field.name());
                return Err(CandlesError::new(message));
            }
            (Some((index, _)), None) => return Ok(Some(index)),
            (None, _) => {}
        }
    }
    Ok(None)
}

/// Returns the index of a table of pandas, if it consists of times.
fn pandas_index(schema: &Schema) -> Option<usize> {
    let (index, field) = schema.column_with_name(PANDAS_INDEX)?;
    matches!(field.data_type(), DataType::Timestamp(..) | DataType::Date32).then_some(index)
}

fn missing(schema: &Schema, names: &[&str]) -> CandlesError {
    let present: Vec<_> = schema.fields().iter().map(|field| format!("'{}'", field.name())).collect();
    let names = names.join(", ");
    CandlesError::new(format!("no column has one of the names {names}; the columns are {}", present.join(", ")))
}
