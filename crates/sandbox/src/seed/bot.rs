//! The DCA bots of the initial state.

use serde_json::{Map, Value};

use super::account::{FUTURES, SPOT};
use super::market::{ETH, SeedPair};
use super::records::SeedRecords;
use super::times::{BOT_INTERVAL, DAY, FIRST_CREATED, HOUR, timestamp};
use super::{deal, finished_deals, manual_order, odd_values};
use crate::defaults::{object, sample};
use crate::options::SandboxOptions;
use crate::random::{Random, secret};
use crate::record::{JsonRecord, integer, is_true, string};
use crate::seed_options::{SeedOptions, ValueStyle};
use crate::state::{DcaBotMut, DcaBotState};
use botdesk_api::dca_bots::DcaBot;

/// The id of the first bot.
const FIRST_ID: u64 = 41;

/// The deal timeout of some bots: 60 days, so that deals are still open when a sandbox with a few bots starts.
const DEAL_TIMEOUT: u64 = 60 * 86_400;

/// The most deals that a bot of several pairs may have open at once.
const MAX_ACTIVE_DEALS: usize = 5;

/// The first words of the names, each with the take profit of such a bot in percent. The first is that of the API's sample.
const STYLES: [(&str, &str); 12] = [
    ("Steady", "1.0"),
    ("Patient", "2.0"),
    ("Quick", "0.8"),
    ("Weekend", "1.5"),
    ("Calm", "1.2"),
    ("Swing", "2.5"),
    ("Scalp", "0.6"),
    ("Deep", "1.8"),
    ("Overnight", "1.4"),
    ("Careful", "0.9"),
    ("Momentum", "2.2"),
    ("Breakout", "1.6"),
];

/// The deal with an order that was placed by hand.
const DEAL_WITH_ORDER: u64 = 502;

/// Returns a DCA bot without deals. It has undocumented fields, because live services send some.
pub(crate) fn dca_bot_without_deals() -> JsonRecord {
    let mut record = sample::<DcaBot>();
    record.extend(object! {
        "sl_to_breakeven_enabled": false,
        "sl_to_breakeven_data": Value::Null,
        "safety_order_calculation_mode": "legacy",
    });
    record
}

/// Adds the DCA bots with their deals.
pub(crate) fn seed_dca_bots(options: &SeedOptions, records: &mut SeedRecords) {
    for index in (0..).take(options.bots) {
        add_bot(records, options, index);
    }
}

/// Adds the bot at an index, with its deals.
fn add_bot(records: &mut SeedRecords, options: &SeedOptions, index: u64) {
    let SeedOptions { seed, fee, .. } = options;
    let seed = *seed;
    let mut random = Random::new(seed, index);
    let mut record = record_with(options, index, &mut random);
    let id = integer(&record, "id").and_then(|id| u64::try_from(id).ok()).unwrap_or_default();
    record.extend(object! { "url_secret": secret(seed, id, "url_secret") });
    let count = deal_count(&record, index, &mut random);
    let mut state = DcaBotState { events: vec![creation_event(&record)], ..DcaBotState::default() };
    for (deal, record, fills) in deal::deals(&record, &records.market, fee, count, &mut random) {
        state.fills.insert(deal.id, fills);
        let (mut deal, mut record) = (deal, record);
        if deal.id == DEAL_WITH_ORDER && string(&record, "strategy") == "long" {
            manual_order::place(&mut deal, &mut record, &mut state);
        }
        records.next_deal = records.next_deal.max(deal.id + 1);
        records.store.deals.insert(deal.id, record);
        state.deals.push(deal);
    }
    DcaBotMut { record: &mut record, deals: &mut records.store.deals, state: &mut state }.update_deal_totals();
    records.store.dca_bots.insert(id, record);
    records.dca_bot_states.insert(id, state);
}

/// Returns the record of the bot at an index as it was at the start, without its deals.
pub(super) fn seeded_record(options: &SeedOptions, index: u64) -> JsonRecord {
    record_with(options, index, &mut Random::new(options.seed, index))
}

fn record_with(options: &SeedOptions, index: u64, random: &mut Random) -> JsonRecord {
    let mut record = record(index, random);
    if options.values == ValueStyle::Odd {
        odd_values::write_dca_bot(&mut record, options.seed, index);
    }
    record
}

/// Returns the records of the bots that a sandbox has by default.
pub(crate) fn default_dca_bots(seed: u64) -> Vec<JsonRecord> {
    let count = SandboxOptions::default().bots;
    (0..).take(count).map(|index| record(index, &mut Random::new(seed, index))).collect()
}

