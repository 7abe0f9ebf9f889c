//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex. It ignores poisoning: no thread that panics leaves inconsistent data behind.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
