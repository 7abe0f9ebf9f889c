//! Python lists that display themselves as tables.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use crate::hints::output_type;
use crate::runtime::fork_safe_lazy::ForkSafeLazy;

/// A Python list that displays itself as a table.
pub(crate) struct DisplayedList<T>(pub(crate) Vec<T>);

impl<'py, T: IntoPyObject<'py, Error: Into<PyErr>>> IntoPyObject<'py> for DisplayedList<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(type_hint_subscript!(LIST, T::OUTPUT_TYPE));

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static TYPE: ForkSafeLazy = ForkSafeLazy::new("botdesk._lists", &["DisplayedList"]);
        TYPE.get(py)?.call1((PyList::new(py, self.0)?,))
    }
}

/// Returns the class of lists of records.
pub(crate) fn records_type(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static TYPE: ForkSafeLazy = ForkSafeLazy::new("botdesk._records", &["Records"]);
    Ok(TYPE.get(py)?.cast()?)
}
