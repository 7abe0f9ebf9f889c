//! The operations on grid bots.

use bigdecimal::{BigDecimal, Zero};
use serde_json::Value;

use super::defaults::{self, object};
use super::inputs::{self, ParsedInputs, ValidationErrors};
use super::market::grid_bot_record;
use super::record::{JsonRecord, number, string};
use super::route::{RequestParams, Route};
use super::state::State;
use botdesk_api::decimal;
use botdesk_api::grid_bot::{EDIT, ENABLE, GridBot, GridBotEdit, GridBotNote, GridLine, SET_NOTE};
use botdesk_api::input::RequestBuilder;
use botdesk_api::record::Record as _;
use botdesk_api::values::Field;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::grid::{Grid, Level, OrderSide, Spacing};

/// The routes of grid bots.
pub(super) const ROUTES: &[Route] = &[
    Route { endpoint: EDIT, handler: edit },
    Route { endpoint: SET_NOTE, handler: set_note },
    Route { endpoint: ENABLE, handler: enable },
];

/// The number of levels that the exchange allows.
const LEVELS: std::ops::RangeInclusive<u32> = 2..=200;

fn edit(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let trades_futures = state.grid_bot_trades_futures(params.id);
    let (bot, tick, clock) = state.grid_bot(params.id)?;
    let given = inputs::parse(GridBotEdit::INPUTS, params)?;
    let request = RequestBuilder::for_http(GridBotEdit::INPUTS, given.clone());
    let request = match GridBot::from_json(&Value::Object(bot.clone()).to_string()) {
        Ok(current) => request.accept_echoes(current.fields()).carry_over(current.fields()),
        Err(_) => request,
    };
    ValidationErrors::check(GridBotEdit::INPUTS, &given, &request).into_result()?;
    let mut edited = bot.clone();
    apply_edit(&mut edited, &given, &request);
    if !trades_futures {
        edited.insert("mode".to_owned(), Value::Null);
    }
    place_levels(&mut edited, &tick).map_err(|(field, message)| invalid_field(field, &message))?;
    edited.insert("updated_at".to_owned(), clock.tick());
    *bot = edited;
    let body = SerializedBody::serialize(bot);
    state.forget_position(params.id);
    Ok(body)
}

/// Returns the error for a field, by the name of its input in the API reference.
fn invalid_field(field: &str, message: &str) -> ApiError {
    let row = GridBotEdit::INPUTS.rows.iter().find(|row| row.wire == field);
    ApiError::invalid_field(row.map_or(field, |row| row.documented_name()), message)
}

fn apply_edit(record: &mut JsonRecord, given: &ParsedInputs, request: &RequestBuilder) {
    let defaults = defaults::grid_bot();
    let ignored = GridBotEdit::ignore_warnings;
    for (name, value) in given.iter().filter(|(name, _)| *name != ignored && !request.is_unchanged(*name)) {
        let Some(row) = GridBotEdit::INPUTS.get(*name) else {
            continue;
        };
        let default = defaults.get(row.wire).unwrap_or(&Value::Null);
        let value = match (value, request.value(*name)) {
            (Field::Value(_), Some(value)) => defaults::in_type_of(default, value),
            // Null resets the field to its default.
            _ => default.clone(),
        };
        record.insert(row.wire.to_owned(), value);
    }
}

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
    if let Some(grid) = grid_bot_record::read(bot, None) {
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
    let id = record.get("id").and_then(Value::as_u64).unwrap_or_default().saturating_mul(1_000);
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

fn set_note(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (bot, _, clock) = state.grid_bot(params.id)?;
    let request = inputs::validated(GridBotNote::INPUTS, params)?;
    let note = request.value(GridBotNote::note).cloned();
    bot.extend(object! { "note": note, "updated_at": clock.tick() });
    Ok(SerializedBody::serialize(bot))
}

fn enable(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (bot, tick, clock) = state.grid_bot(params.id)?;
    let mut enabled = bot.clone();
    enabled.extend(object! { "is_enabled": true, "start_price": bot.get("current_price").cloned() });
    place_levels(&mut enabled, &tick).map_err(|(field, message)| invalid_field(field, &message))?;
    enabled.insert("updated_at".to_owned(), clock.tick());
    *bot = enabled;
    let body = SerializedBody::serialize(bot);
    state.forget_position(params.id);
    Ok(body)
}
