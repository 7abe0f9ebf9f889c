//! The path of a request, which [`send`] has from top to bottom.

mod attempt;
pub mod client;
pub mod events;
pub mod idle;
pub mod pools;
pub mod recorder;
mod response;
pub mod retry;
mod retry_after;
pub mod send;
pub mod settings;

pub use client::HttpClient;
pub use response::Response;
pub use settings::Settings;
