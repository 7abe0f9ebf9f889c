//! The grid bots, and the operations that place their levels.

use std::borrow::Cow;

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::balance::REFUSED;
use super::defaults::object;
use super::grid_bot_checks;
use super::grid_bot_creation;
use super::grid_bot_record;
use super::grid_history::{GridHistory, Situation};
use super::grid_levels::place_levels;
use super::grid_reads::{events, orders, profits, required_balances};
use super::listings::PairQuote;
use super::operations;
use super::record::{JsonRecord, integer, is_true, string};
use super::record_type::RecordType;
use super::resource::{PageTable, Resource, table};
use super::route::{Handler, RequestParams};
use super::saved::{
    Document, Problem, load_grid_histories, load_grid_positions, save_grid_histories, save_grid_positions,
};
use super::seed::{SeedOptions, SeedRecords, seed_grid_bots};
use super::state::{GridEngine, State};
use botdesk_api::grid_bots::{GridBot, GridBotEdit, GridOptions};
use botdesk_schema::input::{Input, RequestBuilder, Rule, Violation};
use botdesk_schema::pair::currencies;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{GridPosition, GridRun};

/// The default distance between the price and the bounds of a grid, in percent.
const DEFAULT_DISTANCE: i64 = 10;

/// The grid bots.
pub(super) struct GridBots;

/// The handlers by verb. The other operations have defaults.
pub(super) const HANDLERS: &[(&str, Handler)] = &[
    ("profits", profits),
    ("required_balances", required_balances),
    ("events", events),
    ("orders", orders),
    ("create", create),
    ("set_note", set_note),
    ("enable", enable),
    ("disable", disable),
    ("delete", delete),
];

impl Resource for GridBots {
    table!(grid_bots);

    fn record(&self) -> RecordType {
        RecordType::of::<GridBot>("a grid bot")
    }

    fn matches(&self, record: &JsonRecord, filter: &str, value: &Value) -> Option<bool> {
        match (filter, value.as_str()?) {
            ("state", state) => Some(is_true(record, "is_enabled") == (state == "enabled")),
            ("account_id", ids) => {
                let account = integer(record, "account_id")?.to_string();
                // Some programs send the text of a JSON array.
                let ids = ids.trim_matches(['[', ']']).split(',');
                Some(ids.map(|id| id.trim().trim_matches('"')).any(|id| id == account))
            }
            _ => None,
        }
    }

