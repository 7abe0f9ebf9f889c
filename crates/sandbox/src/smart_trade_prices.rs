//! The effect of prices on a SmartTrade: its entry fills, its targets are reached, its stop loss fires. Pure functions on its record.

use std::collections::BTreeMap;

use bigdecimal::{BigDecimal, Zero as _};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::clock::later;
use super::defaults::object;
use super::order_prices::{OrderState, Side, offset};
use super::record::{JsonRecord, is_true, string};
use super::smart_trade_figures::{is_short, nested, nested_number, nested_string, part_mut, text};
use super::smart_trade_life::{
    Circumstances, FINISHED, add_closed, code, fill_entry, fill_step, finish, follows, is_pending, is_waiting,
    open_amount, set_entry_status, set_order_status, steps, steps_mut,
};
use super::smart_trade_orders::OrderId;
use super::smart_trade_status::WAITING_TARGETS;

/// The status of a SmartTrade whose entry is not filled.
const WAITING_POSITION: &str = "waiting_position";

/// The status of an order that follows the price.
const FOLLOWING: &str = "trailing_activated";

/// The states of orders by their identifiers.
pub(crate) type OrderStates = BTreeMap<u64, OrderState>;

/// Returns the side of the entry.
fn side_of_entry(trade: &JsonRecord) -> Side {
    if is_short(trade) { Side::Sell } else { Side::Buy }
}

/// Returns the side of the targets and of the stop loss.
fn side_of_exit(trade: &JsonRecord) -> Side {
    if is_short(trade) { Side::Buy } else { Side::Sell }
}

/// Returns the last price at which a trigger is reached; None if it has no price.
fn level(trigger: Option<&JsonRecord>, tick: &BigDecimal) -> Option<BigDecimal> {
    let trigger = trigger.filter(|trigger| trigger.get("value").is_some_and(|value| !value.is_null()))?;
    Some(nested_number(trigger, "value") - offset(string(trigger, "type"), tick))
}

fn object_at<'a>(part: &'a JsonRecord, path: &str) -> Option<&'a JsonRecord> {
    nested(part, path).and_then(Value::as_object)
}

fn id_of(record: &JsonRecord) -> u64 {
    record.get("id").and_then(Value::as_u64).unwrap_or_default()
}

/// Returns true if prices and times can change a SmartTrade.
pub(crate) fn is_alive(trade: &JsonRecord) -> bool {
    matches!(code(trade), WAITING_POSITION | WAITING_TARGETS)
}

/// Carries out what follows from the current price and time.
pub(crate) fn visit(trade: &mut JsonRecord, states: &mut OrderStates, time: Timestamp, now: &Circumstances<'_>) {
    if is_pending(trade) {
        return;
    }
    if code(trade) == WAITING_POSITION {
        visit_entry(trade, states, now);
    }
    if code(trade) == WAITING_TARGETS {
        visit_steps(trade, states, now);
    }
    if code(trade) == WAITING_TARGETS {
        visit_stop_loss(trade, states, time, now);
    }
    if !is_alive(trade) {
        let id = id_of(trade);
        states.retain(|order, _| OrderId::owner(*order) != id);
    }
}

fn visit_entry(trade: &mut JsonRecord, states: &mut OrderStates, now: &Circumstances<'_>) {
    let (side, id) = (side_of_entry(trade), OrderId::Entry.of(id_of(trade)));
    let (price, tick) = (&now.quote.price, &now.quote.tick);
    let entry_code = |trade: &JsonRecord| nested_string(trade, "position.status.basic_type").to_owned();
    if entry_code(trade) == "to_process" && nested_string(trade, "position.order_type") == "conditional" {
        let trigger = level(object_at(trade, "position.conditional.price"), tick);
        if !trigger.is_some_and(|trigger| side.is_passed(price, &trigger)) {
            return;
        }
        if object_at(trade, "position.conditional").is_some_and(follows) {
            set_entry_status(trade, FOLLOWING);
            states.insert(id, OrderState { best: Some(price.clone()), checked_at: None });
        } else {
            place_entry(trade, now);
        }
    }
    if entry_code(trade) == FOLLOWING {
        let percent = nested_number(trade, "position.conditional.trailing.percent");
        if has_turned(states, id, side, &percent, now) {
            place_entry(trade, now);
        }
    }
    let limit = nested_number(trade, "position.price.value");
    if entry_code(trade) == "order_placed" && side.is_reached(price, &limit) {
        fill_entry(trade, &limit, now);
    }
}

