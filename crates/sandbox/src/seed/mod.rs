//! The initial state of a sandbox. The same seed gives the same state.

mod account;
mod amounts;
mod bot;
mod cache;
mod deal;
mod finished_deals;
mod grid;
mod grid_figures;
mod market;
mod odd_values;
mod profits;
mod smart_trade;

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::clock::{self, SandboxClock};
use super::market::{Costs, PairListings};
use super::record::{JsonRecord, integer};
use super::state::{DcaBotState, State};
use botdesk_trading::decimal::Decimal;

/// The creation time of the first bot: 2024-03-01T08:00:00Z. The state does not depend on the wall clock.
const FIRST_CREATED: i64 = 1_709_280_000;

/// The time between the creation of two bots, in seconds.
const BOT_INTERVAL: i64 = 7_213;

/// An hour in seconds.
const HOUR: i64 = 3_600;

/// A day in seconds.
const DAY: i64 = 24 * HOUR;

/// The time between the creation of the last bot and the start of the sandbox, in seconds. All seeded events are earlier.
const START_DELAY: i64 = 30 * DAY;

/// The kind of values in the state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// Names and amounts that agree with each other.
    Plausible,
    /// The same, with odd values in some fields.
    Odd,
}

/// The records of an initial state.
#[derive(Clone)]
struct Records {
    market: PairListings,
    accounts: BTreeMap<u64, JsonRecord>,
    dca_bots: BTreeMap<u64, DcaBotState>,
    grid_bots: BTreeMap<u64, JsonRecord>,
    smart_trades: BTreeMap<u64, JsonRecord>,
    next_deal: u64,
}

/// The options that the records of an initial state depend on.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct SeedOptions {
    /// The seed of the random values.
    pub(super) seed: u64,
    /// The number of DCA bots. It does not change the first bots or anything else.
    pub(super) bots: usize,
    /// The kind of values.
    pub(super) values: Values,
    /// The fee of every order, as a fraction of its volume.
    pub(super) fee: Decimal,
}

/// Returns the state of these options.
pub(super) fn initial_state(options: SeedOptions) -> State {
    let SeedOptions { seed, bots, .. } = options;
    let count = i64::try_from(bots).unwrap_or(i64::MAX);
    let start = FIRST_CREATED.saturating_add(count.saturating_mul(BOT_INTERVAL)).saturating_add(START_DELAY);
    let costs = Costs { fee: options.fee.clone(), ..Costs::default() };
    let records = cache::records(options, records);
    State {
        seed,
        clock: SandboxClock::at(time(start, 0)),
        accounts: records.accounts,
        dca_bots: records.dca_bots,
        grid_bots: records.grid_bots,
        smart_trades: records.smart_trades,
        market: records.market,
        next_deal: records.next_deal,
        costs,
        grids: BTreeMap::new(),
        grid_positions: BTreeMap::new(),
        cancellation: None,
        has_stale_records: false,
        recorded_events: None,
        read_cache: None,
    }
}

fn records(options: &SeedOptions) -> Records {
    let SeedOptions { seed, bots, values, .. } = *options;
    let market = market::market(seed);
    let dca_bots: BTreeMap<_, _> = (0..).take(bots).map(|index| bot::bot(options, &market, index)).collect();
    let deals = dca_bots.values().flat_map(|bot| &bot.deals);
    let last_deal = deals.filter_map(|deal| u64::try_from(integer(&deal.record, "id")?).ok()).max();
    let grid_bots = grid::grid_bots(seed, values, &market);
    // The accounts do not depend on the number of bots: their profits are those of the bots that a sandbox has by default.
    let default_bots: Vec<_> = bot::default_records(seed).collect();
    let profit_of_bots = |account_id| profits::of_bots(default_bots.iter().chain(grid_bots.values()), account_id);
    Records {
        accounts: account::accounts(seed, values, &market, profit_of_bots),
        dca_bots,
        grid_bots,
        smart_trades: smart_trade::smart_trades(seed).collect(),
        market,
        next_deal: last_deal.unwrap_or_default() + 1,
    }
}

/// Returns the time of a Unix timestamp in seconds, plus milliseconds.
fn time(seconds: i64, milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(seconds.saturating_mul(1_000).saturating_add(milliseconds)).unwrap_or_default()
}

/// Formats a Unix timestamp as a timestamp of the API.
fn timestamp(seconds: i64, milliseconds: i64) -> String {
    clock::timestamp(time(seconds, milliseconds))
}
