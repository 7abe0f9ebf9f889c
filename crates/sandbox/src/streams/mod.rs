//! The live streams: what they send to whom, and what they received.
//!
//! - `subscription` checks a subscribe command, and decides whether it is confirmed, rejected or not answered.
//! - `hub` has the connections, the list of attempts and the controls; `controls` says what they do.
//! - `publishing` finds the records that have changed since they were last published.

mod attempt;
mod controls;
mod hub;
mod publishing;
mod subscription;

pub use attempt::StreamAttempt;
pub use hub::StreamHub;
pub(super) use hub::{Outgoing, ping};
pub(super) use subscription::{Command, read};