/// Places the entry: a market order fills at once, and a limit order if the price is good enough.
pub(crate) fn place_entry(trade: &mut JsonRecord, now: &Circumstances<'_>) {
    let conditional = object_at(trade, "position.conditional");
    let order_type =
        conditional.map_or_else(|| nested_string(trade, "position.order_type"), |it| string(it, "order_type"));
    let side = side_of_entry(trade);
    let price = now.quote.price.clone();
    if order_type == "limit" && !side.is_reached(&price, &nested_number(trade, "position.price.value")) {
        set_entry_status(trade, "order_placed");
    } else {
        fill_entry(trade, &price, now);
    }
}

/// Returns true if the price has turned by the distance since an order began to follow it; keeps the best price.
fn has_turned(states: &mut OrderStates, id: u64, side: Side, percent: &BigDecimal, now: &Circumstances<'_>) -> bool {
    let price = &now.quote.price;
    let state = states.entry(id).or_default();
    let best = side.best(state.best.take().unwrap_or_else(|| price.clone()), price.clone());
    let turning = side.worse(&best, percent, &now.quote.tick);
    state.best = Some(best);
    side.is_passed(price, &turning)
}

fn visit_steps(trade: &mut JsonRecord, states: &mut OrderStates, now: &Circumstances<'_>) {
    let (side, price) = (side_of_exit(trade), now.quote.price.clone());
    for number in 0..steps(trade).count() {
        if code(trade) != WAITING_TARGETS {
            return;
        }
        let Some(step) = steps_mut(trade).nth(number).filter(|step| is_waiting(step)) else { continue };
        let id = id_of(step);
        let target = level(object_at(step, "price"), &now.quote.tick);
        let is_reached = target.is_some_and(|target| side.is_reached(&price, &target));
        if follows(step) {
            let percent = nested_number(step, "trailing.percent");
            let is_following = code(step) == FOLLOWING || is_reached;
            if is_following && code(step) != FOLLOWING {
                set_order_status(step, FOLLOWING);
            }
            if is_following && has_turned(states, id, side, &percent, now) {
                fill_target(trade, number, &price, now);
            }
        } else if is_reached {
            let is_limit = string(step, "order_type") == "limit";
            let at = if is_limit { nested_number(step, "price.value") } else { price.clone() };
            fill_target(trade, number, &at, now);
        }
    }
}

/// Fills a target, and moves the stop loss to the entry if it is to.
fn fill_target(trade: &mut JsonRecord, number: usize, price: &BigDecimal, now: &Circumstances<'_>) {
    fill_step(trade, number, FINISHED, price, now);
    let average = nested(trade, "data.average_enter_price").filter(|average| !average.is_null()).cloned();
    let Some(stop_loss) = part_mut(trade, "stop_loss").filter(|it| is_true(it, "breakeven") && is_waiting(it)) else {
        return;
    };
    let trigger = part_mut(stop_loss, "conditional").and_then(|conditional| part_mut(conditional, "price"));
    if let Some((trigger, average)) = trigger.zip(average) {
        trigger.extend(object! { "value": average, "percent": Value::Null });
    }
}

