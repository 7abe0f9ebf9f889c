//! The records of an initial state.

use std::collections::BTreeMap;

use super::options::SeedOptions;
use super::{account, bot, grid, market, profits, smart_trade};
use crate::listings::PairListings;
use crate::record::{JsonRecord, integer};
use crate::state::DcaBotState;

/// The records of an initial state.
#[derive(Clone)]
pub(super) struct Records {
    pub(super) market: PairListings,
    pub(super) accounts: BTreeMap<u64, JsonRecord>,
    pub(super) dca_bots: BTreeMap<u64, DcaBotState>,
    pub(super) grid_bots: BTreeMap<u64, JsonRecord>,
    pub(super) smart_trades: BTreeMap<u64, JsonRecord>,
    pub(super) next_deal: u64,
}

/// Generates the records of these options.
pub(super) fn generate(options: &SeedOptions) -> Records {
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
