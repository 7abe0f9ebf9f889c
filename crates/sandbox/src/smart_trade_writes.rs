//! Writes of SmartTrades: notes, closes, cancellations, and the orders of one.

use serde_json::Value;

use super::clock::{ARRIVAL, later};
use super::defaults::object;
use super::inputs;
use super::record::JsonRecord;
use super::route::RequestParams;
use super::smart_trade_figures::{nested, part_mut};
use super::smart_trade_orders::OrderId;
use super::smart_trade_parts::{code, is_waiting, steps};
use super::smart_trade_record::ask;
use super::smart_trade_status::WAITING_TARGETS;
use super::state::{Cancellation, State};
use botdesk_api::smart_trades::SmartTradeNote;
use botdesk_schema::id::Id;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::engine::smart_trade::{OrderStatus, SmartTrade};

pub(super) fn set_note(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (id, _) = find(state, params)?;
    let request = inputs::validated(params.inputs(), params)?;
    let note = request.value(SmartTradeNote::note).and_then(Value::as_str).unwrap_or_default().to_owned();
    change(state, params, id, |trade, now| {
        trade.extend(object! { "note": note.as_str(), "note_raw": note.as_str() });
        update(trade, now);
    })
}

pub(super) fn close(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = allowed(state, params, "panic_sell_available", "Close at market price")?;
    pending(state, params, id, |trade, now| ask(trade, now, SmartTrade::close))
}

pub(super) fn cancel(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = allowed(state, params, "cancel_available", "Cancel")?;
    pending(state, params, id, |trade, now| ask(trade, now, SmartTrade::cancel))
}

/// Enters the position at the market price.
pub(super) fn force_start(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = allowed(state, params, "force_start_available", "Force start")?;
    pending(state, params, id, |trade, now| {
        ask(trade, now, SmartTrade::force_start);
        update(trade, now);
        if let Some(data) = part_mut(trade, "data") {
            data.insert("force_start_available".to_owned(), Value::Bool(false));
        }
    })
}

/// Closes a take-profit step at the market price.
pub(super) fn close_trade(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (id, trade) = find(state, params)?;
    let order = order_id(params);
    let step = steps(trade).position(|step| step.get("id").and_then(Value::as_u64) == order);
    let is_open = code(trade) == WAITING_TARGETS;
    let number = step.filter(|number| is_open && steps(trade).nth(*number).is_some_and(is_waiting));
    let number = match number {
        Some(number) => number,
        None if step.is_none() && !is_known(trade, id, order) => return Err(params.not_found()),
        None => return Err(ApiError::not_allowed("Close by market of this trade")),
    };
    pending(state, params, id, |trade, now| {
        ask(trade, now, |trade| trade.close_target(number));
        update(trade, now);
    })
}

/// Cancels an order. Without a stop loss that was there, or without a step, the SmartTrade is cancelled as well.
pub(super) fn cancel_trade(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (id, trade) = find(state, params)?;
    let order = order_id(params);
    if !is_known(trade, id, order) {
        return Err(params.not_found());
    }
    let step = steps(trade).position(|step| step.get("id").and_then(Value::as_u64) == order);
    let is_cancelable = |part: Option<&JsonRecord>| {
        let status = part.map(|part| OrderStatus::of(code(part)));
        status.is_some_and(|it| it.is_waiting() || matches!(it, OrderStatus::Idle | OrderStatus::Closing))
    };
    let is_open = matches!(code(trade), WAITING_TARGETS | "waiting_position");
    let stop_loss = trade.get("stop_loss").and_then(Value::as_object);
    let is_stop_loss = order == Some(OrderId::StopLoss.of(id));
    let part = if is_stop_loss { stop_loss } else { step.and_then(|number| steps(trade).nth(number)) };
    if !is_open || !is_cancelable(part) {
        return Err(ApiError::not_allowed("Cancel of this trade"));
    }
    if is_stop_loss || steps(trade).filter(|step| is_cancelable(Some(step))).count() == 1 {
        return pending(state, params, id, |trade, now| ask(trade, now, SmartTrade::cancel));
    }
    let last_step = state.smart_trade_steps.last(id, trade);
    state.smart_trade_steps.note_last(id, last_step);
    change(state, params, id, |trade, now| {
        let steps = part_mut(trade, "take_profit").and_then(|part| part.get_mut("steps")).and_then(Value::as_array_mut);
        if let Some((steps, number)) = steps.zip(step) {
            steps.remove(number);
        }
        update(trade, now);
    })
}

/// Returns true if an identifier is that of an order of a SmartTrade.
fn is_known(trade: &JsonRecord, id: u64, order: Option<u64>) -> bool {
    let has_stop_loss = nested(trade, "stop_loss.enabled") == Some(&Value::Bool(true));
    order.is_some()
        && (order == Some(OrderId::Entry.of(id))
            || has_stop_loss && order == Some(OrderId::StopLoss.of(id))
            || steps(trade).any(|step| step.get("id").and_then(Value::as_u64) == order))
}

/// Returns the second identifier of a path.
fn order_id(params: &RequestParams<'_>) -> Option<u64> {
    params.ids.get(1).and_then(Id::number)
}

pub(super) fn find<'a>(state: &'a State, params: &RequestParams<'_>) -> Result<(u64, &'a JsonRecord), ApiError> {
    params.record_in(&state.store.smart_trades)
}

/// Returns the identifier of a SmartTrade if it allows an action, by the field of its `data` and by its title.
pub(super) fn allowed(state: &State, params: &RequestParams<'_>, action: &str, title: &str) -> Result<u64, ApiError> {
    let (id, trade) = find(state, params)?;
    let is_allowed = nested(trade, "data").and_then(|data| data.get(action)) == Some(&Value::Bool(true));
    if is_allowed { Ok(id) } else { Err(ApiError::not_allowed(title)) }
}

/// Changes a SmartTrade, and carries the rest out at the next price or after a second.
pub(super) fn pending(
    state: &mut State,
    params: &RequestParams<'_>,
    id: u64,
    act: impl FnOnce(&mut JsonRecord, &Value),
) -> Result<SerializedBody, ApiError> {
    let body = change(state, params, id, act)?;
    let ends_at = later(state.clock.now(), ARRIVAL);
    state.smart_trade_timers.insert(id, ends_at);
    state.cancellation = Some(Cancellation::until(ends_at));
    Ok(body)
}

/// Changes a SmartTrade, and returns it.
pub(super) fn change(
    state: &mut State,
    params: &RequestParams<'_>,
    id: u64,
    act: impl FnOnce(&mut JsonRecord, &Value),
) -> Result<SerializedBody, ApiError> {
    let now = state.clock.tick();
    let trade = state.store.smart_trades.get_mut(&id).ok_or_else(|| params.not_found())?;
    act(trade, &now);
    Ok(SerializedBody::serialize(trade))
}

fn update(trade: &mut JsonRecord, now: &Value) {
    if let Some(data) = part_mut(trade, "data") {
        data.insert("updated_at".to_owned(), now.clone());
    }
}
