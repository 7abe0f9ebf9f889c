//! The rate limiter, and bans.

pub(crate) mod bans;
pub(crate) mod limit;
pub(crate) mod limiter;
mod window;

pub use limit::{Budget, RateLimit};
