//! Objects of Python that were made of short texts a moment ago: many records hold the same `0.0` and the same `quote_currency`.

use std::sync::Mutex;

use pyo3::prelude::*;

use super::exceptions::RustResult;

/// How many objects are kept.
const PLACES: usize = 256;

/// The longest text that is kept, in bytes.
const LONGEST: usize = 15;

/// The newest objects, each at the place that its text has. They can't be changed, so whoever needs one may have the same.
pub(super) struct Recent {
    // It is only ever tried: a child that was forked while the lock was held makes its objects anew.
    places: Mutex<Vec<Option<Kept>>>,
}

/// An object and the text that it was made of.
type Kept = (Text, Py<PyAny>);

impl Recent {
    pub(super) const fn new() -> Self {
        Self { places: Mutex::new(Vec::new()) }
    }

    /// The object of a text, made now unless it is kept.
    pub(super) fn get_or_make<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        make: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(text) = Text::of(text) else { return make() };
        if let Some(known) = self.known(py, text) {
            return Ok(known);
        }
        let object = make()?;
        // What it takes the place of is let go of without the lock.
        let _before = self.keep(text, object.clone().unbind());
        Ok(object)
    }

    fn known<'py>(&self, py: Python<'py>, text: Text) -> Option<Bound<'py, PyAny>> {
        let places = self.places.try_lock().rust_ok()?;
        let (known, object) = places.get(text.place())?.as_ref()?;
        (*known == text).then(|| object.bind(py).clone())
    }

    fn keep(&self, text: Text, object: Py<PyAny>) -> Option<Kept> {
        let mut places = self.places.try_lock().rust_ok()?;
        if places.is_empty() {
            places.resize_with(PLACES, || None);
        }
        places.get_mut(text.place())?.replace((text, object))
    }
}

/// A short text and its length in one number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Text(u128);

impl Text {
    fn of(text: &str) -> Option<Self> {
        let mut bytes = [0; LONGEST + 1];
        bytes.get_mut(..LONGEST)?.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        *bytes.last_mut()? = text.len().try_into().rust_ok()?;
        Some(Self(u128::from_le_bytes(bytes)))
    }

    /// Its place among the kept ones.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the halves are what is wanted, and the highest bits of a product"
    )]
    fn place(self) -> usize {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mixed = (self.0 as u64 ^ (self.0 >> 64) as u64).wrapping_mul(ODD);
        (mixed >> (u64::BITS - PLACES.ilog2())) as usize
    }
}
