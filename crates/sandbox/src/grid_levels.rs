//! The levels of grid bots.

use bigdecimal::{BigDecimal, Zero};
use serde_json::Value;

use super::defaults::{self, object};
use super::grid_bot_record;
use super::listings::market_of_tick;
use super::record::{JsonRecord, number, string};
use botdesk_api::grid_bots::GridLine;
use botdesk_schema::decimal;
use botdesk_trading::grid::{Grid, Level, OrderSide, Spacing};

/// The number of levels that the exchange allows.
const LEVELS: std::ops::RangeInclusive<u32> = 2..=200;

/// Recalculates the levels of a bot around the current price. An error is the field that prevents it, and a message.
pub(super) fn place_levels(bot: &mut JsonRecord, tick: &BigDecimal) -> Result<(), (&'static str, String)> {
    let grid = grid(bot)?;
    let step_and_levels = grid.step().zip(grid.levels(tick, &number(bot, "current_price")));
    let (step, levels) = step_and_levels.ok_or_else(|| ("upper_price", "is too far from lower_price".to_owned()))?;
    if !levels.is_sorted_by(|left, right| left.price < right.price) {
        let tick = tick.to_plain_string();
        return Err((
            "grids_quantity",
            format!("the levels are closer to each other than the tick of the pair ({tick})"),
        ));
    }
    let lines = lines(bot, &levels);
    bot.extend(object! { "grid_price_step": step.to_plain_string(), "grid_lines": lines });
    if let Some(grid) = grid_bot_record::read(bot, &market_of_tick(tick), None) {
        grid_bot_record::write_lines(bot, &grid);
        grid_bot_record::write_investment(bot, &grid);
    }
    Ok(())
}

fn grid(record: &JsonRecord) -> Result<Grid, (&'static str, String)> {
    let zero = BigDecimal::zero();
    for field in ["lower_price", "quantity_per_grid"] {
        if number(record, field) <= zero {
            return Err((field, "must be greater than 0".to_owned()));
        }
    }
    let lower = number(record, "lower_price");
    if number(record, "upper_price") <= lower {
        return Err(("upper_price", format!("must be above lower_price ({})", decimal::shown(&lower))));
    }
    let levels = string(record, "grids_quantity").parse().ok().filter(|levels| LEVELS.contains(levels));
    let (min, max) = (LEVELS.start(), LEVELS.end());
    let levels = levels.ok_or_else(|| ("grids_quantity", format!("the exchange allows {min} to {max} levels")))?;
    let arithmetic = string(record, "grid_type") == "arithmetic";
    Ok(Grid {
        lower,
        upper: number(record, "upper_price"),
        levels,
        spacing: if arithmetic { Spacing::Arithmetic } else { Spacing::Geometric },
    })
}

fn lines(record: &JsonRecord, levels: &[Level]) -> Vec<Value> {
    let id = grid_bot_record::line_id(grid_bot_record::bot_id(record), 0);
    let samples = defaults::sample::<GridLine>();
    let line = |(level, id): (&Level, u64)| {
        let mut line = samples.clone();
        line.extend(
            object! { "id": id, "price": level.price.to_plain_string(), "side": level.side.map(OrderSide::name) },
        );
        Value::Object(line)
    };
    levels.iter().zip(id..).map(line).collect()
}
