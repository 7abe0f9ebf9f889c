//! Translates deals between their records and the engine.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::quotes::{milliseconds, time_of};
use crate::balance::REFUSED;
use crate::clock::timestamp;
use crate::defaults::{self, object};
use crate::listings::PairQuote;
use crate::record::{JsonRecord, integer, plain, string};
use crate::state::DealState;
use botdesk_api::deals::Deal as DealFields;
use botdesk_planning::engine_config::{deal_config, decimal_of};
use botdesk_schema::decimal;
use botdesk_schema::pair::currencies;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{CloseReason, Deal, Market, OrderKind, Target};
use botdesk_trading::ladder::Direction;
use botdesk_trading::position::{Position, average_price};

/// The status of an active deal.
const ACTIVE: &str = "bought";

/// The status of a deal that is being cancelled.
const CANCELLING: &str = "cancel_pending";

/// The status of a deal that is being closed at the market price.
const CLOSING: &str = "panic_sell_pending";

/// Fields that a deal does not copy from its bot, although the bot has fields of the same names.
const NOT_COPIED: [&str; 2] = ["type", "min_profit_percentage"];

/// The decimal places of the final profit of a deal that is open, as the service rounds it.
const PROFIT_PLACES: u8 = 8;

/// The decimal places of amounts in USD.
const USD_PLACES: u8 = 2;

/// The fields of one side of a deal.
#[derive(Clone, Copy)]
struct SideFields {
    amount: &'static str,
    volume: &'static str,
    average: &'static str,
}

const BOUGHT: SideFields =
    SideFields { amount: "bought_amount", volume: "bought_volume", average: "bought_average_price" };
const SOLD: SideFields = SideFields { amount: "sold_amount", volume: "sold_volume", average: "sold_average_price" };

/// Returns the fields of the entry side and of the exit side.
fn entry_and_exit(direction: Direction) -> [SideFields; 2] {
    match direction {
        Direction::Long => [BOUGHT, SOLD],
        Direction::Short => [SOLD, BOUGHT],
    }
}

/// Returns the record of a new deal, without its figures. The market type is that of the bot's account.
pub(crate) fn new_record(
    bot: &JsonRecord,
    market_type: &str,
    id: u64,
    quote: &PairQuote,
    opened_at: Timestamp,
) -> JsonRecord {
    let mut record = defaults::sample::<DealFields>();
    copy_settings(&mut record, bot);
    let (quote_currency, base_currency) = currencies(&quote.pair).unwrap_or_default();
    let opened_at = timestamp(opened_at);
    record.extend(object! {
        "id": id,
        "bot_id": integer(bot, "id"),
        "bot_name": string(bot, "name"),
        "created_at": opened_at.as_str(),
        "updated_at": opened_at,
        "pair": quote.pair.as_str(),
        "market_type": market_type,
        "from_currency": quote_currency,
        "to_currency": base_currency,
        "from_currency_id": currency_id(quote_currency),
        "to_currency_id": currency_id(base_currency),
        "orderbook_price_currency": quote_currency,
        "base_order_average_price": quote.price.to_plain_string(),
    });
    record
}

/// Copies the settings of the bot to the deal. A field that is null in the bot keeps its sample.
fn copy_settings(deal: &mut JsonRecord, bot: &JsonRecord) {
    for (field, value) in deal {
        if let Some(bot_value) = bot.get(field).filter(|bot_value| !bot_value.is_null())
            && !NOT_COPIED.contains(&field.as_str())
        {
            *value = bot_value.clone();
        }
    }
}

/// Returns an id for a currency. The same code gives the same id.
fn currency_id(code: &str) -> u32 {
    code.bytes().fold(0_u32, |id, letter| id.wrapping_mul(37).wrapping_add(u32::from(letter) - u32::from(b' '))) >> 1
}

/// Returns true if the engine knows a deal: if it is active, being cancelled or being closed. Users can add deals of any status.
pub(super) fn is_traded(deal: &JsonRecord) -> bool {
    [ACTIVE, CANCELLING, CLOSING].contains(&string(deal, "status"))
}

