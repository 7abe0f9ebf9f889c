//! Pseudorandom numbers that are the same for the same seed on every machine.

/// The splitmix64 generator, which is good enough for demo data.
pub struct Random(u64);

impl Random {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// Creates the generator of an item, such as an id, under a seed.
    pub fn new(seed: u64, item: u64) -> Self {
        let mut random = Self(seed);
        Self(random.next() ^ item.wrapping_mul(Self::STEP))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STEP);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number from `min` to `max`, both inclusive.
    pub fn between(&mut self, min: i64, max: i64) -> i64 {
        let count = min.abs_diff(max).saturating_add(1);
        min.saturating_add_unsigned(self.next() % count)
    }

    /// Returns one of several items, or the default if there are none.
    pub fn choose<T: Copy>(&mut self, items: &[T], default: T) -> T {
        let last = i64::try_from(items.len()).unwrap_or(i64::MAX) - 1;
        let index = usize::try_from(self.between(0, last.max(0))).unwrap_or(0);
        items.get(index).copied().unwrap_or(default)
    }
}

/// Returns a fake secret for a field of a record; the same seed gives the same secret.
pub(crate) fn secret(seed: u64, id: u64, field: &str) -> String {
    let field = field.bytes().fold(0_u64, |hash, letter| hash.wrapping_mul(31).wrapping_add(u64::from(letter)));
    let mut random = Random::new(!seed ^ field, id);
    [(); 2].map(|()| format!("{:016x}", random.next())).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_numbers_of_splitmix64() {
        let mut random = Random(1_234_567);
        let numbers = [(); 3].map(|()| random.next());
        assert_eq!(numbers, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn both_bounds_are_possible() {
        let mut random = Random::new(1, 1);
        let numbers: std::collections::BTreeSet<_> = (0..200).map(|_| random.between(-2, 2)).collect();
        assert_eq!(numbers, (-2..=2).collect());
    }
}
