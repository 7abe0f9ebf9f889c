//! Pickles of objects whose state is JSON.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::{PyClass, PyTypeInfo};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::exceptions::RustResult as _;

/// A pickle: the function that restores the object, and its argument.
pub(super) type Pickle<'py> = (Bound<'py, PyAny>, (String,));

/// Returns the pickle of an object of class `T`, which restores it with its static method `_restore`.
pub(super) fn pickle<'py, T: PyTypeInfo>(py: Python<'py>, state: &impl Serialize) -> PyResult<Pickle<'py>> {
    let json = serde_json::to_string(state).map_rust_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((py.get_type::<T>().getattr("_restore")?, (json,)))
}

/// Returns the state in a pickle of an object of class `T`.
pub(super) fn unpickle<T: PyClass, S: DeserializeOwned>(json: &str) -> PyResult<S> {
    let problem = |error| PyValueError::new_err(format!("the pickle has no {}: {error}", T::NAME));
    serde_json::from_str(json).map_rust_err(problem)
}
