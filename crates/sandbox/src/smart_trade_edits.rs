//! Edits of SmartTrades: the parts that are given replace those of the record.

use serde_json::Value;

use super::defaults::object;
use super::exchanges::trades_futures;
use super::inputs;
use super::record::{JsonRecord, string};
use super::route::RequestParams;
use super::smart_trade_figures::{self as figures, nested, nested_number, nested_string, part_mut, text};
use super::smart_trade_life::{self, activate_targets};
use super::smart_trade_new::{New, check};
use super::smart_trade_orders::OrderId;
use super::smart_trade_parts::{Circumstances, code, forget, steps};
use super::smart_trade_status::WAITING_TARGETS;
use super::smart_trade_steps::{StepHistories, id_of_step};
use super::smart_trade_writes::{allowed, find};
use super::state::State;
use botdesk_api::smart_trade_inputs::SmartTradeEdit;
use botdesk_schema::input::RequestBuilder;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::engine::smart_trade::{OrderStatus, SmartTradeStatus};

/// Edits a SmartTrade. The response shows its new targets before their orders are placed, which they are at once.
pub(super) fn edit(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    find(state, params)?;
    let request = RequestBuilder::for_http(SmartTradeEdit::INPUTS, inputs::parse(SmartTradeEdit::INPUTS, params)?);
    check(&request)?;
    let id = allowed(state, params, "editable", "Edit")?;
    let (_, trade) = find(state, params)?;
    let quote = state.market.quote(string(trade, "pair")).ok_or_else(|| params.not_found())?;
    let is_futures = trades_futures(nested_string(trade, "account.type"));
    let mut edited = trade.clone();
    let given = inputs::given(&request);
    check_condition(trade, &given)?;
    let now = state.clock.tick();
    let count = nested(&given, "take_profit.steps").and_then(Value::as_array).map_or(0, |steps| steps.len() as u64);
    let first_step = first_step(&state.smart_trade_steps, &edited, id, count);
    let new = New { id, given: &given, quote: &quote, is_futures, now: &now, first_step };
    replace(&mut edited, &new);
    let body = SerializedBody::serialize(&edited);
    if code(&edited) == WAITING_TARGETS {
        // Those that were not given stay as they are.
        activate_targets(&mut edited, &Circumstances { quote: &quote, fee: &state.fee(), now: &now });
    }
    figures::write(&mut edited, &quote);
    state.store.smart_trades.insert(id, edited);
    state.smart_trade_steps.note_last(id, first_step + count - 1);
    // What followed the price before begins anew.
    forget(&mut state.smart_trade_orders, id);
    state.change_smart_trade(id, |trade, _, circumstances| smart_trade_life::place_entry_again(trade, circumstances));
    state.visit_smart_trade(id);
    // A target that is reached already fills at once, and changes the profit.
    state.has_stale_records = true;
    Ok(body)
}

/// Returns the number of the first new step. It is after all that the SmartTrade has had: a script that still has the identifier of a
/// removed step must not reach another one. After 20, identifiers begin again with those that are free.
fn first_step(histories: &StepHistories, trade: &JsonRecord, id: u64, count: u64) -> u64 {
    let is_used = |number: u64| {
        let order = OrderId::Step(number).of(id);
        steps(trade).any(|step| id_of_step(step) == Some(order))
    };
    let is_free = |first: &u64| (*first..first + count).all(|number| !is_used(number));
    let next = histories.last(id, trade) + 1;
    (next..next + OrderId::STEPS).find(is_free).unwrap_or(next)
}

/// Replaces the parts that are given. Steps that were filled stay.
fn replace(trade: &mut JsonRecord, new: &New<'_>) {
    if new.given.contains_key("leverage") {
        trade.insert("leverage".to_owned(), new.leverage().into());
    }
    if new.given.contains_key("position") {
        replace_entry(trade, new);
    }
    if new.given.contains_key("take_profit") {
        let filled: Vec<_> =
            steps(trade).filter(|step| OrderStatus::of(code(step)).is_filled()).cloned().map(Value::Object).collect();
        let mut take_profit = new.take_profit();
        if let Some(steps) = take_profit.get_mut("steps").and_then(Value::as_array_mut) {
            steps.splice(0..0, filled);
        }
        trade.insert("take_profit".to_owned(), take_profit.into());
    }
    if new.given.contains_key("stop_loss") {
        trade.insert("stop_loss".to_owned(), new.stop_loss().into());
    }
    if let Some(data) = part_mut(trade, "data") {
        data.insert("updated_at".to_owned(), new.now.clone());
    }
}

/// Replaces what can be edited of an entry. A filled one keeps its quantity, and its price too unless the position was held before.
fn replace_entry(trade: &mut JsonRecord, new: &New<'_>) {
    let is_editable = |path: &str| nested(trade, path) == Some(&Value::Bool(true));
    let price = nested(new.given, "position.price.value").filter(|_| is_editable("position.price.editable"));
    let price = price.map(|_| nested_number(new.given, "position.price.value"));
    // `position.units.editable` is false in all records, although the units are among the fields that may be edited.
    let units = nested(new.given, "position.units.value").filter(|_| waits_for_entry(trade));
    let units = units.map(|_| nested_number(new.given, "position.units.value"));
    let condition = (gives_condition(new.given) && is_editable("position.conditional.editable"))
        .then(|| new.conditional(nested_string(trade, "position.type")));
    let is_replaced = price.is_some() || units.is_some();
    let Some(position) = part_mut(trade, "position") else { return };
    if let Some(written) = part_mut(position, "units") {
        written.extend(units.map(|units| ("value".to_owned(), text(&units).into())));
    }
    if let Some((written, price)) = part_mut(position, "price").zip(price) {
        written.extend(object! { "value": text(&price), "value_without_commission": text(&price) });
    }
    position.extend(condition.map(|condition| ("conditional".to_owned(), condition.into())));
    if is_replaced {
        write_total(trade);
    }
}

/// Writes quantity × price of an entry.
fn write_total(trade: &mut JsonRecord) {
    let total = nested_number(trade, "position.units.value") * nested_number(trade, "position.price.value");
    if let Some(position) = part_mut(trade, "position") {
        position.extend(object! { "total": object! { "value": text(&total) } });
    }
}

/// Returns true if the entry is not filled.
fn waits_for_entry(trade: &JsonRecord) -> bool {
    code(trade) == SmartTradeStatus::WaitingPosition.code()
}

fn gives_condition(given: &JsonRecord) -> bool {
    nested(given, "position.conditional").is_some_and(Value::is_object)
}

/// Fails if the condition of an entry is given that has none. The order type can't be edited, so an order at the given price would be
/// another one than the client meant.
fn check_condition(trade: &JsonRecord, given: &JsonRecord) -> Result<(), ApiError> {
    let is_conditional = nested_string(trade, "position.order_type") == "conditional";
    if is_conditional || !waits_for_entry(trade) || !gives_condition(given) {
        return Ok(());
    }
    Err(ApiError::invalid_field("position[conditional]", "is only for an entry whose order_type is conditional"))
}
