//! Translates grid bots between their records and the engine.

use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde_json::Value;

use crate::clock::timestamp;
use crate::defaults::{object, sample};
use crate::listings::PairQuote;
use crate::record::{JsonRecord, integer, is_true, list, number, plain, string};
use botdesk_api::grid_bots::GridLine;
use botdesk_planning::engine_config::{decimal_of, grid_bot_config};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{GridMode, GridRun, GridTotals, Market, SimulatedGridBot};
use botdesk_trading::grid::{Grid, OrderSide};

/// The identifiers of lines that each bot has for itself.
const LINES: u64 = 1_000;

/// Returns the identifier of a line of a bot by its number.
pub(crate) fn line_id(bot: u64, number: usize) -> u64 {
    bot.saturating_mul(LINES).saturating_add(u64::try_from(number).unwrap_or(u64::MAX))
}

/// Returns the number of a line of a bot; an identifier that the sandbox did not assign is the number.
pub(crate) fn line_number(bot: u64, line: &JsonRecord) -> Option<usize> {
    let id = line.get("id")?.as_u64()?;
    usize::try_from(id.checked_sub(bot.saturating_mul(LINES)).unwrap_or(id)).ok()
}

/// Returns the identifier of a bot.
pub(crate) fn bot_id(bot: &JsonRecord) -> u64 {
    bot.get("id").and_then(Value::as_u64).unwrap_or_default()
}

/// Reads a grid bot for the engine; None if its lines do not form a grid.
///
/// A record does not contain the run of the bot, such as its position. Without it, the run is that after a straight move of the price
/// from the start.
pub(crate) fn read(bot: &JsonRecord, market: &Market, run: Option<&GridRun>) -> Option<SimulatedGridBot> {
    let lines: Vec<_> = list(bot, "grid_lines").iter().filter_map(Value::as_object).collect();
    let empty_level = lines.iter().position(|line| string(line, "side").is_empty())?;
    let numbers = lines.iter().enumerate().map(|(level, line)| line_number(bot_id(bot), line).unwrap_or(level));
    let grid = SimulatedGridBot::start(grid_bot_config(bot), decimal_of(bot, "start_price"), market)?;
    let mut grid = grid.with_lines(numbers.collect()).at_level(empty_level);
    grid.is_enabled = is_true(bot, "is_enabled");
    if let Some(run) = run {
        grid = grid.with_run(run);
    }
    grid.totals = GridTotals {
        bought_volume: decimal_of(bot, "bought_volume"),
        sold_volume: decimal_of(bot, "sold_volume"),
        profits_count: integer(bot, "total_profits_count")
            .and_then(|count| u64::try_from(count).ok())
            .unwrap_or_default(),
        fees: grid.totals.fees.clone(),
        ..GridTotals::default()
    };
    take_over_profit(bot, &mut grid);
    Some(grid)
}

/// Sets the profit of the engine's bot to that of the record, which has the profits of earlier runs as well.
pub(crate) fn take_over_profit(bot: &JsonRecord, grid: &mut SimulatedGridBot) {
    let profit = decimal_of(bot, "current_profit");
    let totals = &mut grid.totals;
    // A record has one of the two; of the other one, only differences are used.
    if grid.config.profit_in_base { totals.base_profit = Some(Box::new(profit)) } else { totals.profit = profit }
}

/// The decimal places of a profit that is converted to the base currency.
const CONVERTED_PLACES: u8 = 18;

/// The decimal places of an investment in the base currency, which is not rounded to lots.
const INVESTMENT_PLACES: u8 = 16;

/// Writes the price of its pair to a grid bot.
pub(super) fn write_price(bot: &mut JsonRecord, quote: &PairQuote, at: Timestamp) {
    bot.extend(object! { "current_price": quote.price.to_plain_string(), "updated_at": timestamp(at) });
}

/// Writes the state of the engine's grid bot, and the figures that depend on it and on the price.
pub(super) fn write(bot: &mut JsonRecord, grid: &SimulatedGridBot, quote: &PairQuote) {
    let earned = grid.profit() - decimal_of(bot, "current_profit");
    let in_quote = in_quote(grid, &earned, &(&quote.price).into());
    let usd = number(bot, "current_profit_usd") + in_quote.to_big() * &quote.usd;
    bot.extend(object! {
        "is_enabled": grid.is_enabled,
        "bought_volume": plain(&grid.totals.bought_volume),
        "sold_volume": plain(&grid.totals.sold_volume),
        "current_profit": plain(&grid.profit()),
        "current_profit_usd": plain(&usd.into()),
        "total_profits_count": grid.totals.profits_count.to_string(),
    });
    write_range(bot, grid);
    write_lines(bot, grid);
    write_investment(bot, grid);
    write_profit(bot, grid, quote);
}

