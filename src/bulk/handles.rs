//! What a result and a preview hold to be taken up again.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::{PyClass, PyTypeInfo};

use super::run::{Aim, Given, Run};
use super::waiting::many;
use crate::records::{Account, Acting, DcaBot};
use botdesk_client::bulk::{Bulk, Outcome, Plans};

/// What a run can be taken up from.
pub(super) struct Handle<A: Acting> {
    pub(super) bulk: Arc<Bulk<A::Core>>,
    pub(super) before: Vec<Outcome<A::Core>>,
    pub(super) known: Option<Arc<Plans>>,
    pub(super) check: bool,
}

impl<A: Handled> Handle<A> {
    /// The handle as Python holds it.
    pub(super) fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        A::object(py, self)
    }

    fn run(&self, aim: Aim, check: bool, progress: Option<bool>) -> Run<A> {
        let (bulk, before, known) = (Arc::clone(&self.bulk), self.before.clone(), self.known.clone());
        Run { bulk, before, known, check, aim, progress }
    }
}

/// A record of which many can be handled at once.
pub(super) trait Handled:
    Acting<Core: Clone + Send + Sync + 'static> + PyClass<Frozen = True> + PyTypeInfo + IntoPyRecord + Sync + 'static
{
    /// The handle as Python holds it.
    fn object(py: Python<'_>, handle: Handle<Self>) -> PyResult<Bound<'_, PyAny>>;
}

/// A record on its way to Python.
pub(super) trait IntoPyRecord: for<'py> IntoPyObject<'py, Error = PyErr> {}

impl<A: for<'py> IntoPyObject<'py, Error = PyErr>> IntoPyRecord for A {}

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
                    self.0.run(Aim::Send, self.0.check, progress)
                }

                /// Send what was planned.
                #[signature (force, progress = None)]
                fn apply | apply_async(&self, force: bool, progress: Option<bool>) -> Given<$record> {
                    self.0.run(Aim::Apply, !force, progress)
                }
            }
        }
    )*};
}

handles! {
    DcaBotsRun = "_DcaBotsRun" of DcaBot;
    AccountsRun = "_AccountsRun" of Account;
}
