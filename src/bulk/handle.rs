//! The handle in a result or a preview, with which the run continues.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::{PyClass, PyTypeInfo};

use crate::records::ClientRecord;
use botdesk_client::bulk::{Bulk, BulkPlan, Outcome};

/// The data with which a run continues.
pub(crate) struct Handle<A: ClientRecord> {
    pub(super) bulk: Arc<Bulk<A::Core>>,
    pub(super) before: Vec<Outcome<A::Core>>,
    pub(super) known: Option<Arc<BulkPlan>>,
    pub(super) check: bool,
}

impl<A: BulkRecord> Handle<A> {
    /// Returns the handle as a Python object.
    pub(super) fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        A::object(py, self)
    }
}

/// A record with bulk operations.
pub(crate) trait BulkRecord:
    ClientRecord<Core: Clone + Send + Sync + 'static> + PyClass<Frozen = True> + PyTypeInfo + IntoPyRecord + Sync + 'static
{
    /// Returns the handle as a Python object.
    fn object(py: Python<'_>, handle: Handle<Self>) -> PyResult<Bound<'_, PyAny>>;
}

/// A record that converts to a Python object.
pub(crate) trait IntoPyRecord: for<'py> IntoPyObject<'py, Error = PyErr> {}

impl<A: for<'py> IntoPyObject<'py, Error = PyErr>> IntoPyRecord for A {}
