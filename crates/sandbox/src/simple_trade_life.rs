//! The life of a simple trade: its condition, its trailing distance, its order. Pure functions on its record.

use bigdecimal::{BigDecimal, Zero as _};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::clock::later;
use super::defaults::object;
use super::listings::PairQuote;
use super::order_prices::{self, OrderState};
use super::record::JsonRecord;
use super::simple_trade::is_over;
use super::smart_trade_figures::{nested, nested_number, nested_string, part_mut, text};
use botdesk_trading::grid::OrderSide;

/// The reason why the exchange refused an order that may only rest on the book.
const WOULD_FILL: &str = "Order would immediately match and take";

/// The market at the time of a change.
pub(crate) struct Moment<'a> {
    pub(crate) quote: &'a PairQuote,
    /// The fraction by which market orders fill at a worse price.
    pub(crate) slippage: &'a BigDecimal,
    pub(crate) now: Timestamp,
}

fn status(trade: &JsonRecord) -> &str {
    nested_string(trade, "status.value")
}

/// Returns the side of the order.
pub(crate) fn order_side(trade: &JsonRecord) -> OrderSide {
    if nested_string(trade, "order.side") == "buy" { OrderSide::Buy } else { OrderSide::Sell }
}

fn is_enabled(trade: &JsonRecord, part: &str) -> bool {
    nested(trade, part).and_then(|part| part.get("enabled")) == Some(&Value::Bool(true))
}

/// Carries out what follows from the current price and time.
pub(crate) fn visit(trade: &mut JsonRecord, state: &mut OrderState, moment: &Moment<'_>) {
    if status(trade) == "to_process" {
        wait_for_condition(trade, state, moment);
    }
    if status(trade) == "trailing_activated" {
        follow(trade, state, moment);
    }
    let limit = nested_number(trade, "price.value");
    if status(trade) == "order_placed" && order_side(trade).is_reached(&moment.quote.price, &limit) {
        fill(trade, &limit, moment);
    }
}

/// Returns the price at which something happens next while the price moves.
pub(crate) fn level(trade: &JsonRecord, state: &OrderState, tick: &BigDecimal) -> Option<BigDecimal> {
    match status(trade) {
        "to_process" => is_enabled(trade, "conditional").then(|| trigger_of_last_price(trade, tick)),
        "trailing_activated" => state.best.as_ref().map(|best| turning_price(trade, best, tick)),
        "order_placed" => Some(nested_number(trade, "price.value")),
        _ => None,
    }
}

fn wait_for_condition(trade: &mut JsonRecord, state: &mut OrderState, moment: &Moment<'_>) {
    let is_met = !is_enabled(trade, "conditional") || condition_holds(trade, moment.quote);
    if is_enabled(trade, "timeout") {
        match state.checked_at {
            None if is_met => {
                let seconds = nested(trade, "timeout.value").and_then(Value::as_i64).unwrap_or_default();
                state.checked_at = Some(later(moment.now, SignedDuration::from_secs(seconds)));
                return;
            }
            Some(time) if moment.now < time => return,
            _ => state.checked_at = None,
        }
    }
    if !is_met {
        return;
    }
    if is_enabled(trade, "trailing") {
        set_status(trade, "trailing_activated", None);
        state.best = Some(moment.quote.price.clone());
    } else {
        place(trade, moment);
    }
}

/// Returns true if the current price compares with the trigger as the condition says.
fn condition_holds(trade: &JsonRecord, quote: &PairQuote) -> bool {
    let price = &quote.price + offset(trade, &quote.tick);
    let trigger = nested_number(trade, "conditional.price.value");
    match nested_string(trade, "conditional.value") {
        "less" => price < trigger,
        "less_or_equal" => price <= trigger,
        "greater" => price > trigger,
        _ => price >= trigger,
    }
}

/// Returns the difference between the price that the condition follows and the last price.
fn offset(trade: &JsonRecord, tick: &BigDecimal) -> BigDecimal {
    order_prices::offset(nested_string(trade, "conditional.price.type"), tick)
}

/// Returns the last price at which the condition holds first.
fn trigger_of_last_price(trade: &JsonRecord, tick: &BigDecimal) -> BigDecimal {
    let trigger = nested_number(trade, "conditional.price.value") - offset(trade, tick);
    match nested_string(trade, "conditional.value") {
        "less" => trigger - tick,
        "greater" => trigger + tick,
        _ => trigger,
    }
}

