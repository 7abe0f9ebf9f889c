//! The list of attempts: handshakes and commands, each with its outcome and the cause, which the wire does not show.

use std::collections::VecDeque;

use botdesk_server::subscription::StreamAttempt;

/// The maximum number of attempts in the list.
const MAX_ATTEMPTS: usize = 10_000;

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
