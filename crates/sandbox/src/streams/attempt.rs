//! The list of attempts: handshakes and commands, each with its outcome and the cause, which the wire does not show.

use std::collections::VecDeque;

/// The maximum number of attempts in the list.
const MAX_ATTEMPTS: usize = 10_000;

/// A handshake or a command of a stream, without its API key and its signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamAttempt {
    /// The path of the connection.
    pub path: String,
    /// The subprotocols that the client offered; None if it offered none.
    pub subprotocol: Option<String>,
    /// The channel; None for a handshake, and for a command that names none.
    pub channel: Option<String>,
    /// The last four characters of the API key; None if there is none.
    pub key: Option<String>,
    /// The text whose signature was checked; None if none was.
    pub signed_text: Option<&'static str>,
    /// The algorithm of the key: `RSA` or `HMAC`; None if the key is unknown.
    pub algorithm: Option<&'static str>,
    /// The outcome: `connected`, `refused`, `confirmed`, `rejected`, `unsubscribed` or `ignored`.
    pub result: &'static str,
    /// The reason of the outcome; empty for a success.
    pub cause: &'static str,
}

/// The newest attempts, oldest first.
#[derive(Debug, Default)]
pub(super) struct AttemptLog(VecDeque<StreamAttempt>);

impl AttemptLog {
    pub(super) fn add(&mut self, attempt: StreamAttempt) {
        self.0.push_back(attempt);
        if self.0.len() > MAX_ATTEMPTS {
            self.0.pop_front();
        }
    }

    pub(super) fn all(&self) -> Vec<StreamAttempt> {
        self.0.iter().cloned().collect()
    }
}

/// Returns the last four characters of an API key that is long enough to stay secret.
pub(super) fn last_characters(api_key: &str) -> String {
    const SHOWN: usize = 4;
    const SHORTEST: usize = 16;
    if api_key.chars().count() < SHORTEST {
        return "…".to_owned();
    }
    let skipped = api_key.chars().count() - SHOWN;
    format!("…{}", api_key.chars().skip(skipped).collect::<String>())
}
