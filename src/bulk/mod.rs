//! Bulk runs: `edit_many` and the other `_many` methods.

mod handle;
mod handles;
mod run;
mod targets;
mod waiting;

pub(super) use handles::{AccountsRun, DcaBotsRun};
pub(super) use run::{BulkOutcome, Run};
pub(super) use targets::Targets;
