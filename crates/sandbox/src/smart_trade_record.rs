//! Between the records of SmartTrades and the engine: what a step of the engine changes is written, and everything else stays as it is.

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde_json::Value;

use super::defaults::object;
use super::listings::market_of_tick;
use super::record::JsonRecord;
use super::smart_trade_figures::{at_tick, cut, nested_number, part_mut, pays_fee_in_quote, profit_fields, text};
use super::smart_trade_orders::OrderId;
use super::smart_trade_parts::{
    Circumstances, OrderStates, follows, forget, set_entry_status, set_order_status, set_status, steps, steps_mut,
};
use super::smart_trade_status::order_status;
use crate::order_prices::OrderState;
use botdesk_planning::smart_trade_state::smart_trade;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::Market;
use botdesk_trading::engine::smart_trade::{
    Closing, Moment, OrderStatus, SmartTrade, SmartTradeStatus, StopLossOrder, TargetOrder,
};
use botdesk_trading::ladder::Direction;
use botdesk_trading::rounding::quotient;

/// Lets the engine do something with a SmartTrade at the current price, and writes what changes.
pub(crate) fn run(
    record: &mut JsonRecord,
    states: &mut OrderStates,
    time: Timestamp,
    circumstances: &Circumstances<'_>,
    act: impl FnOnce(&mut SmartTrade, &mut Moment<'_>),
) {
    let before = with_states(record, states);
    let mut after = before.clone();
    let market = market_of(circumstances);
    let price = Decimal::from(&circumstances.quote.price);
    let mut events = Vec::new();
    // Bid and ask are a tick away from the last price.
    let (spread, now) = (&market.tick, time.as_millisecond());
    act(&mut after, &mut Moment { market: &market, price: &price, spread, now, events: &mut events });
    if after != before {
        Change { before: &before, after: &after }.write(record, circumstances);
    }
    keep_states(record, states, &after);
}

/// Lets the engine note what the user asks of a SmartTrade, or that it failed, and writes what changes.
pub(crate) fn ask(record: &mut JsonRecord, now: &Value, act: impl FnOnce(&mut SmartTrade)) {
    let before = engine_trade(record);
    let mut after = before.clone();
    act(&mut after);
    Change { before: &before, after: &after }.write_orders(record, now);
}

/// Returns the market of SmartTrades, to which neither slippage nor the limits of the exchange apply.
fn market_of(circumstances: &Circumstances<'_>) -> Market {
    Market { fee: circumstances.fee.into(), ..market_of_tick(&circumstances.quote.tick) }
}

/// Returns the engine's SmartTrade of a record; the sandbox knows which accounts trade futures.
fn engine_trade(record: &JsonRecord) -> SmartTrade {
    SmartTrade { is_leveraged: pays_fee_in_quote(record), ..smart_trade(record) }
}

/// Returns a SmartTrade with what its record does not contain.
pub(crate) fn with_states(record: &JsonRecord, states: &OrderStates) -> SmartTrade {
    let mut trade = engine_trade(record);
    let id = id_of(record);
    let best = |order: u64| states.get(&order)?.best.as_ref().map(Decimal::from);
    trade.entry.best = best(OrderId::Entry.of(id));
    for (target, step) in trade.targets.iter_mut().zip(steps(record)) {
        target.best = best(id_of(step));
    }
    if let Some(stop) = &mut trade.stop_loss {
        let state = states.get(&OrderId::StopLoss.of(id));
        stop.due = state.and_then(|state| state.checked_at).map(Timestamp::as_millisecond);
    }
    trade
}

fn keep_states(record: &JsonRecord, states: &mut OrderStates, trade: &SmartTrade) {
    let id = id_of(record);
    forget(states, id);
    let best = |best: &Option<Decimal>| Some(OrderState { best: Some(best.as_ref()?.to_big()), checked_at: None });
    let targets = trade.targets.iter().zip(steps(record)).map(|(target, step)| (id_of(step), best(&target.best)));
    let due = trade.stop_loss.as_ref().and_then(|stop| Timestamp::from_millisecond(stop.due?).ok());
    let due = due.map(|due| OrderState { best: None, checked_at: Some(due) });
    let all = targets.chain([(OrderId::Entry.of(id), best(&trade.entry.best)), (OrderId::StopLoss.of(id), due)]);
    states.extend(all.filter_map(|(order, state)| Some((order, state?))));
}

pub(crate) fn id_of(record: &JsonRecord) -> u64 {
    record.get("id").and_then(Value::as_u64).unwrap_or_default()
}

fn shown(number: &Decimal) -> String {
    text(&number.to_big())
}

/// A SmartTrade before and after a step.
struct Change<'a> {
    before: &'a SmartTrade,
    after: &'a SmartTrade,
}

