//! The grid bots, and the operations that place their levels.

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::balance::REFUSED;
use super::defaults::object;
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
use super::state::State;
use botdesk_api::grid_bots::{GridBot, GridBotEdit};
use botdesk_schema::input::Violation;
use botdesk_schema::pair::currencies;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::decimal::Decimal;

/// The default distance between the price and the bounds of a grid, in percent.
const DEFAULT_DISTANCE: i64 = 10;

/// The grid bots.
pub(super) struct GridBots;

impl Resource for GridBots {
    table!(grid_bots);

    fn record(&self) -> RecordType {
        RecordType::of::<GridBot>("a grid bot")
    }

    fn handlers(&self) -> &'static [(&'static str, Handler)] {
        &[
            ("profits", profits),
            ("required_balances", required_balances),
            ("events", events),
            ("orders", orders),
            ("create", create),
            ("set_note", set_note),
            ("enable", enable),
            ("disable", disable),
            ("delete", delete),
        ]
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

    fn complete_edit(&self, state: &State, _current: &JsonRecord, edited: &mut JsonRecord) -> Result<(), ApiError> {
        if !state.trades_futures(edited) {
            edited.insert("mode".to_owned(), Value::Null);
        }
        place(state, edited)
    }

    fn before_edit(&self, state: &mut State, id: u64) {
        let _ = state.grid_history_mut(id);
    }

    fn after_edit(&self, state: &mut State, id: u64, _at: &Value) {
        state.forget_grid(id);
        tell(state, id, GridHistory::edit);
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
        Ok(bot)
    }
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
    let (id, bot) = params.record_in(&state.store.grid_bots)?;
    let mut bot = bot.clone();
    let price = bot.get("current_price").cloned();
    bot.extend(object! { "is_enabled": true, "editable": true, "start_price": price });
    place(state, &mut bot)?;
    if !state.pay_for_launch(id, &bot) {
        return Err(ApiError::state_invalid("base", REFUSED));
    }
    bot.extend(object! { "updated_at": state.clock.tick() });
    let body = SerializedBody::serialize(&bot);
    let _ = state.grid_history_mut(id);
    state.store.grid_bots.insert(id, bot);
    state.forget_grid(id);
    tell(state, id, GridHistory::start);
    Ok(body)
}

/// Disables a bot: its orders are withdrawn. One that is disabled stays as it is.
fn disable(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    state.write_records();
    let id = params.id_in(&state.store.grid_bots)?;
    turn_off(state, id);
    let bot = state.store.grid_bots.get(&id).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(bot))
}

/// Turns a bot off, if it is on. Its profits and its last start price stay.
pub(super) fn turn_off(state: &mut State, id: u64) {
    let _ = state.grid_history_mut(id);
    let Some(bot) = state.store.grid_bots.get_mut(&id).filter(|bot| is_true(bot, "is_enabled")) else { return };
    let running = grid_bot_record::read(bot, state.grid_positions.get(&id));
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
    let (Some(grid), Some(history)) = (grid_bot_record::read(bot, None), state.grid_histories.get_mut(&id)) else {
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
