//! Functions of the operating system that all crates use: atomic file writes, locks, shell quoting.

pub mod files;
pub mod lock;
pub mod shell;
