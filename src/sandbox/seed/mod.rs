//! The world that a sandbox begins with. The same seed makes the same world.

mod account;
mod bot;
mod deal;
mod grid;
mod market;
mod random;
mod smart_trade;

pub(super) use random::Random;

use super::state::{Clock, World};

/// When the first bot was made: 2024-03-01T08:00:00Z. The wall clock has no part in the world.
const FIRST: i64 = 1_709_280_000;

/// How long after each bot the next one was made, in seconds.
const APART: i64 = 7_213;

/// An hour in seconds.
const HOUR: i64 = 3_600;

/// How long after the last bot was made the sandbox is opened, in seconds; all that is seeded happened before.
const OPENED: i64 = 30 * 86_400;

/// A world of that many DCA bots. More bots leave the first ones, and all else, as they are.
pub(super) fn world(seed: u64, bots: usize) -> World {
    let last = i64::try_from(bots).unwrap_or(i64::MAX);
    World {
        seed,
        clock: Clock::at(FIRST.saturating_add(last.saturating_mul(APART)).saturating_add(OPENED)),
        accounts: account::accounts(seed).collect(),
        dca_bots: (0..).take(bots).map(|index| bot::bot(seed, index)).collect(),
        grid_bots: grid::grid_bots(seed).collect(),
        smart_trades: smart_trade::smart_trades(seed).collect(),
    }
}
