//! The grid bots of the demo world.

use super::account::{FUTURES, SPOT, Seeded};
use super::market::{BITCOIN, ETH, Market, SMALL, XRP};
use super::random::Random;
use super::{FIRST, HOUR, timestamp};
use crate::defaults::{self, object};
use crate::grid_bots;
use crate::market::Market as Prices;
use crate::record::Record;

/// A grid bot of the demo world.
struct Demo {
    id: u64,
    name: &'static str,
    market: Market,
    account: Seeded,
    enabled: bool,
    /// How the levels lie to each other, the lowest, the highest, and how many there are.
    grid: (&'static str, &'static str, &'static str, u32),
    quantity: &'static str,
}

/// The grids of the first two are published ones.
const BOTS: [Demo; 5] = [
    Demo {
        id: 201,
        name: "Steady BTC grid",
        market: BITCOIN,
        account: SPOT,
        enabled: true,
        grid: ("arithmetic", "56000.0", "70000.0", 40),
        quantity: "0.00051",
    },
    Demo {
        id: 202,
        name: "Патient grid",
        market: SMALL,
        account: SPOT,
        enabled: true,
        grid: ("geometric", "0.016352", "0.022503", 81),
        quantity: "551.0",
    },
    Demo {
        id: 203,
        name: "Früh ETH grid",
        market: ETH,
        account: SPOT,
        enabled: false,
        grid: ("arithmetic", "2900.0", "3900.0", 21),
        quantity: "0.0123",
    },
    Demo {
        id: 204,
        name: "Night futures grid",
        market: BITCOIN,
        account: FUTURES,
        enabled: true,
        grid: ("geometric", "50000.0", "75000.0", 30),
        quantity: "0.002",
    },
    Demo {
        id: 2_376_446_601,
        name: "Far grid",
        market: XRP,
        account: SPOT,
        enabled: false,
        grid: ("geometric", "0.5", "0.75", 12),
        quantity: "25.0",
    },
];

/// The grid bots, each with its identifier.
pub(super) fn grid_bots(seed: u64, prices: &Prices) -> impl Iterator<Item = (u64, Record)> {
    BOTS.into_iter().map(move |demo| (demo.id, bot(seed, prices, &demo)))
}

fn bot(seed: u64, prices: &Prices, demo: &Demo) -> Record {
    let mut random = Random::new(seed.rotate_left(32), demo.id);
    let mut record = defaults::grid_bot();
    identify(&mut record, demo, &mut random);
    trade(&mut record, demo, prices);
    protect(&mut record, demo);
    earn(&mut record, &mut random);
    // The grids above can be laid, as the tests show.
    let _ = grid_bots::lay(&mut record, &prices.tick(&demo.market.pair()));
    record
}

fn identify(record: &mut Record, demo: &Demo, random: &mut Random) {
    let made = FIRST + random.between(0, 500) * HOUR;
    record.extend(object! {
        "id": demo.id,
        "account_id": demo.account.id,
        "account_name": demo.account.name,
        "name": demo.name,
        "is_enabled": demo.enabled,
        "created_at": timestamp(made, random.between(0, 999)),
        "updated_at": timestamp(made + random.between(1, 200) * HOUR, random.between(0, 999)),
    });
}

fn trade(record: &mut Record, demo: &Demo, prices: &Prices) {
    let (grid_type, lower, upper, levels) = demo.grid;
    let pair = demo.market.pair();
    let price = prices.quote(&pair).map(|quote| quote.price.to_plain_string()).unwrap_or_default();
    record.extend(object! {
        "pair": pair,
        "grid_type": grid_type,
        "lower_price": lower,
        "upper_price": upper,
        "grids_quantity": levels.to_string(),
        "quantity_per_grid": demo.quantity,
        "current_price": price.as_str(),
        "start_price": if demo.enabled { price.as_str() } else { "0.0" },
        "orderbook_price_currency": demo.market.quote,
    });
}

/// The bot on the futures account stops below its grid and may grow downwards; the first one has a note.
fn protect(record: &mut Record, demo: &Demo) {
    if demo.account.id == FUTURES.id {
        record.extend(object! {
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
    if demo.id == 201 {
        record.extend(object! { "note": "Läuft seit März" });
    }
}

fn earn(record: &mut Record, random: &mut Random) {
    let profit = format!("{}.{:02}", random.between(0, 300), random.between(0, 99));
    record.extend(object! {
        "current_profit": profit.as_str(),
        "current_profit_usd": profit,
        "profit_percentage": format!("{}.{:02}", random.between(0, 9), random.between(0, 99)),
        "total_profits_count": random.between(0, 400).to_string(),
        "bought_volume": format!("{}.5", random.between(100, 9_000)),
        "sold_volume": format!("{}.25", random.between(100, 9_000)),
        "unrealized_profit_loss": random.of(&["-3.30980633289966e-05", "-12.75", "4.5"], "0.0"),
    });
}
