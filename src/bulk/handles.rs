//! The Python classes of the handles in results and previews.

use pyo3::coroutine::CancelHandle;
use pyo3::prelude::*;

use super::handle::{BulkRecord, Handle};
use super::run::{BulkOutcome, Run, RunMode};
use crate::generated_records::account::Account;
use crate::generated_records::dca_bot::DcaBot;

macro_rules! handles {
    ($($handle:ident = $name:literal of $record:ident;)*) => {$(
        /// The data with which a run continues.
        #[pyclass(frozen, name = $name, module = "botdesk")]
        pub(crate) struct $handle(Handle<$record>);

        impl BulkRecord for $record {
            fn object(py: Python<'_>, handle: Handle<Self>) -> PyResult<Bound<'_, PyAny>> {
                Ok(Bound::new(py, $handle(handle))?.into_any())
            }
        }

        #[pymethods]
        impl $handle {
            /// Retry the targets that failed or were not started.
            #[pyo3(signature = (progress = None))]
            fn again(&self, py: Python<'_>, progress: Option<bool>) -> PyResult<BulkOutcome<$record>> {
                again(&self.0, progress).wait(py)
            }

            /// Retry the targets that failed or were not started.
            #[pyo3(signature = (progress = None))]
            async fn again_async(
                &self,
                progress: Option<bool>,
                #[pyo3(cancel_handle)] cancel: CancelHandle,
            ) -> PyResult<BulkOutcome<$record>> {
                again(&self.0, progress).wait_async(cancel).await
            }

            /// Send the planned requests.
            #[pyo3(signature = (force, progress = None))]
            fn apply(&self, py: Python<'_>, force: bool, progress: Option<bool>) -> PyResult<BulkOutcome<$record>> {
                apply(&self.0, force, progress).wait(py)
            }

            /// Send the planned requests.
            #[pyo3(signature = (force, progress = None))]
            async fn apply_async(
                &self,
                force: bool,
                progress: Option<bool>,
                #[pyo3(cancel_handle)] cancel: CancelHandle,
            ) -> PyResult<BulkOutcome<$record>> {
                apply(&self.0, force, progress).wait_async(cancel).await
            }
        }
    )*};
}

handles! {
    DcaBotsRun = "_DcaBotsRun" of DcaBot;
    AccountsRun = "_AccountsRun" of Account;
}

fn again<A: BulkRecord>(handle: &Handle<A>, progress: Option<bool>) -> Run<A> {
    Run::from_handle(handle, RunMode::Send, handle.check, progress)
}

fn apply<A: BulkRecord>(handle: &Handle<A>, force: bool, progress: Option<bool>) -> Run<A> {
    Run::from_handle(handle, RunMode::Apply, !force, progress)
}