impl Change<'_> {
    /// Writes everything that has changed.
    fn write(&self, record: &mut JsonRecord, circumstances: &Circumstances<'_>) {
        let (before, after) = (self.before, self.after);
        let has_entered = before.position.entered != after.position.entered;
        let has_closed = before.position.closed != after.position.closed;
        let is_enlarged = !has_entered && before.entry.quantity != after.entry.quantity;
        if has_entered {
            self.write_entered(record);
        }
        if is_enlarged {
            self.write_enlarged(record);
        }
        self.write_closings(record, circumstances);
        self.write_orders(record, circumstances.now);
        if has_closed {
            self.write_closed(record, circumstances);
        }
        if before.status == after.status {
            if has_entered || has_closed || is_enlarged {
                set_status(record, after.status.code(), circumstances.now);
            }
        } else if has_result(after.status) {
            self.write_end(record, circumstances);
        }
    }

    /// Writes the statuses and the prices of orders, and the end of one that was cancelled or that failed.
    fn write_orders(&self, record: &mut JsonRecord, now: &Value) {
        let (before, after) = (self.before, self.after);
        if before.entry.status != after.entry.status {
            set_entry_status(record, after.entry.status);
        }
        self.write_targets(record, now);
        self.write_stop_loss(record, now);
        self.write_new_reductions(record);
        self.write_cancelled_reductions(record, now);
        if before.status == after.status {
            return;
        }
        set_status(record, after.status.code(), now);
        if !after.status.has_ended() {
            return;
        }
        if let Some(data) = part_mut(record, "data") {
            data.extend(object! { "closed_at": now.clone(), "base_position_step_finished": true });
        }
        if !has_result(after.status) {
            let none = Value::Null;
            let profit = object! { "volume": none.clone(), "usd": none.clone(), "percent": "0.0", "roe": none };
            record.insert("profit".to_owned(), Value::Object(profit));
        }
    }
}

/// Returns true if a SmartTrade with this status has ended with a profit or a loss.
fn has_result(status: SmartTradeStatus) -> bool {
    use SmartTradeStatus::{Closed, Finished, StopLossFinished};
    matches!(status, Finished | StopLossFinished | Closed)
}

/// The entry.
impl Change<'_> {
    fn write_entered(&self, record: &mut JsonRecord) {
        let SmartTrade { entry, position, .. } = self.after;
        let (amount, total) = (shown(&position.entered.amount), shown(&position.entered.total));
        record.insert("is_position_not_filled".to_owned(), Value::Bool(false));
        if let Some(data) = part_mut(record, "data") {
            data.extend(object! {
                "entered_amount": amount.as_str(),
                "entered_total": total.as_str(),
                "base_position_step_finished": true,
            });
        }
        let Some((average, without_fee)) = self.after.average.as_ref().zip(self.after.average_without_fee.as_ref())
        else {
            return;
        };
        let (average, without_fee) = (shown(average), shown(without_fee));
        if let Some(data) = part_mut(record, "data") {
            data.extend(object! {
                "average_enter_price": average.as_str(),
                "average_enter_price_without_commission": without_fee.as_str(),
            });
        }
        if let Some(written) = part_mut(record, "position") {
            if let Some(conditional) = part_mut(written, "conditional") {
                conditional.insert("editable".to_owned(), Value::Bool(false));
            }
            written.extend(object! {
                "units": object! { "value": amount, "editable": false },
                "price": object! {
                    "value": average,
                    "value_without_commission": without_fee,
                    "editable": false,
                },
                "total": object! { "value": text(&cut(&position.entered.total.to_big())) },
                "status": order_status(entry.status.code()),
            });
        }
        self.write_margin(record);
    }

    fn write_margin(&self, record: &mut JsonRecord) {
        let leverage = nested_number(record, "leverage.value");
        let margin = |whole: &Decimal| {
            let margin = quotient(&whole.to_big(), &leverage).filter(|_| self.after.is_leveraged);
            margin.map(|margin| text(&cut(&margin)))
        };
        let entered = &self.after.position.entered;
        let margin = object! { "amount": margin(&entered.amount), "total": margin(&entered.total) };
        record.insert("margin".to_owned(), Value::Object(margin));
    }

    /// Writes the quantity of an entry that is not filled.
    fn write_enlarged(&self, record: &mut JsonRecord) {
        let units = self.after.entry.quantity.to_big();
        let total = &units * nested_number(record, "position.price.value");
        if let Some(position) = part_mut(record, "position") {
            position.extend(object! {
                "units": object! { "value": text(&units), "editable": false },
                "total": object! { "value": text(&total) },
            });
        }
    }
}

