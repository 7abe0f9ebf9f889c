//! What the user asks of a SmartTrade. The caller has checked that its status allows it.

use super::state::{Closing, OrderStatus, SmartTrade, SmartTradeStatus};
use crate::decimal::Decimal;

impl SmartTrade {
    /// Asks for the close of the position at the market price.
    pub fn close(&mut self) {
        self.status = SmartTradeStatus::Closing;
    }

    /// Asks for the end without closing the position.
    pub fn cancel(&mut self) {
        self.status = SmartTradeStatus::Cancelling;
    }

    /// Asks for the entry at the market price.
    pub fn force_start(&mut self) {
        self.entry.status = OrderStatus::Closing;
    }

    /// Asks for the close of a target, by its index, at the market price.
    pub fn close_target(&mut self, number: usize) {
        if let Some(target) = self.targets.get_mut(number) {
            target.status = OrderStatus::Closing;
        }
    }

    /// Asks for a smaller position: at a limit price, or at the market price, for which the price of the moment is known.
    pub fn reduce(&mut self, quantity: Decimal, limit: Option<Decimal>, price: Decimal) {
        let (is_limit, price) = (limit.is_some(), limit.unwrap_or(price));
        self.reductions.push(Closing { is_limit, quantity, price, status: OrderStatus::Idle });
        self.status = SmartTradeStatus::Reducing;
    }
}
