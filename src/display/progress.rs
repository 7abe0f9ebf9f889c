//! The progress bar of a run.

use pyo3::prelude::*;

use crate::exceptions::CatchException as _;

/// The progress bar of a run; None if there is none.
pub(crate) struct Bar(Option<Py<PyAny>>);

impl Bar {
    /// Returns the bar of an operation with a number of steps. With None it appears if the operation takes long.
    pub(crate) fn new(py: Python<'_>, operation: &str, steps: usize, progress: Option<bool>) -> PyResult<Self> {
        if progress == Some(false) {
            return Ok(Self(None));
        }
        let bar = py.import("botdesk._progress")?.getattr("Bar")?;
        Ok(Self(Some(bar.call1((operation, steps, progress.is_some()))?.unbind())))
    }

    /// Advances the bar by one step.
    pub(crate) fn step(&mut self, py: Python<'_>) -> PyResult<()> {
        self.call(py, "step")
    }

    /// Closes the bar.
    pub(crate) fn close(&mut self, py: Python<'_>) -> PyResult<()> {
        self.call(py, "close")
    }

    /// Calls a method of the bar. If it raises an `Exception`, that is printed, and the run continues without a bar.
    fn call(&mut self, py: Python<'_>, method: &str) -> PyResult<()> {
        let Some(bar) = &self.0 else { return Ok(()) };
        let returned = bar.call_method0(py, method).or_unraisable(py, Some(bar.bind(py)))?;
        if returned.is_none() {
            self.0 = None;
        }
        Ok(())
    }
}
