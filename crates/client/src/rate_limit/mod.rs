//! How many requests may be sent, and bans.

pub(crate) mod bans;
pub mod limiter;
