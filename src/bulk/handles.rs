//! The classes of what results and previews hold.

use pyo3::prelude::*;

use super::handle::{Handle, Handled};
use super::run::{Aim, Given, Run};
use super::waiting::many;
use crate::records::{Account, DcaBot};

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

        many! {
            impl $handle {
                /// Send again what failed and what was not started.
                #[signature (progress = None)]
                fn again | again_async(&self, progress: Option<bool>) -> Given<$record> {
                    Run::from_handle(&self.0, Aim::Send, self.0.check, progress)
                }

                /// Send what was planned.
                #[signature (force, progress = None)]
                fn apply | apply_async(&self, force: bool, progress: Option<bool>) -> Given<$record> {
                    Run::from_handle(&self.0, Aim::Apply, !force, progress)
                }
            }
        }
    )*};
}

handles! {
    DcaBotsRun = "_DcaBotsRun" of DcaBot;
    AccountsRun = "_AccountsRun" of Account;
}
