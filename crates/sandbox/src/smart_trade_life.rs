//! The life of a SmartTrade: what fills, closes, cancels and ends it. Pure functions on its record.
//!
//! The caller decides when something happens; this module writes what follows from it.

use bigdecimal::{BigDecimal, Zero as _};
use serde_json::Value;

use super::defaults::object;
use super::listings::PairQuote;
use super::record::{JsonRecord, is_true, string};
use super::smart_trade_figures::{
    at_tick, cut, is_short, nested, nested_number, nested_string, part_mut, profit_fields, text,
};
use super::smart_trade_orders::OrderId;
use super::smart_trade_status::{Allowed, WAITING_TARGETS, failed, order_status, status};
use botdesk_trading::rounding::quotient;

/// The status of an order or of a SmartTrade that is being closed at the market price.
pub(crate) const CLOSING: &str = "panic_sell_pending";
/// The status of an order or of a SmartTrade that was closed at the market price.
const CLOSED: &str = "panic_sold";
/// The status of a SmartTrade that is being cancelled.
pub(crate) const CANCELLING: &str = "cancellation_pending";
/// The status of a SmartTrade whose position is being reduced.
pub(crate) const REDUCING: &str = "pending_reduce_funds";
pub(crate) const CANCELLED: &str = "cancelled";
pub(crate) const FINISHED: &str = "finished";

/// The statuses of orders that wait for their price.
const WAITING: [&str; 3] = ["to_process", "order_placed", "trailing_activated"];

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
    WAITING.contains(&code(order))
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
    trade.insert("status".to_owned(), Value::Object(status(code)));
    if let Some(data) = part_mut(trade, "data") {
        data.extend(Allowed::of(code).fields(has_trailing));
        data.insert("updated_at".to_owned(), now.clone());
    }
}

/// Gives an order of a SmartTrade a status.
pub(crate) fn set_order_status(order: &mut JsonRecord, code: &str) {
    order.insert("status".to_owned(), Value::Object(order_status(code)));
    if let Some(actions) = part_mut(order, "data") {
        let is_waiting = WAITING.contains(&code);
        let is_cancelable = is_waiting || matches!(code, "idle" | CLOSING);
        actions.extend(object! { "cancelable": is_cancelable, "panic_sell_available": is_waiting });
    }
}

/// Gives the entry a status.
pub(crate) fn set_entry_status(trade: &mut JsonRecord, code: &str) {
    if let Some(position) = part_mut(trade, "position") {
        position.insert("status".to_owned(), Value::Object(order_status(code)));
    }
}

/// Lets a take-profit step be closed at the market price.
pub(crate) fn close_step(step: &mut JsonRecord) {
    set_order_status(step, CLOSING);
}

/// Returns the quantity that is not closed.
pub(crate) fn open_amount(trade: &JsonRecord) -> BigDecimal {
    nested_number(trade, "data.entered_amount") - nested_number(trade, "data.closed_amount")
}

/// Returns true if something of a SmartTrade happens at the next price, or after a second of the clock.
pub(crate) fn is_pending(trade: &JsonRecord) -> bool {
    matches!(code(trade), CLOSING | CANCELLING | REDUCING)
        || nested_string(trade, "position.status.basic_type") == CLOSING
        || steps(trade).any(|step| code(step) == CLOSING)
}

/// Carries out what is pending.
pub(crate) fn end_pending(trade: &mut JsonRecord, circumstances: &Circumstances<'_>) {
    match code(trade) {
        CANCELLING => cancel(trade, circumstances.now),
        CLOSING => close(trade, circumstances),
        REDUCING => reduce(trade, circumstances),
        _ if nested_string(trade, "position.status.basic_type") == CLOSING => {
            fill_entry(trade, &circumstances.quote.price, circumstances);
        }
        _ => close_pending_steps(trade, circumstances),
    }
}

