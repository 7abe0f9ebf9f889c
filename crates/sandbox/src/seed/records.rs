//! The records of an initial state.

use std::collections::BTreeMap;

use super::options::SeedOptions;
use super::{account, bot, grid, market, profits, smart_trade};
use crate::listings::PairListings;
use crate::state::DcaBotState;
use crate::store::Store;

/// The records of an initial state.
#[derive(Clone)]
pub(super) struct Records {
    pub(super) market: PairListings,
    pub(super) store: Store,
    pub(super) dca_bot_states: BTreeMap<u64, DcaBotState>,
    pub(super) next_deal: u64,
}

/// Generates the records of these options.
pub(super) fn generate(options: &SeedOptions) -> Records {
    let SeedOptions { seed, bots, values, .. } = *options;
    let market = market::market(seed);
    let store = Store {
        grid_bots: grid::grid_bots(seed, values, &market),
        smart_trades: smart_trade::smart_trades(seed).collect(),
        ..Store::default()
    };
    let mut records = Records { market, store, dca_bot_states: BTreeMap::new(), next_deal: 1 };
    for index in (0..).take(bots) {
        bot::add_bot(&mut records, options, index);
    }
    // The accounts do not depend on the number of bots: their profits are those of the bots that a sandbox has by default.
    let default_bots: Vec<_> = bot::default_records(seed).collect();
    let grid_bots = &records.store.grid_bots;
    let profit_of_bots = |account_id| profits::of_bots(default_bots.iter().chain(grid_bots.values()), account_id);
    records.store.accounts = account::accounts(seed, values, &records.market, profit_of_bots);
    records
}
