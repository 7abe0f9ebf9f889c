//! Translates grid bots between their records and the engine.

use jiff::Timestamp;
use serde_json::Value;

use crate::clock::timestamp;
use crate::defaults::object;
use crate::listings::{PairQuote, lot};
use crate::record::{JsonRecord, integer, is_true, list, number, plain, string};
use botdesk_planning::engine_config::{decimal_of, grid_bot_config};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::GridBot;
use botdesk_trading::engine::grid_bot::{GridPosition, GridTotals};

/// Reads a grid bot for the engine; None if its lines do not form a grid.
///
/// A record does not contain the position of the bot. Without it, the position is that after a straight move of the price from the
/// start.
pub(crate) fn read(bot: &JsonRecord, position: Option<&GridPosition>) -> Option<GridBot> {
    let mut lines = list(bot, "grid_lines").iter().filter_map(Value::as_object);
    let empty_level = lines.position(|line| string(line, "side").is_empty())?;
    let mut grid = GridBot::start(grid_bot_config(bot), decimal_of(bot, "start_price"), &lot())?.at_level(empty_level);
    grid.is_enabled = is_true(bot, "is_enabled");
    if let Some(position) = position {
        grid.position.clone_from(position);
    }
    grid.totals = GridTotals {
        bought_volume: decimal_of(bot, "bought_volume"),
        sold_volume: decimal_of(bot, "sold_volume"),
        profit: decimal_of(bot, "current_profit"),
        profits_count: integer(bot, "total_profits_count")
            .and_then(|count| u64::try_from(count).ok())
            .unwrap_or_default(),
        fees: Decimal::ZERO,
    };
    Some(grid)
}

/// The decimal places of an investment in the base currency, which is not rounded to lots.
const INVESTMENT_PLACES: u8 = 16;

/// Writes the price of its pair to a grid bot.
pub(super) fn write_price(bot: &mut JsonRecord, quote: &PairQuote, at: Timestamp) {
    bot.extend(object! { "current_price": quote.price.to_plain_string(), "updated_at": timestamp(at) });
}

/// Writes the state of the engine's grid bot, and the figures that depend on it and on the price.
pub(super) fn write(bot: &mut JsonRecord, grid: &GridBot, quote: &PairQuote) {
    let earned = &grid.totals.profit - decimal_of(bot, "current_profit");
    let usd = number(bot, "current_profit_usd") + earned.to_big() * &quote.usd;
    bot.extend(object! {
        "is_enabled": grid.is_enabled,
        "bought_volume": plain(&grid.totals.bought_volume),
        "sold_volume": plain(&grid.totals.sold_volume),
        "current_profit": plain(&grid.totals.profit),
        "current_profit_usd": plain(&usd.into()),
        "total_profits_count": grid.totals.profits_count.to_string(),
    });
    write_lines(bot, grid);
    write_profit(bot, grid, quote);
}

/// Writes the side of each line, and whether its order is on the exchange.
pub(crate) fn write_lines(bot: &mut JsonRecord, grid: &GridBot) {
    if let Some(Value::Array(lines)) = bot.get_mut("grid_lines") {
        for (level, line) in lines.iter_mut().filter_map(Value::as_object_mut).enumerate() {
            line.extend(object! {
                "side": grid.side(level).map(botdesk_trading::grid::OrderSide::name),
                "order_placed": grid.is_placed(level),
            });
        }
    }
}

/// Writes the fields of a bot that a request turns off: no line has a side or an order, and nothing is invested.
pub(crate) fn write_stop(bot: &mut JsonRecord) {
    bot.extend(object! {
        "is_enabled": false,
        "editable": false,
        "investment_base_currency": "0.0",
        "investment_quote_currency": "0.0",
        "unrealized_profit_loss": "0.0",
        "current_profit_loss": Value::Null,
        "current_profit_loss_percent": Value::Null,
    });
    if let Some(Value::Array(lines)) = bot.get_mut("grid_lines") {
        for line in lines.iter_mut().filter_map(Value::as_object_mut) {
            line.extend(object! { "side": Value::Null, "order_placed": false });
        }
    }
}

/// Writes the investment that the orders of all levels require at the current price.
pub(crate) fn write_investment(bot: &mut JsonRecord, grid: &GridBot) {
    let investment = grid.investment(&decimal_of(bot, "current_price"));
    bot.extend(object! {
        "investment_quote_currency": plain(&investment.quote),
        "investment_base_currency": plain(&grid.exact_base_investment().round(INVESTMENT_PLACES)),
    });
}

/// Writes the realized and the unrealized profit.
fn write_profit(bot: &mut JsonRecord, grid: &GridBot, quote: &PairQuote) {
    let investment = grid.investment(&grid.start_price);
    let invested = investment.quote + investment.base * &grid.start_price;
    let unrealized = grid.position.unrealized(&(&quote.price).into());
    let total = &grid.totals.profit + &unrealized;
    bot.extend(object! {
        "profit_percentage": grid.totals.profit.percentage_of(&invested).to_string(),
        "unrealized_profit_loss": plain(&unrealized),
        "current_profit_loss": plain(&total),
        "current_profit_loss_percent": total.percentage_of(&invested).to_string(),
    });
}
