//! Faults by chance, the same ones for the same seed.

use super::fault::{ANY, Fault};
use super::kind::{Details, Kind};
use crate::seed::Random;

/// The faults that chance chooses from: none that hangs. The statuses are those of a status fault.
const CHOICE: &[(Kind, Option<u16>)] = &[
    (Kind::Status, Some(429)),
    (Kind::Status, Some(500)),
    (Kind::Status, Some(502)),
    (Kind::Status, Some(503)),
    (Kind::Status, Some(504)),
    (Kind::CloseBefore, None),
    (Kind::CloseAfter, None),
    (Kind::CutBody, None),
    (Kind::WrongLength, None),
];

/// Into how many parts a share is divided.
const PARTS: f64 = 1_000_000.0;

/// Chooses for each request whether a fault befalls it, and which.
pub(super) struct Chance {
    share: f64,
    random: Random,
}

impl Chance {
    pub(super) fn new(share: f64, seed: u64) -> Self {
        Self { share, random: Random::new(seed, 0) }
    }

    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// The fault of the next request, if there is one.
    pub(super) fn next(&mut self) -> Option<Fault> {
        #[allow(clippy::cast_possible_truncation, reason = "a share lies between 0 and 1")]
        let befallen = (self.share * PARTS) as i64;
        #[allow(clippy::cast_possible_truncation, reason = "a whole number far below the largest")]
        let drawn = self.random.between(0, PARTS as i64 - 1);
        // Both are drawn every time, so that one seed chooses the same kinds for every share.
        let (kind, status) = self.random.of(CHOICE, (Kind::CloseBefore, None));
        let details = Details { status, ..Details::default() };
        (drawn < befallen).then_some(Fault { operation: ANY, kind, times: Some(1), details })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(share: f64, seed: u64) -> Vec<Option<Fault>> {
        let mut chance = Chance::new(share, seed);
        (0..2_000).map(|_| chance.next()).collect()
    }

    #[test]
    fn the_same_seed_draws_the_same_faults() {
        assert_eq!(drawn(0.02, 1), drawn(0.02, 1));
        assert_ne!(drawn(0.02, 1), drawn(0.02, 2));
    }

    #[test]
    fn the_share_is_kept() {
        let count = |share| drawn(share, 1).iter().flatten().count();
        assert_eq!((count(0.0), count(1.0)), (0, 2_000));
        assert!((20..=60).contains(&count(0.02)), "{}", count(0.02));
    }

    #[test]
    fn every_kind_is_drawn_and_a_larger_share_adds_to_a_smaller() {
        let kinds = |kind| drawn(0.5, 1).iter().flatten().any(|fault| fault.kind == kind);
        assert!(CHOICE.iter().all(|(kind, _)| kinds(*kind)));
        let (few, many) = (drawn(0.1, 1), drawn(0.5, 1));
        assert!(few.iter().zip(&many).all(|(few, many)| few.is_none() || few == many));
    }
}
