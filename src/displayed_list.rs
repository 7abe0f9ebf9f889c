//! Python lists that display themselves as tables.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyList;
use pyo3::{type_hint_identifier, type_hint_subscript};

use super::fork_safe_lazy::ForkSafeLazy;

/// A Python list that displays itself as a table.
pub(super) struct DisplayedList<T>(pub(super) Vec<T>);

impl<'py, T: IntoPyObject<'py, Error: Into<PyErr>>> IntoPyObject<'py> for DisplayedList<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(type_hint_identifier!("builtins", "list"), T::OUTPUT_TYPE);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static TYPE: ForkSafeLazy = ForkSafeLazy::new("botdesk._lists", &["DisplayedList"]);
        TYPE.get(py)?.call1((PyList::new(py, self.0)?,))
    }
}
