//! The trades that the service made for a SmartTrade, as they follow from its record.

use std::ops::Range;

use bigdecimal::{BigDecimal, One as _, Zero as _};
use serde_json::Value;

use super::defaults::{object, sample};
use super::record::{JsonRecord, is_true, list, string};
use super::smart_trade_figures::{at_tick, is_short, nested, nested_number, nested_string, pays_fee_in_quote, text};
use botdesk_api::smart_trade_data::Trade;
use botdesk_trading::engine::smart_trade::OrderStatus;
use botdesk_trading::rounding::{quotient, to_digits};

/// The identifiers of the trades of a SmartTrade, which follow from its own.
#[derive(Clone, Copy)]
pub(crate) enum OrderId {
    Entry,
    StopLoss,
    MarketClose,
    /// A take-profit step by its number.
    Step(u64),
    /// A reduction by its number.
    Reduction(u64),
}

/// The number of identifiers for the trades of a SmartTrade.
const IDS: u64 = 100;

/// The place of the identifiers of steps among them.
const FIRST_STEP: u64 = 10;

/// The largest identifier of a SmartTrade whose trades have identifiers of their own.
const MAX_ID: u64 = (i64::MAX as u64) / IDS - 1;

impl OrderId {
    /// The number of steps with identifiers of their own.
    pub(crate) const STEPS: u64 = 20;

    /// Returns the identifier of the SmartTrade that an order belongs to.
    pub(crate) fn owner(order: u64) -> u64 {
        order / IDS
    }

    /// Returns the identifiers of the orders of a SmartTrade.
    pub(crate) fn range(smart_trade: u64) -> Range<u64> {
        let first = (smart_trade % MAX_ID) * IDS;
        first..first + IDS
    }

    /// Returns the number of a step by its identifier; a number above that of the last identifier begins with the first one again.
    pub(crate) fn step_number(order: u64) -> u64 {
        match (order % IDS).saturating_sub(FIRST_STEP) {
            0 => Self::STEPS,
            number => number,
        }
    }

    /// Returns the identifier for a SmartTrade.
    pub(crate) fn of(self, smart_trade: u64) -> u64 {
        let place = match self {
            Self::Entry => 1,
            Self::StopLoss => 2,
            Self::MarketClose => 3,
            Self::Step(number) => FIRST_STEP + number % Self::STEPS,
            Self::Reduction(number) => 30 + number % 70,
        };
        (smart_trade % MAX_ID) * IDS + place
    }
}

/// The digits of an average price.
const DIGITS: u64 = 28;

/// Returns the trades of a SmartTrade: its entry, its targets, its reductions and its close at market price. Some filled steps may be
/// missing from its record.
///
/// The fee of the sandbox is that of orders which its clients place.
pub(crate) fn trades(
    smart_trade: &JsonRecord,
    removed: &[JsonRecord],
    id: u64,
    tick: &BigDecimal,
    fee: &BigDecimal,
) -> Vec<JsonRecord> {
    let source = Source { smart_trade, id, tick, fee };
    let skips = is_true(smart_trade, "skip_enter_step");
    let entry = (!skips).then(|| source.entry());
    let steps = nested(smart_trade, "take_profit.steps").and_then(Value::as_array).into_iter().flatten();
    let steps = removed.iter().chain(steps.filter_map(Value::as_object)).map(|step| source.step(step));
    let reductions = nested(smart_trade, "reduce_funds.steps").and_then(Value::as_array).into_iter().flatten();
    let reductions = reductions.filter_map(Value::as_object).map(|step| source.reduction(step));
    entry.into_iter().chain(steps).chain(source.stop_loss()).chain(reductions).chain(source.market_close()).collect()
}

/// A SmartTrade whose trades are made.
struct Source<'a> {
    smart_trade: &'a JsonRecord,
    id: u64,
    tick: &'a BigDecimal,
    fee: &'a BigDecimal,
}

/// What all trades have. The kind is the order type.
struct Order<'a> {
    id: u64,
    purpose: &'static str,
    kind: &'a str,
    status: &'a str,
    amount: BigDecimal,
    price: BigDecimal,
    /// The filled quantity.
    realised: BigDecimal,
    /// The filled value, if the fee is a part of it.
    realised_total: Option<BigDecimal>,
    /// The time of the last change; by default that of the SmartTrade.
    updated_at: Option<&'a str>,
}

