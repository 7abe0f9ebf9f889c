//! The path of a request, which [`send`] has from top to bottom.

mod attempt;
pub mod client;
pub mod events;
pub mod idle;
pub mod pools;
pub mod recorder;
pub mod retry;
mod retry_after;
pub mod send;
pub mod settings;

pub use attempt::Answer;
pub use client::Road;
pub use settings::Settings;
