//! The reasons why a request may not be sent.

use std::time::Duration;

/// The reason why a request may not be sent now, with the time until one may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLimitError {
    /// The rate limit is reached.
    LimitReached(Duration),
    /// The service rejects the API key for a while.
    KeyRejected(Duration),
    /// The IP address of this machine is banned.
    Banned(Duration),
}
