//! The locks and atomics of modules that `models/` runs under shuttle, with a `sync` of its own in place of this one.

pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
pub(crate) use std::sync::{Mutex, MutexGuard};

pub(crate) use botdesk_system::lock::locked;
