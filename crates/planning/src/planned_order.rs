//! An order of a ladder.

use bigdecimal::{BigDecimal, Zero};
use serde::{Deserialize, Serialize};

/// An order of a deal, and the state of the deal once it is filled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedOrder {
    /// 0 for the base order, then the number of the safety order.
    pub number: u32,
    /// The distance from the base order's price, in percent.
    pub deviation: BigDecimal,
    /// Its price.
    pub price: BigDecimal,
    /// Its size, in the quote currency.
    pub size: BigDecimal,
    /// The quantity in the base currency; 0 if its price is not above 0.
    pub quantity: BigDecimal,
    /// The cost of this order and those before it, in the quote currency, with their fees.
    pub spent: BigDecimal,
    /// The average price of this order and those before it, with their fees, rounded to 27 decimal places.
    pub average_price: BigDecimal,
    /// The take profit price; None if no take profit is known.
    pub take_profit_price: Option<BigDecimal>,
    /// The distance of the take profit price from this order's price, in percent of this order's price.
    pub move_to_close: Option<BigDecimal>,
}

impl PlannedOrder {
    /// Returns true if the price of the order is above 0, so that it can be placed.
    pub(super) fn can_be_placed(&self) -> bool {
        self.price > BigDecimal::zero()
    }
}

/// Returns the name of an order.
pub(super) fn order_name(number: u32) -> String {
    match number {
        0 => "the base order".to_owned(),
        _ => format!("safety order {number}"),
    }
}