    fn sort_field<'a>(&self, _record: &JsonRecord, key: &'a str) -> &'a str {
        match key {
            "bot_id" => "id",
            "profit" => "current_profit",
            key => key,
        }
    }

    fn stores(&self, input: &str) -> bool {
        input != "ignore_warnings"
    }

    /// Leaves out what the service never returns.
    fn returned<'a>(&self, record: &'a JsonRecord) -> Cow<'a, JsonRecord> {
        let mut returned = Cow::Borrowed(record);
        for field in unreturned().filter(|field| record.contains_key(*field)) {
            returned.to_mut().remove(field);
        }
        returned
    }

    fn complete_edit(
        &self,
        state: &State,
        current: &JsonRecord,
        edited: &mut JsonRecord,
        request: &RequestBuilder,
    ) -> Result<(), ApiError> {
        let trades_futures = state.trades_futures(edited);
        grid_bot_checks::check_choices(edited)?;
        // A range that moved to its last price, for example, does not prevent another name.
        if differ(current, edited, &END_FIELDS) {
            grid_bot_checks::check_ends(edited, trades_futures, request.is_true(GridOptions::ignore_warnings))?;
        }
        if differ(current, edited, &["leverage_type", "leverage_custom_value"]) {
            grid_bot_checks::check_leverage(edited, trades_futures)?;
        }
        if !trades_futures {
            edited.insert("mode".to_owned(), Value::Null);
        }
        if differ(current, edited, &["profit_currency_type"]) {
            grid_bot_record::convert_profit(edited);
        }
        let has_new_lines = differ_in_lines(current, edited);
        if !has_new_lines && is_true(current, "is_enabled") {
            // Other limits may place other orders.
            let market = state.market.market(string(edited, "pair"), &state.costs);
            if let Some(grid) = grid_bot_record::read(edited, &market, None) {
                grid_bot_record::write_lines(edited, &grid);
            }
            return Ok(());
        }
        // A bot that was started starts again with its new lines.
        if has_new_lines && edited.get("start_price").is_some_and(|price| !price.is_null()) {
            edited.extend(object! { "start_price": edited.get("current_price").cloned() });
        }
        place(state, edited)?;
        if has_new_lines { grid_bot_checks::check_quantity(state, edited) } else { Ok(()) }
    }

    /// Keeps the run of a bot whose lines stay; of a bot with new lines, only the position that it has.
    fn before_edit(&self, state: &mut State, id: u64, edited: &JsonRecord) {
        state.write_records();
        let _ = state.grid_history_mut(id);
        let engine = state.grids.remove(&id).and_then(|engine| engine.grid);
        let Some(current) = state.store.grid_bots.get(&id).filter(|bot| is_true(bot, "is_enabled")) else {
            return state.forget_grid(id);
        };
        let market = state.market.market(string(current, "pair"), &state.costs);
        let read = || grid_bot_record::read(current, &market, state.grid_positions.get(&id));
        let Some(grid) = engine.or_else(read) else { return state.forget_grid(id) };
        let has_new_lines = differ_in_lines(current, edited);
        let run = if has_new_lines { GridRun { position: grid.position, ..GridRun::default() } } else { grid.run() };
        state.grid_positions.insert(id, run);
    }

    fn after_edit(&self, state: &mut State, id: u64, _at: &Value) {
        let held = state.grid_positions.get(&id).filter(|run| run.invested.is_none());
        match held.map(|run| run.position.clone()) {
            Some(held) => {
                begin(state, id, Some(held));
                tell(state, id, GridHistory::start_again);
            }
            None => tell(state, id, GridHistory::edit),
        }
    }

    fn seed(&self, options: &SeedOptions, records: &mut SeedRecords) {
        seed_grid_bots(options, records);
    }

    fn save_more(&self, state: &State, document: &mut Document) {
        save_grid_positions(state, document);
        save_grid_histories(state, document);
    }

    fn load_more(&self, state: &mut State, document: &mut Document) -> Result<(), Problem> {
        load_grid_positions(state, document)?;
        load_grid_histories(state, document)
    }

    fn page_table(&self) -> Option<PageTable> {
        Some(PageTable {
            columns: &[
                "id",
                "name",
                "is_enabled",
                "pair",
                "lower_price",
                "upper_price",
                "current_price",
                "grids_quantity",
                "current_profit_usd",
            ],
            figures: &["current_price", "current_profit_usd"],
            is_in_quote_currency: false,
        })
    }

    /// Returns a grid bot with levels around the price.
    fn new_record(&self, state: &mut State, id: u64, given: JsonRecord) -> Result<JsonRecord, Violation> {
        let mut bot = self.template();
        bot.extend(state.creation_times());
        bot.extend(state.account_fields(&given)?);
        let mode = state.trades_futures(&bot).then_some("long");
        bot.extend(object! { "id": id, "mode": mode });
        if let Some(pair) = given.get("pair") {
            bot.insert("pair".to_owned(), pair.clone());
        }
        let quote = state.quote_or_list(string(&bot, "pair"), &given, &["current_price"])?;
        write_price_fields(&mut bot, &quote);
        let [lines, started] = ["grid_lines", "start_price"].map(|field| given.contains_key(field));
        bot.extend(given);
        if is_true(&bot, "is_enabled") && !started {
            bot.extend(object! { "start_price": bot.get("current_price").cloned() });
        }
        if !lines {
            place_levels(&mut bot, &quote.tick).map_err(|(field, message)| Violation::new(field, message))?;
        }
        if is_true(&bot, "is_enabled") && !lines && !started {
            let market = quote.market(&state.costs);
            if let Some(grid) = grid_bot_record::read(&bot, &market, None) {
                let run = grid_bot_record::write_start(&mut bot, &grid, &Decimal::ZERO, &quote.usd);
                state.grid_positions.insert(id, run);
            }
        }
        Ok(bot)
    }
}