impl DealState {
    /// Reads the deal for the engine.
    pub(crate) fn read(&self, record: &JsonRecord, market: &Market, balance: &Decimal) -> Deal {
        let config = deal_config(record);
        let [entry, exit] = entry_and_exit(config.direction);
        let base_price = decimal_of(record, "base_order_average_price");
        let base_volume = self.base_volume.clone().unwrap_or_else(|| {
            let quantity = config.base_order.quantity(&base_price, balance, Some(&market.lot));
            quantity.unwrap_or_default() * &base_price
        });
        let best_price = |field: &str| record.get(field).and_then(decimal::of).map(Decimal::from);
        let opened_at = string(record, "created_at").parse().unwrap_or_default();
        let is_trailing = config.trailing.is_some();
        let mut deal = Deal::new(self.id, Arc::new(config), market, milliseconds(opened_at), base_price);
        deal.entry = Position {
            direction: deal.direction(),
            quantity: decimal_of(record, entry.amount),
            volume: decimal_of(record, entry.volume),
            base_volume,
        };
        deal.exited_quantity = decimal_of(record, exit.amount);
        deal.exited_volume = decimal_of(record, exit.volume);
        let filled = integer(record, "completed_safety_orders_count").unwrap_or_default();
        deal.filled_safety_orders = u32::try_from(filled).unwrap_or_default();
        deal.reached_targets = self.targets;
        deal.trailing_best = best_price("trailing_max_price").filter(|_| is_trailing);
        deal.stop_loss_best = best_price("tsl_max_price");
        deal.stops_at = self.stops_at.map(milliseconds);
        // A state file of an older version has no time for it.
        let is_cancelling = string(record, "status") == CANCELLING;
        deal.cancels_at = self.cancels_at.map(milliseconds).or(is_cancelling.then_some(deal.opened_at));
        let is_closing = string(record, "status") == CLOSING;
        deal.closes_at = self.closes_at.map(milliseconds).or(is_closing.then_some(deal.opened_at));
        deal.timeout = self.timeout;
        deal.manual_orders.clone_from(&self.manual_orders);
        deal.hand_closings.clone_from(&self.hand_closings);
        deal.update(market);
        deal
    }

    /// Writes the state of the engine's deal, and the figures that depend on it and on the price.
    pub(crate) fn write(
        &mut self,
        record: &mut JsonRecord,
        deal: &Deal,
        quote: &PairQuote,
        market: &Market,
        at: Timestamp,
    ) {
        self.base_volume = Some(deal.entry.base_volume.clone());
        self.targets = deal.reached_targets;
        self.stops_at = deal.stops_at.map(time_of);
        self.cancels_at = deal.cancels_at.map(time_of);
        self.closes_at = deal.closes_at.map(time_of);
        if self.manual_orders.len() != deal.manual_orders.len() {
            record.extend(object! { "active_manual_safety_orders": deal.manual_orders.len() });
        }
        self.manual_orders.clone_from(&deal.manual_orders);
        self.hand_closings.clone_from(&deal.hand_closings);
        let price = Decimal::from(&quote.price);
        let profit = deal.profit(&price, market);
        let usd_profit = plain(&(&profit * Decimal::from(&quote.usd)));
        let target = take_profit_price(deal, &price, market).map(|price| price.to_string());
        let placed = if deal.is_ending() { 0 } else { deal.active_safety_orders() };
        let widget = widget(deal, quote, market, target.as_deref());
        write_steps(record, deal, market, at);
        let is_saved = has_amounts_of(record, deal);
        let open = plain(&deal.open_quantity());
        let spent = plain(&deal.open_volume());
        write_sides(record, deal);
        write_best_prices(record, deal);
        mark_safety_steps(record, deal.filled_safety_orders);
        record.extend(object! {
            "completed_safety_orders_count": deal.filled_safety_orders,
            "current_active_safety_orders": placed,
            "current_active_safety_orders_count": placed,
            "current_price": quote.price.to_plain_string(),
            "take_profit_price": target,
            "stop_loss_price": deal.stop_loss_price(market).map(|price| plain(&price)),
            "actual_profit": plain(&profit),
            "actual_usd_profit": usd_profit,
            "actual_profit_percentage": percentage(deal, &price).to_string(),
            // Against its name, it is in the quote currency, as in the samples of the service.
            "reserved_base_coin": spent,
            "reserved_second_coin": open,
            "reserved_quote_funds": "0.0",
            "reserved_base_funds": "0.0",
            "crypto_widget": widget,
            "updated_at": timestamp(at),
        });
        if !is_saved {
            record.extend(object! {
                "final_profit": plain(&profit.round(PROFIT_PLACES)),
                "final_profit_percentage": "0",
                "usd_final_profit": plain(&(&profit * Decimal::from(&quote.usd)).round(USD_PLACES)),
            });
        }
    }
}

