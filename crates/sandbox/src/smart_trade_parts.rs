//! The parts of the record of a SmartTrade, and their statuses.

use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::defaults::object;
use super::listings::PairQuote;
use super::order_prices::OrderState;
use super::record::{JsonRecord, is_true};
use super::smart_trade_figures::{nested, nested_string, part_mut};
use super::smart_trade_orders::OrderId;
use super::smart_trade_status::{Allowed, order_status, status};
use botdesk_trading::engine::smart_trade::OrderStatus;

/// The states of orders by their identifiers.
pub(crate) type OrderStates = BTreeMap<u64, OrderState>;

/// Forgets the states of the orders of a SmartTrade.
pub(crate) fn forget(states: &mut OrderStates, smart_trade: u64) {
    let known: Vec<_> = states.range(OrderId::range(smart_trade)).map(|(order, _)| *order).collect();
    for order in known {
        states.remove(&order);
    }
}

/// Circumstances of a change: the market, the costs and the time.
pub(crate) struct Circumstances<'a> {
    pub(crate) quote: &'a PairQuote,
    /// The fee of every order, as a fraction.
    pub(crate) fee: &'a BigDecimal,
    /// The time, as records have it.
    pub(crate) now: &'a Value,
}

/// Returns the code of the status.
pub(crate) fn code(trade: &JsonRecord) -> &str {
    nested_string(trade, "status.basic_type")
}

/// Returns true if an order with this status waits for its price.
pub(crate) fn is_waiting(order: &JsonRecord) -> bool {
    OrderStatus::of(code(order)).is_waiting()
}

/// Returns the take-profit steps.
pub(crate) fn steps_mut(trade: &mut JsonRecord) -> impl Iterator<Item = &mut JsonRecord> {
    let steps = part_mut(trade, "take_profit").and_then(|part| part.get_mut("steps"));
    steps.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// Returns the take-profit steps.
pub(crate) fn steps(trade: &JsonRecord) -> impl Iterator<Item = &JsonRecord> {
    let steps = nested(trade, "take_profit.steps").and_then(Value::as_array);
    steps.into_iter().flatten().filter_map(Value::as_object)
}

/// Returns true if an order of a part follows the price.
pub(crate) fn follows(part: &JsonRecord) -> bool {
    nested(part, "trailing.enabled") == Some(&Value::Bool(true))
}

/// Gives a SmartTrade a status, and allows the actions of that status.
pub(crate) fn set_status(trade: &mut JsonRecord, code: &str, now: &Value) {
    let entry_follows = nested(trade, "position.conditional").and_then(Value::as_object).is_some_and(follows);
    let has_trailing = entry_follows || steps(trade).any(follows) || is_true(trade, "instant");
    // The entry that is being made can't be forced once more.
    let is_forced = nested_string(trade, "position.status.basic_type") == OrderStatus::Closing.code();
    let mut allowed = Allowed::of(code);
    allowed.force_start &= !is_forced;
    trade.insert("status".to_owned(), Value::Object(status(code)));
    if let Some(data) = part_mut(trade, "data") {
        data.extend(allowed.fields(has_trailing));
        data.insert("updated_at".to_owned(), now.clone());
    }
}

/// Gives an order of a SmartTrade a status.
pub(crate) fn set_order_status(order: &mut JsonRecord, code: OrderStatus) {
    order.insert("status".to_owned(), Value::Object(order_status(code.code())));
    if let Some(actions) = part_mut(order, "data") {
        let is_cancelable = code.is_waiting() || matches!(code, OrderStatus::Idle | OrderStatus::Closing);
        actions.extend(object! { "cancelable": is_cancelable, "panic_sell_available": code.is_waiting() });
    }
}

/// Gives the entry a status.
pub(crate) fn set_entry_status(trade: &mut JsonRecord, code: OrderStatus) {
    if let Some(position) = part_mut(trade, "position") {
        position.insert("status".to_owned(), Value::Object(order_status(code.code())));
    }
}
