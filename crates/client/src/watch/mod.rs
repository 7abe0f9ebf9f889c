//! Watches the records of a list by polling, and reports what changes.
//!
//! - `subject` says which fields are compared; `source` returns the records; `schedule` says when to poll.
//! - `difference` compares a record with its last known state; `snapshot` has the known states of all records.
//! - `known` keeps the last value of a field that a response omits or that can't be read.
//! - `poll` is one poll, request by request; `watcher` polls and keeps the changes and errors until they are taken.
//! - `saved_state` saves the state of a watch, to continue it in another process.

mod change;
mod difference;
mod failure;
mod known;
mod options;
mod poll;
mod record_state;
mod saved_state;
mod schedule;
mod snapshot;
mod source;
mod subject;
mod watcher;

#[cfg(test)]
mod tests;

pub use change::{ChangeKind, RecordChange};
pub(crate) use failure::is_temporary;
pub(crate) use known::settings;
pub use options::WatchOptions;
pub use snapshot::Scope;
pub use source::{ApiSource, Source};
pub use subject::Subject;
pub use watcher::Watcher;
