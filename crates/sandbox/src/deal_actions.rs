//! Actions on one deal: close it, or a part of it, cancel it, and change its orders.

use jiff::Timestamp;
use serde_json::Value;

use super::bot_deals::{Ending, end_deal};
use super::clock::{ARRIVAL, later};
use super::deal_events::{events_of, order_messages, sized};
use super::deal_funds_data;
use super::deal_history::{ManualStatus, PlacedOrder, event};
use super::deal_orders::{DealWithOrders, orders_of};
use super::deal_reads;
use super::defaults::object;
use super::inputs;
use super::market::{balance, milliseconds, order_id, order_number};
use super::record::{JsonRecord, integer, is_true, list, number, string};
use super::route::RequestParams;
use super::state::{Cancellation, DcaBotMut, DealState, State};
use botdesk_api::deals::{DealFunds, DealOrderCancel, DealSafetyOrders, DealStepClose};
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{HandClosing, ManualOrder, OrderKind};

/// The status of a deal whose orders are on the exchange.
const ACTIVE: &str = "bought";

pub(super) fn close(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    end(state, params, "panic_sellable?", Ending::Close, "Closing at market price")
}

pub(super) fn cancel(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    end(state, params, "cancellable?", Ending::Cancel, "Cancelling deal")
}

fn end(
    state: &mut State,
    params: &RequestParams<'_>,
    flag: &str,
    ending: Ending,
    message: &str,
) -> Result<SerializedBody, ApiError> {
    let id = allowed(state, params, flag)?;
    end_by_hand(state, id, ending, message)?;
    deal_reads::get(state, params)
}

/// Lets a deal end: its orders are withdrawn now, and it ends at the next price, or when the exchange has carried it out.
pub(super) fn end_by_hand(state: &mut State, id: u64, ending: Ending, message: &str) -> Result<(), ApiError> {
    change(state, id, &[message.to_owned()], |bot, at, now| {
        end_deal(bot, id, ending, later(at, ARRIVAL), now);
    })
}

pub(super) fn close_step(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = found(state, params)?;
    let request = inputs::validated(DealStepClose::INPUTS, params)?;
    let trade = request.value(DealStepClose::trade_id).and_then(Value::as_u64);
    let record = state.store.deals.get(&id).ok_or_else(|| params.not_found())?;
    let mut steps = list(record, "take_profit_steps").iter().filter_map(Value::as_object).enumerate();
    let step = steps.find(|(_, step)| step.get("trade_id").and_then(Value::as_u64) == trade);
    let (target, step) = step.ok_or_else(|| params.not_found())?;
    if string(record, "status") != ACTIVE || !is_true(step, "panic_sellable") {
        return Err(ApiError::forbidden());
    }
    change(state, id, &[format!("Closing TakeProfit trade {} at market price", target + 1)], |bot, at, _| {
        if let Some(deal) = deal_of(bot, id) {
            deal.hand_closings.push(HandClosing { target, at: Some(milliseconds(later(at, ARRIVAL))) });
        }
    })?;
    deal_reads::get(state, params)
}

pub(super) fn set_max_safety_orders(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    const MOST: &str = "max_safety_orders";
    let id = found(state, params)?;
    let request = inputs::validated(DealSafetyOrders::INPUTS, params)?;
    let most = request.value(DealSafetyOrders::max_safety_orders).and_then(Value::as_i64).unwrap_or_default();
    let record = state.store.deals.get(&id).ok_or_else(|| params.not_found())?;
    if string(record, "status") != ACTIVE {
        return Err(ApiError::forbidden());
    }
    let filled = integer(record, "completed_safety_orders_count").unwrap_or_default();
    if most < filled {
        return Err(ApiError::invalid_field(MOST, &format!("must be greater than or equal to {filled}")));
    }
    change(state, id, &[], |bot, _, _| {
        if let Some(record) = bot.deals.get_mut(&id) {
            record.insert(MOST.to_owned(), most.into());
        }
    })?;
    deal_reads::get(state, params)
}

/// Places an order that enlarges a deal.
pub(super) fn add_funds(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    const RESPONSE: &str = "response_type";
    let id = found(state, params)?;
    let request = inputs::validated(DealFunds::INPUTS, params)?;
    let response = request.value(DealFunds::response_type).and_then(Value::as_str).unwrap_or("empty").to_owned();
    let decimal = |input| request.number(input).map(Decimal::from);
    let limit = decimal(DealFunds::rate).filter(|_| !request.is_true(DealFunds::is_market));
    let quantity = decimal(DealFunds::quantity).unwrap_or_default();
    if response == "deal" && trades_several_pairs(state, id) {
        return Err(ApiError::invalid_field(RESPONSE, "deal is only for bots with one pair"));
    }
    let id = allowed(state, params, "add_fundable")?;
    let number = place(state, id, limit.clone(), quantity)?;
    match response.as_str() {
        "deal" => deal_reads::get(state, params),
        "market_order" => Ok(SerializedBody::serialize(&unplaced_order(state, id, number, limit.as_ref()))),
        _ => Ok(SerializedBody::serialize(&object! { "status": "success" })),
    }
}

