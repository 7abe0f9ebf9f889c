//! The same for many records: `edit_many` and its kin.

mod accounts;
mod dca_bots;
mod handle;
mod handles;
mod run;
mod targets;
mod waiting;

pub(super) use handles::{AccountsRun, DcaBotsRun};
