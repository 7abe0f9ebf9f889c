//! The core of botdesk, and its binding to Python.
//!
//! - [`service`] is the API document as data: a row for each field, input, rule and endpoint. Nothing there does I/O.
//! - [`client`] is the road of a request: arguments, rules, bytes, signature, wire, status, record.
//! - [`planning`] is the arithmetic of bots.
//! - [`sandbox`] is the service, run on this machine.
//! - [`recording`] turns traffic into cassettes, and replays them.
//! - [`tables`] turns records into Arrow columns.
//! - `fuzzing`, for tests and behind the feature of that name, is what fuzzers run: one function for each place that reads
//!   what others wrote.
//! - `python`, behind the feature of that name, is the binding. It alone knows Python.

pub mod client;
mod files;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod lock;
pub mod planning;
#[cfg(feature = "python")]
mod python;
pub mod recording;
pub mod sandbox;
pub mod service;
pub mod tables;
