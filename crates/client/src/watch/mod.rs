//! Watching: what changes at the DCA bots, told by asking for them again and again.
//!
//! - `source` is who is asked, `schedule` when.
//! - `difference` tells how one bot differs from what was known of it; `snapshot` is what is known of all.
//! - `known` keeps the last value of a field that a response leaves out or spoils.
//! - `round` is one poll, request by request; `watcher` makes rounds and keeps what they found until it is taken.
//! - `state` is what a watch knows as a text, to go on from in another process.

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
