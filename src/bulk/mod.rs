//! The same for many records: `edit_many` and its kin.

mod handle;
mod handles;
mod run;
mod targets;
mod waiting;

pub(super) use handles::{AccountsRun, DcaBotsRun};
pub(super) use run::{BulkOutcome, Run};
pub(super) use targets::Targets;
