//! Funds that are added to the position of a SmartTrade, or taken from it.

use bigdecimal::{BigDecimal, Zero as _};
use serde_json::Value;

use super::balance::REFUSED;
use super::defaults::object;
use super::route::RequestParams;
use super::smart_trade_figures::{self as figures, is_short, nested, nested_number, part_mut, text};
use super::smart_trade_life::{REDUCING, add_to_entry, code, open_amount, set_status};
use super::smart_trade_new::check;
use super::smart_trade_orders::OrderId;
use super::smart_trade_status::{WAITING_TARGETS, order_status};
use super::smart_trade_writes::{allowed, find, pending};
use super::state::State;
use super::{inputs, record::JsonRecord};
use botdesk_api::smart_trade_inputs::FundsOrder;
use botdesk_schema::input::RequestBuilder;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// An order for a part of a position.
struct Order {
    units: BigDecimal,
    /// The limit price; None for a market order.
    limit: Option<BigDecimal>,
}

impl Order {
    fn of(params: &RequestParams<'_>) -> Result<Self, ApiError> {
        let request = RequestBuilder::for_http(FundsOrder::INPUTS, inputs::parse(FundsOrder::INPUTS, params)?);
        check(&request)?;
        let number = |name| {
            let part = request.value(name).and_then(Value::as_object).cloned().unwrap_or_default();
            nested_number(&part, "value")
        };
        let is_limit = request.value(FundsOrder::order_type).is_some_and(|order_type| order_type == "limit");
        Ok(Self { units: number(FundsOrder::units), limit: is_limit.then(|| number(FundsOrder::price)) })
    }
}

/// Adds funds at once. The record has no place for an order that waits, so a limit order must be able to fill.
pub(super) fn add_funds(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    find(state, params)?;
    let order = Order::of(params)?;
    let id = allowed(state, params, "add_funds_available", "Add funds")?;
    let (_, trade) = find(state, params)?;
    let quote = state.market.quote(pair(trade)).ok_or_else(|| params.not_found())?;
    let is_waiting = code(trade) != WAITING_TARGETS;
    let can_fill = order
        .limit
        .as_ref()
        .is_none_or(|limit| if is_short(trade) { *limit <= quote.price } else { *limit >= quote.price });
    if !can_fill && !is_waiting {
        return Err(ApiError::state_invalid(
            "price",
            "would wait on the book, which the sandbox does not do for added funds",
        ));
    }
    state.clock.tick();
    let is_paid = state.try_to_change_smart_trade(id, |trade, _, circumstances| {
        if is_waiting {
            add_to_order(trade, &order.units, circumstances.now);
        } else {
            add_to_entry(trade, &order.units, circumstances);
        }
        figures::write(trade, circumstances.quote);
    });
    if !is_paid {
        return Err(ApiError::state_invalid("base", REFUSED));
    }
    let (_, trade) = find(state, params)?;
    Ok(SerializedBody::serialize(trade))
}

fn pair(trade: &JsonRecord) -> &str {
    super::record::string(trade, "pair")
}

/// Enlarges an entry that is not filled; its price stays.
fn add_to_order(trade: &mut JsonRecord, units: &BigDecimal, now: &Value) {
    let whole = nested_number(trade, "position.units.value") + units;
    let total = &whole * nested_number(trade, "position.price.value");
    if let Some(position) = part_mut(trade, "position") {
        position.extend(object! {
            "units": object! { "value": text(&whole), "editable": false },
            "total": object! { "value": text(&total) },
        });
    }
    if let Some(data) = part_mut(trade, "data") {
        data.insert("updated_at".to_owned(), now.clone());
    }
}

/// Reduces funds at the next price, or after a second.
pub(super) fn reduce_funds(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    find(state, params)?;
    let order = Order::of(params)?;
    let id = allowed(state, params, "reduce_funds_available", "Reduce funds")?;
    let (_, trade) = find(state, params)?;
    if open_amount(trade) - &order.units <= BigDecimal::zero() {
        return Err(ApiError::state_invalid("entered_amount", "Too small"));
    }
    let quote = state.market.quote(pair(trade)).ok_or_else(|| params.not_found())?;
    let bid_or_ask = if is_short(trade) { &quote.price + &quote.tick } else { &quote.price - &quote.tick };
    let number = nested(trade, "reduce_funds.steps").and_then(Value::as_array).map_or(0, Vec::len);
    let price = order.limit.clone().unwrap_or(bid_or_ask);
    let step = object! {
        "id": OrderId::Reduction(u64::try_from(number).unwrap_or_default().saturating_add(1)).of(id),
        "type": if order.limit.is_some() { "limit" } else { "market" },
        "status": order_status("idle"),
        "units": object! { "value": text(&order.units) },
        "price": object! { "value": text(&price), "value_without_commission": text(&price) },
        "total": object! { "value": text(&(&order.units * &price)) },
        "closed_at": Value::Null,
        "data": object! { "cancelable": false, "panic_sell_available": false },
    };
    pending(state, params, id, |trade, now| {
        let steps =
            part_mut(trade, "reduce_funds").and_then(|part| part.get_mut("steps")).and_then(Value::as_array_mut);
        if let Some(steps) = steps {
            steps.push(Value::Object(step));
        }
        set_status(trade, REDUCING, now);
    })
}
