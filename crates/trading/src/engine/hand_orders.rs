//! Orders and closes by hand: orders that enlarge it, and targets that are closed before their price is reached.

use super::Milliseconds;
use crate::decimal::Decimal;

/// An order that was placed by hand and enlarges a deal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManualOrder {
    /// Its number among those of the deal, from 1 on.
    pub number: u32,
    /// The price of a limit order; None for a market order.
    pub limit: Option<Decimal>,
    /// The quantity, in the base currency.
    pub quantity: Decimal,
    /// The time when it reaches the exchange, if it has not yet. It then fills at the market price, unless its limit is worse.
    pub arrives_at: Option<Milliseconds>,
}

/// A target that is closed by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandClosing {
    /// The index of the target.
    pub target: usize,
    /// The time when its market order fills; None once it has.
    pub at: Option<Milliseconds>,
}

impl HandClosing {
    /// Returns true if the part of the deal is closed.
    pub fn is_done(&self) -> bool {
        self.at.is_none()
    }
}
