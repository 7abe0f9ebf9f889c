//! The life of a SmartTrade: the engine carries it out, and its record is written.
//!
//! The caller decides when something happens; the engine decides what follows from it.

use jiff::Timestamp;
use serde_json::Value;

use super::record::JsonRecord;
use super::smart_trade_figures::part_mut;
use super::smart_trade_parts::{Circumstances, OrderStates};
use super::smart_trade_record::{ask, run};
use super::smart_trade_status::{failed, order_status, status};
use botdesk_planning::smart_trade_state::{position, smart_trade};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::smart_trade::{Moment, OrderStatus, SmartTrade};

/// Returns the quantity that is not closed.
pub(crate) fn open_amount(trade: &JsonRecord) -> Decimal {
    position(trade).open_amount()
}

/// Returns true if something of a SmartTrade happens at the next price, or after a second of the clock.
pub(crate) fn is_pending(trade: &JsonRecord) -> bool {
    smart_trade(trade).is_pending()
}

/// Carries out what is pending.
pub(crate) fn end_pending(trade: &mut JsonRecord, circumstances: &Circumstances<'_>) {
    at_once(trade, circumstances, SmartTrade::end_pending);
}

/// Goes on with a new SmartTrade: its entry is placed, or its targets become active if its position is held already.
pub(crate) fn start(trade: &mut JsonRecord, circumstances: &Circumstances<'_>) {
    at_once(trade, circumstances, SmartTrade::start);
}

/// Adds to a filled entry at the market price. The steps share the new quantity.
pub(crate) fn add_to_entry(trade: &mut JsonRecord, units: &Decimal, circumstances: &Circumstances<'_>) {
    at_once(trade, circumstances, |trade, moment| trade.add_funds(units, moment));
}

/// Enlarges an entry that is not filled; its price stays.
pub(crate) fn add_to_order(trade: &mut JsonRecord, units: &Decimal, circumstances: &Circumstances<'_>) {
    at_once(trade, circumstances, |trade, _| trade.enlarge_entry(units));
}

/// Places the limit order of an entry again after an edit.
pub(crate) fn place_entry_again(trade: &mut JsonRecord, circumstances: &Circumstances<'_>) {
    at_once(trade, circumstances, SmartTrade::place_entry_again);
}

/// Activates the idle targets of a filled entry.
pub(crate) fn activate_targets(trade: &mut JsonRecord, circumstances: &Circumstances<'_>) {
    at_once(trade, circumstances, |trade, moment| trade.activate(moment));
}

/// Lets the engine do something that depends on no time, and on no price before the current one.
fn at_once(
    trade: &mut JsonRecord,
    circumstances: &Circumstances<'_>,
    act: impl FnOnce(&mut SmartTrade, &mut Moment<'_>),
) {
    run(trade, &mut OrderStates::new(), Timestamp::UNIX_EPOCH, circumstances, act);
}

/// Lets a SmartTrade fail because the exchange refused an order. What was bought stays.
pub(crate) fn fail(trade: &mut JsonRecord, reason: &str, now: &Value) {
    ask(trade, now, SmartTrade::fail);
    trade.insert("status".to_owned(), Value::Object(failed(status("failed"), reason)));
    let has_failed = smart_trade(trade).entry.status == OrderStatus::Failed;
    if let Some(position) = part_mut(trade, "position").filter(|_| has_failed) {
        position.insert("status".to_owned(), Value::Object(failed(order_status("failed"), reason)));
    }
}

#[cfg(test)]
mod tests {
    use bigdecimal::BigDecimal;
    use serde_json::json;

    use super::*;
    use crate::listings::PairQuote;
    use crate::smart_trade_figures::nested_string;
    use crate::smart_trade_parts::{code, steps};
    use crate::smart_trade_status::WAITING_TARGETS;

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

    /// Fills the entry at the market price.
    fn fill_entry(trade: &mut JsonRecord, now: &Circumstances<'_>) {
        ask(trade, now.now, SmartTrade::force_start);
        end_pending(trade, now);
    }

    /// Closes a step at the market price.
    fn close_step(trade: &mut JsonRecord, number: usize, now: &Circumstances<'_>) {
        ask(trade, now.now, |trade| trade.close_target(number));
        end_pending(trade, now);
    }

    fn at<T>(price: &str, fee: &str, tick: &str, act: impl FnOnce(&Circumstances<'_>) -> T) -> T {
        let quote =
            PairQuote { pair: "USDT_XRP".to_owned(), price: number(price), tick: number(tick), usd: number("1") };
        act(&Circumstances { quote: &quote, fee: &number(fee), now: &"now".into() })
    }

    #[test]
    fn a_purchase_pays_its_fee_in_the_base_currency() {
        let mut trade = waiting("buy", "15", &["100"]);
        at("0.10559", "0.006", "0.00001", |now| fill_entry(&mut trade, now));
        assert_eq!(trade["data"]["entered_amount"], "14.91");
        assert_eq!(trade["data"]["entered_total"], "1.58385");
        assert_eq!(trade["position"]["price"]["value"], "0.10622");
        assert_eq!(trade["status"]["basic_type"], "waiting_targets");
        assert_eq!(trade["take_profit"]["steps"][0]["price"], json!({"value": "0.11153", "percent": "5"}));
    }

    #[test]
    fn a_short_entry_pays_its_fee_in_the_quote_currency() {
        let mut trade = waiting("sell", "7.8", &["100"]);
        at("0.255", "0.006", "0.0001", |now| fill_entry(&mut trade, now));
        assert_eq!(
            (&trade["data"]["entered_amount"], &trade["data"]["entered_total"]),
            (&json!("7.8"), &json!("1.977066"))
        );
        assert_eq!(trade["position"]["price"]["value"], "0.2534");
    }

    #[test]
    fn the_first_step_gets_what_rounding_leaves_over() {
        let mut trade = waiting("buy", "0.00000014", &["50", "25", "25"]);
        at("1", "0", "0.01", |now| fill_entry(&mut trade, now));
        let units: Vec<_> = steps(&trade).map(|step| nested_string(step, "units.value").to_owned()).collect();
        assert_eq!(units, ["0.00000008", "0.00000003", "0.00000003"]);
    }

    #[test]
    fn the_last_step_ends_the_trade_with_its_profit() {
        let mut trade = waiting("buy", "10", &["60", "40"]);
        at("1", "0", "0.01", |now| fill_entry(&mut trade, now));
        at("1.1", "0", "0.01", |now| close_step(&mut trade, 0, now));
        assert_eq!((code(&trade), &trade["data"]["closed_total"]), (WAITING_TARGETS, &json!("6.6")));
        at("1.2", "0", "0.01", |now| close_step(&mut trade, 1, now));
        assert_eq!((code(&trade), &trade["profit"]["volume"]), ("finished", &json!("1.4")));
        assert_eq!((&trade["data"]["finished"], &trade["data"]["closed_at"]), (&json!(true), &json!("now")));
    }
}