fn visit_stop_loss(trade: &mut JsonRecord, states: &mut OrderStates, time: Timestamp, now: &Circumstances<'_>) {
    let (side, id) = (side_of_exit(trade), OrderId::StopLoss.of(id_of(trade)));
    let price = now.quote.price.clone();
    let Some(stop_loss) = part_mut(trade, "stop_loss").filter(|it| is_true(it, "enabled") && is_waiting(it)) else {
        return;
    };
    if code(stop_loss) == "order_placed" {
        let limit = nested_number(stop_loss, "price.value");
        if side.is_reached(&price, &limit) {
            close_at_stop(trade, &limit, now);
        }
        return;
    }
    ratchet(stop_loss, side, now);
    let trigger = level(object_at(stop_loss, "conditional.price"), &now.quote.tick);
    let is_passed = trigger.is_some_and(|trigger| side.is_passed(&price, &trigger));
    if nested(stop_loss, "timeout.enabled") == Some(&Value::Bool(true)) {
        let state = states.entry(id).or_default();
        match state.checked_at {
            None if is_passed => {
                let seconds = nested(stop_loss, "timeout.value").and_then(Value::as_i64).unwrap_or_default();
                state.checked_at = Some(later(time, SignedDuration::from_secs(seconds)));
                return;
            }
            Some(due) if time < due => return,
            _ => states.remove(&id),
        };
    }
    if !is_passed {
        return;
    }
    let limit = nested_number(stop_loss, "price.value");
    if string(stop_loss, "order_type") == "limit" && !side.is_reached(&price, &limit) {
        set_order_status(stop_loss, "order_placed");
    } else {
        close_at_stop(trade, &price, now);
    }
}

/// Lets the trigger of a trailing stop loss follow the price: it moves only closer to it.
fn ratchet(stop_loss: &mut JsonRecord, side: Side, now: &Circumstances<'_>) {
    let Some(conditional) = part_mut(stop_loss, "conditional").filter(|conditional| follows(conditional)) else {
        return;
    };
    let percent = nested_number(conditional, "trailing.percent");
    if percent.is_zero() {
        return;
    }
    let moved = side.worse(&now.quote.price, &percent, &now.quote.tick);
    let current = nested_number(conditional, "price.value");
    if side.is_reached(&moved, &current)
        && let Some(trigger) = part_mut(conditional, "price")
    {
        trigger.extend(object! { "value": text(&moved) });
    }
}

fn close_at_stop(trade: &mut JsonRecord, price: &BigDecimal, now: &Circumstances<'_>) {
    let units = open_amount(trade);
    if let Some(stop_loss) = part_mut(trade, "stop_loss") {
        set_order_status(stop_loss, FINISHED);
        stop_loss.extend(object! {
            "units": object! { "value": text(&units) },
            "total": object! { "value": text(&(&units * price)) },
            "closed_at": now.now.clone(),
        });
    }
    add_closed(trade, &units, price, now);
    finish(trade, "stop_loss_finished", now);
}

/// The prices at which something happens to SmartTrades next.
#[derive(Debug, Default)]
pub(crate) struct Levels {
    pub(crate) prices: Vec<BigDecimal>,
    /// True if every price changes something, because an order follows the price.
    pub(crate) follows: bool,
}

impl Levels {
    /// Adds those of a SmartTrade.
    pub(crate) fn add(&mut self, trade: &JsonRecord, states: &OrderStates, tick: &BigDecimal) {
        match code(trade) {
            WAITING_POSITION => self.add_entry(trade, states, tick),
            WAITING_TARGETS => self.add_targets(trade, states, tick),
            _ => {}
        }
    }

    fn add_entry(&mut self, trade: &JsonRecord, states: &OrderStates, tick: &BigDecimal) {
        let side = side_of_entry(trade);
        match nested_string(trade, "position.status.basic_type") {
            "to_process" => self.prices.extend(level(object_at(trade, "position.conditional.price"), tick)),
            "order_placed" => self.prices.push(nested_number(trade, "position.price.value")),
            FOLLOWING => {
                let percent = nested_number(trade, "position.conditional.trailing.percent");
                self.add_turning(states.get(&OrderId::Entry.of(id_of(trade))), side, &percent, tick);
            }
            _ => {}
        }
    }