impl Source<'_> {
    fn text(&self, path: &str) -> &str {
        nested_string(self.smart_trade, path)
    }

    fn number(&self, path: &str) -> BigDecimal {
        nested_number(self.smart_trade, path)
    }

    /// Returns the side of the entry, or the opposite one.
    fn side(&self, of_entry: bool) -> &'static str {
        if is_short(self.smart_trade) == of_entry { "sell" } else { "buy" }
    }

    fn trade(&self, order: Order<'_>) -> JsonRecord {
        let Order { id, purpose, kind, status, amount, price, realised, realised_total, updated_at } = order;
        let is_filled = !realised.is_zero();
        let is_over = matches!(status, "finished" | "cancelled" | "failed" | "panic_sold");
        let value = &amount * &price;
        let when_filled = |value: &BigDecimal| is_filled.then(|| text(value));
        let total = realised_total.unwrap_or_else(|| value.clone());
        let average = quotient(&total, &realised).map(|average| to_digits(&average, DIGITS));
        let mut trade = sample::<Trade>();
        trade.extend(object! {
            "id": id,
            "average_price": average.as_ref().and_then(when_filled),
            "initial_amount": text(&amount),
            "initial_total": text(&value),
            "initial_price": text(&price),
            "order_price": (kind == "limit").then(|| text(&price)),
            "order_side": self.side(purpose == "position"),
            "order_type": kind,
            "pair": string(self.smart_trade, "pair"),
            "position_percentage": Value::Null,
            "realised_amount": text(&realised),
            "realised_total": when_filled(&total),
            "realised_percentage": if is_filled { "100.0" } else { "0.0" },
            "realised_price": average.as_ref().map(|average| at_tick(average, self.tick)).as_ref().and_then(when_filled),
            "status": status,
            "trade_purpose": purpose,
            "created_at": self.text("data.created_at"),
            "updated_at": updated_at.unwrap_or_else(|| self.text("data.updated_at")),
            "cancelable": !is_over,
            "force_processable": !is_over,
        });
        trade
    }

    fn entry(&self) -> JsonRecord {
        let amount = self.number("data.entered_amount");
        let price = self.number("position.price.value_without_commission");
        let wanted = if amount.is_zero() { self.number("position.units.value") } else { self.wanted(&amount, &price) };
        let conditional = nested(self.smart_trade, "position.conditional").and_then(Value::as_object);
        let order_type = match conditional {
            Some(conditional) => string(conditional, "order_type"),
            None => self.text("position.order_type"),
        };
        let mut trade = self.trade(Order {
            id: OrderId::Entry.of(self.id),
            purpose: "position",
            kind: order_type,
            status: self.text("position.status.basic_type"),
            amount: wanted,
            price,
            realised: amount,
            realised_total: Some(self.number("data.entered_total")),
            updated_at: None,
        });
        if let Some(conditional) = conditional {
            let trigger = nested_number(conditional, "price.value");
            trade.extend(conditions(&trigger, !is_short(self.smart_trade)));
            trade.extend(object! { "follow_price_type": nested_string(conditional, "price.type") });
            trade.extend(trailing(conditional));
        }
        trade
    }

    /// Returns the quantity before the fee. Only the fee of a purchase on a spot account was taken from it.
    fn wanted(&self, amount: &BigDecimal, price: &BigDecimal) -> BigDecimal {
        if is_short(self.smart_trade) || pays_fee_in_quote(self.smart_trade) {
            return amount.clone();
        }
        let total = self.number("data.entered_total");
        // With added funds, the price is rounded. The record may also have another fee than the sandbox, if it is from a seed.
        let by_fee = quotient(amount, &(BigDecimal::one() - self.fee)).unwrap_or_default();
        let fits = quotient(&total, &by_fee).is_some_and(|average| at_tick(&average, self.tick) == *price);
        if fits { by_fee } else { quotient(&total, price).unwrap_or_else(|| amount.clone()) }
    }

    fn step(&self, step: &JsonRecord) -> JsonRecord {
        let status = nested_string(step, "status.basic_type");
        let volume = nested_number(step, "volume");
        let planned = self.number("position.units.value") * &volume / BigDecimal::from(100);
        let is_planned = nested(step, "units.value").is_none_or(Value::is_null);
        let amount = if is_planned { planned.normalized() } else { nested_number(step, "units.value") };
        let order_type = string(step, "order_type");
        let price = nested_number(step, "price.value");
        let mut trade = self.trade(Order {
            id: step.get("id").and_then(Value::as_u64).unwrap_or_default(),
            purpose: "take_profit",
            kind: order_type,
            status,
            realised: if matches!(status, "finished" | "panic_sold") { amount.clone() } else { BigDecimal::zero() },
            // A market order fills at another price than that of the step.
            realised_total: Some(nested_number(step, "total")),
            amount,
            price: price.clone(),
            updated_at: step.get("closed_at").and_then(Value::as_str),
        });
        trade.extend(object! {
            "position_percentage": text(&volume),
            "take_profit_percentage": nested(step, "price.percent").cloned(),
            "follow_price_type": nested_string(step, "price.type"),
        });
        if order_type == "market" {
            trade.extend(conditions(&price, !is_short(self.smart_trade)));
        }
        trade.extend(trailing(step));
        trade
    }

    fn stop_loss(&self) -> Option<JsonRecord> {
        let stop_loss = self.smart_trade.get("stop_loss").and_then(Value::as_object)?;
        let conditional = stop_loss.get("conditional").and_then(Value::as_object)?;
        let trigger = nested_number(conditional, "price.value");
        let status = nested_string(stop_loss, "status.basic_type");
        let (entered, closed) = (self.number("data.entered_amount"), self.number("data.closed_amount"));
        let reduced = self.filled_by("reduce_funds");
        let is_done = status == "finished";
        let amount = match (entered.is_zero(), status) {
            (true, _) => self.number("position.units.value"),
            (_, "finished") => &closed - &reduced - self.filled_by("take_profit"),
            _ => &entered - &reduced,
        };
        let total = nested(self.smart_trade, "stop_loss.total.value").filter(|total| is_done && !total.is_null());
        let mut trade = self.trade(Order {
            id: OrderId::StopLoss.of(self.id),
            purpose: "stop_loss",
            kind: string(stop_loss, "order_type"),
            status,
            realised: if is_done { amount.clone() } else { BigDecimal::zero() },
            // It may have closed the position at another price than its trigger.
            realised_total: total.map(|_| self.number("stop_loss.total.value")),
            amount,
            price: trigger.clone(),
            updated_at: None,
        });
        trade.extend(object! { "position_percentage": "100.0" });
        trade.extend(conditions(&trigger, is_short(self.smart_trade)));
        trade.extend(trailing(conditional));
        Some(trade)
    }

    /// Returns the quantity of the steps of a part that were filled.
    fn filled_by(&self, part: &str) -> BigDecimal {
        let steps = self.smart_trade.get(part).and_then(Value::as_object);
        let steps = steps.map(|part| list(part, "steps")).unwrap_or_default().iter().filter_map(Value::as_object);
        let filled = steps.filter(|step| OrderStatus::of(nested_string(step, "status.basic_type")).is_filled());
        filled.map(|step| nested_number(step, "units.value")).sum()
    }

    fn reduction(&self, step: &JsonRecord) -> JsonRecord {
        let id = step.get("id").and_then(Value::as_u64).unwrap_or_default();
        self.closing(step, id, "reduce_funds", step.get("closed_at").and_then(Value::as_str))
    }

    fn market_close(&self) -> Option<JsonRecord> {
        let close = self.smart_trade.get("market_close").and_then(Value::as_object)?;
        let id = close.get("id").and_then(Value::as_u64)?;
        Some(self.closing(close, id, "market_close", None))
    }

    /// Returns the trade of an order that closed a part of the position.
    fn closing(&self, order: &JsonRecord, id: u64, purpose: &'static str, updated_at: Option<&str>) -> JsonRecord {
        let status = nested_string(order, "status.basic_type");
        let amount = nested_number(order, "units.value");
        self.trade(Order {
            id,
            purpose,
            kind: string(order, "type"),
            status,
            realised: if status == "finished" { amount.clone() } else { BigDecimal::zero() },
            realised_total: None,
            amount,
            price: nested_number(order, "price.value_without_commission"),
            updated_at,
        })
    }
}

/// Returns the fields of a trigger that the price reaches from below or from above.
fn conditions(trigger: &BigDecimal, from_below: bool) -> JsonRecord {
    object! {
        "trigger_condition": if from_below { "greater_or_equal" } else { "less_or_equal" },
        "trigger_price": text(trigger),
        "trigger_type": "conditional",
    }
}

/// Returns the fields of a trailing distance.
fn trailing(part: &JsonRecord) -> JsonRecord {
    object! {
        "trailing_enabled": nested(part, "trailing.enabled").is_some_and(|enabled| *enabled == Value::Bool(true)),
        "trail_percentage": nested(part, "trailing.percent").cloned(),
    }
}
