//! The open deals of the initial state. The market simulation moves each from its opening price to the market price.

use std::sync::Arc;

use bigdecimal::{BigDecimal, ToPrimitive};
use jiff::Timestamp;

use super::random::Random;
use crate::market::{Costs, Market, Quote, milliseconds, new_record};
use crate::record::{JsonRecord, integer, list, number, string};
use crate::state::DealState;
use botdesk_api::decimal;
use botdesk_planning::engine_config::deal_config;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine;

/// The largest move against a deal, in thousandths of a percent. It is past some safety orders.
const MAX_ADVERSE_MOVE: i64 = 4_500;

/// Returns the deals of a bot on a pair.
pub(super) fn deals(bot: &JsonRecord, market: &Market, pair: &str, count: i64, random: &mut Random) -> Vec<DealState> {
    let Some(quote) = market.quote(pair) else {
        return Vec::new();
    };
    (0..count).filter_map(|number| deal(bot, &quote, number, random)).collect()
}

fn deal(bot: &JsonRecord, quote: &Quote, number: i64, random: &mut Random) -> Option<DealState> {
    let id = integer(bot, "id")?.saturating_mul(10).saturating_add(number);
    let now: Timestamp = string(bot, "created_at").parse().ok()?;
    let opening_quote = Quote { price: opening_price(bot, quote, random), ..quote.clone() };
    let id = u64::try_from(id).ok()?;
    let market = quote.market(&Costs::default());
    let no_balance = Decimal::ZERO;
    let priced = |quote: &Quote| engine::Quote { market: &market, price: (&quote.price).into(), balance: &no_balance };
    let mut state = DealState { record: new_record(bot, id, &opening_quote, now), ..DealState::default() };
    let mut deal = engine::Deal::open(id, &Arc::new(deal_config(bot)), &priced(&opening_quote), milliseconds(now))?;
    // The opening price is so near that this closes no deal.
    deal.set_price(&priced(quote), milliseconds(now), &mut Vec::new());
    state.write(&deal, quote, &market, now);
    Some(state)
}

/// Returns the price of the base order. The market has since moved against the deal, or almost to its take profit.
fn opening_price(bot: &JsonRecord, quote: &Quote, random: &mut Random) -> BigDecimal {
    let best = (first_target(bot) * BigDecimal::from(800)).to_i64().unwrap_or_default();
    let moved = random.between(-best, MAX_ADVERSE_MOVE);
    let moved = if string(bot, "strategy") == "short" { -moved } else { moved };
    let price = &quote.price * BigDecimal::from(100_000 + moved) * BigDecimal::new(1.into(), 5);
    Decimal::from(price).down(Some(&(&quote.tick).into())).into()
}

/// Returns the first take-profit target, in percent.
fn first_target(bot: &JsonRecord) -> BigDecimal {
    let first = list(bot, "take_profit_steps").first().and_then(|step| step.get("profit_percentage"));
    first.map_or_else(|| number(bot, "take_profit"), |percent| decimal::of(percent).unwrap_or_default())
}
