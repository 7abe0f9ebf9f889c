//! The locks and atomics of shuttle, under the names of the client's `sync`.

use std::sync::PoisonError;

pub use shuttle::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
pub use shuttle::sync::{Mutex, MutexGuard};

/// Locks a mutex, even if a thread panicked while it held it.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
