//! Odd values that live services send, and that once broke a client: numbers with 50 digits, exponents, negative zeros, infinity,
//! strings in place of numbers, nulls, ids that exceed 2^31, and names that are not ASCII.

use serde_json::Value;

use crate::defaults::object;
use crate::random::Random;
use crate::record::{JsonRecord, integer, string};

/// Profits with an exponent.
const SMALL: [&str; 2] = ["-3.30980633289966e-05", "1.5795860715256732e-25"];

/// The index of the bot whose id exceeds 2^31, and that id.
const LARGE_ID: (u64, u64) = (11, 2_376_446_537);

/// The usual id of the grid bot whose id exceeds 2^31, and that id.
const LARGE_GRID_ID: (i64, u64) = (205, 2_376_446_601);

/// Replaces values of a DCA bot.
pub(super) fn write_dca_bot(record: &mut JsonRecord, seed: u64, index: u64) {
    let mut random = Random::new(seed.rotate_left(16), index);
    if index == LARGE_ID.0 {
        record.extend(object! { "id": LARGE_ID.1 });
    }
    if index % 6 == 3 {
        record.extend(object! { "trailing_enabled": Value::Null });
    }
    let style = match index % 8 {
        2 => Some("Früh"),
        5 => Some("Тихий"),
        _ => None,
    };
    if let (Some(style), Some((_, rest))) = (style, string(record, "name").split_once(' ')) {
        let name = format!("{style} {rest}");
        record.extend(object! { "name": name });
    }
    let profit = match index % 5 {
        // More digits than any fixed-size decimal type can hold.
        3 => format!("{}.{}", random.between(1, 99), long_fraction(&mut random)),
        4 => random.choose(&SMALL, "0.0").to_owned(),
        _ => return,
    };
    record.extend(object! { "finished_deals_profit_usd": profit });
}

fn long_fraction(random: &mut Random) -> String {
    let digits = [(); 3].map(|()| random.next() % 1_000_000_000_000_000_000);
    digits.map(|digits| format!("{digits:018}")).concat()
}

/// Replaces values of a grid bot.
pub(super) fn write_grid_bot(record: &mut JsonRecord) {
    let id = integer(record, "id");
    if id == Some(LARGE_GRID_ID.0) {
        record.extend(object! { "id": LARGE_GRID_ID.1 });
    }
    let name = match id {
        Some(202) => "Патient grid",
        Some(203) => "Früh ETH grid",
        _ => return,
    };
    record.extend(object! { "name": name });
}

/// Replaces figures of a grid bot.
pub(super) fn write_grid_figures(record: &mut JsonRecord, seed: u64) {
    let id = integer(record, "id").and_then(|id| u64::try_from(id).ok()).unwrap_or_default();
    let mut random = Random::new(seed.rotate_left(48), id);
    record.extend(object! { "unrealized_profit_loss": random.choose(&[SMALL[0], "-12.75", "4.5"], "0.0") });
    if id == 201 {
        record.extend(object! { "note": "Läuft seit März" });
    }
}

/// Replaces values of an account.
pub(super) fn write_account(record: &mut JsonRecord) {
    record.extend(object! {
        "day_profit_btc": SMALL[0],
        "day_profit_btc_percentage": "-0.0",
        "btc_profit": SMALL[1],
    });
    match integer(record, "id") {
        Some(103) => record.extend(object! { "name": "Früh broker" }),
        // A percentage of nothing.
        Some(104) => record.extend(object! { "day_profit_usd_percentage": "Infinity", "auto_balance_period": "12" }),
        _ => {}
    }
}