/// Returns the record of the bot at an index, without its deals.
fn record(index: u64, random: &mut Random) -> JsonRecord {
    let pair = if index == 0 { ETH } else { SeedPair::any(random) };
    let (_, take_profit) = style(index);
    let mut record = dca_bot_without_deals();
    write_identity(&mut record, index, random);
    write_strategy(&mut record, index, pair, random);
    write_stop_loss(&mut record, index, random);
    if index > 0 {
        record.extend(object! { "take_profit": take_profit });
        write_variations(&mut record, index, random);
    }
    finished_deals::write(&mut record, random);
    record
}

/// Returns the first word of a name and the take profit.
fn style(index: u64) -> (&'static str, &'static str) {
    let [first, ..] = STYLES;
    let place = usize::try_from(index).unwrap_or_default() % STYLES.len();
    STYLES.get(place).copied().unwrap_or(first)
}

/// Returns the number of open deals. A bot that is enabled has at least one, and none has more than it may have.
fn deal_count(record: &JsonRecord, index: u64, random: &mut Random) -> i64 {
    let most = integer(record, "max_active_deals").unwrap_or(1);
    let count = if index == 0 { 1 } else { random.between(i64::from(is_true(record, "is_enabled")), 3) };
    count.min(most)
}

fn creation_event(record: &JsonRecord) -> Value {
    let at = record.get("created_at").cloned().unwrap_or_default();
    Value::Object(object! { "message": "Bot created", "created_at": at })
}

fn write_identity(record: &mut JsonRecord, index: u64, random: &mut Random) {
    let id = FIRST_ID.saturating_add(index);
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    let created =
        FIRST_CREATED.saturating_add(index.saturating_mul(BOT_INTERVAL)).saturating_add(random.between(0, 3_600));
    // After the last deal was opened, and before the sandbox starts.
    let updated = created.saturating_add(29 * DAY + random.between(1, 12 * HOUR));
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
    // One deal on each pair.
    let max_active_deals = pairs.len().min(MAX_ACTIVE_DEALS);
    let account = if short { FUTURES } else { SPOT };
    let trades = if multi { "basket" } else { pair.base };
    record.extend(object! {
        "name": name(index, trades, if short { "short" } else { "long" }),
        "type": if multi { "Bot::MultiBot" } else { "Bot::SingleBot" },
        "strategy": if short { "short" } else { "long" },
        "pairs": pairs,
        "account_id": account.id,
        "account_name": account.name,
        "max_active_deals": max_active_deals,
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

/// Returns the name of a bot. If the styles are used up, names have a number.
fn name(index: u64, trades: &str, direction: &str) -> String {
    let (style, _) = style(index);
    let styles = u64::try_from(STYLES.len()).unwrap_or(u64::MAX);
    match index / styles {
        0 => format!("{style} {trades} {direction}"),
        round => format!("{style} {trades} {direction} {}", round.saturating_add(1)),
    }
}

fn signal(random: &mut Random) -> Value {
    match random.between(0, 2) {
        0 => strategy("qfl", object! { "type": "original", "percent": 3 }),
        1 => strategy("trading_view", object! { "time": "4h", "type": "buy_or_strong_buy" }),
        _ => rsi("less", "30"),
    }
}

fn rsi(trigger: &str, points: &str) -> Value {
    let options = object! { "time": "5m", "points": points, "trigger_condition": trigger, "time_period": "14" };
    strategy("rsi", options)
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
        "base_order_volume": format!("{}.0", random.between(4, 12) * 10),
        "safety_order_volume": format!("{}.0", random.between(3, 8) * 5),
        "cooldown": random.choose(&["0", "300", "3600"], "0"),
    });
    if index % 7 == 1 {
        record.extend(object! { "take_profit": Value::Null, "take_profit_steps": steps(2 + index / 7 % 2) });
    }
    if index % 6 == 2 {
        record.extend(object! { "trailing_enabled": true, "trailing_deviation": "0.35" });
    }
    if index % 5 == 2 {
        record.extend(object! {
            "custom_safety_steps": Vec::<Value>::new(),
            "close_strategy_list": vec![rsi("greater", "70")],
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

/// Returns a strategy object.
fn strategy(name: &str, options: Map<String, Value>) -> Value {
    Value::Object(object! { "strategy": name, "options": options })
}
