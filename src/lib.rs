//! The core of botdesk.

pub mod client;
pub mod planning;
#[cfg(feature = "python")]
mod python;
pub mod sandbox;
pub mod service;
