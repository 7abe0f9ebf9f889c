//! Native objects of the Python classes that add types and methods to their class.

use pyo3::intern;
use pyo3::prelude::*;

use crate::runtime::active_calls::ActiveCall;

/// Makes an object of a native class one of a Python class of the package that inherits from it.
pub(super) fn of_class<'py>(object: Bound<'py, PyAny>, class: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let _import = ActiveCall::start(py);
    object.setattr(intern!(py, "__class__"), py.import("botdesk")?.getattr(class)?)?;
    Ok(object)
}