/// Writes the start of a run: the profit and the fee of its market order. Returns the run, which the record does not contain.
pub(crate) fn write_start(
    bot: &mut JsonRecord,
    grid: &SimulatedGridBot,
    profit: &Decimal,
    usd: &BigDecimal,
) -> GridRun {
    let change = profit - &grid.totals.fees;
    if !change.is_zero() {
        let price = grid.balancing.as_ref().map_or(&grid.start_price, |order| &order.price);
        let profit = decimal_of(bot, "current_profit") + grid.in_profit_currency(&change, price);
        let in_usd = number(bot, "current_profit_usd") + change.to_big() * usd;
        bot.extend(object! { "current_profit": plain(&profit), "current_profit_usd": plain(&in_usd.into()) });
    }
    grid.run()
}

/// Writes the bounds and the lines of a range that moved. Lines that stayed keep their identifiers.
fn write_range(bot: &mut JsonRecord, grid: &SimulatedGridBot) {
    let id = bot_id(bot);
    let known: BTreeMap<_, _> = list(bot, "grid_lines")
        .iter()
        .filter_map(|line| Some((line_number(id, line.as_object()?)?, line.clone())))
        .collect();
    if grid.lines.len() == known.len() && grid.lines.iter().all(|number| known.contains_key(number)) {
        return;
    }
    let line = |(number, price): (&usize, &Decimal)| {
        let new = || {
            let mut line = sample::<GridLine>();
            line.extend(object! { "id": line_id(id, *number), "price": price.to_string() });
            Value::Object(line)
        };
        known.get(number).cloned().unwrap_or_else(new)
    };
    let lines: Vec<_> = grid.lines.iter().zip(&grid.config.levels).map(line).collect();
    let [lower, upper] = [&grid.config.lower_price, &grid.config.upper_price];
    let levels = u32::try_from(lines.len()).unwrap_or(u32::MAX);
    let spacing = grid.config.spacing;
    let step = Grid { lower: lower.to_big(), upper: upper.to_big(), levels, spacing }.step();
    bot.extend(object! {
        "lower_price": lower.to_string(),
        "upper_price": upper.to_string(),
        "grids_quantity": levels.to_string(),
        "grid_price_step": step.map(|step| step.to_plain_string()),
        "grid_lines": lines,
    });
}

/// Writes the side of each line, and whether its order is on the exchange.
pub(crate) fn write_lines(bot: &mut JsonRecord, grid: &SimulatedGridBot) {
    if let Some(Value::Array(lines)) = bot.get_mut("grid_lines") {
        for (level, line) in lines.iter_mut().filter_map(Value::as_object_mut).enumerate() {
            line.extend(object! {
                "side": grid.side(level).map(OrderSide::name),
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

/// Writes the investment: of a long bot, the funds of its buy orders on the exchange and what it holds for its sell orders; of others,
/// what the orders of all levels need at the current price.
pub(crate) fn write_investment(bot: &mut JsonRecord, grid: &SimulatedGridBot) {
    let quote = match grid.config.mode {
        GridMode::Long if grid.is_enabled => grid.placed_buy_volume(),
        _ => grid.investment(&decimal_of(bot, "current_price")).quote,
    };
    bot.extend(object! {
        "investment_quote_currency": plain(&quote),
        "investment_base_currency": plain(&grid.exact_base_investment().round(INVESTMENT_PLACES)),
    });
}

/// Returns an amount of the currency of a bot's profit in the quote currency, at a price.
fn in_quote(grid: &SimulatedGridBot, amount: &Decimal, price: &Decimal) -> Decimal {
    if grid.config.profit_in_base { amount * price } else { amount.clone() }
}

/// Converts the profit of a bot at the current price to another currency, which an edit has set.
pub(crate) fn convert_profit(bot: &mut JsonRecord) {
    let [profit, price] = ["current_profit", "current_price"].map(|field| decimal_of(bot, field));
    let converted = match string(bot, "profit_currency_type") {
        "base" => profit.div_round(&price, CONVERTED_PLACES).unwrap_or_default(),
        _ => profit * price,
    };
    bot.extend(object! { "current_profit": plain(&converted) });
}

/// Writes the realized and the unrealized profit, both in the currency of the bot's profit.
pub(crate) fn write_profit(bot: &mut JsonRecord, grid: &SimulatedGridBot, quote: &PairQuote) {
    let invested = &grid.invested;
    let price = (&quote.price).into();
    let unrealized = grid.in_profit_currency(&grid.position.unrealized(&price), &price);
    let total = grid.profit() + &unrealized;
    let percentage = |profit: &Decimal| in_quote(grid, profit, &price).percentage_of(invested).to_string();
    bot.extend(object! {
        "profit_percentage": percentage(&grid.profit()),
        "unrealized_profit_loss": plain(&unrealized),
        "current_profit_loss": plain(&total),
        "current_profit_loss_percent": percentage(&total),
    });
}
