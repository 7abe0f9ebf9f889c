//! Numbers that look random and are the same for the same seed on every machine.

/// The generator known as splitmix64: an addition and a mixing of bits, enough for a demo world.
pub(crate) struct Random(u64);

impl Random {
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// The numbers that belong to a seed and to one of its things.
    pub(crate) fn new(seed: u64, thing: u64) -> Self {
        let mut random = Self(seed);
        Self(random.next() ^ thing.wrapping_mul(Self::STEP))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STEP);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from `least` to `most`, both possible.
    pub(crate) fn between(&mut self, least: i64, most: i64) -> i64 {
        let count = least.abs_diff(most).saturating_add(1);
        least.saturating_add_unsigned(self.next() % count)
    }

    /// One of several things.
    pub(crate) fn of<T: Copy>(&mut self, things: &[T], otherwise: T) -> T {
        let most = i64::try_from(things.len()).unwrap_or(i64::MAX) - 1;
        let index = usize::try_from(self.between(0, most.max(0))).unwrap_or(0);
        things.get(index).copied().unwrap_or(otherwise)
    }
}

/// A made-up secret of a record; always the same for the same seed.
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
    fn both_ends_are_possible() {
        let mut random = Random::new(1, 1);
        let numbers: std::collections::BTreeSet<_> = (0..200).map(|_| random.between(-2, 2)).collect();
        assert_eq!(numbers, (-2..=2).collect());
    }
}
