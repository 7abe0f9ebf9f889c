//! Conversion of core errors to Python exceptions.

use pyo3::prelude::*;

/// An error of the core that becomes a Python exception.
pub(super) trait IntoPyErr {
    /// Returns the exception.
    fn into_py_err(self) -> PyErr;
}

/// A result whose error becomes a Python exception.
pub(super) trait OrPyErr<T> {
    /// Returns the value, or the error as a Python exception.
    fn or_py_err(self) -> PyResult<T>;
}

impl<T, E: IntoPyErr> OrPyErr<T> for Result<T, E> {
    #[allow(clippy::disallowed_methods, reason = "no Python code raised the error")]
    fn or_py_err(self) -> PyResult<T> {
        self.map_err(E::into_py_err)
    }
}

impl IntoPyErr for PyErr {
    fn into_py_err(self) -> PyErr {
        self
    }
}