/// Cancels a SmartTrade: its targets go, and what was bought stays.
fn cancel(trade: &mut JsonRecord, now: &Value) {
    if let Some(take_profit) = part_mut(trade, "take_profit") {
        take_profit.insert("steps".to_owned(), Value::Array(Vec::new()));
    }
    if let Some(stop_loss) = part_mut(trade, "stop_loss")
        && is_true(stop_loss, "enabled")
    {
        set_order_status(stop_loss, CANCELLED);
    }
    end(trade, CANCELLED, now);
    trade.insert(
        "profit".to_owned(),
        Value::Object(object! { "volume": Value::Null, "usd": Value::Null, "percent": "0.0", "roe": Value::Null }),
    );
}

/// Lets a SmartTrade fail because the exchange refused an order. What was bought stays.
pub(crate) fn fail(trade: &mut JsonRecord, reason: &str, now: &Value) {
    let is_entered = !nested_number(trade, "data.entered_amount").is_zero();
    cancel(trade, now);
    set_status(trade, "failed", now);
    trade.insert("status".to_owned(), Value::Object(failed(status("failed"), reason)));
    if let Some(position) = part_mut(trade, "position").filter(|_| !is_entered) {
        position.insert("status".to_owned(), Value::Object(failed(order_status("failed"), reason)));
    }
}

/// Closes what is left of the position at the market price.
fn close(trade: &mut JsonRecord, circumstances: &Circumstances<'_>) {
    let (units, price) = (open_amount(trade), circumstances.quote.price.clone());
    let id = trade.get("id").and_then(Value::as_u64).unwrap_or_default();
    let fee = if is_short(trade) { circumstances.fee.clone() } else { -circumstances.fee };
    trade.insert(
        "market_close".to_owned(),
        Value::Object(object! {
            "id": OrderId::MarketClose.of(id),
            "type": "market",
            "status": order_status(FINISHED),
            "units": object! { "value": text(&units) },
            "price": object! {
                "value": text(&cut(&(&price * (BigDecimal::from(1) + fee)))),
                "value_without_commission": text(&price),
            },
            "total": object! { "value": text(&(&units * &price)) },
        }),
    );
    add_closed(trade, &units, &price, circumstances);
    finish(trade, CLOSED, circumstances);
}

/// Reduces the position: at the limit price, or at the market price. The steps share what is left.
fn reduce(trade: &mut JsonRecord, circumstances: &Circumstances<'_>) {
    let fee = if is_short(trade) { circumstances.fee.clone() } else { -circumstances.fee };
    let steps = part_mut(trade, "reduce_funds").and_then(|part| part.get_mut("steps")).and_then(Value::as_array_mut);
    let step = steps.and_then(|steps| steps.last_mut()).and_then(Value::as_object_mut);
    let Some(step) = step.filter(|step| code(step) == "idle") else { return };
    let is_limit = string(step, "type") == "limit";
    let limit = nested_number(step, "price.value_without_commission");
    let (units, price) =
        (nested_number(step, "units.value"), if is_limit { limit } else { circumstances.quote.price.clone() });
    step.extend(object! {
        "status": order_status(FINISHED),
        "price": object! {
            "value": text(&cut(&(&price * (BigDecimal::from(1) + fee)))),
            "value_without_commission": text(&price),
        },
        "total": object! { "value": text(&(&units * &price)) },
        "closed_at": circumstances.now.clone(),
    });
    add_closed(trade, &units, &price, circumstances);
    share_among_steps(trade);
    set_status(trade, WAITING_TARGETS, circumstances.now);
}

/// Adds to a filled entry at the market price. The steps share the new quantity.
pub(crate) fn add_to_entry(trade: &mut JsonRecord, units: &BigDecimal, circumstances: &Circumstances<'_>) {
    let (price, tick) = (&circumstances.quote.price, &circumstances.quote.tick);
    let before = nested_number(trade, "data.entered_amount");
    let without_fee = nested_number(trade, "position.price.value_without_commission") * &before + units * price;
    let added = Filled::of(trade, units.clone(), price, circumstances.fee);
    let whole = Filled {
        amount: (&before + added.amount).normalized(),
        total: (nested_number(trade, "data.entered_total") + added.total).normalized(),
    };
    let average = |value: &BigDecimal, amount: &BigDecimal| quotient(value, amount).map(|it| at_tick(&it, tick));
    let with_fee = average(&whole.total, &whole.amount).unwrap_or_default();
    let without_fee = average(&without_fee, &(&before + units)).unwrap_or_default();
    write_entry(trade, &whole, &without_fee, &with_fee);
    share_among_steps(trade);
    set_status(trade, WAITING_TARGETS, circumstances.now);
}