/// Returns true if no order has filled since the record was written. The service calculates the final profit of an open deal
/// only if one has.
fn has_amounts_of(record: &JsonRecord, deal: &Deal) -> bool {
    let [entry, exit] = entry_and_exit(deal.direction());
    string(record, entry.amount) == plain(&deal.entry.quantity)
        && string(record, exit.amount) == plain(&deal.exited_quantity)
}

/// Marks the deal as closed, and writes its final profit.
pub(crate) fn write_close(
    record: &mut JsonRecord,
    deal: &Deal,
    reason: CloseReason,
    quote: &PairQuote,
    market: &Market,
    at: Timestamp,
) {
    let profit = match reason {
        _ if reason.keeps_position() => deal.realized_profit(),
        _ => deal.final_profit(),
    };
    let (status, localized) = status_of(reason);
    if reason == CloseReason::Failed {
        record.extend(object! { "deal_has_error": true, "error_message": REFUSED });
    }
    close_steps(record);
    record.extend(object! {
        "status": status,
        "localized_status": localized,
        "finished?": true,
        "closed_at": timestamp(at),
        "cancellable?": false,
        "panic_sellable?": false,
        "add_fundable": false,
        "smart_trade_convertable": false,
        "crypto_widget": Value::Null,
        "current_active_safety_orders": 0,
        "current_active_safety_orders_count": 0,
        "active_manual_safety_orders": 0,
        "final_profit": plain(&profit),
        "final_profit_percentage": final_percentage(deal, market).to_string(),
        "usd_final_profit": plain(&(&profit * Decimal::from(&quote.usd))),
    });
}

/// Returns the status of a closed deal and its localized label.
fn status_of(reason: CloseReason) -> (&'static str, &'static str) {
    match reason {
        CloseReason::TakeProfit | CloseReason::Timeout => ("completed", "Completed"),
        CloseReason::StopLoss => ("stop_loss_finished", "Stop loss finished"),
        CloseReason::ByHand => ("panic_sold", "Closed at Market Price"),
        CloseReason::Cancelled => ("cancelled", "Cancelled"),
        CloseReason::Failed => ("failed", "Failed"),
    }
}

/// Returns the price of the next target. With several, the service has the current price there.
fn take_profit_price(deal: &Deal, price: &Decimal, market: &Market) -> Option<Decimal> {
    match deal.config.targets.as_slice() {
        [] | [_] => deal.take_profit_price(market),
        _ => Some(price.clone()),
    }
}

/// Returns the distance of a price from the average price of a deal, in percent. The fee of an exit is not in it.
fn percentage(deal: &Deal, price: &Decimal) -> Decimal {
    let value = &deal.entry.quantity * price;
    let profit = match deal.direction() {
        Direction::Long => value - &deal.entry.volume,
        Direction::Short => &deal.entry.volume - value,
    };
    profit.percentage_of(&deal.entry.volume)
}

