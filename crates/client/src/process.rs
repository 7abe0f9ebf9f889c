//! One value per process: threads, sockets and locks do not survive a fork.

use crate::sync::{AtomicPtr, Ordering};

struct Owned<T> {
    process: u32,
    value: T,
}

/// A value that each process makes for itself when it first needs it.
///
/// A forked child never touches its parent's value: it makes its own and leaks the parent's. No lock is used, because a thread that
/// does not exist in the child could hold it.
pub struct PerProcess<T> {
    current: AtomicPtr<Owned<T>>,
}

impl<T: Send + Sync + 'static> PerProcess<T> {
    /// Returns a value that no process has made yet.
    pub const fn new() -> Self {
        Self { current: AtomicPtr::new(std::ptr::null_mut()) }
    }

    /// Returns the value of this process, if it was made.
    pub fn get(&self) -> Option<&T> {
        Self::of_this_process(self.current.load(Ordering::Acquire))
    }

    /// Returns the value of this process, and makes it if needed.
    pub fn get_or_try_init<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.get() {
            return Ok(value);
        }
        let fresh = Box::into_raw(Box::new(Owned { process: std::process::id(), value: make()? }));
        let mut seen = self.current.load(Ordering::Acquire);
        loop {
            if let Some(first) = Self::of_this_process(seen) {
                // SAFETY: `fresh` comes from `Box::into_raw` above, and no other thread has seen it.
                drop(unsafe { Box::from_raw(fresh) });
                return Ok(first);
            }
            match self.current.compare_exchange(seen, fresh, Ordering::AcqRel, Ordering::Acquire) {
                // SAFETY: `fresh` comes from `Box::into_raw` above, and is freed when `self` is dropped.
                Ok(_) => return Ok(unsafe { &(*fresh).value }),
                Err(now) => seen = now,
            }
        }
    }

    fn of_this_process<'a>(owned: *mut Owned<T>) -> Option<&'a T> {
        // SAFETY: a pointer in `current` is null, or comes from `Box::into_raw` and is freed when `self` is dropped.
        let owned = unsafe { owned.as_ref() }?;
        (owned.process == std::process::id()).then_some(&owned.value)
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let current = *self.current.get_mut();
        // SAFETY: a pointer in `current` is null or comes from `Box::into_raw`, and nothing else refers to it.
        let is_ours = unsafe { current.as_ref() }.is_some_and(|owned| owned.process == std::process::id());
        if is_ours {
            // SAFETY: as above.
            drop(unsafe { Box::from_raw(current) });
        }
    }
}

impl<T: Send + Sync + 'static> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::sync::Arc;

    #[test]
    fn all_threads_get_the_first_value() {
        static PLACE: PerProcess<std::thread::ThreadId> = PerProcess::new();
        let make = || Ok::<_, Infallible>(std::thread::current().id());
        let threads: Vec<_> =
            (0..8).map(|_| std::thread::spawn(move || *PLACE.get_or_try_init(make).unwrap())).collect();
        let seen: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(seen.iter().all(|id| Some(id) == PLACE.get()));
    }

    #[test]
    fn a_value_is_dropped_with_its_place() {
        let value = Arc::new(());
        let place = PerProcess::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| place.get_or_try_init(|| Ok::<_, Infallible>(Arc::clone(&value))).map(drop));
            }
        });
        assert_eq!(Arc::strong_count(&value), 2);
        drop(place);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    #[test]
    fn a_value_that_could_not_be_created_is_created_again() {
        static PLACE: PerProcess<u8> = PerProcess::new();
        assert_eq!(PLACE.get_or_try_init(|| Err("no")), Err("no"));
        assert_eq!(PLACE.get_or_try_init(|| Ok::<_, &str>(7)), Ok(&7));
    }
}
