//! The grid bots of the initial state.

use super::account::{AccountSeed, FUTURES, SPOT};
use super::market::{BITCOIN, ETH, SMALL, SeedPair, XRP};
use super::records::SeedRecords;
use super::times::{FIRST_CREATED, HOUR, timestamp};
use super::{grid_figures, odd_values};
use crate::defaults::{object, sample};
use crate::grid_levels;
use crate::listings::PairListings;
use crate::random::Random;
use crate::record::{JsonRecord, integer};
use crate::seed_options::{SeedOptions, ValueStyle};
use botdesk_api::grid_bots::GridBot;

/// A grid bot of the initial state.
struct GridBotSeed {
    id: u64,
    name: &'static str,
    pair: SeedPair,
    account: AccountSeed,
    enabled: bool,
    /// The grid type, the lower price, the upper price and the number of levels.
    grid: (&'static str, &'static str, &'static str, u32),
    /// The volume of each order, in the quote currency.
    volume: &'static str,
}

/// The first two bots have published grids.
const BOTS: [GridBotSeed; 5] = [
    GridBotSeed {
        id: 201,
        name: "Steady BTC grid",
        pair: BITCOIN,
        account: SPOT,
        enabled: true,
        grid: ("arithmetic", "56000.0", "70000.0", 40),
        volume: "30.0",
    },
    GridBotSeed {
        id: 202,
        name: "Patient VET grid",
        pair: SMALL,
        account: SPOT,
        enabled: true,
        grid: ("geometric", "0.016352", "0.022503", 81),
        volume: "11.0",
    },
    GridBotSeed {
        id: 203,
        name: "Early ETH grid",
        pair: ETH,
        account: SPOT,
        enabled: false,
        grid: ("arithmetic", "2900.0", "3900.0", 21),
        volume: "40.0",
    },
    GridBotSeed {
        id: 204,
        name: "Night BTC grid",
        pair: BITCOIN,
        account: FUTURES,
        enabled: true,
        grid: ("geometric", "50000.0", "75000.0", 30),
        volume: "125.0",
    },
    GridBotSeed {
        id: 205,
        name: "Wide XRP grid",
        pair: XRP,
        account: SPOT,
        enabled: false,
        grid: ("geometric", "0.5", "0.75", 12),
        volume: "15.0",
    },
];

/// Adds the grid bots.
pub(crate) fn seed_grid_bots(options: &SeedOptions, records: &mut SeedRecords) {
    for seeded in BOTS {
        let record = bot(options.seed, options.values, &records.market, &seeded);
        let id = integer(&record, "id").and_then(|id| u64::try_from(id).ok());
        records.store.grid_bots.extend(id.map(|id| (id, record)));
    }
}

fn bot(seed: u64, values: ValueStyle, market: &PairListings, seeded: &GridBotSeed) -> JsonRecord {
    let mut random = Random::new(seed.rotate_left(32), seeded.id);
    let mut record = sample::<GridBot>();
    write_identity(&mut record, seeded, &mut random);
    write_grid(&mut record, seeded, market);
    write_stop_loss(&mut record, seeded);
    if values == ValueStyle::Odd {
        odd_values::write_grid_bot(&mut record);
    }
    // It can't fail: the tests check the grids above.
    let tick = market.tick(&seeded.pair.code());
    let _ = grid_levels::place_levels(&mut record, &tick);
    grid_figures::write(&mut record, &tick, &mut random);
    if values == ValueStyle::Odd {
        odd_values::write_grid_figures(&mut record, seed);
    }
    record
}

fn write_identity(record: &mut JsonRecord, seeded: &GridBotSeed, random: &mut Random) {
    let created = FIRST_CREATED + random.between(0, 500) * HOUR;
    record.extend(object! {
        "id": seeded.id,
        "account_id": seeded.account.id,
        "account_name": seeded.account.name,
        "name": seeded.name,
        "is_enabled": seeded.enabled,
        "created_at": timestamp(created, random.between(0, 999)),
        "updated_at": timestamp(created + random.between(1, 200) * HOUR, random.between(0, 999)),
    });
}

fn write_grid(record: &mut JsonRecord, seeded: &GridBotSeed, market: &PairListings) {
    let (grid_type, lower, upper, levels) = seeded.grid;
    let pair = seeded.pair.code();
    let price = market.quote(&pair).map(|quote| quote.price.to_plain_string());
    record.extend(object! {
        "pair": pair,
        "grid_type": grid_type,
        "lower_price": lower,
        "upper_price": upper,
        "grids_quantity": levels.to_string(),
        "quantity_per_grid": seeded.volume,
        "order_currency_type": "quote",
        "current_price": price,
        "orderbook_price_currency": seeded.pair.quote,
    });
}

/// The bot on the futures account has a direction, a stop loss, and may expand downwards; the first bot has a note.
fn write_stop_loss(record: &mut JsonRecord, seeded: &GridBotSeed) {
    if seeded.account.id == FUTURES.id {
        record.extend(object! {
            "mode": "long",
            "leverage_type": "isolated",
            "leverage_custom_value": "5.0",
            "lower_stop_loss_enabled": true,
            "lower_stop_loss_price": "45000.0",
            "lower_stop_loss_action": "stop_bot_and_close_position",
            "expansion_down_enabled": "true",
            "expansion_down_stop_price": "47000.0",
            "max_active_buy_lines": "5",
            "max_active_sell_lines": "5",
        });
    }
    if seeded.id == 201 {
        record.extend(object! { "note": "Running since March" });
    }
}
