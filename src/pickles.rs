//! Pickles of objects that the core writes as JSON.

use pyo3::PyTypeInfo;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::exceptions::RustResult;

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