/// Returns the same for the average price at which the deal was closed, without the fees of its exits; 0 if nothing was closed.
fn final_percentage(deal: &Deal, market: &Market) -> Decimal {
    let after_fee = match deal.direction() {
        Direction::Long => Decimal::ONE - &market.fee,
        Direction::Short => Decimal::ONE + &market.fee,
    };
    let price = deal.exited_volume.checked_div(&(&deal.exited_quantity * after_fee));
    price.map(|price| percentage(deal, &price)).unwrap_or_default()
}

fn write_sides(record: &mut JsonRecord, deal: &Deal) {
    let [entry, exit] = entry_and_exit(deal.direction());
    let average = |volume: &Decimal, quantity: &Decimal| plain(&average_price(volume, quantity).unwrap_or_default());
    let entry_totals = (&deal.entry.quantity, &deal.entry.volume);
    let exit_totals = (&deal.exited_quantity, &deal.exited_volume);
    for (side, (quantity, volume)) in [(entry, entry_totals), (exit, exit_totals)] {
        record.extend([
            (side.amount.to_owned(), Value::from(plain(quantity))),
            (side.volume.to_owned(), Value::from(plain(volume))),
            (side.average.to_owned(), Value::from(average(volume, quantity))),
        ]);
    }
}

/// Writes the best prices that are known. A deal that was added may have others.
fn write_best_prices(record: &mut JsonRecord, deal: &Deal) {
    let best_prices = [("trailing_max_price", &deal.trailing_best), ("tsl_max_price", &deal.stop_loss_best)];
    for (field, price) in best_prices {
        if let Some(price) = price {
            record.insert(field.to_owned(), price.to_string().into());
        }
    }
}

/// The status of a take-profit step before and after its order was filled, and if its deal ended without that.
const STEP_STATUSES: [&str; 3] = ["Placed", "Filled", "Cancelled"];

/// The status of a take-profit step while it is closed by hand, and after that.
const HAND_STATUSES: [&str; 2] = ["Panic closing", "Panic sold"];

/// Returns the status of a take-profit step.
fn step_status(deal: &Deal, index: usize) -> &'static str {
    let ([placed, filled, _], [closing, sold]) = (STEP_STATUSES, HAND_STATUSES);
    match deal.hand_closings.iter().find(|closing| closing.target == index) {
        Some(by_hand) if by_hand.is_done() => sold,
        Some(_) => closing,
        None if index < deal.reached_targets => filled,
        None => placed,
    }
}

/// Writes the take-profit steps with their orders. The bot has only their shares and profits.
fn write_steps(record: &mut JsonRecord, deal: &Deal, market: &Market, at: Timestamp) {
    let orders = target_orders(deal, market);
    let steps = record.get_mut("take_profit_steps").and_then(Value::as_array_mut).into_iter().flatten();
    for ((index, step), order) in steps.enumerate().zip(orders) {
        let Value::Object(step) = step else { continue };
        let status = step_status(deal, index);
        let ([placed, filled, _], [_, sold]) = (STEP_STATUSES, HAND_STATUSES);
        let (is_open, is_closed) = (status == placed, status == filled || status == sold);
        let was_closed = step.get("execution_timestamp").is_some_and(|time| !time.is_null());
        step.extend(object! {
            "id": index,
            "editable": is_open,
            "panic_sellable": is_open,
            "trade_id": order_id(deal.id, order_number(OrderKind::TakeProfit(index + 1))),
            "status": status,
        });
        if !(is_closed && was_closed) {
            step.extend(object! {
                "execution_timestamp": if is_closed { Value::from(timestamp(at)) } else { Value::Null },
                "initial_amount": plain(&order.quantity),
                "price": order.price.map(|price| price.to_string()),
            });
        }
    }
}

/// Closes the take-profit steps of a deal that is over.
fn close_steps(record: &mut JsonRecord) {
    let ([_, filled, cancelled], [_, sold]) = (STEP_STATUSES, HAND_STATUSES);
    let steps = record.get_mut("take_profit_steps").and_then(Value::as_array_mut).into_iter().flatten();
    for step in steps.filter_map(Value::as_object_mut) {
        let status = string(step, "status");
        let status = [filled, sold].into_iter().find(|closed| *closed == status).unwrap_or(cancelled);
        step.extend(object! { "editable": false, "panic_sellable": false, "status": status });
    }
}

