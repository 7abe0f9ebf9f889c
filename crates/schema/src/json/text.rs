//! Comparison of many bytes at once.

use wide::u8x16;

/// The number of bytes of a string that are compared at once.
pub(super) const AT_ONCE: usize = 16;

/// Returns how many bytes at the beginning need no escape inside of quotes.
#[inline]
pub(super) fn plain(bytes: [u8; AT_ONCE]) -> usize {
    const LAST_CONTROL: u8 = 0x1f;
    let bytes = u8x16::new(bytes);
    let is = |byte: u8| bytes.simd_eq(u8x16::splat(byte));
    let special = is(b'"') | is(b'\\') | bytes.simd_eq(bytes.min(u8x16::splat(LAST_CONTROL)));
    // A bit past those of the bytes ends the search if none is special.
    (special.to_bitmask() | 1 << AT_ONCE).trailing_zeros() as usize
}

/// A short text that is searched for often.
#[derive(Clone, Copy, Default)]
pub(super) struct KnownText {
    halves: [[u8; AT_ONCE]; 2],
    /// A bit for each of its bytes.
    bytes: u32,
    length: usize,
}

impl KnownText {
    /// Returns the text for comparison, unless it is too long.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let mut known = Self { length: text.len(), ..Self::default() };
        known.halves.as_flattened_mut().get_mut(..text.len())?.copy_from_slice(text);
        known.bytes = text.iter().fold(0, |bits, _| bits << 1 | 1);
        Some(known)
    }

    /// Returns its length if a string begins with it and does not end soon after.
    #[inline]
    pub(super) fn begins(&self, text: &[u8]) -> Option<usize> {
        let [low, high] = &self.halves;
        let same = same(text.first_chunk()?, low) | same(text.get(AT_ONCE..)?.first_chunk()?, high) << AT_ONCE;
        (same & self.bytes == self.bytes).then_some(self.length)
    }
}

/// Returns a bit for each byte that two strings share.
#[inline]
fn same(one: &[u8; AT_ONCE], other: &[u8; AT_ONCE]) -> u32 {
    u8x16::new(*one).simd_eq(u8x16::new(*other)).to_bitmask()
}