/// Closes the steps for which that was requested.
fn close_pending_steps(trade: &mut JsonRecord, circumstances: &Circumstances<'_>) {
    let numbers: Vec<_> =
        steps(trade).zip(0..).filter(|(step, _)| code(step) == CLOSING).map(|(_, number)| number).collect();
    for number in numbers {
        fill_step(trade, number, CLOSED, &circumstances.quote.price, circumstances);
    }
}

/// Fills a take-profit step, by its place in the list. The last one ends the SmartTrade.
pub(crate) fn fill_step(
    trade: &mut JsonRecord,
    number: usize,
    code: &str,
    price: &BigDecimal,
    circumstances: &Circumstances<'_>,
) {
    let Some(step) = steps_mut(trade).nth(number) else { return };
    let units = nested_number(step, "units.value");
    set_order_status(step, code);
    step.extend(object! { "total": text(&(&units * price)), "closed_at": circumstances.now.clone() });
    add_closed(trade, &units, price, circumstances);
    let rest = open_amount(trade);
    let is_last = steps(trade).all(|step| !is_waiting(step) && self::code(step) != CLOSING);
    // Less than the lot of a step may be left.
    if is_last || rest <= BigDecimal::zero() {
        finish(trade, FINISHED, circumstances);
    }
}

/// Returns the value of the orders that closed parts of the position, without fees.
fn closed_value(trade: &JsonRecord) -> BigDecimal {
    let is_filled = |part: &&JsonRecord| matches!(code(part), FINISHED | CLOSED);
    let list = |path: &str| nested(trade, path).and_then(Value::as_array).into_iter().flatten();
    let whole = ["stop_loss", "market_close"].into_iter().filter_map(|part| trade.get(part));
    let parts = list("reduce_funds.steps").chain(whole).filter_map(Value::as_object).filter(is_filled);
    let value: BigDecimal = parts.map(|part| nested_number(part, "total.value")).sum();
    value + steps(trade).filter(is_filled).map(|step| nested_number(step, "total")).sum::<BigDecimal>()
}

/// Adds a part of the position, whose order has its value already, to what is closed.
pub(crate) fn add_closed(
    trade: &mut JsonRecord,
    units: &BigDecimal,
    price: &BigDecimal,
    circumstances: &Circumstances<'_>,
) {
    let is_short = is_short(trade);
    let tick = &circumstances.quote.tick;
    let (amount, value) = (nested_number(trade, "data.closed_amount") + units, units * price);
    let one = BigDecimal::from(1);
    let with_fee = value * if is_short { one + circumstances.fee } else { one - circumstances.fee };
    let total = nested_number(trade, "data.closed_total") + with_fee;
    let average = |whole: &BigDecimal| quotient(whole, &amount).map(|average| text(&at_tick(&average, tick)));
    let (with, without) = (average(&total), average(&closed_value(trade)));
    if let Some(data) = part_mut(trade, "data") {
        data.extend(object! {
            "closed_amount": text(&amount),
            "closed_total": text(&total.normalized()),
            "average_close_price": with,
            "average_close_price_without_commission": without,
            "updated_at": circumstances.now.clone(),
        });
    }
}