/// Places an order by hand; returns its number. The exchange rejects an order that is too small, or that the account can't pay.
fn place(state: &mut State, id: u64, limit: Option<Decimal>, quantity: Decimal) -> Result<u32, ApiError> {
    let record = state.store.deals.get(&id).ok_or_else(ApiError::not_found)?;
    let is_rejected = is_rejected(state, record, limit.as_ref(), &quantity);
    let arrives_now = limit.as_ref().is_none_or(|limit| is_marketable(state, record, limit));
    let deal = DealWithOrders::of(state, record).ok_or_else(ApiError::not_found)?;
    let price = limit.clone().unwrap_or_else(|| Decimal::from(number(record, "current_price")));
    let message = format!("Placing manual safety trade. {}", sized(&deal, &price, &quantity));
    let mut placed = 0;
    change(state, id, &[message], |bot, at, _| {
        let history = bot.state.histories.entry(id).or_default();
        placed = history.next_number();
        let status = if is_rejected { ManualStatus::Inactive } else { ManualStatus::Active };
        history.orders.push(PlacedOrder {
            number: placed,
            limit: limit.clone(),
            quantity: quantity.clone(),
            placed_at: at,
            updated_at: at,
            status,
        });
        let arrives_at = arrives_now.then(|| milliseconds(later(at, ARRIVAL)));
        if !is_rejected && let Some(deal) = deal_of(bot, id) {
            deal.manual_orders.push(ManualOrder { number: placed, limit, quantity, arrives_at });
        }
    })?;
    Ok(placed)
}

/// Returns true if the exchange rejects an order: it is too small, or costs more than is free on the account.
fn is_rejected(state: &State, record: &JsonRecord, limit: Option<&Decimal>, quantity: &Decimal) -> bool {
    let Some(data) = deal_funds_data::data(state, record) else { return true };
    let decimal = |record: &JsonRecord, field: &str| Decimal::from(number(record, field));
    let price = limit.cloned().unwrap_or_else(|| decimal(&data, "orderbook_price"));
    let total = quantity * price;
    let limits = data.get("limits").and_then(Value::as_object).cloned().unwrap_or_default();
    let is_short = string(record, "strategy") == "short";
    let is_unpaid =
        if is_short { !state.can_sell(record, quantity) } else { total > decimal(&data, "available_amount") };
    total < decimal(&limits, "minTotal") || *quantity < decimal(&limits, "minLotSize") || is_unpaid
}

/// Returns true if a limit order fills at once.
fn is_marketable(state: &State, record: &JsonRecord, limit: &Decimal) -> bool {
    let Some(quote) = state.market.quote(string(record, "pair")) else { return false };
    let price = Decimal::from(&quote.price);
    if string(record, "strategy") == "short" { *limit <= price } else { *limit >= price }
}

/// Returns an order as the response to its placement has it: it is not on the exchange yet.
fn unplaced_order(state: &State, id: u64, number: u32, limit: Option<&Decimal>) -> JsonRecord {
    let deal = state.store.deals.get(&id).and_then(|record| DealWithOrders::of(state, record));
    let order = deal.and_then(|deal| {
        let orders = deal.manual_orders();
        let order = orders.iter().find(|order| order.kind == OrderKind::Manual(number))?;
        Some(deal.to_json(order))
    });
    let mut order = order.unwrap_or_default();
    order.extend(object! {
        "status_string": ManualStatus::Active.name(),
        "cancellable": true,
        "quantity": "0.0",
        "quantity_remaining": "0.0",
        "rate": limit.map_or_else(|| "0.0".to_owned(), ToString::to_string),
    });
    order
}