    fn add_targets(&mut self, trade: &JsonRecord, states: &OrderStates, tick: &BigDecimal) {
        let side = side_of_exit(trade);
        for step in steps(trade).filter(|step| is_waiting(step)) {
            if code(step) == FOLLOWING {
                let percent = nested_number(step, "trailing.percent");
                self.add_turning(states.get(&id_of(step)), side, &percent, tick);
            } else {
                self.prices.extend(level(object_at(step, "price"), tick));
            }
        }
        let stop_loss = object_at(trade, "stop_loss").filter(|it| is_true(it, "enabled") && is_waiting(it));
        let Some(stop_loss) = stop_loss else { return };
        self.follows |= object_at(stop_loss, "conditional").is_some_and(follows);
        if code(stop_loss) == "order_placed" {
            self.prices.push(nested_number(stop_loss, "price.value"));
        } else {
            self.prices.extend(level(object_at(stop_loss, "conditional.price"), tick));
        }
    }

    fn add_turning(&mut self, state: Option<&OrderState>, side: Side, percent: &BigDecimal, tick: &BigDecimal) {
        self.follows = true;
        self.prices.extend(state.and_then(|state| Some(side.worse(state.best.as_ref()?, percent, tick))));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::needless_pass_by_value, reason = "a call takes the JSON as it is written")]

    use serde_json::json;

    use super::*;
    use crate::listings::PairQuote;

    fn number(text: &str) -> BigDecimal {
        text.parse().unwrap()
    }

    /// Returns a SmartTrade for 10 XRP at 100, with these steps and this stop loss.
    fn trade(side: &str, order_type: &str, steps: Value, stop_loss: Value) -> JsonRecord {
        json!({
            "id": 7,
            "status": {"basic_type": "waiting_position"},
            "position": {
                "type": side, "order_type": order_type, "units": {"value": "10"}, "price": {"value": "100"},
                "status": {"basic_type": if order_type == "limit" { "order_placed" } else { "to_process" }},
                "conditional": if order_type == "conditional" {
                    json!({"order_type": "market", "price": {"value": "110", "type": "last"}, "trailing": {"enabled": false}})
                } else {
                    Value::Null
                },
            },
            "take_profit": {"steps": steps},
            "stop_loss": stop_loss,
            "data": {"entered_amount": "0.0", "closed_amount": "0.0", "closed_total": "0.0"},
        })
        .as_object()
        .unwrap()
        .clone()
    }

    fn step(id: u64, price: &str, order_type: &str, trailing: Option<&str>) -> Value {
        json!({
            "id": id, "order_type": order_type, "volume": "50", "price": {"value": price, "type": "last"},
            "trailing": {"enabled": trailing.is_some(), "percent": trailing}, "status": {"basic_type": "idle"}, "data": {},
        })
    }

    fn stop(price: &str, more: &Value) -> Value {
        let mut stop = json!({
            "enabled": true, "order_type": "market", "status": {"basic_type": "idle"},
            "conditional": {"price": {"value": price, "type": "last"}, "trailing": {"enabled": false}},
        });
        for (name, value) in more.as_object().unwrap() {
            stop[name] = value.clone();
        }
        stop
    }

    /// Returns the trade after these prices, one a minute.
    fn after(mut trade: JsonRecord, prices: &[&str]) -> JsonRecord {
        let mut states = OrderStates::new();
        let mut time: Timestamp = "2024-03-01T08:00:00Z".parse().unwrap();
        for price in prices {
            let quote =
                PairQuote { pair: "USDT_XRP".to_owned(), price: number(price), tick: number("1"), usd: number("1") };
            let now = Circumstances { quote: &quote, fee: &BigDecimal::zero(), now: &Value::from("now") };
            visit(&mut trade, &mut states, time, &now);
            time = later(time, SignedDuration::from_secs(60));
        }
        trade
    }

    fn codes(trade: &JsonRecord) -> Vec<&str> {
        std::iter::once(code(trade)).chain(steps(trade).map(code)).collect()
    }

    fn two_steps() -> Value {
        json!([step(711, "120", "limit", None), step(712, "140", "market", None)])
    }

    #[test]
    fn a_limit_entry_fills_at_its_price_and_the_targets_at_theirs() {
        let long = || trade("buy", "limit", two_steps(), json!({"enabled": false}));
        assert_eq!(codes(&after(long(), &["101"])), ["waiting_position", "idle", "idle"]);
        assert_eq!(codes(&after(long(), &["90"])), ["waiting_targets", "order_placed", "to_process"]);
        let done = after(long(), &["90", "130", "150"]);
        assert_eq!(codes(&done), ["finished", "finished", "finished"]);
        // 5 at 120, and 5 at 150.
        assert_eq!((&done["data"]["closed_total"], &done["profit"]["volume"]), (&json!("1350.0"), &json!("350.0")));
    }

    #[test]
    fn a_short_trade_profits_from_lower_prices() {
        let steps = json!([step(711, "80", "limit", None), step(712, "70", "limit", None)]);
        let done = after(trade("sell", "limit", steps, json!({"enabled": false})), &["100", "60"]);
        assert_eq!((code(&done), &done["profit"]["volume"]), ("finished", &json!("250.0")));
    }

    #[test]
    fn a_conditional_entry_fills_once_the_price_passes_its_trigger() {
        let long = || trade("buy", "conditional", two_steps(), json!({"enabled": false}));
        assert_eq!(code(&after(long(), &["109"])), "waiting_position");
        assert_eq!(after(long(), &["109", "111"])["data"]["entered_total"], "1110.0");
    }

    #[test]
    fn a_stop_loss_closes_what_is_left() {
        let stopped = after(trade("buy", "limit", two_steps(), stop("90", &json!({}))), &["100", "120", "85"]);
        assert_eq!(codes(&stopped), ["stop_loss_finished", "finished", "cancelled"]);
        assert_eq!(
            (&stopped["data"]["closed_total"], &stopped["stop_loss"]["units"]["value"]),
            (&json!("1025.0"), &json!("5.0"))
        );
    }

    #[test]
    fn after_a_target_the_stop_loss_moves_to_the_entry() {
        let guarded = stop("90", &json!({"breakeven": true}));
        let stopped = after(trade("buy", "limit", two_steps(), guarded), &["100", "120", "99"]);
        assert_eq!((code(&stopped), &stopped["data"]["closed_total"]), ("stop_loss_finished", &json!("1095.0")));
    }

    #[test]
    fn a_stop_loss_with_a_timeout_waits() {
        let patient = || stop("90", &json!({"timeout": {"enabled": true, "value": 120}}));
        let long = || trade("buy", "limit", two_steps(), patient());
        assert_eq!(code(&after(long(), &["100", "85", "84"])), "waiting_targets");
        assert_eq!(code(&after(long(), &["100", "85", "84", "83"])), "stop_loss_finished");
        assert_eq!(code(&after(long(), &["100", "85", "84", "95"])), "waiting_targets");
    }

    #[test]
    fn a_trailing_stop_loss_follows_the_price() {
        let conditional =
            json!({"price": {"value": "90", "type": "last"}, "trailing": {"enabled": true, "percent": "10"}});
        let trailing = stop("90", &json!({"conditional": conditional}));
        let stopped = after(trade("buy", "limit", json!([]), trailing), &["100", "200", "190", "180"]);
        assert_eq!((code(&stopped), &stopped["data"]["closed_total"]), ("stop_loss_finished", &json!("1800.0")));
    }

    #[test]
    fn a_target_that_follows_the_price_is_sold_when_it_turns() {
        let steps = || json!([step(711, "120", "market", Some("10"))]);
        let long = || trade("buy", "limit", steps(), json!({"enabled": false}));
        assert_eq!(codes(&after(long(), &["100", "130", "200", "181"])), ["waiting_targets", "trailing_activated"]);
        let sold = after(long(), &["100", "130", "200", "179"]);
        assert_eq!((code(&sold), &sold["data"]["closed_total"]), ("finished", &json!("1790.0")));
    }
}
