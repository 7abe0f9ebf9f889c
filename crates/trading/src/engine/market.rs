//! The market that orders meet: a price, and the rules of the exchange.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::decimal::Decimal;
use crate::grid::OrderSide;
use crate::ladder::Direction;

/// The rules of the exchange for a pair, and its costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Market {
    /// The code of the pair.
    pub pair: Arc<str>,
    /// The tick: prices of orders are multiples of it.
    pub tick: Decimal,
    /// The lot: quantities of orders are multiples of it.
    pub lot: Decimal,
    /// The fee of every order, as a fraction of its volume, charged in the quote currency.
    pub fee: Decimal,
    /// The fraction by which market orders fill at a worse price.
    pub slippage: Decimal,
}

impl Market {
    /// Returns what an order that enters a deal costs, or brings in if the deal is short, after its fee.
    pub fn entry_after_fee(&self, direction: Direction, volume: Decimal) -> Decimal {
        self.volume_after_fee(side(direction, Action::Enter), volume)
    }

    /// Returns what an order that closes a deal brings in, or costs if the deal is short, after its fee.
    pub(crate) fn exit_after_fee(&self, direction: Direction, volume: Decimal) -> Decimal {
        self.volume_after_fee(side(direction, Action::Exit), volume)
    }

    /// Returns the volume of an order after its fee: what a purchase costs, or what a sale brings in.
    pub fn volume_after_fee(&self, side: OrderSide, volume: Decimal) -> Decimal {
        if self.fee.is_zero() {
            return volume;
        }
        let fee = &volume * &self.fee;
        match side {
            OrderSide::Buy => volume + fee,
            OrderSide::Sell => volume - fee,
        }
    }

    /// Returns true if it is the market of a pair.
    pub fn is_of(&self, pair: &Arc<str>) -> bool {
        // In a backtest, deals and quotes share the code of their market, so that strings are rarely compared.
        Arc::ptr_eq(&self.pair, pair) || self.pair == *pair
    }
}

/// A market at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Quote<'a> {
    /// The market.
    pub market: &'a Market,
    /// The price of the pair.
    pub price: &'a Decimal,
    /// The balance of the account in the quote currency, for volumes in percent.
    pub balance: &'a Decimal,
}

/// The effect of an order on a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Opens or enlarges a deal.
    Enter,
    /// Closes a deal or a part of it.
    Exit,
}

/// Returns the side of an order of a deal.
pub(super) fn side(direction: Direction, action: Action) -> OrderSide {
    match (direction, action) {
        (Direction::Long, Action::Enter) | (Direction::Short, Action::Exit) => OrderSide::Buy,
        (Direction::Long, Action::Exit) | (Direction::Short, Action::Enter) => OrderSide::Sell,
    }
}

impl Quote<'_> {
    /// Returns the price at which a market order of a deal fills: the price of the moment, or with slippage a worse one.
    ///
    /// With slippage it is rounded to the tick, to the worse side.
    pub(super) fn market_price(&self, direction: Direction, action: Action) -> Decimal {
        worse_price(side(direction, action), self.price, self.market)
    }
}

/// Returns the price at which a market order of a side fills: a price, or with slippage a worse one at the tick.
pub(super) fn worse_price(side: OrderSide, price: &Decimal, market: &Market) -> Decimal {
    let slippage = &market.slippage;
    if slippage.is_zero() {
        return price.clone();
    }
    let tick = Some(&market.tick);
    match side {
        OrderSide::Buy => (price * (Decimal::ONE + slippage)).round_up_to(tick),
        OrderSide::Sell => (price * (Decimal::ONE - slippage)).round_down_to(tick),
    }
}
