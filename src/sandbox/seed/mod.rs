//! The world that a sandbox begins with. The same seed makes the same world.

mod bot;
mod deal;
mod market;
mod random;

use super::state::{Clock, World};

/// When the first bot was made: 2024-03-01T08:00:00Z. The wall clock has no part in the world.
const FIRST: i64 = 1_709_280_000;

/// How long after each bot the next one was made, in seconds.
const APART: i64 = 7_213;

/// How long after the last bot was made the sandbox is opened, in seconds; all that is seeded happened before.
const OPENED: i64 = 30 * 86_400;

/// A world of that many DCA bots. More bots leave the first ones as they are.
pub(super) fn world(seed: u64, bots: usize) -> World {
    let dca_bots = (0..).take(bots).map(|index| bot::bot(seed, index)).collect();
    let last = i64::try_from(bots).unwrap_or(i64::MAX);
    World { clock: Clock::at(FIRST.saturating_add(last.saturating_mul(APART)).saturating_add(OPENED)), dca_bots }
}
