//! The road of a request: arguments, rules, bytes, signature, wire, status, record.

pub mod base_url;
pub mod error;
pub mod key;
pub mod pages;
pub mod process;
pub mod request;
pub mod send;
pub mod signing;
pub mod transport;
