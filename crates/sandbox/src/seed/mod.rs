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
mod options;
mod profits;
mod records;
mod smart_trade;
mod times;

pub(super) use options::{SeedOptions, Values};

use std::collections::BTreeMap;

use super::clock::SandboxClock;
use super::listings::Costs;
use super::state::State;
use times::{BOT_INTERVAL, DAY, FIRST_CREATED, time};

/// The time between the creation of the last bot and the start of the sandbox, in seconds. All seeded events are earlier.
const START_DELAY: i64 = 30 * DAY;

/// Returns the state of these options.
pub(super) fn initial_state(options: SeedOptions) -> State {
    let SeedOptions { seed, bots, .. } = options;
    let count = i64::try_from(bots).unwrap_or(i64::MAX);
    let start = FIRST_CREATED.saturating_add(count.saturating_mul(BOT_INTERVAL)).saturating_add(START_DELAY);
    let costs = Costs { fee: options.fee.clone(), ..Costs::default() };
    let records = cache::records(options, records::generate);
    State {
        seed,
        clock: SandboxClock::at(time(start, 0)),
        store: records.store,
        dca_bot_states: records.dca_bot_states,
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
