//! Writes of simple trades: create and cancel them.

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::defaults::object;
use super::inputs;
use super::record::{JsonRecord, is_true, string};
use super::route::RequestParams;
use super::simple_trade::{SimpleTradePlan, uuid_of};
use super::simple_trade_life::end;
use super::smart_trade_figures::{digits, nested, nested_number, nested_string};
use super::state::State;
use botdesk_api::trades::SimpleTradeCreate;
use botdesk_schema::id::Id;
use botdesk_schema::input::RequestBuilder;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// Creates a trade. The response shows it before the service goes on with it, which it does at once.
pub(super) fn create(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let given = request_of(params).ok_or_else(ApiError::invalid_request)?;
    let account = given.get("account_id").and_then(Value::as_u64);
    let account = account.and_then(|id| Some((id, state.store.accounts.get(&id)?)));
    let account = account.filter(|(_, account)| is_true(account, "smart_trading_supported"));
    let (account_id, _) = account.ok_or_else(|| params.error(403))?;
    let number = state.store.trades.last_key_value().map_or(1, |(number, _)| number.saturating_add(1));
    let record = new_record(state, number, account_id, &given).ok_or_else(ApiError::invalid_request)?;
    state.clock.tick();
    let body = SerializedBody::serialize(&record);
    state.store.trades.insert(number, record);
    state.visit_simple_trade(number);
    Ok(body)
}

/// Returns the inputs of a new trade as one object; None if one breaks a rule. The rules that only the client has are those of the
/// service too, although its reference does not list them.
fn request_of(params: &RequestParams<'_>) -> Option<JsonRecord> {
    let given = inputs::parse(SimpleTradeCreate::INPUTS, params).ok()?;
    let request = RequestBuilder::for_http(SimpleTradeCreate::INPUTS, given);
    let is_valid = request.violations().is_empty() && request.type_violations().is_empty();
    is_valid.then(|| inputs::given(&request))
}

fn new_record(state: &State, number: u64, account_id: u64, given: &JsonRecord) -> Option<JsonRecord> {
    let quote = state.market.quote(string(given, "pair"))?;
    let is_limit = nested_string(given, "order.type") == "limit";
    let price = if is_limit { nested_number(given, "price.value") } else { quote.price.clone() };
    let now = state.clock.now().as_second();
    let mut record = SimpleTradePlan {
        uuid: uuid_of(number),
        account_id,
        pair: quote.pair.clone(),
        status: "to_process",
        side: if nested_string(given, "order.side") == "sell" { "sell" } else { "buy" },
        order_type: if is_limit { "limit" } else { "market" },
        filled_at: BigDecimal::from(0),
        price,
        quantity: nested_number(given, "units.value"),
        condition: None,
        trailing: None,
        timeout: None,
        created_at: now,
        closed_at: now,
    }
    .record();
    write_order(&mut record, given);
    record.extend(object! {
        "conditional": object! {
            "enabled": part(given, "conditional.enabled"),
            "value": part(given, "conditional.value"),
            "price": object! {
                "value": digits(given, "conditional.price.value"),
                "type": part(given, "conditional.price.type"),
            },
        },
        "trailing": object! {
            "enabled": part(given, "trailing.enabled"),
            "value": digits(given, "trailing.value"),
            "percent": digits(given, "trailing.percent"),
        },
        "timeout": object! { "enabled": part(given, "timeout.enabled"), "value": part(given, "timeout.value") },
        "leverage": object! { "type": part(given, "leverage.type") },
    });
    Some(record)
}

fn write_order(record: &mut JsonRecord, given: &JsonRecord) {
    let Some(order) = record.get_mut("order").and_then(Value::as_object_mut) else { return };
    for (name, value) in given.get("order").and_then(Value::as_object).into_iter().flatten() {
        // A market order has no time in force.
        if !value.is_null() && (name != "strategy" || nested_string(given, "order.type") == "limit") {
            order.insert(name.clone(), value.clone());
        }
    }
}

/// Returns a value of a request; null if it has none.
fn part(given: &JsonRecord, path: &str) -> Value {
    nested(given, path).cloned().unwrap_or_default()
}

/// Cancels a trade at once. The response names the code of the status otherwise than every other one.
pub(super) fn cancel(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let uuid = params.ids.first().map(Id::to_string).unwrap_or_default();
    let found = state.store.trades.iter().find(|(_, trade)| string(trade, "uuid") == uuid);
    let (number, trade) = found.map(|(number, trade)| (*number, trade)).ok_or_else(|| params.not_found())?;
    if nested(trade, "data.cancelable") != Some(&Value::Bool(true)) {
        return Err(ApiError::not_cancelable());
    }
    state.clock.tick();
    state.simple_trade_states.remove(&number);
    let now = state.clock.now();
    let trade = state.store.trades.get_mut(&number).ok_or_else(|| params.not_found())?;
    end(trade, "cancelled", None, now);
    let mut shown = trade.clone();
    shown.insert("status".to_owned(), Value::Object(object! { "basic_type": "cancelled", "error": Value::Null }));
    Ok(SerializedBody::serialize(&shown))
}
