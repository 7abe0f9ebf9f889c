//! The engine's SmartTrade: from a record, or from the inputs of a new one, whose members have the same names.
//!
//! Members that are missing have the values of a SmartTrade that was created just now.

use serde_json::Value;

use botdesk_schema::decimal;
use botdesk_schema::json_record::{JsonRecord, is_true, nested, nested_number, nested_string, string};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::smart_trade::{
    Closing, EntryTrigger, OrderStatus, PositionFigures, PriceTrigger, PriceType, SmartTrade, SmartTradeEntry,
    SmartTradeStatus, StopLossOrder, TargetOrder, Totals,
};
use botdesk_trading::ladder::Direction;

/// The milliseconds of a second.
const SECOND: i64 = 1_000;

/// Reads a SmartTrade. What its record does not contain, such as the best price of an order that follows the price, is missing.
pub fn smart_trade(record: &JsonRecord) -> SmartTrade {
    SmartTrade {
        status: optional_string(record, "status.basic_type")
            .or_else(|| optional_string(record, "status.type"))
            .map_or(SmartTradeStatus::Created, SmartTradeStatus::of),
        is_instant: is_true(record, "instant"),
        is_held: is_true(record, "skip_enter_step"),
        is_leveraged: is_on(record, "leverage.enabled") || is_on_futures(record),
        entry: entry(record),
        targets: objects(record, "take_profit.steps").map(target).collect(),
        stop_loss: object_at(record, "stop_loss").filter(|stop| is_true(stop, "enabled")).map(stop_loss),
        reductions: objects(record, "reduce_funds.steps").map(closing).collect(),
        market_close: object_at(record, "market_close").filter(|close| close.contains_key("id")).map(closing),
        position: position(record),
        average: optional(record, "data.average_enter_price"),
        average_without_fee: optional(record, "data.average_enter_price_without_commission"),
    }
}

/// Returns true if the account of a record trades futures, as far as its type says so: `binance_futures`, `binance_futures_coin`.
fn is_on_futures(record: &JsonRecord) -> bool {
    nested_string(record, "account.type").contains("futures")
}

/// Reads what was entered and closed.
pub fn position(record: &JsonRecord) -> PositionFigures {
    let totals = |amount: &str, total: &str| Totals { amount: number(record, amount), total: number(record, total) };
    PositionFigures {
        direction: direction(record),
        entered: totals("data.entered_amount", "data.entered_total"),
        closed: totals("data.closed_amount", "data.closed_total"),
    }
}

/// Returns the direction, which is that of the entry.
fn direction(record: &JsonRecord) -> Direction {
    if nested_string(record, "position.type") == "sell" { Direction::Short } else { Direction::Long }
}

fn entry(record: &JsonRecord) -> SmartTradeEntry {
    let order_type = nested_string(record, "position.order_type");
    let conditional = object_at(record, "position.conditional").filter(|_| order_type == "conditional");
    let usual = if direction(record) == Direction::Short { PriceType::Bid } else { PriceType::Ask };
    let condition = |conditional: &JsonRecord| EntryTrigger {
        trigger: trigger(conditional, usual),
        trailing: trailing(conditional),
    };
    SmartTradeEntry {
        is_limit: conditional.map_or(order_type, |conditional| string(conditional, "order_type")) == "limit",
        quantity: number(record, "position.units.value"),
        price: optional(record, "position.price.value"),
        condition: conditional.map(condition),
        status: order_status(record, "position.status.basic_type", OrderStatus::ToProcess),
        best: None,
    }
}

fn target(step: &JsonRecord) -> TargetOrder {
    TargetOrder {
        is_limit: string(step, "order_type") == "limit",
        share: number(step, "volume"),
        trigger: trigger(step, PriceType::Last),
        percent: optional(step, "price.percent"),
        trailing: trailing(step),
        status: order_status(step, "status.basic_type", OrderStatus::Idle),
        best: None,
        quantity: optional(step, "units.value"),
        total: optional(step, "total"),
    }
}

fn stop_loss(stop: &JsonRecord) -> StopLossOrder {
    let is_limit = string(stop, "order_type") == "limit";
    let empty = JsonRecord::new();
    let conditional = object_at(stop, "conditional").unwrap_or(&empty);
    let seconds = nested(stop, "timeout.value").filter(|_| is_on(stop, "timeout.enabled"));
    let seconds = seconds.and_then(|value| value.as_i64().or_else(|| value.as_str()?.parse().ok()));
    StopLossOrder {
        limit: is_limit.then(|| optional(stop, "price.value")).flatten(),
        trigger: trigger(conditional, PriceType::Last),
        percent: optional(conditional, "price.percent"),
        breakeven: is_true(stop, "breakeven"),
        is_trailing: is_on(conditional, "trailing.enabled"),
        distance: optional(conditional, "trailing.percent"),
        timeout: seconds.map(|seconds| seconds.saturating_mul(SECOND)),
        due: None,
        status: order_status(stop, "status.basic_type", OrderStatus::Idle),
        quantity: optional(stop, "units.value"),
        total: optional(stop, "total.value"),
    }
}

fn closing(order: &JsonRecord) -> Closing {
    Closing {
        is_limit: string(order, "type") == "limit",
        quantity: number(order, "units.value"),
        price: number(order, "price.value_without_commission"),
        status: order_status(order, "status.basic_type", OrderStatus::Idle),
    }
}

/// Returns the trigger in the member `price` of a part.
fn trigger(part: &JsonRecord, usual: PriceType) -> PriceTrigger {
    let of = optional_string(part, "price.type").map_or(usual, PriceType::of);
    PriceTrigger { price: optional(part, "price.value"), of }
}

/// Returns the trailing distance of a part in percent; None if it does not follow the price.
fn trailing(part: &JsonRecord) -> Option<Decimal> {
    is_on(part, "trailing.enabled").then(|| number(part, "trailing.percent"))
}

fn order_status(record: &JsonRecord, path: &str, usual: OrderStatus) -> OrderStatus {
    optional_string(record, path).map_or(usual, OrderStatus::of)
}

fn is_on(record: &JsonRecord, path: &str) -> bool {
    nested(record, path).is_some_and(|value| *value == Value::Bool(true) || value == "true")
}

fn number(record: &JsonRecord, path: &str) -> Decimal {
    nested_number(record, path).into()
}

fn optional(record: &JsonRecord, path: &str) -> Option<Decimal> {
    nested(record, path).and_then(decimal::of).map(Decimal::from)
}

fn optional_string<'a>(record: &'a JsonRecord, path: &str) -> Option<&'a str> {
    nested(record, path).and_then(Value::as_str)
}

fn object_at<'a>(record: &'a JsonRecord, path: &str) -> Option<&'a JsonRecord> {
    nested(record, path).and_then(Value::as_object)
}

fn objects<'a>(record: &'a JsonRecord, path: &str) -> impl Iterator<Item = &'a JsonRecord> {
    let list = nested(record, path).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object)
}
