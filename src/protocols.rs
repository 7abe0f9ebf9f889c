//! What a caller's object is. Nothing here runs Python code for an object of a builtin type.

use pyo3::PyTypeCheck;
use pyo3::prelude::*;
use pyo3::types::{PyDate, PyDateTime, PyDelta, PyDict, PyList, PyTuple};

use super::looked_up::LookedUp;

/// Returns an object as an instance of a class, or None if it is none.
///
/// That runs no Python code for the classes of this crate and for builtin ones. For abstract base classes it would, so clippy
/// forbids those of pyo3; use `is_sequence` and `is_mapping`.
#[allow(clippy::disallowed_methods, reason = "a cast raises nothing")]
pub(super) fn cast<'a, 'py, T: PyTypeCheck>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, T>> {
    object.cast().ok()
}

/// Returns an object as a datetime, or None if it is none.
pub(super) fn cast_datetime<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<Option<&'a Bound<'py, PyDateTime>>> {
    import_datetime(object.py())?;
    Ok(cast(object))
}

/// Returns an object as a date, which a datetime is as well, or None if it is none.
pub(super) fn cast_date<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<Option<&'a Bound<'py, PyDate>>> {
    import_datetime(object.py())?;
    Ok(cast(object))
}

/// Returns an object as a timedelta, or None if it is none.
pub(super) fn cast_timedelta<'a, 'py>(object: &'a Bound<'py, PyAny>) -> PyResult<Option<&'a Bound<'py, PyDelta>>> {
    import_datetime(object.py())?;
    Ok(cast(object))
}

/// Imports `datetime`. pyo3 would do it at the first use of one of its classes, and panic if Ctrl-C ends that import.
pub(super) fn import_datetime(py: Python<'_>) -> PyResult<()> {
    static DATETIME: LookedUp = LookedUp::new("datetime", &[]);
    DATETIME.get(py)?;
    Ok(())
}

/// Returns the items of a dict, which Python code may change afterwards. Iterating over the dict itself would panic then.
pub(super) fn items<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    dict.items().iter().map(|item| item.extract()).collect()
}

/// Returns if an object is a sequence. `isinstance` runs Python code for any other object than a list or a tuple.
pub(super) fn is_sequence(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static SEQUENCE: LookedUp = LookedUp::new("collections.abc", &["Sequence"]);
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        return Ok(true);
    }
    object.is_instance(SEQUENCE.get(object.py())?)
}

/// Returns if an object is a mapping. `isinstance` runs Python code for any other object than a dict.
pub(super) fn is_mapping(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    static MAPPING: LookedUp = LookedUp::new("collections.abc", &["Mapping"]);
    if object.is_instance_of::<PyDict>() {
        return Ok(true);
    }
    object.is_instance(MAPPING.get(object.py())?)
}
