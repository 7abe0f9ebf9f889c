//! The DCA bots of the initial state: plain ones, and one of each kind that once broke a client.

use serde_json::Value;

use super::account::{FUTURES, SPOT};
use super::deal;
use super::market::{ETH, SeedPair};
use super::random::{Random, secret};
use super::{BOT_INTERVAL, FIRST_CREATED, timestamp};
use crate::defaults::{self, object, strategy};
use crate::market::Market;
use crate::record::JsonRecord;
use crate::state::DcaBotState;

/// The id of the first bot.
const FIRST_ID: u64 = 41;

/// The index of the bot whose id exceeds 2^31, and that id.
const LARGE_ID: (u64, u64) = (11, 2_376_446_537);

/// The deal timeout of some bots: 60 days, so that deals are still open when a sandbox with a few bots starts.
const DEAL_TIMEOUT: u64 = 60 * 86_400;

const STYLES: [&str; 8] = ["Patient", "Steady", "Früh", "Night", "Calm", "Тихий", "Brisk", "Deep"];

/// Returns the bot at an index, with its id.
pub(super) fn bot(seed: u64, market: &Market, index: u64) -> (u64, DcaBotState) {
    let mut random = Random::new(seed, index);
    let id = if index == LARGE_ID.0 { LARGE_ID.1 } else { FIRST_ID + index };
    let pair = if index == 0 { ETH } else { SeedPair::any(&mut random) };
    let mut record = defaults::dca_bot();
    write_identity(&mut record, id, index, &mut random);
    record.extend(object! { "url_secret": secret(seed, id, "url_secret") });
    write_strategy(&mut record, index, pair, &mut random);
    write_stop_loss(&mut record, index, &mut random);
    if index > 0 {
        write_variations(&mut record, index, &mut random);
    }
    write_profits(&mut record, index, &mut random);
    let deals = deal::deals(&record, market, &pair.code(), deal_count(index, &mut random), &mut random);
    let mut bot = DcaBotState { events: vec![creation_event(&record)], record, deals, ..DcaBotState::default() };
    bot.update_deal_totals();
    (id, bot)
}

fn deal_count(index: u64, random: &mut Random) -> i64 {
    if index == 0 { 2 } else { random.between(0, 3) }
}

fn creation_event(record: &JsonRecord) -> Value {
    let at = record.get("created_at").cloned().unwrap_or_default();
    Value::Object(object! { "message": "Bot created", "created_at": at })
}

fn write_identity(record: &mut JsonRecord, id: u64, index: u64, random: &mut Random) {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    let created =
        FIRST_CREATED.saturating_add(index.saturating_mul(BOT_INTERVAL)).saturating_add(random.between(0, 3_600));
    let updated = created.saturating_add(random.between(3_600, 5 * 86_400));
    record.extend(object! {
        "id": id,
        "is_enabled": index % 4 != 3,
        "created_at": timestamp(created, random.between(0, 999)),
        "updated_at": timestamp(updated, random.between(0, 999)),
    });
}

/// Short bots trade on the futures account.
fn write_strategy(record: &mut JsonRecord, index: u64, pair: SeedPair, random: &mut Random) {
    let short = index % 3 == 2;
    let multi = index % 4 == 1;
    let pairs = if multi { pair.of_same_quote().map(SeedPair::code).collect() } else { vec![pair.code()] };
    let account = if short { FUTURES } else { SPOT };
    let style = random.choose(&STYLES, "Plain");
    let trades = if multi { "basket" } else { pair.base };
    record.extend(object! {
        "name": format!("{style} {trades} {}", if short { "short" } else { "long" }),
        "type": if multi { "Bot::MultiBot" } else { "Bot::SingleBot" },
        "strategy": if short { "short" } else { "long" },
        "pairs": pairs,
        "account_id": account.id,
        "account_name": account.name,
        "max_active_deals": if multi { 5 } else { 3 },
    });
    if short {
        record.extend(object! { "leverage_type": "isolated", "leverage_custom_value": "5.0" });
    }
    if multi {
        record.extend(object! {
            "strategy_list": vec![signal(random)],
            "allowed_deals_on_same_pair": 1,
        });
    }
}

fn signal(random: &mut Random) -> Value {
    match random.between(0, 2) {
        0 => strategy("qfl", object! { "type": "original", "percent": 3 }),
        1 => strategy("trading_view", object! { "time": "4h", "type": "buy_or_strong_buy" }),
        _ => rsi("less", 30),
    }
}

fn rsi(trigger: &str, points: i64) -> Value {
    strategy("rsi", object! { "time": "5m", "points": points, "trigger_condition": trigger, "time_period": 14 })
}

/// A stop loss must be below the last safety order, which is 7 % away.
fn write_stop_loss(record: &mut JsonRecord, index: u64, random: &mut Random) {
    if index % 3 == 1 {
        record.extend(object! { "stop_loss_percentage": format!("{}.0", random.between(8, 20)) });
    }
    if index % 6 == 4 {
        record.extend(object! { "stop_loss_timeout_enabled": true, "stop_loss_timeout_in_seconds": 300 });
    }
}

/// Writes settings that differ from those of the first bot.
fn write_variations(record: &mut JsonRecord, index: u64, random: &mut Random) {
    record.extend(object! {
        "take_profit": format!("{}.{}", random.between(0, 2), random.between(1, 9)),
        "base_order_volume": format!("{}.0", random.between(2, 20) * 10),
        "safety_order_volume": format!("{}.0", random.between(2, 10) * 5),
        "cooldown": random.choose(&["0", "300", "3600"], "0"),
    });
    if index % 7 == 1 {
        record.extend(object! { "take_profit": Value::Null, "take_profit_steps": steps(2 + index / 7 % 2) });
    }
    if index % 6 == 3 {
        record.extend(object! { "trailing_enabled": Value::Null });
    }
    if index % 6 == 2 {
        record.extend(object! { "trailing_enabled": true, "trailing_deviation": "0.35" });
    }
    if index % 5 == 2 {
        record.extend(object! {
            "custom_safety_steps": Vec::<Value>::new(),
            "close_strategy_list": vec![rsi("greater", 70)],
            "min_profit_percentage": "0.5",
            "min_profit_type": "total_bought_volume",
            "close_deals_timeout": DEAL_TIMEOUT,
        });
    }
}

/// Returns take-profit targets that close the whole deal: two halves, or three parts.
fn steps(count: u64) -> Vec<Value> {
    let amounts: &[u64] = if count == 2 { &[50, 50] } else { &[50, 30, 20] };
    let steps = amounts.iter().zip(1_u64..).map(|(amount, number)| {
        object! { "amount_percentage": *amount, "profit_percentage": number, "id": number - 1 }
    });
    steps.map(Value::Object).collect()
}

/// Writes the profits of a bot.
fn write_profits(record: &mut JsonRecord, index: u64, random: &mut Random) {
    let earned = match index % 5 {
        // More digits than any fixed-size decimal type can hold.
        3 => format!("{}.{}", random.between(1, 99), long_fraction(random)),
        4 => random.choose(&["-3.30980633289966e-05", "1.5795860715256732e-25"], "0.0").to_owned(),
        _ => format!("{}.{:02}", random.between(-20, 400), random.between(0, 99)),
    };
    record.extend(object! {
        "finished_deals_profit_usd": earned,
        "finished_deals_count": random.between(0, 90).to_string(),
    });
}

fn long_fraction(random: &mut Random) -> String {
    let digits = [(); 3].map(|()| random.next() % 1_000_000_000_000_000_000);
    digits.map(|digits| format!("{digits:018}")).concat()
}