pub(super) fn cancel_order(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = found(state, params)?;
    let request = inputs::parse(DealOrderCancel::INPUTS, params)?;
    if !request.iter().any(|(name, _)| *name == DealOrderCancel::order_id) {
        return Err(ApiError::invalid_field("order_id", "is missing"));
    }
    let request = inputs::validated(DealOrderCancel::INPUTS, params)?;
    let order = request.value(DealOrderCancel::order_id).and_then(Value::as_u64).unwrap_or_default();
    let record = state.store.deals.get(&id).ok_or_else(|| params.not_found())?;
    let deal = DealWithOrders::of(state, record).ok_or_else(|| params.not_found())?;
    let orders = deal.orders();
    let known = orders.iter().find(|known| order_id(id, order_number(known.kind)) == order);
    let known = known.ok_or_else(|| params.not_found())?;
    let (OrderKind::Manual(number), Some(ManualStatus::Active)) = (known.kind, known.manual) else {
        return Err(ApiError::order_not_cancellable());
    };
    let message = format!("Manual safety trade cancelled. {}", sized(&deal, &known.price, &known.quantity));
    change(state, id, &[message], |bot, at, _| {
        bot.state.histories.entry(id).or_default().end(number, ManualStatus::Cancelled, at);
        if let Some(deal) = deal_of(bot, id) {
            deal.manual_orders.retain(|order| order.number != number);
        }
    })?;
    let record = state.store.deals.get(&id).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(&orders_of(state, record)))
}

/// Changes an open deal. The events until now stay as they are, and those of the change follow: messages, and the orders that are
/// withdrawn and placed.
pub(super) fn change(
    state: &mut State,
    id: u64,
    messages: &[String],
    apply: impl FnOnce(&mut DcaBotMut<'_>, Timestamp, &Value),
) -> Result<(), ApiError> {
    state.write_records();
    let record = state.store.deals.get(&id).ok_or_else(ApiError::not_found)?;
    let bot_id = integer(record, "bot_id").and_then(|bot| u64::try_from(bot).ok());
    let before = DealWithOrders::of(state, record);
    let mut events = events_of(state, record);
    let (mut bot, clock) = state.dca_bot(bot_id)?;
    let now = clock.tick();
    let at = clock.now();
    apply(&mut bot, at, &now);
    if let Some(record) = bot.deals.get_mut(&id) {
        record.insert("updated_at".to_owned(), now);
    }
    write_figures(state, bot_id, id, at);
    let after = state.store.deals.get(&id).and_then(|record| DealWithOrders::of(state, record));
    events.extend(messages.iter().map(|message| event(message, at)));
    let fills = before.as_ref().map(|deal| deal.fills.len()).unwrap_or_default();
    if let (Some(before), Some(after)) = (before, after) {
        events.extend(order_messages(&before, &after).iter().map(|message| event(message, at)));
    }
    if let Some(bot) = bot_id.and_then(|bot| state.dca_bot_states.get_mut(&bot)) {
        let history = bot.histories.entry(id).or_default();
        (history.events, history.told_fills) = (events, fills);
    }
    state.cancellation = Some(Cancellation::until(later(at, ARRIVAL)));
    Ok(())
}

/// Writes what follows from the settings of a deal and its orders. A deal that ends keeps its figures until it has ended.
fn write_figures(state: &mut State, bot: Option<u64>, id: u64, at: Timestamp) {
    let Some(record) = state.store.deals.get_mut(&id).filter(|record| string(record, "status") == ACTIVE) else {
        return;
    };
    let Some(quote) = state.market.quote(string(record, "pair")) else { return };
    let market = quote.market(&state.costs);
    let balance = balance(&state.store.accounts, record, &quote).into();
    let bot = bot.and_then(|bot| state.dca_bot_states.get_mut(&bot));
    let deal_state = bot.and_then(|bot| bot.deals.iter_mut().find(|deal| deal.id == id));
    let Some(deal_state) = deal_state else { return };
    let deal = deal_state.read(record, &market, &balance);
    record.extend(object! { "active_manual_safety_orders": deal.manual_orders.len() });
    deal_state.write(record, &deal, &quote, &market, at);
}

/// Returns what the record of an open deal does not contain.
pub(super) fn deal_of<'a>(bot: &'a mut DcaBotMut<'_>, id: u64) -> Option<&'a mut DealState> {
    bot.state.deals.iter_mut().find(|deal| deal.id == id)
}

/// Returns the id of the deal that a request is about.
pub(super) fn found(state: &mut State, params: &RequestParams<'_>) -> Result<u64, ApiError> {
    state.write_history();
    state.write_records();
    params.id_in(&state.store.deals)
}

/// Returns the id of the deal that a request is about, if its record allows the operation.
pub(super) fn allowed(state: &mut State, params: &RequestParams<'_>, flag: &str) -> Result<u64, ApiError> {
    let id = found(state, params)?;
    let is_allowed = state.store.deals.get(&id).is_some_and(|record| is_true(record, flag));
    if is_allowed { Ok(id) } else { Err(ApiError::forbidden()) }
}

fn trades_several_pairs(state: &State, id: u64) -> bool {
    let bot = state.store.deals.get(&id).and_then(|deal| integer(deal, "bot_id"));
    let bot = bot.and_then(|bot| state.store.dca_bots.get(&u64::try_from(bot).ok()?));
    bot.is_some_and(|bot| list(bot, "pairs").len() > 1)
}
