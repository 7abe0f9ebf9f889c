//! Operating system helpers for all crates: atomic file writes, locks and shell quoting.

pub mod files;
pub mod lock;
pub mod shell;
