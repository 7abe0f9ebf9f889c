//! Records as Arrow streams, which whatever library takes that knows the Arrow PyCapsule interface.

use std::convert::Infallible;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::ArrowError;
use pyo3::PyClass;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::values::ANY;
use crate::service::record::{Fields, Row};
use crate::tables::{self, Calculated, Decimals, Table};

/// A field, and the places of the records in which it could not be read.
pub(super) type Unread = (&'static str, Vec<usize>);

/// An Arrow stream in the capsule that the interface asks for.
pub(super) struct Stream<'py>(Bound<'py, PyCapsule>);

impl<'py> IntoPyObject<'py> for Stream<'py> {
    type Target = PyCapsule;
    type Output = Bound<'py, PyCapsule>;
    type Error = Infallible;

    // Its own type has a name in Python from 3.13 on.
    const OUTPUT_TYPE: PyStaticExpr = ANY;

    fn into_pyobject(self, _: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.0)
    }
}

/// The elements of a list, all of which have to be of one kind.
pub(super) fn all<'py, T: PyClass>(records: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, T>>> {
    let record = |record: PyResult<Bound<'py, PyAny>>| {
        record?.cast_into::<T>().map_err(|error| {
            let (wanted, found) = (T::NAME, error.into_inner().get_type());
            PyTypeError::new_err(format!("a table holds records of one kind: {wanted} and {found} do not go together"))
        })
    };
    records.try_iter()?.map(record).collect()
}

/// The stream of records that all have these rows, and what could not be read for it.
pub(super) fn stream<'py>(
    py: Python<'py>,
    rows: &'static [Row],
    records: &[&Fields],
    floats: bool,
) -> PyResult<(Stream<'py>, Vec<Unread>)> {
    let table = Table::of(rows, records, decimals(floats)).map_err(failed)?;
    let unread = table.unread.into_iter().map(|unread| (unread.field, unread.records));
    Ok((capsule(py, table.batch)?, unread.collect()))
}

/// The stream of what was calculated, column by column.
pub(super) fn calculated<'py>(
    py: Python<'py>,
    columns: Vec<(&str, Calculated)>,
    floats: bool,
) -> PyResult<Stream<'py>> {
    capsule(py, tables::calculated(columns, decimals(floats)).map_err(failed)?)
}

fn decimals(floats: bool) -> Decimals {
    if floats { Decimals::Floats } else { Decimals::Exact }
}

fn failed(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

fn capsule(py: Python<'_>, batch: RecordBatch) -> PyResult<Stream<'_>> {
    let schema = batch.schema();
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream").map(Stream)
}
