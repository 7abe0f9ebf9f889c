//! Pickles of objects that the core writes as JSON.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::{PyClass, PyTypeInfo};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::exceptions::RustResult;

/// A pickle: a function that restores the object, and the arguments.
pub(super) type PickleParts<'py, A> = (Bound<'py, PyAny>, A);

/// Returns the function of a class that restores an object from JSON.
pub(super) fn restoring<T: PyTypeInfo>(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.get_type::<T>().getattr("_restore")
}

/// Returns the JSON of an object, for a pickle.
pub(super) fn text(object: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(object).map_rust_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns the object of the JSON in a pickle; `what` is the name of its kind.
pub(super) fn of_text<T: DeserializeOwned>(text: &str, what: &str) -> PyResult<T> {
    let invalid = |error| PyValueError::new_err(format!("the pickle has no {what}: {error}"));
    serde_json::from_str(text).map_rust_err(invalid)
}

/// The pickle of an object whose whole state is JSON: the function that restores it, and its argument.
pub(super) type Pickle<'py> = PickleParts<'py, (String,)>;

/// Returns the pickle of an object of class `T`, which restores it with its static method `_restore`.
pub(super) fn pickle<'py, T: PyTypeInfo>(py: Python<'py>, state: &impl Serialize) -> PyResult<Pickle<'py>> {
    Ok((restoring::<T>(py)?, (text(state)?,)))
}

/// Returns the state in a pickle of an object of class `T`.
pub(super) fn unpickle<T: PyClass, S: DeserializeOwned>(json: &str) -> PyResult<S> {
    of_text(json, T::NAME)
}
