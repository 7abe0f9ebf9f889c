//! The effect of prices on a SmartTrade: its entry fills, its targets are reached, its stop loss closes it.

use bigdecimal::BigDecimal;
use jiff::Timestamp;

use super::listings::market_of_tick;
use super::record::JsonRecord;
use super::smart_trade_parts::{Circumstances, OrderStates, code};
use super::smart_trade_record::{run, with_states};
use botdesk_trading::engine::smart_trade::{SmartTrade, SmartTradeStatus};

/// Returns true if prices and times can change a SmartTrade.
pub(crate) fn is_alive(trade: &JsonRecord) -> bool {
    SmartTradeStatus::of(code(trade)).is_alive()
}

/// Carries out what follows from the current price and time.
pub(crate) fn visit(trade: &mut JsonRecord, states: &mut OrderStates, time: Timestamp, now: &Circumstances<'_>) {
    run(trade, states, time, now, SmartTrade::visit);
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
        let market = market_of_tick(tick);
        let levels = with_states(trade, states).levels(&market, &market.tick);
        self.prices.extend(levels.prices.iter().map(botdesk_trading::decimal::Decimal::to_big));
        self.follows |= !levels.followed.is_empty();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::needless_pass_by_value, reason = "a call takes the JSON as it is written")]

    use bigdecimal::Zero as _;
    use jiff::SignedDuration;
    use serde_json::{Value, json};

    use super::*;
    use crate::clock::later;
    use crate::listings::PairQuote;
    use crate::smart_trade_parts::steps;

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
        let steps = || {
            let mut step = step(711, "120", "market", Some("10"));
            step["volume"] = Value::from("100");
            json!([step])
        };
        let long = || trade("buy", "limit", steps(), json!({"enabled": false}));
        assert_eq!(codes(&after(long(), &["100", "130", "200", "181"])), ["waiting_targets", "trailing_activated"]);
        let sold = after(long(), &["100", "130", "200", "179"]);
        assert_eq!((code(&sold), &sold["data"]["closed_total"]), ("finished", &json!("1790.0")));
    }
}
