//! The world that a sandbox begins with. The same seed makes the same world.

mod account;
mod bot;
mod deal;
mod grid;
mod market;
mod random;
mod smart_trade;

pub(super) use random::{Random, secret};

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::clock::{self, Clock};
use super::record::whole;
use super::state::World;

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
    let market = market::prices(seed);
    let dca_bots: BTreeMap<_, _> = (0..).take(bots).map(|index| bot::bot(seed, &market, index)).collect();
    let deals = dca_bots.values().flat_map(|bot| &bot.deals);
    let last_deal = deals.filter_map(|deal| u64::try_from(whole(&deal.record, "id")?).ok()).max();
    World {
        seed,
        clock: Clock::at(time(FIRST.saturating_add(last.saturating_mul(APART)).saturating_add(OPENED), 0)),
        accounts: account::accounts(seed).collect(),
        dca_bots,
        grid_bots: grid::grid_bots(seed, &market).collect(),
        smart_trades: smart_trade::smart_trades(seed).collect(),
        market,
        next_deal: last_deal.unwrap_or_default() + 1,
        memory: None,
    }
}

/// A point in time, in seconds since 1970 and milliseconds.
fn time(seconds: i64, milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(seconds.saturating_mul(1_000).saturating_add(milliseconds)).unwrap_or_default()
}

/// A point in time as the document writes it.
fn timestamp(seconds: i64, milliseconds: i64) -> String {
    clock::text(time(seconds, milliseconds))
}
