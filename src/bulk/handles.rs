//! The classes of what results and previews hold.

use pyo3::coroutine::CancelHandle;
use pyo3::prelude::*;

use super::handle::{Handle, Handled};
use super::run::{Aim, BulkOutcome, Run};
use crate::generated::records::account::Account;
use crate::generated::records::dca_bot::DcaBot;

macro_rules! handles {
    ($($handle:ident = $name:literal of $record:ident;)*) => {$(
        /// What a run can be taken up from.
        #[pyclass(frozen, name = $name, module = "botdesk")]
        pub(crate) struct $handle(Handle<$record>);

        impl Handled for $record {
            fn object(py: Python<'_>, handle: Handle<Self>) -> PyResult<Bound<'_, PyAny>> {
                Ok(Bound::new(py, $handle(handle))?.into_any())
            }
        }

        #[pymethods]
        impl $handle {
            /// Send again what failed and what was not started.
            #[pyo3(signature = (progress = None))]
            fn again(&self, py: Python<'_>, progress: Option<bool>) -> PyResult<BulkOutcome<$record>> {
                again(&self.0, progress).wait(py)
            }

            /// Send again what failed and what was not started.
            #[pyo3(signature = (progress = None))]
            async fn again_async(
                &self,
                progress: Option<bool>,
                #[pyo3(cancel_handle)] cancel: CancelHandle,
            ) -> PyResult<BulkOutcome<$record>> {
                again(&self.0, progress).wait_async(cancel).await
            }

            /// Send what was planned.
            #[pyo3(signature = (force, progress = None))]
            fn apply(&self, py: Python<'_>, force: bool, progress: Option<bool>) -> PyResult<BulkOutcome<$record>> {
                apply(&self.0, force, progress).wait(py)
            }

            /// Send what was planned.
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

fn again<A: Handled>(handle: &Handle<A>, progress: Option<bool>) -> Run<A> {
    Run::from_handle(handle, Aim::Send, handle.check, progress)
}

fn apply<A: Handled>(handle: &Handle<A>, force: bool, progress: Option<bool>) -> Run<A> {
    Run::from_handle(handle, Aim::Apply, !force, progress)
}
