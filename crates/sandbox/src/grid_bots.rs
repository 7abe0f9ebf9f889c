//! What the operations on grid bots do.

use bigdecimal::{BigDecimal, Zero};
use serde_json::Value;

use super::defaults::{self, object};
use super::inputs::{self, Complaints, Given};
use super::record::{Record, number, text};
use super::route::{Asked, Route};
use super::state::World;
use botdesk_api::decimal;
use botdesk_api::grid_bot::{EDIT, ENABLE, GridBot, GridBotEdit, GridBotNote, GridLine, SET_NOTE};
use botdesk_api::input::RequestBuilder;
use botdesk_api::record::Record as _;
use botdesk_api::values::Field;
use botdesk_server::answer::{Refusal, Told};
use botdesk_trading::grid::{Grid, Level, OrderSide, Spacing};

/// The operations on grid bots.
pub(super) const ROUTES: &[Route] = &[
    Route { endpoint: EDIT, handler: edit },
    Route { endpoint: SET_NOTE, handler: set_note },
    Route { endpoint: ENABLE, handler: enable },
];

/// The least and the most levels that the demo exchange has orders for.
const LEVELS: std::ops::RangeInclusive<u32> = 2..=200;

fn edit(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let (bot, tick, clock) = world.grid_bot(asked.id)?;
    let given = inputs::parse(GridBotEdit::INPUTS, asked)?;
    let draft = RequestBuilder::for_http(GridBotEdit::INPUTS, given.clone());
    let draft = match GridBot::from_json(&Value::Object(bot.clone()).to_string()) {
        Ok(held) => draft.accept_echoes(held.fields()).carry_over(held.fields()),
        Err(_) => draft,
    };
    Complaints::about(GridBotEdit::INPUTS, &given, &draft).refuse()?;
    let mut edited = bot.clone();
    change(&mut edited, &given, &draft);
    lay(&mut edited, &tick).map_err(|(field, message)| invalid(field, &message))?;
    edited.insert("updated_at".to_owned(), clock.tick());
    *bot = edited;
    Ok(Told::of(bot))
}

/// The error for a field of the record, under the name that the API reference has for its input.
fn invalid(field: &str, message: &str) -> Refusal {
    let row = GridBotEdit::INPUTS.rows.iter().find(|row| row.wire == field);
    Refusal::of_field(row.map_or(field, |row| row.documented_name()), message)
}

fn change(record: &mut Record, given: &Given, draft: &RequestBuilder) {
    let defaults = defaults::grid_bot();
    let ignored = GridBotEdit::ignore_warnings as usize;
    for (index, value) in given.iter().filter(|(index, _)| *index != ignored && !draft.is_unchanged(*index)) {
        let Some(row) = GridBotEdit::INPUTS.rows.get(*index) else {
            continue;
        };
        let default = defaults.get(row.wire).unwrap_or(&Value::Null);
        let value = match (value, draft.value(*index)) {
            (Field::Value(_), Some(value)) => defaults::in_form_of(default, value),
            // Null is what a field holds that was never set.
            _ => default.clone(),
        };
        record.insert(row.wire.to_owned(), value);
    }
}

/// Lays the levels of a bot anew, around the current price. The field that makes it impossible, and why.
pub(super) fn lay(bot: &mut Record, tick: &BigDecimal) -> Result<(), (&'static str, String)> {
    let grid = grid(bot)?;
    let laid = grid.step().zip(grid.levels(tick, &number(bot, "current_price")));
    let (step, levels) = laid.ok_or_else(|| ("upper_price", "is too far from lower_price".to_owned()))?;
    if !levels.is_sorted_by(|left, right| left.price < right.price) {
        let tick = tick.to_plain_string();
        return Err((
            "grids_quantity",
            format!("the levels lie closer to each other than the tick of the pair ({tick})"),
        ));
    }
    invest(bot, &levels);
    let lines = lines(bot, &levels);
    bot.extend(object! { "grid_price_step": step.to_plain_string(), "grid_lines": lines });
    place_orders(bot);
    Ok(())
}