/// Follows the price, and places the order once it has turned by the distance.
fn follow(trade: &mut JsonRecord, state: &mut OrderState, moment: &Moment<'_>) {
    let PairQuote { price, tick, .. } = moment.quote;
    let best = state.best.take().unwrap_or_else(|| price.clone());
    let best = order_side(trade).best(best, price.clone());
    if order_side(trade).is_passed(price, &turning_price(trade, &best, tick)) {
        place(trade, moment);
    } else {
        state.best = Some(best);
    }
}

/// Returns the price at which a trade that follows the price places its order: the distance away from the best price, at the tick
/// that is not closer.
fn turning_price(trade: &JsonRecord, best: &BigDecimal, tick: &BigDecimal) -> BigDecimal {
    let percent = nested_number(trade, "trailing.percent");
    let distance =
        if percent.is_zero() { nested_number(trade, "trailing.value") } else { best * percent / BigDecimal::from(100) };
    order_prices::worse_by(order_side(trade), best, &distance, tick)
}

/// Places the order: a market order fills at once, a limit order fills if the price is good enough, or waits on the book.
fn place(trade: &mut JsonRecord, moment: &Moment<'_>) {
    let price = moment.quote.price.clone();
    if nested_string(trade, "order.type") == "market" {
        let worse = order_prices::worse_by(order_side(trade), &price, &(&price * moment.slippage), &moment.quote.tick);
        return fill(trade, &worse, moment);
    }
    let fills = order_side(trade).is_reached(&price, &nested_number(trade, "price.value"));
    match (nested_string(trade, "order.strategy"), fills) {
        ("post_only", true) => end(trade, "failed", Some(WOULD_FILL), moment.now),
        (_, true) => fill(trade, &price, moment),
        ("ioc" | "fok", false) => end(trade, "cancelled", None, moment.now),
        _ => set_status(trade, "order_placed", None),
    }
}

fn fill(trade: &mut JsonRecord, price: &BigDecimal, moment: &Moment<'_>) {
    let units = nested_number(trade, "units.value");
    let filled = object! {
        "units": text(&units),
        "total": text(&(&units * price)),
        "price": text(price),
        "value": "100.0",
    };
    trade.insert("filled".to_owned(), Value::Object(filled));
    end(trade, "finished", None, moment.now);
}

/// Ends a trade.
pub(crate) fn end(trade: &mut JsonRecord, code: &str, error: Option<&str>, now: Timestamp) {
    set_status(trade, code, error);
    trade.insert("closed_at".to_owned(), Value::from(now.as_second()));
}

