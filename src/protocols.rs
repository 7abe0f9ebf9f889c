//! Type checks of arguments. For objects of builtin types, they run no Python code.

use pyo3::PyTypeCheck;
use pyo3::prelude::*;
use pyo3::types::{PyDate, PyDateTime, PyDelta, PyDict, PyList, PyTuple};

use crate::runtime::fork_safe_lazy::ForkSafeLazy;

/// Returns an object as an instance of a class, or None if it is not one.
///
/// For the classes of this crate and builtin ones, this runs no Python code. For abstract base classes it would, so clippy
/// forbids those of pyo3; use `is_sequence` and `is_mapping`.
#[allow(clippy::disallowed_methods, reason = "a cast raises nothing")]
pub(super) fn cast<'a, 'py, T: PyTypeCheck>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, T>> {
    object.cast().ok()
}

/// Returns an object as a datetime, or None if it is not one.
pub(super) fn cast_datetime<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<Option<&'a Bound<'py, PyDateTime>>> {
    import_datetime(object.py())?;
    Ok(cast(object))
}

/// Returns an object as a date, or None if it is not one. A datetime is also a date.
pub(super) fn cast_date<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<Option<&'a Bound<'py, PyDate>>> {
    import_datetime(object.py())?;
    Ok(cast(object))
}

/// Returns an object as a timedelta, or None if it is not one.
pub(super) fn cast_timedelta<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<Option<&'a Bound<'py, PyDelta>>> {
    import_datetime(object.py())?;
    Ok(cast(object))
}

/// Imports `datetime`. Otherwise pyo3 imports it at the first use of one of its classes, and panics if Ctrl-C interrupts that.
pub(super) fn import_datetime(py: Python<'_>) -> PyResult<()> {
    static DATETIME: ForkSafeLazy = ForkSafeLazy::new("datetime", &[]);
    DATETIME.get(py)?;
    Ok(())
}

/// Returns a copy of the items of a dict. Iterating over the dict itself panics if Python code changes it meanwhile.
pub(super) fn items<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    dict.items().iter().map(|item| item.extract()).collect()
}

/// Returns true if an object is a sequence. Unless it is a list or a tuple, `isinstance` runs Python code.
pub(super) fn is_sequence(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static SEQUENCE: ForkSafeLazy = ForkSafeLazy::new("collections.abc", &["Sequence"]);
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return Ok(true);
    }
    object.is_instance(SEQUENCE.get(object.py())?)
}

/// Returns true if an object is a mapping. Unless it is a dict, `isinstance` runs Python code.
pub(super) fn is_mapping(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static MAPPING: ForkSafeLazy = ForkSafeLazy::new("collections.abc", &["Mapping"]);
    if object.is_instance_of::<PyDict>() {
        return Ok(true);
    }
    object.is_instance(MAPPING.get(object.py())?)
}