fn grid(record: &Record) -> Result<Grid, (&'static str, String)> {
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
    let levels = text(record, "grids_quantity").parse().ok().filter(|levels| LEVELS.contains(levels));
    let (least, most) = (LEVELS.start(), LEVELS.end());
    let levels = levels.ok_or_else(|| ("grids_quantity", format!("the exchange allows {least} to {most} levels")))?;
    let arithmetic = text(record, "grid_type") == "arithmetic";
    Ok(Grid {
        lower,
        upper: number(record, "upper_price"),
        levels,
        spacing: if arithmetic { Spacing::Arithmetic } else { Spacing::Geometric },
    })
}

/// What the orders of all levels take: the quote currency to buy with, the base currency to sell.
fn invest(record: &mut Record, levels: &[Level]) {
    let quantity = number(record, "quantity_per_grid");
    let of = |side| levels.iter().filter(move |level| level.side == Some(side));
    let to_buy_with: BigDecimal = of(OrderSide::Buy).map(|level| &level.price * &quantity).sum();
    let to_sell: BigDecimal = of(OrderSide::Sell).map(|_| &quantity).sum();
    record.extend(object! {
        "investment_quote_currency": to_buy_with.to_plain_string(),
        "investment_base_currency": to_sell.to_plain_string(),
    });
}

fn lines(record: &Record, levels: &[Level]) -> Vec<Value> {
    let id = record.get("id").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000);
    let samples = defaults::sample::<GridLine>();
    let line = |(level, id): (&Level, u64)| {
        let mut line = samples.clone();
        line.extend(object! { "id": id, "price": level.price.to_plain_string(), "side": level.side.map(side) });
        Value::Object(line)
    };
    levels.iter().zip(id..).map(line).collect()
}

fn side(side: OrderSide) -> &'static str {
    match side {
        OrderSide::Buy => "buy",
        OrderSide::Sell => "sell",
    }
}

/// Places the orders of an enabled bot: those nearest to the price, as many as may be active on each side. The empty
/// level has none.
pub(super) fn place_orders(bot: &mut Record) {
    let enabled = bot.get("is_enabled") == Some(&Value::Bool(true));
    let most = |field: &str| text(bot, field).parse::<usize>().unwrap_or(usize::MAX);
    let (buy, sell) = (most("max_active_buy_lines"), most("max_active_sell_lines"));
    if let Some(Value::Array(lines)) = bot.get_mut("grid_lines") {
        mark(lines.iter_mut().rev(), "buy", buy, enabled);
        mark(lines.iter_mut(), "sell", sell, enabled);
        mark(lines.iter_mut(), "", 0, enabled);
    }
}

/// Marks the first so many lines of a side, and unmarks its others.
fn mark<'a>(lines: impl Iterator<Item = &'a mut Value>, side: &str, most: usize, enabled: bool) {
    let of_side = lines.filter_map(Value::as_object_mut).filter(|line| text(line, "side") == side);
    for (place, line) in of_side.enumerate() {
        line.insert("order_placed".to_owned(), Value::Bool(enabled && place < most));
    }
}

fn set_note(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let (bot, _, clock) = world.grid_bot(asked.id)?;
    let draft = inputs::validated(GridBotNote::INPUTS, asked)?;
    let note = draft.value(GridBotNote::note as usize).cloned();
    bot.extend(object! { "note": note, "updated_at": clock.tick() });
    Ok(Told::of(bot))
}

fn enable(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let (bot, tick, clock) = world.grid_bot(asked.id)?;
    let mut enabled = bot.clone();
    enabled.extend(object! { "is_enabled": true, "start_price": bot.get("current_price").cloned() });
    lay(&mut enabled, &tick).map_err(|(field, message)| invalid(field, &message))?;
    enabled.insert("updated_at".to_owned(), clock.tick());
    *bot = enabled;
    Ok(Told::of(bot))
}
