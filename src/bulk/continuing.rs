//! The methods of a handle, which continue a run.

use std::sync::Arc;

use pyo3::coroutine::CancelHandle;
use pyo3::prelude::*;

use super::handle::Handle;
use super::run::{BulkOutcome, Run, RunMode};

#[pymethods]
impl Handle {
    /// Retry the targets that failed or were not started.
    #[pyo3(signature = (progress = None))]
    fn again(&self, py: Python<'_>, progress: Option<bool>) -> PyResult<BulkOutcome> {
        self.run(RunMode::Send, self.check, progress).wait(py)
    }

    /// Retry the targets that failed or were not started.
    #[pyo3(signature = (progress = None))]
    async fn again_async(
        &self,
        progress: Option<bool>,
        #[pyo3(cancel_handle)] cancel: CancelHandle,
    ) -> PyResult<BulkOutcome> {
        self.run(RunMode::Send, self.check, progress).wait_async(cancel).await
    }

    /// Send the planned requests.
    #[pyo3(signature = (force, progress = None))]
    fn apply(&self, py: Python<'_>, force: bool, progress: Option<bool>) -> PyResult<BulkOutcome> {
        self.run(RunMode::Apply, !force, progress).wait(py)
    }

    /// Send the planned requests.
    #[pyo3(signature = (force, progress = None))]
    async fn apply_async(
        &self,
        force: bool,
        progress: Option<bool>,
        #[pyo3(cancel_handle)] cancel: CancelHandle,
    ) -> PyResult<BulkOutcome> {
        self.run(RunMode::Apply, !force, progress).wait_async(cancel).await
    }
}

impl Handle {
    /// Returns the run that continues a result or a preview.
    fn run(&self, mode: RunMode, check: bool, progress: Option<bool>) -> Run {
        let (bulk, before, known) = (Arc::clone(&self.bulk), self.before.clone(), self.known.clone());
        Run { bulk, before, known, check, mode, progress }
    }
}
