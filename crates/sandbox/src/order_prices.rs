//! The prices that the orders of SmartTrades and simple trades wait for.

use bigdecimal::{BigDecimal, Zero as _};
use jiff::Timestamp;

use botdesk_trading::grid::OrderSide;

/// The state of an order that its record does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OrderState {
    /// The best price since the order began to follow the price.
    pub(crate) best: Option<BigDecimal>,
    /// The time when the condition is checked again.
    pub(crate) checked_at: Option<Timestamp>,
}

/// Returns the price that is worse than another one by a distance, at the tick that is not closer.
pub(crate) fn worse_by(side: OrderSide, price: &BigDecimal, distance: &BigDecimal, tick: &BigDecimal) -> BigDecimal {
    side.worse_by(&price.into(), &distance.into(), &tick.into()).to_big()
}

/// Returns the difference between the price that a trigger follows and the last price: bid and ask are a tick away.
pub(crate) fn offset(followed: &str, tick: &BigDecimal) -> BigDecimal {
    match followed {
        "bid" => -tick,
        "ask" => tick.clone(),
        _ => BigDecimal::zero(),
    }
}
