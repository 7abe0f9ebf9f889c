//! The core of botdesk, and its binding to Python.
//!
//! - [`service`] is the API document as data: a row for each field, input, rule and endpoint. Nothing there does I/O.
//! - [`client`] is the road of a request: arguments, rules, bytes, signature, wire, status, record.
//! - [`planning`] is the arithmetic of bots.
//! - [`sandbox`] is the service, run on this machine.
//! - `python`, behind the feature of that name, is the binding. It alone knows Python.

pub mod client;
pub mod planning;
#[cfg(feature = "python")]
mod python;
pub mod sandbox;
pub mod service;
