//! Python lists that display themselves as tables.

use pyo3::prelude::*;
use pyo3::types::PyList;

use super::fork_safe_lazy::ForkSafeLazy;
use crate::hints::output_type;

/// A Python list that displays itself as a table.
pub(super) struct DisplayedList<T>(pub(super) Vec<T>);

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
