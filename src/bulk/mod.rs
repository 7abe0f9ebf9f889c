//! Bulk runs: `edit_many` and the other `_many` methods.

mod continuing;
mod handle;
mod run;
mod targets;
mod waiting;

pub(super) use handle::Handle;
pub(super) use run::{BulkOutcome, Run};
pub(super) use targets::Targets;
