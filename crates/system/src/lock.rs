//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a mutex guards. A thread that panicked while it held it has left nothing half done that others rely on.
pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
