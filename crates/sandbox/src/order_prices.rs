//! The prices that the orders of SmartTrades and simple trades wait for.

use bigdecimal::{BigDecimal, Zero as _};
use jiff::Timestamp;

use super::smart_trade_figures::at_tick;

/// The state of an order that its record does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OrderState {
    /// The best price since the order began to follow the price.
    pub(crate) best: Option<BigDecimal>,
    /// The time when the condition is checked again.
    pub(crate) checked_at: Option<Timestamp>,
}

/// The side of an order: a purchase waits for lower prices.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Buy,
    Sell,
}

impl Side {
    /// Returns true if a price is as good for the order as another one, or better.
    pub(crate) fn is_reached(self, price: &BigDecimal, limit: &BigDecimal) -> bool {
        if self == Self::Buy { price <= limit } else { price >= limit }
    }

    /// Returns true if a price is as bad for the order as another one, or worse.
    pub(crate) fn is_passed(self, price: &BigDecimal, trigger: &BigDecimal) -> bool {
        if self == Self::Buy { price >= trigger } else { price <= trigger }
    }

    /// Returns the better of two prices.
    pub(crate) fn best(self, one: BigDecimal, other: BigDecimal) -> BigDecimal {
        if self == Self::Buy { one.min(other) } else { one.max(other) }
    }

    /// Returns the price that is worse than another one by some percent, at the tick that is not closer.
    pub(crate) fn worse(self, price: &BigDecimal, percent: &BigDecimal, tick: &BigDecimal) -> BigDecimal {
        self.worse_by(price, &(price * percent / BigDecimal::from(100)), tick)
    }

    /// Returns the price that is worse than another one by a distance, at the tick that is not closer.
    pub(crate) fn worse_by(self, price: &BigDecimal, distance: &BigDecimal, tick: &BigDecimal) -> BigDecimal {
        if self == Self::Sell {
            return at_tick(&(price - distance), tick);
        }
        let exact = price + distance;
        let rounded = at_tick(&exact, tick);
        if rounded < exact { rounded + tick } else { rounded }
    }
}

/// Returns the difference between the price that a trigger follows and the last price: bid and ask are a tick away.
pub(crate) fn offset(followed: &str, tick: &BigDecimal) -> BigDecimal {
    match followed {
        "bid" => -tick,
        "ask" => tick.clone(),
        _ => BigDecimal::zero(),
    }
}
