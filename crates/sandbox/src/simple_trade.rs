//! The records of simple trades.

use bigdecimal::BigDecimal;
use serde_json::Value;

use super::balance::REFUSED;
use super::defaults::object;
use super::record::JsonRecord;
use super::smart_trade_figures::text;

/// The condition of a simple trade.
pub(crate) struct Condition {
    /// The comparison of the current price with the trigger.
    pub(crate) comparison: &'static str,
    pub(crate) trigger: BigDecimal,
}

/// The plan of a simple trade.
pub(crate) struct SimpleTradePlan<'a> {
    pub(crate) uuid: String,
    pub(crate) account_id: u64,
    pub(crate) pair: String,
    /// The code of the status.
    pub(crate) status: &'a str,
    pub(crate) side: &'static str,
    pub(crate) order_type: &'static str,
    /// The price of the order, or the price of the pair when a market order was created.
    pub(crate) price: BigDecimal,
    /// The price at which the order is filled.
    pub(crate) filled_at: BigDecimal,
    pub(crate) quantity: BigDecimal,
    pub(crate) condition: Option<Condition>,
    /// The distance at which the trade follows the price, in percent.
    pub(crate) trailing: Option<&'static str>,
    /// The time that the condition must hold, in seconds.
    pub(crate) timeout: Option<u64>,
    /// Seconds since 1970.
    pub(crate) created_at: i64,
    /// Seconds since 1970, if the status is one of the end.
    pub(crate) closed_at: i64,
}

/// Returns the identifier of a new trade, which ends with its number.
pub(crate) fn uuid_of(number: u64) -> String {
    format!("0b9c5e4a-7d21-4c63-9f08-{number:012}")
}

/// Returns true if a simple trade with this status is over.
pub(crate) fn is_over(status: &str) -> bool {
    matches!(status, "finished" | "cancelled" | "failed" | "panic_sold")
}

impl SimpleTradePlan<'_> {
    /// Returns the record.
    pub(crate) fn record(&self) -> JsonRecord {
        let is_over = is_over(self.status);
        let is_limit = self.order_type == "limit";
        object! {
            "uuid": self.uuid.as_str(),
            "account_id": self.account_id,
            "pair": self.pair.as_str(),
            "created_at": self.created_at,
            "closed_at": is_over.then_some(self.closed_at),
            "order": object! {
                "type": self.order_type,
                "side": self.side,
                "strategy": is_limit.then_some("gtc"),
                "position_side": "both",
                "reduce_only": false,
            },
            "units": object! { "value": text(&self.quantity) },
            "price": object! { "value": is_limit.then(|| text(&self.price)) },
            "total": object! { "value": text(&(&self.quantity * &self.price)) },
            "conditional": self.condition(),
            "trailing": object! {
                "enabled": self.trailing.is_some(),
                "value": Value::Null,
                "percent": self.trailing,
            },
            "timeout": object! { "enabled": self.timeout.is_some(), "value": self.timeout },
            "leverage": object! { "type": Value::Null },
            "status": object! { "value": self.status, "error": (self.status == "failed").then_some(REFUSED) },
            "filled": self.filled(),
            "data": object! { "cancelable": !is_over },
        }
    }

    fn condition(&self) -> JsonRecord {
        let condition = self.condition.as_ref();
        object! {
            "enabled": condition.is_some(),
            "value": condition.map(|condition| condition.comparison),
            "price": object! {
                "value": condition.map(|condition| text(&condition.trigger)),
                "type": condition.map(|_| "last"),
            },
        }
    }

    fn filled(&self) -> JsonRecord {
        let is_filled = self.status == "finished";
        let quantity = if is_filled { self.quantity.clone() } else { BigDecimal::from(0) };
        object! {
            "units": text(&quantity),
            "total": text(&(&quantity * &self.filled_at)),
            "price": is_filled.then(|| text(&self.filled_at)),
            "value": if is_filled { "100.0" } else { "0.0" },
        }
    }
}
