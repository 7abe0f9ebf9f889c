//! The handle in a result or a preview.

use std::sync::Arc;

use pyo3::prelude::*;

use botdesk_client::bulk::{Bulk, BulkPlan, Outcome};

/// The data with which a run continues.
#[pyclass(frozen, name = "_Run", module = "botdesk")]
pub(crate) struct Handle {
    pub(super) bulk: Arc<Bulk>,
    pub(super) before: Vec<Outcome>,
    pub(super) known: Option<Arc<BulkPlan>>,
    pub(super) check: bool,
}
