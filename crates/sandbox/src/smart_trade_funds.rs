//! Funds that are added to the position of a SmartTrade, or taken from it.

use serde_json::Value;

use super::balance::REFUSED;
use super::route::RequestParams;
use super::smart_trade_figures::{self as figures, is_short, nested_number};
use super::smart_trade_life::{add_to_entry, add_to_order, open_amount};
use super::smart_trade_new::check;
use super::smart_trade_parts::code;
use super::smart_trade_record::ask;
use super::smart_trade_status::WAITING_TARGETS;
use super::smart_trade_writes::{allowed, find, pending};
use super::state::State;
use super::{inputs, record::JsonRecord};
use botdesk_api::smart_trade_inputs::FundsOrder;
use botdesk_schema::input::RequestBuilder;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::decimal::Decimal;

/// An order for a part of a position.
struct Order {
    units: Decimal,
    /// The limit price; None for a market order.
    limit: Option<Decimal>,
}

impl Order {
    fn of(params: &RequestParams<'_>) -> Result<Self, ApiError> {
        let request = RequestBuilder::for_http(FundsOrder::INPUTS, inputs::parse(FundsOrder::INPUTS, params)?);
        check(&request)?;
        let number = |name| {
            let part = request.value(name).and_then(Value::as_object).cloned().unwrap_or_default();
            Decimal::from(nested_number(&part, "value"))
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
    let (is_waiting, price) = (code(trade) != WAITING_TARGETS, Decimal::from(&quote.price));
    let can_fill =
        order.limit.as_ref().is_none_or(|limit| if is_short(trade) { *limit <= price } else { *limit >= price });
    if !can_fill && !is_waiting {
        return Err(ApiError::state_invalid(
            "price",
            "would wait on the book, which the sandbox does not do for added funds",
        ));
    }
    state.clock.tick();
    let is_paid = state.try_to_change_smart_trade(id, |trade, _, circumstances| {
        if is_waiting {
            add_to_order(trade, &order.units, circumstances);
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

/// Reduces funds at the next price, or after a second.
pub(super) fn reduce_funds(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    find(state, params)?;
    let order = Order::of(params)?;
    let id = allowed(state, params, "reduce_funds_available", "Reduce funds")?;
    let (_, trade) = find(state, params)?;
    if open_amount(trade) <= order.units {
        return Err(ApiError::state_invalid("entered_amount", "Too small"));
    }
    let quote = state.market.quote(pair(trade)).ok_or_else(|| params.not_found())?;
    let bid_or_ask = if is_short(trade) { &quote.price + &quote.tick } else { &quote.price - &quote.tick };
    pending(state, params, id, |trade, now| {
        ask(trade, now, |trade| trade.reduce(order.units, order.limit, bid_or_ask.into()));
    })
}
