//! SmartTrades: one position with its entry, its targets and its stop loss.
//!
//! An order of a SmartTrade fills as a whole. Requests of the user, such as a close at the market price, are carried out by
//! [`SmartTrade::end_pending`], because the service carries them out a moment later.

mod closing;
mod filling;
mod levels;
mod requests;
mod state;
mod visit;

pub use levels::{QuietPrices, SmartTradeLevels};
pub use state::{
    Closing, EntryTrigger, OrderStatus, PositionFigures, PriceTrigger, PriceType, SmartTrade, SmartTradeEntry,
    SmartTradeStatus, StopLossOrder, TargetOrder, Totals,
};

use std::sync::Arc;

use super::Milliseconds;
use super::event::{Event, EventKind, Fill, OrderKind};
use super::market::{Market, worse_price};
use crate::decimal::Decimal;
use crate::grid::OrderSide;

/// The number of a SmartTrade in its fills: it is the only deal of its engine.
pub const DEAL: u64 = 1;

/// The market of a SmartTrade at a moment, and the results of a step.
#[derive(Debug)]
pub struct Moment<'a> {
    /// The market.
    pub market: &'a Market,
    /// The last price.
    pub price: &'a Decimal,
    /// The distance of the bid and of the ask from the last price.
    pub spread: &'a Decimal,
    /// The time.
    pub now: Milliseconds,
    /// The list to which the orders that fill are appended.
    pub events: &'a mut Vec<Event>,
}

impl Moment<'_> {
    /// Returns the same moment at another price.
    fn at<'b>(&'b mut self, price: &'b Decimal) -> Moment<'b> {
        let Self { market, spread, now, .. } = *self;
        Moment { market, price, spread, now, events: &mut *self.events }
    }

    /// Returns the price at which a market order fills.
    fn market_price(&self, side: OrderSide) -> Decimal {
        worse_price(side, self.price, self.market)
    }

    /// Notes that the entry fills at this moment.
    fn open(&mut self) {
        let (pair, price) = (Arc::clone(&self.market.pair), self.price.clone());
        self.events.push(Event { at: self.now, kind: EventKind::DealOpened { deal: DEAL, pair, price } });
    }

    fn emit(&mut self, side: OrderSide, kind: OrderKind, price: &Decimal, quantity: &Decimal) {
        if !quantity.is_positive() {
            return;
        }
        let (price, quantity) = (price.clone(), quantity.clone());
        let fill = Fill { deal: Some(DEAL), side, kind, price, quantity, profit: None };
        self.events.push(Event { at: self.now, kind: EventKind::OrderFilled(fill) });
    }
}

#[cfg(test)]
mod tests;