/// Ends a SmartTrade whose position is closed: what still waits is cancelled, and the profit is final.
pub(crate) fn finish(trade: &mut JsonRecord, code: &str, circumstances: &Circumstances<'_>) {
    let now = circumstances.now;
    for step in steps_mut(trade).filter(|step| is_waiting(step) || matches!(self::code(step), "idle" | CLOSING)) {
        set_order_status(step, CANCELLED);
        step.insert("closed_at".to_owned(), now.clone());
    }
    if let Some(stop_loss) = part_mut(trade, "stop_loss")
        && is_true(stop_loss, "enabled")
        && self::code(stop_loss) != FINISHED
    {
        set_order_status(stop_loss, CANCELLED);
    }
    end(trade, code, now);
    if let Some(data) = part_mut(trade, "data") {
        data.extend(object! { "finished": true, "liquidation_price": Value::Null });
    }
    if !is_true(trade, "instant") {
        let gain = nested_number(trade, "data.closed_total") - nested_number(trade, "data.entered_total");
        let volume = if is_short(trade) { -gain } else { gain };
        let profit = profit_fields(trade, &volume, &circumstances.quote.usd);
        trade.insert("profit".to_owned(), Value::Object(profit));
    }
}

fn end(trade: &mut JsonRecord, code: &str, now: &Value) {
    set_status(trade, code, now);
    if let Some(data) = part_mut(trade, "data") {
        data.extend(object! { "closed_at": now.clone(), "base_position_step_finished": true });
    }
}

/// A filled entry.
struct Filled {
    /// The quantity after the fee.
    amount: BigDecimal,
    /// The value with the fee.
    total: BigDecimal,
}

impl Filled {
    /// Returns the entry as it fills. The exchange takes the fee of a purchase on a spot account in the base currency.
    fn of(trade: &JsonRecord, quantity: BigDecimal, price: &BigDecimal, fee: &BigDecimal) -> Self {
        let (value, one) = (&quantity * price, BigDecimal::from(1));
        let (amount, total) = match (is_short(trade), is_leveraged(trade)) {
            (true, _) => (quantity, value * (one - fee)),
            (false, true) => (quantity, value * (one + fee)),
            (false, false) => (quantity * (one - fee), value),
        };
        Self { amount: amount.normalized(), total: total.normalized() }
    }
}

fn is_leveraged(trade: &JsonRecord) -> bool {
    nested(trade, "leverage.enabled") == Some(&Value::Bool(true))
}

/// Fills the entry: the targets become active, or a simple buy or sell ends.
pub(crate) fn fill_entry(trade: &mut JsonRecord, price: &BigDecimal, circumstances: &Circumstances<'_>) {
    let quantity = nested_number(trade, "position.units.value");
    let filled = Filled::of(trade, quantity, price, circumstances.fee);
    let average = quotient(&filled.total, &filled.amount).map(|average| at_tick(&average, &circumstances.quote.tick));
    let average = average.unwrap_or_default();
    write_entry(trade, &filled, price, &average);
    if is_true(trade, "instant") {
        finish(trade, FINISHED, circumstances);
        return;
    }
    activate_targets(trade, &average, &circumstances.quote.tick);
    set_status(trade, WAITING_TARGETS, circumstances.now);
}

/// Takes over a position that is held already: its targets become active, and it has no entry.
pub(crate) fn enter_held_position(trade: &mut JsonRecord, circumstances: &Circumstances<'_>) {
    let (units, price) = (nested_number(trade, "position.units.value"), nested_number(trade, "position.price.value"));
    set_entry_status(trade, "smart_sell");
    trade.insert("is_position_not_filled".to_owned(), Value::Bool(false));
    if let Some(data) = part_mut(trade, "data") {
        data.extend(object! {
            "entered_amount": text(&units),
            "entered_total": text(&(&units * &price)),
            "base_position_step_finished": true,
        });
    }
    activate_targets(trade, &price, &circumstances.quote.tick);
    set_status(trade, WAITING_TARGETS, circumstances.now);
}

