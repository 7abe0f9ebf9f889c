//! The files of the script, which it has after a restart.

use std::sync::{Mutex, MutexGuard};

use botdesk_system::lock::locked;

use crate::checks::changes::ChangeCheck;

/// The files of the script.
pub(crate) struct Disk {
    /// The identifiers of the bots.
    pub(crate) bots: Vec<u64>,
    saved: Mutex<Saved>,
}

/// One file, which is written whole: the state of the watch, and what the script has made of the changes until then.
#[derive(Clone)]
pub(crate) struct Saved {
    /// The state of the watch.
    pub(crate) state: String,
    /// The states that the changes add up to.
    pub(crate) changes: ChangeCheck,
}

impl Disk {
    pub(crate) fn new(bots: Vec<u64>, state: String, changes: ChangeCheck) -> Self {
        Self { bots, saved: Mutex::new(Saved { state, changes }) }
    }

    /// Returns the saved file.
    pub(crate) fn saved(&self) -> MutexGuard<'_, Saved> {
        locked(&self.saved)
    }
}
