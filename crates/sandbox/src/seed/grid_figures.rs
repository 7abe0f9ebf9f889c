//! The profits and volumes of a seeded grid bot, which follow from its levels.

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::amounts::{cents, percent};
use crate::defaults::object;
use crate::grid_bot_record;
use crate::listings::market_of_tick;
use crate::random::Random;
use crate::record::{JsonRecord, is_true, list, number, string};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::SimulatedGridBot;
use botdesk_trading::rounding::quotient;

/// Writes the figures of a bot whose levels are placed.
pub(super) fn write(record: &mut JsonRecord, tick: &BigDecimal, random: &mut Random) {
    let enabled = is_true(record, "is_enabled");
    let start = start_price(record);
    record.extend(object! { "start_price": if enabled { start.to_plain_string() } else { "0.0".to_owned() } });
    let Some(grid) = grid_bot_record::read(record, &market_of_tick(tick), None) else {
        return;
    };
    let count = if enabled { random.between(40, 160) } else { random.between(5, 30) };
    let profit = cents(&(profit_per_step(&grid) * BigDecimal::from(count)));
    let invested = grid.invested.to_big();
    let unrealized = if enabled { grid.position.unrealized(&number(record, "current_price").into()) } else { 0.into() };
    let unrealized = BigDecimal::from(unrealized);
    let bought = cents(&(BigDecimal::from(count) * number(record, "quantity_per_grid")));
    let total = &profit + &unrealized;
    record.extend(object! {
        "current_profit": profit.to_plain_string(),
        "current_profit_usd": profit.to_plain_string(),
        "profit_percentage": percent(&profit, &invested),
        "total_profits_count": count.to_string(),
        "bought_volume": bought.to_plain_string(),
        "sold_volume": (&bought + &profit).to_plain_string(),
        "unrealized_profit_loss": unrealized.normalized().to_plain_string(),
        "current_profit_loss": total.normalized().to_plain_string(),
        "current_profit_loss_percent": percent(&total, &invested),
    });
}

/// Returns the price at the start: that of the level without an order, so that no order was filled in only one direction since.
fn start_price(record: &JsonRecord) -> BigDecimal {
    let lines = list(record, "grid_lines").iter().filter_map(Value::as_object);
    let mut empty = lines.filter(|line| string(line, "side").is_empty());
    empty.next().map(|line| number(line, "price")).unwrap_or_default()
}

/// Returns the profit of a quantity that is bought at one level and sold at the next, on average.
fn profit_per_step(grid: &SimulatedGridBot) -> BigDecimal {
    let levels = &grid.config.levels;
    let steps = levels.iter().zip(levels.iter().skip(1)).zip(grid.quantities.iter());
    let (sum, count) = steps.fold((Decimal::ZERO, 0_u64), |(sum, count), ((lower, upper), quantity)| {
        (sum + (upper - lower) * quantity, count + 1)
    });
    quotient(&sum.to_big(), &count.into()).unwrap_or_default()
}
