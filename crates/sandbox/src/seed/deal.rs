//! The open deals of the initial state. The market simulation moves each from its opening price to the market price.

use std::sync::Arc;

use bigdecimal::{BigDecimal, ToPrimitive};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::account::market_type;
use super::times::DAY;
use crate::clock::later;
use crate::defaults::object;
use crate::fills::{OrderFill, base_order};
use crate::listings::{Costs, PairListings, PairQuote};
use crate::market::{milliseconds, new_record, time_of};
use crate::random::Random;
use crate::record::{JsonRecord, integer, list, number, string};
use crate::state::DealState;
use botdesk_planning::engine_config::deal_config;
use botdesk_schema::decimal;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine;

/// The largest move against a deal, in thousandths of a percent. It is past some safety orders.
const MAX_ADVERSE_MOVE: i64 = 4_500;

/// The time from the base order to the first safety orders.
const FIRST_MOVE: SignedDuration = SignedDuration::from_hours(6);

/// A deal with its record and its filled orders.
type SeededDeal = (DealState, JsonRecord, Vec<OrderFill>);

/// Returns the deals of a bot with their records, on one of its pairs after the other.
pub(super) fn deals(
    bot: &JsonRecord,
    market: &PairListings,
    fee: &Decimal,
    count: i64,
    random: &mut Random,
) -> Vec<SeededDeal> {
    let costs = Costs { fee: fee.clone(), ..Costs::default() };
    let pairs = list(bot, "pairs").iter().filter_map(Value::as_str).cycle();
    let deal = |(number, pair)| deal(bot, &market.quote(pair)?, &costs, number, random);
    (0..count).zip(pairs).filter_map(deal).collect()
}

fn deal(bot: &JsonRecord, quote: &PairQuote, costs: &Costs, number: i64, random: &mut Random) -> Option<SeededDeal> {
    let id = integer(bot, "id")?.saturating_mul(10).saturating_add(number);
    let now = opening_time(bot, number, random)?;
    let opening_quote = PairQuote { price: opening_price(bot, quote, random), ..quote.clone() };
    let id = u64::try_from(id).ok()?;
    let market = quote.market(costs);
    let mut record = new_record(bot, market_type(bot), id, &opening_quote, now);
    let mut state = DealState { id, ..DealState::default() };
    let [opening_price, price] = [&opening_quote.price, &quote.price].map(Decimal::from);
    let opening = engine::Quote { market: &market, price: &opening_price, balance: &Decimal::ZERO };
    let (mut deal, base_price) = engine::Deal::open(id, &Arc::new(deal_config(bot)), &opening, milliseconds(now))?;
    let mut events = vec![base_order(&deal, base_price)];
    // The opening price is so near that only a very large fee closes a deal here.
    let closed =
        deal.set_price(&engine::Quote { price: &price, ..opening }, milliseconds(later(now, FIRST_MOVE)), &mut events);
    record.extend(object! { "base_order_average_price": deal.base_price.to_string() });
    let moved_at = events.last().map_or(now, |event| time_of(event.at));
    state.write(&mut record, &deal, quote, &market, moved_at);
    let fills = events.iter().filter_map(|event| OrderFill::of(event, &market)).collect();
    closed.is_none().then_some((state, record, fills))
}

/// Returns the time of the base order: between the 20th and the 28th day of the bot, one deal after the other.
fn opening_time(bot: &JsonRecord, number: i64, random: &mut Random) -> Option<Timestamp> {
    let created: Timestamp = string(bot, "created_at").parse().ok()?;
    let seconds = (20 + number * 3) * DAY + random.between(0, 2 * DAY);
    Some(later(created, SignedDuration::from_secs(seconds)))
}

/// Returns the price of the base order. The market has since moved against the deal, or almost to its take profit.
fn opening_price(bot: &JsonRecord, quote: &PairQuote, random: &mut Random) -> BigDecimal {
    let best = (first_target(bot) * BigDecimal::from(800)).to_i64().unwrap_or_default();
    let moved = random.between(-best, MAX_ADVERSE_MOVE);
    let moved = if string(bot, "strategy") == "short" { -moved } else { moved };
    let price = &quote.price * BigDecimal::from(100_000 + moved) * BigDecimal::new(1.into(), 5);
    Decimal::from(price).round_down_to(Some(&(&quote.tick).into())).into()
}

/// Returns the first take-profit target, in percent.
pub(super) fn first_target(bot: &JsonRecord) -> BigDecimal {
    let first = list(bot, "take_profit_steps").first().and_then(|step| step.get("profit_percentage"));
    first.map_or_else(|| number(bot, "take_profit"), |percent| decimal::of(percent).unwrap_or_default())
}
