//! The profits and volumes of a seeded grid bot, which follow from its levels.

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::amounts::{cents, percent};
use super::random::Random;
use crate::defaults::object;
use crate::record::{JsonRecord, is_true, list, number, string};
use botdesk_trading::rounding::quotient;

/// Writes the figures of a bot whose levels are placed.
pub(super) fn write(record: &mut JsonRecord, random: &mut Random) {
    let enabled = is_true(record, "is_enabled");
    let start = start_price(record);
    let price = number(record, "current_price");
    let count = if enabled { random.between(40, 160) } else { random.between(5, 30) };
    let profit = cents(&(profit_per_step(record) * BigDecimal::from(count)));
    let base = number(record, "investment_base_currency");
    let invested = number(record, "investment_quote_currency") + &base * &start;
    let unrealized = if enabled { base * (&price - &start) } else { BigDecimal::from(0) };
    let bought = cents(&(BigDecimal::from(count) * number(record, "quantity_per_grid") * price));
    let total = &profit + &unrealized;
    record.extend(object! {
        "start_price": if enabled { start.to_plain_string() } else { "0.0".to_owned() },
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
fn profit_per_step(record: &JsonRecord) -> BigDecimal {
    let range = number(record, "upper_price") - number(record, "lower_price");
    let steps = number(record, "grids_quantity") - BigDecimal::from(1);
    quotient(&(range * number(record, "quantity_per_grid")), &steps).unwrap_or_default()
}
