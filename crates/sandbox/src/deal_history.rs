//! The history of a deal by hand: the orders that were placed, and the events until the last such action.
//!
//! The events of a deal follow from its orders and its settings. Once a user changes the settings, the events until then stay as they
//! were.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clock;
use super::defaults::object;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::OrderKind;

/// The status of an order that was placed by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ManualStatus {
    Active,
    Filled,
    Cancelled,
    /// The exchange rejected it.
    Inactive,
}

impl ManualStatus {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Active => "Active",
            Self::Filled => "Filled",
            Self::Cancelled => "Cancelled",
            Self::Inactive => "Inactive",
        }
    }
}

/// An order that was placed by hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlacedOrder {
    pub(super) number: u32,
    /// The price of a limit order; None for a market order.
    pub(super) limit: Option<Decimal>,
    pub(super) quantity: Decimal,
    pub(super) placed_at: Timestamp,
    pub(super) updated_at: Timestamp,
    pub(super) status: ManualStatus,
}

/// The history of a deal by hand.
#[derive(Clone, Debug, Default)]
pub(super) struct DealHistory {
    /// The orders that were placed by hand, oldest first.
    pub(super) orders: Vec<PlacedOrder>,
    /// The events until the last action.
    pub(super) events: Vec<Value>,
    /// The number of filled orders that these events are about.
    pub(super) told_fills: usize,
}

impl DealHistory {
    /// Returns the number of the next order.
    pub(super) fn next_number(&self) -> u32 {
        self.orders.iter().map(|order| order.number).max().unwrap_or_default().saturating_add(1)
    }

    /// Sets the status of an order that was active.
    pub(super) fn end(&mut self, number: u32, status: ManualStatus, at: Timestamp) {
        let mut active = self.orders.iter_mut().filter(|order| order.status == ManualStatus::Active);
        if let Some(order) = active.find(|order| order.number == number) {
            (order.status, order.updated_at) = (status, at);
        }
    }

    /// Cancels the orders that were not filled when the deal ended.
    pub(super) fn cancel_active(&mut self, at: Timestamp) {
        for order in self.orders.iter_mut().filter(|order| order.status == ManualStatus::Active) {
            (order.status, order.updated_at) = (ManualStatus::Cancelled, at);
        }
    }

    /// Updates the order that an order of the engine fills.
    pub(super) fn fill(&mut self, kind: OrderKind, at: Timestamp) {
        if let OrderKind::Manual(number) = kind {
            self.end(number, ManualStatus::Filled, at);
        }
    }
}

/// Returns an event.
pub(super) fn event(message: &str, at: Timestamp) -> Value {
    Value::Object(object! { "message": message, "created_at": clock::timestamp(at) })
}