fn write_entry(trade: &mut JsonRecord, filled: &Filled, price: &BigDecimal, average: &BigDecimal) {
    let Filled { amount, total } = filled;
    if let Some(position) = part_mut(trade, "position") {
        if let Some(conditional) = part_mut(position, "conditional") {
            conditional.insert("editable".to_owned(), Value::Bool(false));
        }
        position.extend(object! {
            "units": object! { "value": text(amount), "editable": false },
            "price": object! {
                "value": text(average),
                "value_without_commission": text(price),
                "editable": false,
            },
            "total": object! { "value": text(&cut(total)) },
            "status": order_status(FINISHED),
        });
    }
    let leverage = nested_number(trade, "leverage.value");
    let margin = |whole: &BigDecimal| {
        Some(leverage.clone())
            .filter(|_| is_leveraged(trade))
            .and_then(|leverage| Some(text(&cut(&quotient(whole, &leverage)?))))
    };
    let margin = object! { "amount": margin(amount), "total": margin(total) };
    trade.insert("margin".to_owned(), Value::Object(margin));
    trade.insert("is_position_not_filled".to_owned(), Value::Bool(false));
    if let Some(data) = part_mut(trade, "data") {
        data.extend(object! {
            "entered_amount": text(amount),
            "entered_total": text(total),
            "average_enter_price": text(average),
            "average_enter_price_without_commission": text(price),
            "base_position_step_finished": true,
        });
    }
}

/// Activates the idle targets of a filled entry: prices in percent become prices, and each step gets its quantity.
pub(crate) fn activate_targets(trade: &mut JsonRecord, average: &BigDecimal, tick: &BigDecimal) {
    let is_short = is_short(trade);
    let at = |percent: &BigDecimal| {
        let percent = if is_short { BigDecimal::from(100) - percent } else { BigDecimal::from(100) + percent };
        at_tick(&(average * percent / BigDecimal::from(100)), tick)
    };
    for step in steps_mut(trade).filter(|step| code(step) == "idle") {
        let percent = nested(step, "price.percent").is_some_and(|percent| !percent.is_null());
        let value = at(&nested_number(step, "price.percent"));
        if let Some(price) = part_mut(step, "price").filter(|_| percent) {
            price.extend(object! { "value": text(&value), "percent": Value::Null });
        }
        let code = if string(step, "order_type") == "limit" && !follows(step) { "order_placed" } else { "to_process" };
        set_order_status(step, code);
    }
    share_among_steps(trade);
    if let Some(stop_loss) = part_mut(trade, "stop_loss")
        && is_true(stop_loss, "enabled")
        && code(stop_loss) == "idle"
    {
        set_order_status(stop_loss, "to_process");
        let percent = nested_number(stop_loss, "conditional.price.percent").abs();
        let value = at(&-&percent);
        let trigger = part_mut(stop_loss, "conditional").and_then(|conditional| part_mut(conditional, "price"));
        if let Some(price) = trigger.filter(|_| !percent.is_zero()) {
            price.extend(object! { "value": text(&value), "percent": Value::Null });
        }
        set_distance(stop_loss, average);
    }
}

/// Sets the distance of a trailing stop loss without one: that of its trigger from the entry.
fn set_distance(stop_loss: &mut JsonRecord, average: &BigDecimal) {
    let Some(conditional) = part_mut(stop_loss, "conditional").filter(|conditional| follows(conditional)) else {
        return;
    };
    let distance = (average - nested_number(conditional, "price.value")).abs() * BigDecimal::from(100);
    let percent = quotient(&distance, average).map(|percent| text(&cut(&percent)));
    if let Some(trailing) =
        part_mut(conditional, "trailing").filter(|trailing| trailing.get("percent").is_none_or(Value::is_null))
    {
        trailing.insert("percent".to_owned(), percent.into());
    }
}

