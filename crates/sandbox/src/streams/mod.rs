//! The live streams: WebSocket connections that send records when they change.
//!
//! - `handshake` upgrades a request to a connection; `connection` reads and writes its frames.
//! - `subscription` checks a subscribe command, and decides whether it is confirmed, rejected or not answered.
//! - `hub` has the connections, the list of attempts and the controls; `controls` says what they do.
//! - `publishing` finds the records that have changed since they were last published.

mod attempt;
mod connection;
mod controls;
mod handshake;
mod hub;
mod publishing;
mod subscription;

pub use attempt::StreamAttempt;
pub(super) use handshake::{connect, is_stream};
pub use hub::StreamHub;