/// The orders that wait.
impl Change<'_> {
    fn write_targets(&self, record: &mut JsonRecord, now: &Value) {
        if self.after.targets.is_empty() && !self.before.targets.is_empty() {
            if let Some(take_profit) = part_mut(record, "take_profit") {
                take_profit.insert("steps".to_owned(), Value::Array(Vec::new()));
            }
            return;
        }
        let targets = self.before.targets.iter().zip(&self.after.targets);
        for (step, (before, after)) in steps_mut(record).zip(targets) {
            write_target(step, before, after, now);
        }
    }

    fn write_stop_loss(&self, record: &mut JsonRecord, now: &Value) {
        let stops = self.before.stop_loss.as_ref().zip(self.after.stop_loss.as_ref());
        if let Some((written, (before, after))) = part_mut(record, "stop_loss").zip(stops) {
            write_stop_loss(written, before, after, now);
        }
    }

    /// Writes the end of a reduction that was pending when the SmartTrade ended.
    fn write_cancelled_reductions(&self, record: &mut JsonRecord, now: &Value) {
        let reductions = self.before.reductions.iter().zip(&self.after.reductions);
        for (step, (before, after)) in reductions_mut(record).zip(reductions) {
            if before.status != after.status && after.status == OrderStatus::Cancelled {
                set_order_status(step, after.status);
                step.insert("closed_at".to_owned(), now.clone());
            }
        }
    }

    fn write_new_reductions(&self, record: &mut JsonRecord) {
        let (id, known) = (id_of(record), self.before.reductions.len());
        let steps = part_mut(record, "reduce_funds").and_then(|part| part.get_mut("steps"));
        let Some(steps) = steps.and_then(Value::as_array_mut) else { return };
        for (reduction, number) in self.after.reductions.iter().zip(1_u64..).skip(known) {
            let price = shown(&reduction.price);
            steps.push(Value::Object(object! {
                "id": OrderId::Reduction(number).of(id),
                "type": if reduction.is_limit { "limit" } else { "market" },
                "status": order_status(reduction.status.code()),
                "units": object! { "value": shown(&reduction.quantity) },
                "price": object! { "value": price.as_str(), "value_without_commission": price },
                "total": object! { "value": shown(&reduction.total()) },
                "closed_at": Value::Null,
                "data": object! { "cancelable": false, "panic_sell_available": false },
            }));
        }
    }
}