/// Returns the names of the inputs that a bot keeps, and that no response has.
fn unreturned() -> impl Iterator<Item = &'static str> {
    let is_unreturned = |row: &&Input| row.rules.iter().any(|rule| matches!(rule, Rule::NeverReturned));
    GridOptions::INPUTS.rows.iter().filter(is_unreturned).map(|row| row.wire)
}

fn create(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    grid_bot_creation::create(&GridBots, state, params)
}

/// Places the levels of a bot at the current price.
fn place(state: &State, bot: &mut JsonRecord) -> Result<(), ApiError> {
    let tick = state.market.tick(string(bot, "pair"));
    place_levels(bot, &tick).map_err(|(field, message)| invalid_field(field, &message))
}

/// Returns the error for a field, by the name of its input in the API reference.
fn invalid_field(field: &str, message: &str) -> ApiError {
    let row = GridBotEdit::INPUTS.rows.iter().find(|row| row.wire == field);
    ApiError::invalid_field(row.map_or(field, |row| row.documented_name()), message)
}

fn set_note(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    operations::merge(&GridBots, state, params)
}

fn enable(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    state.write_records();
    let (id, bot) = params.record_in(&state.store.grid_bots)?;
    let mut bot = bot.clone();
    if is_true(&bot, "is_enabled") {
        return Ok(SerializedBody::serialize(&GridBots.returned(&bot)));
    }
    let price = bot.get("current_price").cloned();
    bot.extend(object! { "is_enabled": true, "editable": true, "start_price": price });
    place(state, &mut bot)?;
    if !state.pay_for_launch(id, &bot) {
        return Err(ApiError::state_invalid("base", REFUSED));
    }
    bot.extend(object! { "updated_at": state.clock.tick() });
    let _ = state.grid_history_mut(id);
    state.store.grid_bots.insert(id, bot);
    state.forget_grid(id);
    begin(state, id, None);
    tell(state, id, GridHistory::start);
    let bot = state.store.grid_bots.get(&id).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(&GridBots.returned(bot)))
}

/// The fields that decide where the lines of a bot are, and what their orders are.
const LINE_FIELDS: [&str; 8] = [
    "pair",
    "lower_price",
    "upper_price",
    "grids_quantity",
    "quantity_per_grid",
    "grid_type",
    "order_currency_type",
    "mode",
];

/// The fields that decide what a bot does at the ends of its range.
const END_FIELDS: [&str; 10] = [
    "lower_price",
    "upper_price",
    "lower_stop_loss_enabled",
    "lower_stop_loss_price",
    "lower_stop_loss_action",
    "upper_stop_loss_enabled",
    "upper_stop_loss_price",
    "upper_stop_loss_action",
    "expansion_down_stop_price",
    "expansion_up_stop_price",
];

/// Returns true if an edit changes the lines of a bot.
fn differ_in_lines(current: &JsonRecord, edited: &JsonRecord) -> bool {
    differ(current, edited, &LINE_FIELDS)
}

/// Returns true if an edit changes one of these fields.
fn differ(current: &JsonRecord, edited: &JsonRecord, fields: &[&str]) -> bool {
    let value = |record: &JsonRecord, field: &str| {
        let value = record.get(field).cloned().unwrap_or_default();
        // The same number may be written in several ways.
        botdesk_schema::decimal::of(&value).map(|number| number.normalized().to_string()).ok_or(value)
    };
    fields.iter().any(|field| value(current, field) != value(edited, field))
}