/// An order at a take-profit target.
pub(crate) struct TargetOrder {
    pub(crate) quantity: Decimal,
    pub(crate) price: Option<Decimal>,
}

/// Returns the orders of all targets: each has its share of the deal, rounded down to the lot, and the last one that is open the
/// rest.
pub(crate) fn target_orders(deal: &Deal, market: &Market) -> Vec<TargetOrder> {
    let order = |(index, target): (usize, &Target)| TargetOrder {
        quantity: deal.quantity_of_target(index, market),
        price: deal.entry.take_profit_price(&target.take_profit, &market.fee, Some(&market.tick)),
    };
    deal.config.targets.iter().enumerate().map(order).collect()
}

/// Returns the number of an order of a deal.
pub(crate) fn order_number(kind: OrderKind) -> u64 {
    let from = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    match kind {
        OrderKind::Base | OrderKind::SmartTrade(_) => 1,
        OrderKind::Safety(number) => 1 + u64::from(number),
        OrderKind::Manual(number) => u64::from(number).saturating_add(800),
        // A step that is closed by hand keeps the id by which it was named.
        OrderKind::TakeProfit(number) | OrderKind::StepByHand(number) => from(number).saturating_add(500),
        OrderKind::Trailing => 601,
        OrderKind::StopLoss => 602,
        OrderKind::Timeout => 603,
        OrderKind::ByHand => 604,
        OrderKind::Balancing => 605,
        OrderKind::GridLevel(index) => from(index).saturating_add(700),
    }
}

/// Returns the id of an order of a deal.
pub(crate) fn order_id(deal: u64, number: u64) -> u64 {
    deal.saturating_mul(1_000).saturating_add(number).min(i64::MAX.unsigned_abs())
}

/// Marks the custom safety steps whose orders have filled as not editable.
fn mark_safety_steps(record: &mut JsonRecord, filled: u32) {
    let steps = record.get_mut("custom_safety_steps").and_then(Value::as_array_mut).into_iter().flatten();
    for (number, step) in (1..).zip(steps) {
        if let Value::Object(step) = step {
            step.insert("editable".to_owned(), Value::from(number > filled));
        }
    }
}

/// Returns the chart; None of a deal that is being cancelled or closed. A letter of its second member is Cyrillic, because live services send
/// it that way.
fn widget(deal: &Deal, quote: &PairQuote, market: &Market, target: Option<&str>) -> Option<JsonRecord> {
    if deal.is_ending() {
        return None;
    }
    let step = |price: Decimal| Value::Object(object! { "price": price.to_string(), "filled": "0.0" });
    let stop_losses =
        deal.stop_loss_price(market).map(|price| vec![Value::from(vec![plain(&price).into(), Value::Bool(false)])]);
    Some(object! {
        "progressAccuracy": 2,
        "TTP\u{410}ctivated": deal.trailing_best.is_some(),
        "buyPrice": deal.entry.average_price().map(|price| plain(&price)),
        "currentPrice": quote.price.to_plain_string(),
        "inverted": deal.direction() == Direction::Short,
        "stopLosses": stop_losses,
        "LP": Value::Null,
        "buySteps": deal.next_safety_order_price(market).map(step).into_iter().collect::<Vec<_>>(),
        "marks": marks(deal, market, target),
    })
}

/// Returns the targets of the chart: one, or each step with its number.
fn marks(deal: &Deal, market: &Market, target: Option<&str>) -> Vec<Value> {
    let mark = |label: String, price: &str| {
        Value::Object(object! { "type": "tp", "label": label, "price": price, "position": "down" })
    };
    if deal.config.targets.len() <= 1 {
        return target.map(|price| mark("TP".to_owned(), price)).into_iter().collect();
    }
    let orders = target_orders(deal, market).into_iter().enumerate();
    let marks = orders.filter_map(|(index, order)| Some(mark(format!("TP{}", index + 1), &order.price?.to_string())));
    marks.collect()
}
