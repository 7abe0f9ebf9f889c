//! What a deal holds, read from its record.

use bigdecimal::BigDecimal;

use super::terms::{Terms, Volume};
use crate::record::{Record, number, whole};
use botdesk_trading::ladder::Direction;
use botdesk_trading::position::Position;

/// What a deal entered with, and what it has left again.
pub(super) struct Holding {
    /// What was bought, or for a short deal sold.
    pub(super) entered: Position,
    /// What was sold again, or for a short deal bought back.
    pub(super) left_quantity: BigDecimal,
    pub(super) left_volume: BigDecimal,
    /// How many safety orders were filled.
    pub(super) safety_orders: u32,
}

/// The fields of one side of a deal.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) amount: &'static str,
    pub(super) volume: &'static str,
    pub(super) average: &'static str,
}

const BOUGHT: Side = Side { amount: "bought_amount", volume: "bought_volume", average: "bought_average_price" };
const SOLD: Side = Side { amount: "sold_amount", volume: "sold_volume", average: "sold_average_price" };

/// The side that a deal enters on, and the one that it leaves on.
pub(super) fn sides(direction: Direction) -> [Side; 2] {
    match direction {
        Direction::Long => [BOUGHT, SOLD],
        Direction::Short => [SOLD, BOUGHT],
    }
}

impl Holding {
    pub(super) fn of(deal: &Record, terms: &Terms, balance: &BigDecimal) -> Self {
        let [entry, exit] = sides(terms.direction);
        let base = Volume::of(deal, "base_order_volume", "base_order_volume_type");
        let base = base.quantity(&terms.base_price, balance).unwrap_or_default();
        let entered = Position {
            direction: terms.direction,
            quantity: number(deal, entry.amount),
            volume: number(deal, entry.volume),
            base_volume: base * &terms.base_price,
        };
        let filled = whole(deal, "completed_safety_orders_count").unwrap_or_default();
        Self {
            entered,
            left_quantity: number(deal, exit.amount),
            left_volume: number(deal, exit.volume),
            safety_orders: u32::try_from(filled).unwrap_or_default(),
        }
    }

    /// An order of the entry was filled.
    pub(super) fn fill(&mut self, quantity: &BigDecimal, price: &BigDecimal) {
        self.entered.fill(quantity, &(quantity * price));
    }

    /// A part was closed.
    pub(super) fn leave(&mut self, quantity: &BigDecimal, price: &BigDecimal) {
        self.left_quantity += quantity;
        self.left_volume += quantity * price;
    }

    /// What is not closed yet.
    pub(super) fn rest(&self) -> BigDecimal {
        &self.entered.quantity - &self.left_quantity
    }

    /// What the deal has earned, if what is not closed yet is worth that price.
    pub(super) fn profit(&self, price: &BigDecimal) -> BigDecimal {
        let left = &self.left_volume + self.rest() * price;
        match self.entered.direction {
            Direction::Long => left - &self.entered.volume,
            Direction::Short => &self.entered.volume - left,
        }
    }
}
