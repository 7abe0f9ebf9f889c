//! The position of a deal, read from its record.

use bigdecimal::BigDecimal;

use super::deal_config::{DealConfig, OrderVolume};
use crate::record::{JsonRecord, integer, number};
use botdesk_trading::ladder::Direction;
use botdesk_trading::position::Position;

/// The amounts that a deal has entered and exited.
pub(super) struct DealPosition {
    /// The amount bought, or sold for a short deal.
    pub(super) entry: Position,
    /// The quantity sold, or bought back for a short deal.
    pub(super) exited_quantity: BigDecimal,
    pub(super) exited_volume: BigDecimal,
    /// The number of filled safety orders.
    pub(super) filled_safety_orders: u32,
}

/// The fields of one side of a deal.
#[derive(Clone, Copy)]
pub(super) struct SideFields {
    pub(super) amount: &'static str,
    pub(super) volume: &'static str,
    pub(super) average: &'static str,
}

const BOUGHT: SideFields =
    SideFields { amount: "bought_amount", volume: "bought_volume", average: "bought_average_price" };
const SOLD: SideFields = SideFields { amount: "sold_amount", volume: "sold_volume", average: "sold_average_price" };

/// Returns the fields of the entry side and of the exit side.
pub(super) fn entry_and_exit(direction: Direction) -> [SideFields; 2] {
    match direction {
        Direction::Long => [BOUGHT, SOLD],
        Direction::Short => [SOLD, BOUGHT],
    }
}

impl DealPosition {
    pub(super) fn from_record(deal: &JsonRecord, config: &DealConfig, balance: &BigDecimal) -> Self {
        let [entry, exit] = entry_and_exit(config.direction);
        let base = OrderVolume::from_record(deal, "base_order_volume", "base_order_volume_type");
        let base = base.quantity(&config.base_price, balance).unwrap_or_default();
        let entry = Position {
            direction: config.direction,
            quantity: number(deal, entry.amount),
            volume: number(deal, entry.volume),
            base_volume: base * &config.base_price,
        };
        let filled = integer(deal, "completed_safety_orders_count").unwrap_or_default();
        Self {
            entry,
            exited_quantity: number(deal, exit.amount),
            exited_volume: number(deal, exit.volume),
            filled_safety_orders: u32::try_from(filled).unwrap_or_default(),
        }
    }

    /// Adds a filled entry order.
    pub(super) fn fill(&mut self, quantity: &BigDecimal, price: &BigDecimal) {
        self.entry.fill(quantity, &(quantity * price));
    }

    /// Adds a closed part.
    pub(super) fn exit(&mut self, quantity: &BigDecimal, price: &BigDecimal) {
        self.exited_quantity += quantity;
        self.exited_volume += quantity * price;
    }

    /// Returns the quantity that is still open.
    pub(super) fn open_quantity(&self) -> BigDecimal {
        &self.entry.quantity - &self.exited_quantity
    }

    /// Returns the profit of the deal, with its open part valued at this price.
    pub(super) fn profit(&self, price: &BigDecimal) -> BigDecimal {
        let left = &self.exited_volume + self.open_quantity() * price;
        match self.entry.direction {
            Direction::Long => left - &self.entry.volume,
            Direction::Short => &self.entry.volume - left,
        }
    }
}