fn set_status(trade: &mut JsonRecord, code: &str, error: Option<&str>) {
    trade.insert("status".to_owned(), Value::Object(object! { "value": code, "error": error }));
    if let Some(data) = part_mut(trade, "data") {
        data.insert("cancelable".to_owned(), Value::Bool(!is_over(code)));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::needless_pass_by_value, reason = "a call takes the JSON as it is written")]

    use serde_json::json;

    use super::*;

    fn trade(side: &str, parts: Value) -> JsonRecord {
        let mut trade = json!({
            "order": {"type": "market", "side": side, "strategy": null},
            "units": {"value": "2.0"},
            "price": {"value": null},
            "conditional": {"enabled": false},
            "trailing": {"enabled": false},
            "timeout": {"enabled": false},
            "status": {"value": "to_process"},
            "data": {"cancelable": true},
        });
        for (name, part) in parts.as_object().unwrap().clone() {
            trade[name] = part;
        }
        trade.as_object().unwrap().clone()
    }

    /// Returns the status and the price of the fill after each of these prices, one a minute.
    fn statuses(mut trade: JsonRecord, prices: &[&str]) -> Vec<(String, Option<String>)> {
        let mut state = OrderState::default();
        let mut now: Timestamp = "2024-03-01T08:00:00Z".parse().unwrap();
        let mut found = Vec::new();
        for price in prices {
            let number = |text: &str| text.parse::<BigDecimal>().unwrap();
            let quote =
                PairQuote { pair: "USDT_ETH".to_owned(), price: number(price), tick: number("1"), usd: number("1") };
            visit(&mut trade, &mut state, &Moment { quote: &quote, slippage: &BigDecimal::zero(), now });
            let filled = nested(&trade, "filled.price").and_then(Value::as_str).map(str::to_owned);
            found.push((status(&trade).to_owned(), filled));
            now = later(now, SignedDuration::from_secs(60));
        }
        found
    }

    fn last(trade: JsonRecord, prices: &[&str]) -> (String, Option<String>) {
        statuses(trade, prices).pop().unwrap()
    }

    fn is(status: &str, price: Option<&str>) -> (String, Option<String>) {
        (status.to_owned(), price.map(str::to_owned))
    }

    #[test]
    fn a_market_order_fills_at_the_price() {
        assert_eq!(last(trade("buy", json!({})), &["100"]), is("finished", Some("100.0")));
    }

    #[test]
    fn slippage_is_rounded_to_the_worse_tick() {
        let filled = |side: &str| {
            let mut trade = trade(side, json!({}));
            let number = |text: &str| text.parse::<BigDecimal>().unwrap();
            let (pair, price) = ("USDT_ETH".to_owned(), number("100.01"));
            let quote = PairQuote { pair, price, tick: number("0.01"), usd: number("1") };
            let slippage = number("0.00005");
            let moment = Moment { quote: &quote, slippage: &slippage, now: Timestamp::UNIX_EPOCH };
            visit(&mut trade, &mut OrderState::default(), &moment);
            nested_string(&trade, "filled.price").to_owned()
        };
        assert_eq!((filled("buy"), filled("sell")), ("100.02".to_owned(), "100.0".to_owned()));
    }

    #[test]
    fn a_limit_order_waits_for_its_price_and_fills_at_it() {
        let limit = |strategy: &str| {
            trade(
                "buy",
                json!({"order": {"type": "limit", "side": "buy", "strategy": strategy}, "price": {"value": "95"}}),
            )
        };
        assert_eq!(last(limit("gtc"), &["100"]), is("order_placed", None));
        assert_eq!(last(limit("gtc"), &["100", "90"]), is("finished", Some("95.0")));
        assert_eq!(last(limit("gtc"), &["94"]), is("finished", Some("94.0")));
        assert_eq!(last(limit("ioc"), &["100"]), is("cancelled", None));
        assert_eq!(last(limit("fok"), &["95"]), is("finished", Some("95.0")));
        assert_eq!(last(limit("post_only"), &["95"]), is("failed", None));
        assert_eq!(last(limit("post_only"), &["96", "95"]), is("finished", Some("95.0")));
    }

    fn condition(value: &str) -> Value {
        json!({"enabled": true, "value": value, "price": {"value": "110", "type": "last"}})
    }

    #[test]
    fn a_condition_is_strict_or_not() {
        for (value, prices, code) in [
            ("greater", ["109", "110"], "to_process"),
            ("greater", ["109", "111"], "finished"),
            ("greater_or_equal", ["109", "110"], "finished"),
            ("less", ["111", "110"], "to_process"),
            ("less_or_equal", ["111", "110"], "finished"),
        ] {
            assert_eq!(last(trade("sell", json!({"conditional": condition(value)})), &prices).0, code, "{value}");
        }
    }

    #[test]
    fn with_a_timeout_the_condition_must_hold_at_its_end() {
        let waiting = || {
            let timeout = json!({"enabled": true, "value": 120});
            trade("sell", json!({"conditional": condition("greater_or_equal"), "timeout": timeout}))
        };
        assert_eq!(last(waiting(), &["110", "111"]), is("to_process", None));
        assert_eq!(last(waiting(), &["110", "100", "112"]), is("finished", Some("112.0")));
        assert_eq!(last(waiting(), &["110", "111", "100", "110"]), is("to_process", None));
    }

    #[test]
    fn a_trade_follows_the_price_until_it_turns() {
        let percent = |side| trade(side, json!({"trailing": {"enabled": true, "percent": "10"}}));
        assert_eq!(last(percent("sell"), &["100", "120", "109"]), is("trailing_activated", None));
        assert_eq!(last(percent("sell"), &["100", "120", "108"]), is("finished", Some("108.0")));
        let value = trade("buy", json!({"trailing": {"enabled": true, "value": "5"}}));
        assert_eq!(last(value.clone(), &["100", "80", "84"]), is("trailing_activated", None));
        assert_eq!(last(value, &["100", "80", "85"]), is("finished", Some("85.0")));
    }
}
