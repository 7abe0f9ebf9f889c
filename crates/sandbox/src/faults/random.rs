//! Random faults. The same seed gives the same faults.

use super::fault::{ANY, Fault};
use super::kind::{FaultKind, FaultOptions};
use crate::random::Random;

/// The kinds to draw from, with the status of a `status` fault. None of them hangs.
const CHOICES: &[(FaultKind, Option<u16>)] = &[
    (FaultKind::Status, Some(429)),
    (FaultKind::Status, Some(500)),
    (FaultKind::Status, Some(502)),
    (FaultKind::Status, Some(503)),
    (FaultKind::Status, Some(504)),
    (FaultKind::CloseBefore, None),
    (FaultKind::CloseAfter, None),
    (FaultKind::CutBody, None),
    (FaultKind::WrongLength, None),
];

/// The number of steps between a share of 0 and a share of 1.
const RESOLUTION: f64 = 1_000_000.0;

/// Draws for each request whether it gets a fault, and which one.
pub(super) struct RandomFaults {
    share: f64,
    random: Random,
}

impl RandomFaults {
    pub(super) fn new(share: f64, seed: u64) -> Self {
        Self { share, random: Random::new(seed, 0) }
    }

    pub(super) fn share(&self) -> f64 {
        self.share
    }

    /// Returns the fault of the next request, if it gets one.
    pub(super) fn next(&mut self) -> Option<Fault> {
        #[allow(clippy::cast_possible_truncation, reason = "a share is between 0 and 1")]
        let threshold = (self.share * RESOLUTION) as i64;
        #[allow(clippy::cast_possible_truncation, reason = "an integer far below i64::MAX")]
        let drawn = self.random.between(0, RESOLUTION as i64 - 1);
        // Both are drawn every time, so that a seed gives the same kinds for every share.
        let (kind, status) = self.random.choose(CHOICES, (FaultKind::CloseBefore, None));
        let options = FaultOptions { status, ..FaultOptions::default() };
        (drawn < threshold).then_some(Fault { operation: ANY, kind, times: Some(1), options })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(share: f64, seed: u64) -> Vec<Option<Fault>> {
        let mut chance = RandomFaults::new(share, seed);
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
        assert!(CHOICES.iter().all(|(kind, _)| kinds(*kind)));
        let (few, many) = (drawn(0.1, 1), drawn(0.5, 1));
        assert!(few.iter().zip(&many).all(|(few, many)| few.is_none() || few == many));
    }
}
