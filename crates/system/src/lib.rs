//! What all crates need of the operating system: files that are written whole, locks, words of a shell.

pub mod files;
pub mod lock;
pub mod shell;
