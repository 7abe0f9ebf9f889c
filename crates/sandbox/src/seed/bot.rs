//! The DCA bots of the demo world: plain ones, and one of each kind that has broken a client.

use serde_json::Value;

use super::account::{FUTURES, SPOT};
use super::deal;
use super::market::{ETH, Market};
use super::random::{Random, secret};
use super::{APART, FIRST, timestamp};
use crate::defaults::{self, object, strategy};
use crate::market::Market as Prices;
use crate::record::Record;
use crate::state::DcaBotState;

/// The identifier of the first bot.
const FIRST_ID: u64 = 41;

/// The place of the bot whose identifier passes 2^31, and that identifier.
const FAR: (u64, u64) = (11, 2_376_446_537);

/// After how many seconds some bots close a deal: 60 days, so that a sandbox of a few bots begins with open ones.
const LONGEST_DEAL: u64 = 60 * 86_400;

const STYLES: [&str; 8] = ["Patient", "Steady", "Früh", "Night", "Calm", "Тихий", "Brisk", "Deep"];

/// The bot at a place, and its identifier.
pub(super) fn bot(seed: u64, prices: &Prices, place: u64) -> (u64, DcaBotState) {
    let mut random = Random::new(seed, place);
    let id = if place == FAR.0 { FAR.1 } else { FIRST_ID + place };
    let market = if place == 0 { ETH } else { Market::any(&mut random) };
    let mut record = defaults::dca_bot();
    identify(&mut record, id, place, &mut random);
    record.extend(object! { "url_secret": secret(seed, id, "url_secret") });
    trade(&mut record, place, market, &mut random);
    protect(&mut record, place, &mut random);
    if place > 0 {
        vary(&mut record, place, &mut random);
    }
    earn(&mut record, place, &mut random);
    let deals = deal::deals(&record, prices, &market.pair(), how_many_deals(place, &mut random), &mut random);
    let mut bot = DcaBotState { events: vec![made(&record)], record, deals, ..DcaBotState::default() };
    bot.sum_up();
    (id, bot)
}

fn how_many_deals(place: u64, random: &mut Random) -> i64 {
    if place == 0 { 2 } else { random.between(0, 3) }
}

fn made(record: &Record) -> Value {
    let at = record.get("created_at").cloned().unwrap_or_default();
    Value::Object(object! { "message": "Bot created", "created_at": at })
}

fn identify(record: &mut Record, id: u64, place: u64, random: &mut Random) {
    let place = i64::try_from(place).unwrap_or(i64::MAX);
    let made = FIRST.saturating_add(place.saturating_mul(APART)).saturating_add(random.between(0, 3_600));
    let changed = made.saturating_add(random.between(3_600, 5 * 86_400));
    record.extend(object! {
        "id": id,
        "is_enabled": place % 4 != 3,
        "created_at": timestamp(made, random.between(0, 999)),
        "updated_at": timestamp(changed, random.between(0, 999)),
    });
}

/// Bots that bet on falling prices trade on the futures account.
fn trade(record: &mut Record, place: u64, market: Market, random: &mut Random) {
    let short = place % 3 == 2;
    let multi = place % 4 == 1;
    let pairs = if multi { market.of_same_quote().map(Market::pair).collect() } else { vec![market.pair()] };
    let account = if short { FUTURES } else { SPOT };
    let style = random.of(&STYLES, "Plain");
    let trades = if multi { "basket" } else { market.base };
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

/// A stop loss lies below the last safety order, which is 7 % away.
fn protect(record: &mut Record, place: u64, random: &mut Random) {
    if place % 3 == 1 {
        record.extend(object! { "stop_loss_percentage": format!("{}.0", random.between(8, 20)) });
    }
    if place % 6 == 4 {
        record.extend(object! { "stop_loss_timeout_enabled": true, "stop_loss_timeout_in_seconds": 300 });
    }
}

/// What makes a bot unlike the first.
fn vary(record: &mut Record, place: u64, random: &mut Random) {
    record.extend(object! {
        "take_profit": format!("{}.{}", random.between(0, 2), random.between(1, 9)),
        "base_order_volume": format!("{}.0", random.between(2, 20) * 10),
        "safety_order_volume": format!("{}.0", random.between(2, 10) * 5),
        "cooldown": random.of(&["0", "300", "3600"], "0"),
    });
    if place % 7 == 1 {
        record.extend(object! { "take_profit": Value::Null, "take_profit_steps": steps(2 + place / 7 % 2) });
    }
    if place % 6 == 3 {
        record.extend(object! { "trailing_enabled": Value::Null });
    }
    if place % 6 == 2 {
        record.extend(object! { "trailing_enabled": true, "trailing_deviation": "0.35" });
    }
    if place % 5 == 2 {
        record.extend(object! {
            "custom_safety_steps": Vec::<Value>::new(),
            "close_strategy_list": vec![rsi("greater", 70)],
            "min_profit_percentage": "0.5",
            "min_profit_type": "total_bought_volume",
            "close_deals_timeout": LONGEST_DEAL,
        });
    }
}

/// Take-profit targets that sell the whole position: two halves, or three parts.
fn steps(count: u64) -> Vec<Value> {
    let amounts: &[u64] = if count == 2 { &[50, 50] } else { &[50, 30, 20] };
    let steps = amounts.iter().zip(1_u64..).map(|(amount, number)| {
        object! { "amount_percentage": *amount, "profit_percentage": number, "id": number - 1 }
    });
    steps.map(Value::Object).collect()
}

/// What the bot has earned.
fn earn(record: &mut Record, place: u64, random: &mut Random) {
    let earned = match place % 5 {
        // More digits than any decimal type of fixed length holds.
        3 => format!("{}.{}", random.between(1, 99), long_fraction(random)),
        4 => random.of(&["-3.30980633289966e-05", "1.5795860715256732e-25"], "0.0").to_owned(),
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
