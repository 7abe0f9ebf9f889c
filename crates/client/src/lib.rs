//! The client of the trading-automation API.
//!
//! | module | content |
//! |---|---|
//! | `sync` | the locks and atomics of modules whose threads are modelled |
//! | [`process`] | values that each process makes for itself, so that a fork breaks nothing |
//! | [`warnings`] | warnings that the binding passes on at the end of a call |
//! | [`error`] | the errors of a call |
//! | [`request`] | requests: the base URL, the path, the query string and the body |
//! | [`addition`] | additions to a list of the service |
//! | [`credentials`] | the API key and the private key: where they are stored, and how they sign |
//! | [`rate_limit`] | the rate limiter, and bans |
//! | [`last_write`] | the last write that was sent, for a program that is stopped |
//! | `recent_writes` | the latest writes that were carried out |
//! | [`http`] | the path of a request: [`http::send`] reads from top to bottom |
//! | [`edit`] | edits: the changes, and the fields that are sent unchanged |
//! | [`read_ahead`] | the next page of a list, requested while the caller works on the current one |
//! | [`pages`] | all pages of a list |
//! | [`traces`] | the search for what a write has made if its outcome is unknown |
//! | [`once`] | writes that are sent at most once |
//! | [`bulk`] | the same operation on many records |
//! | [`watch`] | polling for changes |
//! | [`stream`] | live events |
//!
//! A module depends only on modules above it.

pub mod addition;
pub mod bulk;
pub mod credentials;
pub mod edit;
pub mod error;
pub mod http;
pub mod last_write;
pub mod once;
pub mod pages;
pub mod process;
pub mod rate_limit;
pub mod read_ahead;
mod recent_writes;
pub mod request;
pub mod stream;
mod sync;
pub mod traces;
pub mod warnings;
pub mod watch;
