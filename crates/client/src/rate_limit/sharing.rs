//! The counts that the rate limiter shares with other processes.

use std::sync::Arc;
use std::time::Duration;

use super::leased::budget::{LeasedBudget, LeasedPermit, ServerQueueEntry};
use super::limit::{Budget, RateLimit};
use super::shared::budget::{FileQueueEntry, SharedBudget, SharedPermit};

/// The counts that the rate limiter shares with other processes.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedCounts {
    /// The files of this machine: bans, which concern its IP address, and, without a server, the requests.
    pub(crate) files: Option<Arc<SharedBudget>>,
    /// The count of a server, which processes on other machines use too.
    pub(crate) server: Option<Arc<LeasedBudget>>,
}

impl SharedCounts {
    /// Returns the files, if they have the requests too.
    pub(super) fn request_file(&self) -> Option<&Arc<SharedBudget>> {
        self.files.as_ref().filter(|_| self.server.is_none())
    }

    /// Returns true if other processes may free a permit.
    pub(super) fn counts_others(&self) -> bool {
        self.files.is_some() || self.server.is_some()
    }

    /// Returns the places of a caller in the queue of all processes.
    pub(super) fn places(&self) -> QueueEntries {
        QueueEntries {
            file: self.request_file().map(SharedBudget::place),
            server: self.server.as_ref().map(LeasedBudget::place),
        }
    }

    /// Returns how much of a limit is left to all processes.
    pub(super) fn budget(&self, limit: RateLimit) -> Option<Budget> {
        match &self.server {
            Some(server) => server.budget(limit),
            None => self.files.as_ref()?.budget(limit),
        }
    }
}

/// The places of a caller in the queue of all processes.
#[derive(Debug, Default)]
pub(crate) struct QueueEntries {
    pub(super) file: Option<FileQueueEntry>,
    pub(super) server: Option<ServerQueueEntry>,
}

/// A request in a count that other processes share.
#[derive(Debug)]
pub(super) enum SharedRequest {
    InFile(SharedPermit),
    Leased(LeasedPermit),
}

impl SharedRequest {
    /// Prolongs its lease for an attempt with this timeout.
    pub(super) fn prolong(&self, timeout: Duration) {
        match self {
            Self::InFile(permit) => permit.prolong(timeout),
            Self::Leased(permit) => permit.prolong(timeout),
        }
    }

    /// Ends it; `arrives_within` is the time within which it has arrived from now on, None if it was not sent.
    pub(super) fn end(self, arrives_within: Option<Duration>) {
        match self {
            Self::InFile(permit) => permit.end(arrives_within),
            Self::Leased(permit) => permit.end(arrives_within),
        }
    }
}
