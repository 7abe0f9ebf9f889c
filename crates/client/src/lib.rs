//! The client of the trading-automation API.
//!
//! | module | what is there |
//! |---|---|
//! | [`process`] | values that each process makes for itself, so that a fork breaks nothing |
//! | [`error`] | the errors of a call |
//! | [`request`] | what is sent: the base URL, the path, the query and the body of a request |
//! | [`credentials`] | the API key and the private key: where they are stored, and how they sign |
//! | [`rate_limit`] | how many requests may be sent, and bans |
//! | [`http`] | the path of a request: [`http::send`] reads from top to bottom |
//! | [`edit`] | edits: what changes, and what is sent along unchanged |
//! | [`pages`] | all pages of a list |
//! | [`bulk`] | the same operation on many records |
//! | [`watch`] | polling for changes |
//!
//! A module depends only on modules above it.

pub mod bulk;
pub mod credentials;
pub mod edit;
pub mod error;
pub mod http;
pub mod once;
pub mod pages;
pub mod process;
pub mod rate_limit;
pub mod request;
pub mod watch;
