//! Prices from the side of an order: a purchase waits for lower prices, a sale for higher ones.

use crate::decimal::Decimal;
use crate::grid::OrderSide;

impl OrderSide {
    /// Returns the other side.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Buy => Self::Sell,
            Self::Sell => Self::Buy,
        }
    }

    /// Returns true if a price is as good for the order as another one, or better.
    pub fn is_reached<T: PartialOrd>(self, price: &T, limit: &T) -> bool {
        match self {
            Self::Buy => price <= limit,
            Self::Sell => price >= limit,
        }
    }

    /// Returns true if a price is as bad for the order as another one, or worse.
    pub fn is_passed<T: PartialOrd>(self, price: &T, trigger: &T) -> bool {
        self.opposite().is_reached(price, trigger)
    }

    /// Returns the better of two prices.
    pub fn best<T: Ord>(self, one: T, other: T) -> T {
        match self {
            Self::Buy => one.min(other),
            Self::Sell => one.max(other),
        }
    }

    /// Returns the price that is worse than another one by some percent, at the tick that is not closer.
    pub fn worse(self, price: &Decimal, percent: &Decimal, tick: &Decimal) -> Decimal {
        self.worse_by(price, &(price * percent).hundredth(), tick)
    }

    /// Returns the price that is worse than another one by a distance, at the tick that is not closer.
    pub fn worse_by(self, price: &Decimal, distance: &Decimal, tick: &Decimal) -> Decimal {
        match self {
            Self::Buy => (price + distance).round_up_to(Some(tick)),
            Self::Sell => (price - distance).round_down_to(Some(tick)),
        }
    }
}
