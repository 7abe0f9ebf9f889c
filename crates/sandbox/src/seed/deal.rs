//! The open deals of the demo world: opened at some price, and moved to the market's by the market's own arithmetic.

use bigdecimal::{BigDecimal, ToPrimitive, Zero};
use jiff::Timestamp;

use super::random::Random;
use crate::market::{self, Market, Quote, Scene};
use crate::record::{Record, list, number, text, whole};
use crate::state::DealState;
use botdesk_api::decimal;

/// How far the market has moved against a deal at most, in thousandths of a percent: past some safety orders.
const WORST: i64 = 4_500;

/// The deals of a bot on a pair.
pub(super) fn deals(bot: &Record, market: &Market, pair: &str, count: i64, random: &mut Random) -> Vec<DealState> {
    let Some(quote) = market.quote(pair) else {
        return Vec::new();
    };
    (0..count).filter_map(|number| deal(bot, &quote, number, random)).collect()
}

fn deal(bot: &Record, quote: &Quote, number: i64, random: &mut Random) -> Option<DealState> {
    let id = whole(bot, "id")?.saturating_mul(10).saturating_add(number);
    let now: Timestamp = text(bot, "created_at").parse().ok()?;
    let at_first = Quote { price: first_price(bot, quote, random), ..quote.clone() };
    let scene = |quote| Scene { quote, now, balance: BigDecimal::zero() };
    let mut deal = market::open(bot, u64::try_from(id).ok()?, &scene(&at_first))?;
    market::follow(&mut deal, &scene(quote));
    Some(deal)
}

/// The price of the base order: the market has moved against the deal since, or not quite to its take profit.
fn first_price(bot: &Record, quote: &Quote, random: &mut Random) -> BigDecimal {
    let best = (first_target(bot) * BigDecimal::from(800)).to_i64().unwrap_or_default();
    let moved = random.between(-best, WORST);
    let moved = if text(bot, "strategy") == "short" { -moved } else { moved };
    let price = &quote.price * BigDecimal::from(100_000 + moved) * BigDecimal::new(1.into(), 5);
    botdesk_trading::rounding::down(&price, Some(&quote.tick))
}

/// The profit at which the first part of a deal is closed, in percent.
fn first_target(bot: &Record) -> BigDecimal {
    let first = list(bot, "take_profit_steps").first().and_then(|step| step.get("profit_percentage"));
    first.map_or_else(|| number(bot, "take_profit"), |percent| decimal::of(percent).unwrap_or_default())
}