/// Shares the open quantity among the steps that wait, by their volumes; the first one gets what rounding leaves over.
pub(crate) fn share_among_steps(trade: &mut JsonRecord) {
    let whole = cut(&open_amount(trade));
    let mut waiting: Vec<_> = steps_mut(trade).filter(|step| is_waiting(step)).collect();
    let volumes: BigDecimal = waiting.iter().map(|step| nested_number(step, "volume")).sum();
    let part = |step: &JsonRecord| {
        let part = quotient(&(&whole * nested_number(step, "volume")), &volumes);
        cut(&part.unwrap_or_default())
    };
    let mut units: Vec<_> = waiting.iter().map(|step| part(step)).collect();
    let rest = &whole - units.iter().sum::<BigDecimal>();
    if let Some(first) = units.first_mut() {
        *first += rest;
    }
    for (step, units) in waiting.iter_mut().zip(units) {
        let total = &units * nested_number(step, "price.value");
        step.extend(object! { "units": object! { "value": text(&units) }, "total": text(&total) });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn record(json: &Value) -> JsonRecord {
        json.as_object().unwrap().clone()
    }

    fn number(text: &str) -> BigDecimal {
        text.parse().unwrap()
    }

    /// Returns a limit order to buy, with steps of these volumes.
    fn waiting(side: &str, quantity: &str, volumes: &[&str]) -> JsonRecord {
        let step = |volume: &&str| {
            json!({"order_type": "limit", "volume": volume, "price": {"value": "1.0", "percent": "5"},
                   "units": {"value": null}, "status": {"basic_type": "idle"}, "data": {}})
        };
        record(&json!({
            "id": 7,
            "status": {"basic_type": "waiting_position"},
            "position": {"type": side, "units": {"value": quantity}, "status": {"basic_type": "order_placed"}},
            "take_profit": {"steps": volumes.iter().map(step).collect::<Vec<_>>()},
            "stop_loss": {"enabled": false},
            "data": {"entered_amount": "0.0", "closed_amount": "0.0", "closed_total": "0.0"},
        }))
    }

    fn at<T>(price: &str, fee: &str, tick: &str, act: impl FnOnce(&Circumstances<'_>) -> T) -> T {
        let quote =
            PairQuote { pair: "USDT_XRP".to_owned(), price: number(price), tick: number(tick), usd: number("1") };
        act(&Circumstances { quote: &quote, fee: &number(fee), now: &"now".into() })
    }

    #[test]
    fn a_purchase_pays_its_fee_in_the_base_currency() {
        let mut trade = waiting("buy", "15", &["100"]);
        at("0.10559", "0.006", "0.00001", |now| fill_entry(&mut trade, &now.quote.price, now));
        assert_eq!(trade["data"]["entered_amount"], "14.91");
        assert_eq!(trade["data"]["entered_total"], "1.58385");
        assert_eq!(trade["position"]["price"]["value"], "0.10622");
        assert_eq!(trade["status"]["basic_type"], "waiting_targets");
        assert_eq!(trade["take_profit"]["steps"][0]["price"], json!({"value": "0.11153", "percent": null}));
    }

    #[test]
    fn a_short_entry_pays_its_fee_in_the_quote_currency() {
        let mut trade = waiting("sell", "7.8", &["100"]);
        at("0.255", "0.006", "0.0001", |now| fill_entry(&mut trade, &now.quote.price, now));
        assert_eq!(
            (&trade["data"]["entered_amount"], &trade["data"]["entered_total"]),
            (&json!("7.8"), &json!("1.977066"))
        );
        assert_eq!(trade["position"]["price"]["value"], "0.2534");
    }

    #[test]
    fn the_first_step_gets_what_rounding_leaves_over() {
        let mut trade = waiting("buy", "0.00000014", &["50", "25", "25"]);
        at("1", "0", "0.01", |now| fill_entry(&mut trade, &now.quote.price, now));
        let units: Vec<_> = steps(&trade).map(|step| nested_string(step, "units.value").to_owned()).collect();
        assert_eq!(units, ["0.00000008", "0.00000003", "0.00000003"]);
    }

    #[test]
    fn the_last_step_ends_the_trade_with_its_profit() {
        let mut trade = waiting("buy", "10", &["60", "40"]);
        at("1", "0", "0.01", |now| fill_entry(&mut trade, &now.quote.price, now));
        at("1.1", "0", "0.01", |now| fill_step(&mut trade, 0, FINISHED, &now.quote.price, now));
        assert_eq!((code(&trade), &trade["data"]["closed_total"]), (WAITING_TARGETS, &json!("6.6")));
        at("1.2", "0", "0.01", |now| fill_step(&mut trade, 1, FINISHED, &now.quote.price, now));
        assert_eq!((code(&trade), &trade["profit"]["volume"]), (FINISHED, &json!("1.4")));
        assert_eq!((&trade["data"]["finished"], &trade["data"]["closed_at"]), (&json!(true), &json!("now")));
    }
}
