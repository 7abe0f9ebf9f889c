//! The live streams: what they send to whom, and what they received.
//!
//! - `hub` has the connections, the list of attempts and the controls; `controls` says what they do.
//! - `publishing` finds the records that have changed since they were last published.

mod attempt;
mod controls;
mod hub;
mod publishing;

pub use hub::StreamHub;
pub(super) use hub::{Outgoing, ping};
