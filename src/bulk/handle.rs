//! What a result and a preview hold to be taken up again.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::{PyClass, PyTypeInfo};

use crate::records::Acting;
use botdesk_client::bulk::{Bulk, BulkPlan, Outcome};

/// What a run can be taken up from.
pub(super) struct Handle<A: Acting> {
    pub(super) bulk: Arc<Bulk<A::Core>>,
    pub(super) before: Vec<Outcome<A::Core>>,
    pub(super) known: Option<Arc<BulkPlan>>,
    pub(super) check: bool,
}

impl<A: Handled> Handle<A> {
    /// The handle as Python holds it.
    pub(super) fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        A::object(py, self)
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
