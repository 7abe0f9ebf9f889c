//! The position of a grid bot, and the totals of its orders.

use serde::{Deserialize, Serialize};

use super::grid_config::GridMode;
use super::market::{Action, Market, Quote};
use crate::decimal::Decimal;
use crate::grid::OrderSide;
use crate::ladder::Direction;

/// The decimal places of an average price, and of the cost of a part of a position.
const PLACES: u8 = 18;

/// The position of a grid bot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridPosition {
    /// The quantity that the bot holds; below 0 if it owes it.
    pub quantity: Decimal,
    /// The value of the quantity at which the unrealized profit is 0, in the quote currency.
    pub cost: Decimal,
}

impl GridPosition {
    /// Returns the unrealized profit: the additional profit, before its fee, if the position was closed at a price.
    pub fn unrealized(&self, price: &Decimal) -> Decimal {
        &self.quantity * price - &self.cost
    }

    /// Returns the price at which the unrealized profit is 0, rounded to 18 decimal places; None without a position.
    pub fn entry_price(&self) -> Option<Decimal> {
        self.cost.div_round(&self.quantity, PLACES)
    }

    /// Returns the price at which the loss of the position is its margin, rounded to 18 decimal places. Exchanges liquidate it earlier,
    /// by a maintenance margin that differs between them. Returns None without a position, and for a long one without leverage.
    pub fn liquidation_price(&self, leverage: &Decimal) -> Option<Decimal> {
        let share = if self.quantity.is_positive() { leverage - Decimal::ONE } else { leverage + Decimal::ONE };
        let price = (&self.cost * share).div_round(&(&self.quantity * leverage), PLACES)?;
        price.is_positive().then_some(price)
    }

    /// Trades an order, and returns the profit, before fees, of the part of the position that it closes: the distance of the price from
    /// the average entry price. The rest of the order adds to the position, or opens one on the other side.
    pub(super) fn close(&mut self, side: OrderSide, quantity: &Decimal, price: &Decimal) -> Decimal {
        let held = match side {
            OrderSide::Buy => -&self.quantity,
            OrderSide::Sell => self.quantity.clone(),
        };
        if !held.is_positive() {
            self.trade(side, quantity, price);
            return Decimal::ZERO;
        }
        let closed = if held < *quantity { held.clone() } else { quantity.clone() };
        let cost = if closed == held {
            self.cost.clone()
        } else {
            (&self.cost * &closed).div_round(&held, PLACES).unwrap_or_default()
        };
        // After the trade, the rest of the position costs what it did before.
        let before = &self.cost - &cost;
        self.trade(side, &closed, price);
        let profit = &before - &self.cost;
        self.cost = before;
        self.trade(side, &(quantity - &closed), price);
        profit
    }

    pub(super) fn trade(&mut self, side: OrderSide, quantity: &Decimal, price: &Decimal) {
        match side {
            OrderSide::Buy => {
                self.quantity += quantity;
                self.cost += quantity * price;
            }
            OrderSide::Sell => {
                self.quantity -= quantity;
                self.cost -= &(quantity * price);
            }
        }
    }
}

/// The totals of the orders of a grid bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridTotals {
    /// The volume of its buy orders since the start, in the quote currency.
    pub bought_volume: Decimal,
    /// The volume of its sell orders since the start, in the quote currency.
    pub sold_volume: Decimal,
    /// The profit of its grid steps or, of futures, of the closed parts of its position, after fees, in the quote currency.
    pub profit: Decimal,
    /// The same in the base currency, each amount at the price of its order; None unless the bot takes its profit in it. Most do not.
    pub base_profit: Option<Box<Decimal>>,
    /// The number of filled orders that closed a step.
    pub profits_count: u64,
    /// The fees that it paid, in the quote currency.
    pub fees: Decimal,
}

/// What a run of a grid bot consists of, besides its settings and its totals.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridRun {
    /// The position.
    #[serde(flatten)]
    pub position: GridPosition,
    /// The investment at the start, in the quote currency.
    pub invested: Option<Decimal>,
    /// The number of the next line that joins the grid.
    pub next_line: Option<usize>,
    /// The index of the level below which sell orders close a step, and above which buy orders do.
    pub neutral_level: Option<usize>,
    /// The indices of the levels whose sell orders sell what was bought one level lower.
    #[serde(default)]
    pub bought_below: Vec<usize>,
}

/// The market order that gets what the orders of a grid need at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BalancingOrder {
    /// The side.
    pub side: OrderSide,
    /// The price.
    pub price: Decimal,
    /// The quantity, in the base currency.
    pub quantity: Decimal,
}

impl BalancingOrder {
    /// Returns the order of a start at a price; None if the lines need nothing. `needed` is the quantity of the orders that close a
    /// step.
    pub(super) fn new(mode: GridMode, needed: Decimal, price: &Decimal, market: &Market) -> Option<Self> {
        let (side, direction) = match mode {
            GridMode::Long => (OrderSide::Buy, Direction::Long),
            GridMode::Short => (OrderSide::Sell, Direction::Short),
            GridMode::Reversal => return None,
        };
        let quote = Quote { market, price, balance: &Decimal::ZERO };
        let price = if market.slippage.is_zero() {
            best_price(side, price, &market.tick)
        } else {
            quote.market_price(direction, Action::Enter)
        };
        needed.is_positive().then_some(Self { side, price, quantity: needed })
    }
}

/// Returns the price of an order that enters a market at a price: a tick better, as that of the service.
fn best_price(side: OrderSide, price: &Decimal, tick: &Decimal) -> Decimal {
    let better = match side {
        OrderSide::Buy => price - tick,
        OrderSide::Sell => price + tick,
    };
    if better.is_positive() { better } else { price.clone() }
}
