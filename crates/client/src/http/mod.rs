//! The path of a request: [`send`] has it from top to bottom.

pub mod client;
pub(crate) mod errors;
pub mod events;
pub mod idle;
mod limiters;
mod mode_hint;
mod outcome;
mod paper;
mod paper_accounts;
mod pending_exchange;
mod permits;
mod pool_map;
pub mod pools;
pub mod proxies;
pub mod recorder;
mod response;
pub mod retry;
mod retry_after;
#[cfg(test)]
mod samples;
pub mod send;
mod service_time;
pub mod settings;
mod status;
pub(crate) mod upgrade;

pub use client::HttpClient;
pub use response::Response;
pub use settings::Settings;
