//! The road of a request: arguments, rules, bytes, signature, wire, status, record.

pub mod access;
mod attempt;
mod ban;
pub mod base_url;
pub mod bulk;
pub mod catch_up;
pub mod edit;
pub mod error;
pub mod events;
pub mod exchange;
pub mod identity;
pub mod key;
pub mod key_source;
pub mod pages;
pub mod process;
pub mod raw;
pub mod request;
pub mod retry;
mod retry_after;
pub mod send;
pub mod settings;
pub mod signatures;
pub mod signed;
pub mod signing;
pub mod throttle;
pub mod transport;
pub mod watch;
