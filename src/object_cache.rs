//! A cache of Python objects for short strings: many records have the same `0.0` and the same `quote_currency`.

use std::sync::Mutex;

use pyo3::prelude::*;

use crate::exceptions::RustResult;

/// The number of objects in the cache.
const CAPACITY: usize = 256;

/// The longest string with an object in the cache, in bytes.
const MAX_LENGTH: usize = 15;

/// The newest objects, each in the slot of its string. They are immutable, so they can be shared.
pub(super) struct ObjectCache {
    // Only `try_lock` is used. In a child that was forked while the lock was held, nothing is cached.
    slots: Mutex<Vec<Option<CachedObject>>>,
}

/// An object and the string that it was created from.
type CachedObject = (CacheKey, Py<PyAny>);

impl ObjectCache {
    pub(super) const fn new() -> Self {
        Self { slots: Mutex::new(Vec::new()) }
    }

    /// Returns the object of a string, from the cache if it is there.
    pub(super) fn get_or_try_init<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        create: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(key) = CacheKey::of(text) else { return create() };
        if let Some(cached) = self.cached(py, key) {
            return Ok(cached);
        }
        let object = create()?;
        // The replaced object is dropped after the lock is released.
        let _replaced = self.insert(key, object.clone().unbind());
        Ok(object)
    }

    #[inline]
    fn cached<'py>(&self, py: Python<'py>, key: CacheKey) -> Option<Bound<'py, PyAny>> {
        let slots = self.slots.try_lock().rust_ok()?;
        let (cached, object) = slots.get(key.slot())?.as_ref()?;
        (*cached == key).then(|| object.bind(py).clone())
    }

    fn insert(&self, key: CacheKey, object: Py<PyAny>) -> Option<CachedObject> {
        let mut slots = self.slots.try_lock().rust_ok()?;
        if slots.is_empty() {
            slots.resize_with(CAPACITY, || None);
        }
        slots.get_mut(key.slot())?.replace((key, object))
    }
}

/// A short string and its length in one number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CacheKey(u128);

impl CacheKey {
    #[inline]
    fn of(text: &str) -> Option<Self> {
        let mut bytes = [0; MAX_LENGTH + 1];
        bytes.get_mut(..MAX_LENGTH)?.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        *bytes.last_mut()? = text.len().try_into().rust_ok()?;
        Some(Self(u128::from_le_bytes(bytes)))
    }

    /// Returns the slot of the string.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the halves are what is wanted, and the highest bits of a product"
    )]
    fn slot(self) -> usize {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = (self.0 as u64 ^ (self.0 >> 64) as u64).wrapping_mul(ODD);
        (mixed >> (u64::BITS - CAPACITY.ilog2())) as usize
    }
}