/// Begins a run of a bot that is on: a market order gets what its lines need, besides what it holds already.
fn begin(state: &mut State, id: u64, held: Option<GridPosition>) {
    let Some(bot) = state.store.grid_bots.get_mut(&id).filter(|bot| is_true(bot, "is_enabled")) else { return };
    let market = state.market.market(string(bot, "pair"), &state.costs);
    let quote = state.market.quote(string(bot, "pair"));
    let usd = quote.as_ref().map(|quote| quote.usd.clone()).unwrap_or_default();
    let Some(mut grid) = grid_bot_record::read(bot, &market, None) else { return };
    let is_edit = held.is_some();
    let profit = held.map(|held| grid.adopt(held, &market)).unwrap_or_default();
    let run = grid_bot_record::write_start(bot, &grid, &profit, &usd);
    grid_bot_record::take_over_profit(bot, &mut grid);
    if let Some(quote) = quote.filter(|_| is_edit) {
        grid_bot_record::write_profit(bot, &grid, &quote);
    }
    state.grid_positions.insert(id, run);
    state.grids.insert(id, GridEngine::new(Some(grid)));
    // A launch is paid for before it begins.
    if is_edit && !state.pay_for_edit(id) {
        turn_off(state, id);
    }
}

/// Disables a bot: its orders are withdrawn. One that is disabled stays as it is.
fn disable(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    state.write_records();
    let id = params.id_in(&state.store.grid_bots)?;
    turn_off(state, id);
    let bot = state.store.grid_bots.get(&id).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(&GridBots.returned(bot)))
}

/// Turns a bot off, if it is on. Its profits and its last start price stay.
pub(super) fn turn_off(state: &mut State, id: u64) {
    let _ = state.grid_history_mut(id);
    let Some(bot) = state.store.grid_bots.get_mut(&id).filter(|bot| is_true(bot, "is_enabled")) else { return };
    let market = state.market.market(string(bot, "pair"), &state.costs);
    let running = grid_bot_record::read(bot, &market, state.grid_positions.get(&id));
    grid_bot_record::write_stop(bot);
    bot.insert("updated_at".to_owned(), state.clock.tick());
    let at = state.clock.now();
    if let (Some(grid), Some(history)) = (running, state.grid_histories.get_mut(&id)) {
        history.turn_off(&Situation { bot, grid: &grid, at });
    }
    state.forget_grid(id);
}

/// Deletes a bot that is off.
fn delete(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    state.write_records();
    let (id, bot) = params.record_in(&state.store.grid_bots)?;
    if is_true(bot, "is_enabled") {
        return Err(ApiError::forbidden());
    }
    state.clock.tick();
    state.store.grid_bots.remove(&id);
    state.next_grid_bot = state.next_grid_bot.max(id.saturating_add(1));
    state.forget_grid(id);
    state.grid_histories.remove(&id);
    Ok(SerializedBody::empty())
}

/// Adds what a bot does after a request, from its record as it is now, to its history.
fn tell(state: &mut State, id: u64, addition: fn(&mut GridHistory, &Situation<'_>)) {
    let at = state.clock.now();
    let Some(bot) = state.store.grid_bots.get(&id) else { return };
    let market = state.market.market(string(bot, "pair"), &state.costs);
    let begun = state.grids.get(&id).and_then(|engine| engine.grid.clone());
    let grid = begun.or_else(|| grid_bot_record::read(bot, &market, None));
    let (Some(grid), Some(history)) = (grid, state.grid_histories.get_mut(&id)) else {
        return;
    };
    addition(history, &Situation { bot, grid: &grid, at });
}

/// Writes the fields that depend on the price.
fn write_price_fields(bot: &mut JsonRecord, quote: &PairQuote) {
    let bound = |percent: i64| {
        let bound = &quote.price * BigDecimal::new((100 + percent).into(), 2);
        Decimal::from(bound).round_down_to(Some(&(&quote.tick).into())).to_string()
    };
    let price = quote.price.to_plain_string();
    bot.extend(object! {
        "lower_price": bound(-DEFAULT_DISTANCE),
        "upper_price": bound(DEFAULT_DISTANCE),
        "current_price": price,
        "orderbook_price_currency": currencies(&quote.pair).map(|(quote, _)| quote),
    });
}
