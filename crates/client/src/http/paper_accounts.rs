//! The accounts that were found to be paper accounts.

use std::collections::{HashMap, HashSet};
use std::convert::Infallible;

use crate::process::PerProcess;
use crate::sync::{Mutex, MutexGuard, locked};

/// The paper accounts that a client has checked, and the accounts of records.
#[derive(Default)]
pub(super) struct PaperAccounts(PerProcess<Mutex<Known>>);

/// What is known of accounts and records.
#[derive(Default)]
pub(super) struct Known {
    /// The paper accounts.
    pub(super) paper: HashSet<u64>,
    /// The account of a record by the path that reads it. A record stays on its account; an edit that names another one is checked
    /// for that one too.
    pub(super) of_records: HashMap<String, u64>,
}

impl PaperAccounts {
    /// Returns what is known.
    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        let Ok(known) = self.0.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
        locked(known)
    }
}
