//! Deals that become SmartTrades: the position, the targets and the stop loss move, and the deal is cancelled.

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::additions::free_id;
use super::bot_deals::Ending;
use super::clock::{self, ARRIVAL, later};
use super::deal_actions::{end_by_hand, found};
use super::deal_orders::DealWithOrders;
use super::defaults::object;
use super::inputs;
use super::record::{JsonRecord, integer, is_true, string};
use super::route::RequestParams;
use super::smart_trade_figures::{at_tick, part_mut, text};
use super::smart_trade_plan::{Entry, Kind, SmartTradePlan, StepPlan, Times};
use super::smart_trade_status::order_status;
use super::smart_trades::reference;
use super::state::State;
use botdesk_api::deals::DealConversion;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::OrderKind;
use botdesk_trading::ladder::Direction;

/// The status of a new SmartTrade.
const CREATED: &str = "created";

/// A take-profit step of the SmartTrade: its price, and its part of the position in percent.
struct Step {
    price: Decimal,
    percent: BigDecimal,
}

pub(super) fn convert(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = found(state, params)?;
    let stops_bot = inputs::validated(DealConversion::INPUTS, params)?.is_true(DealConversion::stop_bot);
    let record = state.store.deals.get(&id).cloned().ok_or_else(|| params.not_found())?;
    if !is_true(&record, "smart_trade_convertable") {
        return Err(ApiError::forbidden());
    }
    let trade_id = free_id(&JsonRecord::new(), &state.store.smart_trades).ok().ok_or_else(ApiError::forbidden)?;
    let trade = smart_trade(state, &record, trade_id).ok_or_else(ApiError::forbidden)?;
    end_by_hand(state, id, Ending::Cancel, &format!("Converting deal to SmartTrade {trade_id}"))?;
    if stops_bot {
        disable(state, &record)?;
    }
    let body = SerializedBody::serialize(&trade);
    state.store.smart_trades.insert(trade_id, trade);
    Ok(body)
}

fn disable(state: &mut State, deal: &JsonRecord) -> Result<(), ApiError> {
    let bot = integer(deal, "bot_id").and_then(|bot| u64::try_from(bot).ok());
    let (mut bot, clock) = state.dca_bot(bot)?;
    bot.set("is_enabled", false);
    bot.add_event("Bot disabled", Value::from(clock::timestamp(clock.now())));
    Ok(())
}

/// Returns the SmartTrade that a deal becomes; None if its pair is not traded or its account is unknown.
fn smart_trade(state: &State, record: &JsonRecord, id: u64) -> Option<JsonRecord> {
    let deal = DealWithOrders::of(state, record)?;
    let quote = state.market.quote(string(record, "pair"))?;
    let account = integer(record, "account_id").and_then(|id| reference(state, u64::try_from(id).ok()?))?;
    let is_short = deal.deal.direction() == Direction::Short;
    let price = at_tick(&deal.deal.entry.average_price()?.to_big(), &quote.tick);
    let quantity = deal.deal.open_quantity().to_big().normalized();
    let now = clock::timestamp(later(state.clock.now(), ARRIVAL));
    let steps = steps(&deal);
    let planned = vec![StepPlan { volume: 0, distance: 0, order_type: "limit", trailing: None }; steps.len()];
    let note = format!("Converted from deal {}", deal.deal.id);
    let mut trade = SmartTradePlan {
        id,
        kind: if is_short { Kind::SmartCover } else { Kind::SmartSell },
        status: CREATED,
        account,
        quote: &quote,
        leverage: None,
        entry: Entry { order_type: "market", price: price.clone(), quantity, trailing: None },
        steps: &planned,
        stop_loss: None,
        reduced: None,
        closed_at_market: None,
        fee: BigDecimal::from(0),
        note: &note,
        times: Times { created: now.clone(), updated: now.clone(), ended: now },
    }
    .record();
    write_position(&mut trade, &price);
    write_steps(&mut trade, &steps);
    write_stop_loss(&mut trade, record);
    Some(trade)
}

/// Returns the targets that the deal still waits for. The last one gets what rounding leaves over.
fn steps(deal: &DealWithOrders) -> Vec<Step> {
    let orders = deal.standing_orders();
    let targets: Vec<_> = orders.iter().filter(|order| matches!(order.kind, OrderKind::TakeProfit(_))).collect();
    let open = deal.deal.open_quantity();
    let mut rest = BigDecimal::from(100);
    let step = |(place, order): (usize, &&super::deal_orders::DealOrder)| {
        let share = order.quantity.percentage_of(&open).to_big();
        let percent = if place + 1 == targets.len() { rest.clone() } else { share };
        rest -= &percent;
        Step { price: order.price.clone(), percent }
    };
    targets.iter().enumerate().map(step).collect()
}

/// Writes what the position of a conversion has: it is held already, and nothing was traded yet.
fn write_position(trade: &mut JsonRecord, price: &BigDecimal) {
    trade.insert("skip_enter_step".to_owned(), true.into());
    if let Some(position) = part_mut(trade, "position") {
        position.extend(object! { "editable": true, "status": order_status("idle") });
        position.insert(
            "price".to_owned(),
            object! { "value": text(price), "value_without_commission": text(price), "editable": true }.into(),
        );
    }
    if let Some(data) = part_mut(trade, "data") {
        data.extend(object! { "base_position_step_finished": true, "force_start_available": false });
    }
}

fn write_steps(trade: &mut JsonRecord, steps: &[Step]) {
    let written = part_mut(trade, "take_profit").and_then(|part| part.get_mut("steps")).and_then(Value::as_array_mut);
    let written = written.into_iter().flatten().filter_map(Value::as_object_mut);
    for (written, Step { price, percent }) in written.zip(steps) {
        written.extend(object! {
            "price": object! { "type": "bid", "value": price.to_string(), "percent": Value::Null },
            "volume": text(percent),
        });
    }
}

fn write_stop_loss(trade: &mut JsonRecord, deal: &JsonRecord) {
    let Some(price) = deal.get("stop_loss_price").filter(|price| !price.is_null()) else { return };
    let trails = is_true(deal, "tsl_enabled");
    let percent = deal.get("stop_loss_percentage").filter(|_| trails).cloned();
    let timeout = deal.get("stop_loss_timeout_in_seconds").filter(|_| is_true(deal, "stop_loss_timeout_enabled"));
    trade.insert(
        "stop_loss".to_owned(),
        object! {
            "enabled": true,
            "price_type": "value",
            "breakeven": false,
            "order_type": "market",
            "editable": true,
            "price": object! { "value": Value::Null, "percent": Value::Null },
            "units": object! { "value": Value::Null },
            "total": object! { "value": Value::Null },
            "conditional": object! {
                "price": object! { "value": price.clone(), "type": "bid", "percent": Value::Null },
                "trailing": object! { "enabled": trails, "percent": percent },
            },
            "timeout": object! { "enabled": timeout.is_some(), "value": timeout.cloned() },
            "status": order_status("idle"),
        }
        .into(),
    );
}
