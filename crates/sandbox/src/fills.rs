//! The orders of deals that were filled. The records of deals have only their sums.

use std::collections::BTreeMap;

use jiff::Timestamp;

use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{Deal, Event, EventKind, Fill, Market, OrderKind};
use botdesk_trading::grid::OrderSide;
use botdesk_trading::ladder::Direction;

/// The filled orders by the id of their deal, each list oldest first.
pub(super) type Fills = BTreeMap<u64, Vec<OrderFill>>;

/// A filled order of a deal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OrderFill {
    /// The time of the fill.
    pub(super) at: Timestamp,
    /// The kind of the order.
    pub(super) kind: OrderKind,
    /// The price.
    pub(super) price: Decimal,
    /// The quantity, in the base currency.
    pub(super) quantity: Decimal,
    /// The volume in the quote currency, after its fee.
    pub(super) total: Decimal,
}

impl OrderFill {
    /// Returns the filled order of an event; None for any other event.
    pub(super) fn of(event: &Event, market: &Market) -> Option<Self> {
        let EventKind::OrderFilled(Fill { side, kind, price, quantity, .. }) = &event.kind else { return None };
        Some(Self {
            at: Timestamp::from_millisecond(event.at).unwrap_or(Timestamp::MAX),
            kind: *kind,
            price: price.normalized(),
            quantity: quantity.normalized(),
            total: market.volume_after_fee(*side, quantity * price).normalized(),
        })
    }

    /// Returns true if the order enlarged the deal.
    pub(super) fn is_entry(&self) -> bool {
        self.kind.is_entry()
    }
}

/// Returns the event of the base order of a new deal.
pub(super) fn base_order(deal: &Deal, price: Decimal) -> Event {
    let side = match deal.direction() {
        Direction::Long => OrderSide::Buy,
        Direction::Short => OrderSide::Sell,
    };
    let quantity = deal.entry.quantity.clone();
    let fill = Fill { deal: Some(deal.id), side, kind: OrderKind::Base, price, quantity, profit: None };
    Event { at: deal.opened_at, kind: EventKind::OrderFilled(fill) }
}
