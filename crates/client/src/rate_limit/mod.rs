//! The rate limiter, and bans.

pub(crate) mod bans;
pub(crate) mod client_limiter;
mod digests;
pub(crate) mod error;
pub mod leased;
pub(crate) mod limit;
pub(crate) mod limiter;
pub mod shared;
mod sharing;
mod window;

pub use client_limiter::ClientLimiter;
pub use error::RateLimitError;
pub use limit::{Budget, MAX_SHARED_REQUESTS, RateLimit, RateLimitOption, Sharing};
pub use limiter::Permit;