/// Returns the steps that reduce the position.
fn reductions_mut(record: &mut JsonRecord) -> impl Iterator<Item = &mut JsonRecord> {
    let steps = part_mut(record, "reduce_funds").and_then(|part| part.get_mut("steps"));
    steps.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

fn write_target(step: &mut JsonRecord, before: &TargetOrder, after: &TargetOrder, now: &Value) {
    if before.status != after.status {
        set_order_status(step, after.status);
        if after.status.is_filled() || after.status == OrderStatus::Cancelled {
            step.insert("closed_at".to_owned(), now.clone());
        }
    }
    if before.quantity != after.quantity {
        step.extend(object! { "units": object! { "value": after.quantity.as_ref().map(shown) } });
    }
    if before.total != after.total {
        step.extend(object! { "total": after.total.as_ref().map(shown) });
    }
    if before.trigger.price != after.trigger.price
        && let Some(price) = part_mut(step, "price")
    {
        price.extend(object! { "value": after.trigger.price.as_ref().map(shown) });
    }
}

fn write_stop_loss(stop: &mut JsonRecord, before: &StopLossOrder, after: &StopLossOrder, now: &Value) {
    if before.status != after.status {
        set_order_status(stop, after.status);
    }
    if before.total != after.total {
        stop.extend(object! {
            "units": object! { "value": after.quantity.as_ref().map(shown) },
            "total": object! { "value": after.total.as_ref().map(shown) },
            "closed_at": now.clone(),
        });
    }
    let Some(conditional) = part_mut(stop, "conditional") else { return };
    if (&before.trigger, &before.percent) != (&after.trigger, &after.percent)
        && let Some(price) = part_mut(conditional, "price")
    {
        price.extend(
            object! { "value": after.trigger.price.as_ref().map(shown), "percent": after.percent.as_ref().map(shown) },
        );
    }
    if before.distance != after.distance
        && follows(conditional)
        && let Some(trailing) = part_mut(conditional, "trailing")
    {
        trailing.extend(object! { "percent": after.distance.as_ref().map(shown) });
    }
}

/// What was closed, and the end.
impl Change<'_> {
    /// Writes the orders that reduced or closed the position because the user asked for it.
    fn write_closings(&self, record: &mut JsonRecord, circumstances: &Circumstances<'_>) {
        let (id, direction) = (id_of(record), self.after.position.direction);
        let reductions = self.before.reductions.iter().zip(&self.after.reductions);
        for (step, (before, after)) in reductions_mut(record).zip(reductions) {
            if before != after && after.status.is_filled() {
                step.extend(closing_fields(after, direction, circumstances.fee));
                step.extend(object! { "closed_at": circumstances.now.clone() });
            }
        }
        if let Some(closing) = self.after.market_close.as_ref().filter(|_| self.before.market_close.is_none()) {
            let mut written = object! {
                "id": OrderId::MarketClose.of(id),
                "type": "market",
                "units": object! { "value": shown(&closing.quantity) },
            };
            written.extend(closing_fields(closing, direction, circumstances.fee));
            record.insert("market_close".to_owned(), Value::Object(written));
        }
    }

    /// Writes the totals of what is closed.
    fn write_closed(&self, record: &mut JsonRecord, circumstances: &Circumstances<'_>) {
        let (closed, tick) = (&self.after.position.closed, &circumstances.quote.tick);
        let amount = closed.amount.to_big();
        let average =
            |whole: &Decimal| quotient(&whole.to_big(), &amount).map(|average| text(&at_tick(&average, tick)));
        let (with, without) = (average(&closed.total), average(&self.after.closed_value()));
        if let Some(data) = part_mut(record, "data") {
            data.extend(object! {
                "closed_amount": text(&amount),
                "closed_total": shown(&closed.total),
                "average_close_price": with,
                "average_close_price_without_commission": without,
            });
        }
    }

    /// Writes the end of a SmartTrade whose position is closed: the profit is final.
    fn write_end(&self, record: &mut JsonRecord, circumstances: &Circumstances<'_>) {
        if let Some(data) = part_mut(record, "data") {
            data.extend(object! { "finished": true, "liquidation_price": Value::Null });
        }
        if !self.after.is_instant {
            let lot = market_of(circumstances).lot;
            let profit = self.after.position.profit(&lot).to_big();
            let profit = profit_fields(record, &profit, &circumstances.quote.usd);
            record.insert("profit".to_owned(), Value::Object(profit));
        }
    }
}

/// Returns the fields of an order that has closed a part of the position.
fn closing_fields(closing: &Closing, direction: Direction, fee: &BigDecimal) -> JsonRecord {
    let price = closing.price.to_big();
    let fee = if direction == Direction::Short { fee.clone() } else { -fee };
    object! {
        "status": order_status(closing.status.code()),
        "price": object! {
            "value": text(&cut(&(&price * (BigDecimal::from(1) + fee)))),
            "value_without_commission": text(&price),
        },
        "total": object! { "value": shown(&closing.total()) },
    }
}
