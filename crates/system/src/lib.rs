//! Functions of the operating system that all crates use: files, locks, clocks, processes, shell quoting.

pub mod clock;
pub mod files;
pub mod lock;
pub mod process;
pub mod shell;
pub mod slot_file;
