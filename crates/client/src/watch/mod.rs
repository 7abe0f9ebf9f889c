//! Watches DCA bots by polling, and reports what changes.
//!
//! - `source` returns the bots; `schedule` says when to poll.
//! - `difference` compares a bot with its last known state; `snapshot` has the known states of all bots.
//! - `known` keeps the last value of a field that a response omits or that can't be read.
//! - `poll` is one poll, request by request; `watcher` polls and keeps the changes and errors until they are taken.
//! - `saved_state` saves the state of a watch, to continue it in another process.

mod bot_state;
mod change;
mod difference;
mod failure;
mod known;
mod options;
mod poll;
mod saved_state;
mod schedule;
mod snapshot;
mod source;
mod watcher;

#[cfg(test)]
mod tests;

pub use change::{BotChange, ChangeKind};
pub use options::WatchOptions;
pub use snapshot::Scope;
pub use source::{ApiSource, Source};
pub use watcher::Watcher;
