//! Records as Arrow streams, for any library that supports the Arrow PyCapsule interface.

use std::convert::Infallible;

use crate::hints::{input_type, output_type};
use crate::raise::IntoPyErr as _;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use arrow_schema::ArrowError;
use pyo3::PyClass;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyCapsule, PyType};

use crate::exceptions::{CatchException, RustResult, repr_of, str_of};
use crate::protocols::cast;
use crate::runtime::fork_safe_lazy::ForkSafeLazy;
use botdesk_display::arrow::{Calculated, ColumnTable, Decimals, with_json_lists};
use botdesk_schema::field::FieldSpec;
use botdesk_schema::input::Violation;
use botdesk_schema::record::Fields;

/// An Arrow stream in a PyCapsule.
pub(crate) struct Stream<'py>(Bound<'py, PyCapsule>);

impl<'py> IntoPyObject<'py> for Stream<'py> {
    type Target = PyCapsule;
    type Output = Bound<'py, PyCapsule>;
    type Error = Infallible;

    // The type of capsules has no name before Python 3.13.
    output_type!(ANY);

    fn into_pyobject(self, _: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.0)
    }
}

/// Returns the elements of a list, which must all have the same class.
pub(crate) fn all<'py, T: PyClass>(
    records: &Bound<'py, PyAny>,
    class: &Bound<'py, PyType>,
) -> PyResult<Vec<Bound<'py, T>>> {
    let record = |record: PyResult<Bound<'py, PyAny>>| {
        let record = record?;
        if record.is_instance(class)?
            && let Some(record) = cast::<T>(&record)
        {
            return Ok(record.clone());
        }
        let (wanted, found) = (class.name()?, str_of(&record.get_type())?);
        let message = format!("a table has records of one class, not of both {wanted} and {found}");
        Err(PyTypeError::new_err(message))
    };
    let mut all = Vec::new();
    // A loop, because iterator adapters ask Python for a length, and only print its exceptions.
    for element in records.try_iter()? {
        all.push(record(element)?);
    }
    Ok(all)
}

/// A list of records as a table, for any library that supports the Arrow PyCapsule interface.
///
/// `to_arrow()` of a list of records or of a plan returns one. `polars.DataFrame(table)`, `pyarrow.table(table)`,
/// `pandas.DataFrame.from_arrow(table)` and `duckdb.sql("select … from table")` read it, any number of times.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct ArrowTable(RecordBatch);

#[pymethods]
impl ArrowTable {
    /// Return the table as an Arrow stream, for libraries that request one.
    #[pyo3(signature = (requested_schema: "object" = None))]
    #[allow(unused_variables, reason = "a producer may ignore the schema that is requested")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Stream<'py>> {
        capsule(py, self.0.clone())
    }

    /// Return the table with its lists of strings as JSON.
    fn _with_json_lists(&self) -> PyResult<Self> {
        with_json_lists(&self.0).map_rust_err(failed).map(Self)
    }

    fn __repr__(&self) -> String {
        format!("<ArrowTable rows={} columns={}>", self.0.num_rows(), self.0.num_columns())
    }
}

impl ArrowTable {
    /// Returns the table of records with these rows.
    pub(crate) fn of_records(
        rows: &'static [FieldSpec],
        records: &[&Fields],
        decimals: Decimals,
    ) -> PyResult<WithIssues> {
        ColumnTable::of(rows, records, decimals).map_rust_err(failed).map(with_issues)
    }

    /// Returns the table of calculated values, column by column.
    pub(crate) fn of_calculated(columns: Vec<(&'static str, Calculated)>, decimals: Decimals) -> PyResult<WithIssues> {
        ColumnTable::calculated(columns, decimals).map_rust_err(failed).map(with_issues)
    }
}

/// A table; and its issues: the name of each, the field, and the indices of the records.
pub(crate) type WithIssues = (ArrowTable, Vec<(&'static str, &'static str, Vec<usize>)>);

fn with_issues(table: ColumnTable) -> WithIssues {
    let issues = table.issues.into_iter().map(|found| (found.issue.name(), found.field, found.records));
    (ArrowTable(table.batch), issues.collect())
}

/// The type of decimals in a table, as an argument.
#[derive(Clone, Copy)]
pub(crate) struct DecimalsArgument(pub(crate) Decimals);

impl<'py> FromPyObject<'_, 'py> for DecimalsArgument {
    type Error = PyErr;

    input_type!(Literal::<Decimals>::HINT);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let name = given.extract::<PyBackedStr>().none_if_exception(given.py())?;
        match name.and_then(|name| Decimals::from_name(&name)) {
            Some(decimals) => Ok(Self(decimals)),
            None => Err(unknown(&repr_of(&given)?)),
        }
    }
}

/// Returns the choice of a call: `floats=True` is short for `decimals="float"`, and contradicts any other.
pub(crate) fn choose(decimals: Option<DecimalsArgument>, floats: bool) -> PyResult<Option<Decimals>> {
    let decimals = decimals.map(|argument| argument.0);
    match (decimals, floats) {
        (_, false) => Ok(decimals),
        (None | Some(Decimals::Float), true) => Ok(Some(Decimals::Float)),
        (Some(other), true) => {
            let message = format!("'{}' contradicts floats=True; pass one of the two", other.name());
            Err(Violation::new("decimals", message).into_py_err())
        }
    }
}

/// Return the type of decimals that these arguments select, for the Python code.
#[pyfunction]
#[pyo3(signature = (decimals, floats))]
pub(crate) fn _decimals(decimals: Option<DecimalsArgument>, floats: bool) -> PyResult<&'static str> {
    Ok(choose(decimals, floats)?.unwrap_or_default().name())
}

fn unknown(given: &str) -> PyErr {
    let names = Decimals::ALL.map(|decimals| format!("'{}'", decimals.name())).join(", ");
    Violation::new("decimals", format!("{given} is not one of {names}")).into_py_err()
}

/// Returns the Arrow stream of a list of records.
pub(crate) fn stream<'py>(list: &Bound<'py, PyAny>, requested: Option<Bound<'py, PyAny>>) -> PyResult<Stream<'py>> {
    Ok(Stream(list.call_method1("__arrow_c_stream__", (requested,))?.cast_into()?))
}

/// The arguments of numpy's `__array__`: the type, and whether it must be a copy.
type ArrayRequest<'py> = (Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

/// Raises the error that explains how to make a table, for numpy and `pandas.DataFrame(…)`, which request an array.
pub(crate) fn no_array<'py>(py: Python<'py>, asked: ArrayRequest<'py>) -> PyResult<Bound<'py, PyAny>> {
    static NO_ARRAY: ForkSafeLazy = ForkSafeLazy::new("botdesk._records", &["_no_array"]);
    NO_ARRAY.get(py)?.call1(asked)
}

/// Defines `__array__` of a class with an Arrow stream, which raises the error of [`no_array`].
macro_rules! not_an_array {
    ($class:ident) => {
        #[pymethods]
        impl $class {
            #[pyo3(signature = (dtype: "object" = None, copy: "object" = None))]
            fn __array__<'py>(
                this: &Bound<'py, Self>,
                dtype: Option<Bound<'py, PyAny>>,
                copy: Option<Bound<'py, PyAny>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                $crate::display::tables::no_array(this.py(), (dtype, copy))
            }
        }
    };
}
pub(crate) use not_an_array;

fn failed(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

/// Returns the Arrow stream of a table.
pub(crate) fn capsule(py: Python<'_>, batch: RecordBatch) -> PyResult<Stream<'_>> {
    let schema = batch.schema();
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream").map(Stream)
}
