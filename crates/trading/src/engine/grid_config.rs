//! The settings of grid bots.

use serde::{Deserialize, Serialize};

use crate::decimal::Decimal;
use crate::grid::{OrderSide, Spacing};

/// The direction of a grid bot. Only a bot on a futures account has one; any other bot is long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GridMode {
    /// It starts with what its sell orders sell. Sell orders close a step of the grid.
    #[default]
    Long,
    /// It starts with a debt of what its buy orders buy. Buy orders close a step of the grid.
    Short,
    /// It starts with nothing. Orders that lead back to the level at which it started close a step.
    Reversal,
}

/// The currency of the quantity of each order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum QuantityCurrency {
    /// The base currency.
    #[default]
    Base,
    /// The quote currency.
    Quote,
}

/// The size of each order of a grid bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridOrderSize {
    /// The amount.
    #[serde(rename = "quantity")]
    pub amount: Decimal,
    /// The currency of the amount. Backtests of older versions have none: their amounts are in the base currency.
    #[serde(default)]
    pub currency: QuantityCurrency,
}

impl GridOrderSize {
    /// Returns the quantity of the order at a price, in the base currency, rounded down to the lot.
    pub fn quantity(&self, price: &Decimal, lot: Option<&Decimal>) -> Decimal {
        let quantity = match self.currency {
            QuantityCurrency::Base => self.amount.round_down_to(lot),
            QuantityCurrency::Quote => self.amount.div_round_down(price, lot).unwrap_or_default(),
        };
        quantity.normalized()
    }

    /// Returns the amount that an order of this quantity at a price needs, in the quote currency; 0 if it can't be placed.
    pub fn volume(&self, price: &Decimal, quantity: &Decimal) -> Decimal {
        match self.currency {
            QuantityCurrency::Base => price * quantity,
            QuantityCurrency::Quote if quantity.is_positive() => self.amount.clone(),
            QuantityCurrency::Quote => Decimal::ZERO,
        }
    }
}

/// The funds that the orders of a grid need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridInvestment {
    /// The amount in the quote currency.
    pub quote: Decimal,
    /// The amount in the base currency.
    pub base: Decimal,
}

impl GridInvestment {
    /// Returns the total at a price, in the quote currency.
    pub fn total(&self, price: &Decimal) -> Decimal {
        &self.quote + &self.base * price
    }

    /// Adds up what the orders at the levels of a grid need: for each, its side, its price and its quantity.
    ///
    /// A long grid needs quote currency for its buy orders, and base currency for its sell orders. The others trade futures, whose
    /// margin is in the quote currency: a short grid needs the volume of its sell orders, and that of the position with which it
    /// starts at `price`; a reversal grid that of all its orders.
    pub fn new<'a>(
        mode: GridMode,
        size: &GridOrderSize,
        price: &Decimal,
        orders: impl Iterator<Item = (OrderSide, &'a Decimal, &'a Decimal)>,
    ) -> Self {
        let mut investment = Self::default();
        for (side, level, quantity) in orders {
            match (mode, side) {
                (GridMode::Long, OrderSide::Sell) => investment.base += quantity,
                (GridMode::Short, OrderSide::Buy) => investment.quote += price * quantity,
                _ => investment.quote += size.volume(level, quantity),
            }
        }
        investment
    }
}

/// The action of a stop loss besides stopping the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopAction {
    /// Nothing: the bot keeps its position.
    Keep,
    /// It closes its position with a market order. Older versions called it `Sell`.
    #[serde(alias = "Sell")]
    Close,
    /// It spends the funds of its buy orders on a market order.
    Buy,
}

/// A stop loss of a grid bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridStop {
    /// The price; None to stop outside the grid.
    pub price: Option<Decimal>,
    /// The action.
    pub action: StopAction,
}

/// An end of the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangeEnd {
    Lower,
    Upper,
}

impl RangeEnd {
    /// Returns the side of the orders at this end.
    pub(super) fn side(self) -> OrderSide {
        match self {
            Self::Lower => OrderSide::Buy,
            Self::Upper => OrderSide::Sell,
        }
    }

    /// Returns the other end.
    pub(super) fn opposite(self) -> Self {
        match self {
            Self::Lower => Self::Upper,
            Self::Upper => Self::Lower,
        }
    }
}

/// The reaction of a grid to a price that leaves its range at one end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridEnd {
    /// True if the range follows the price.
    pub trails: bool,
    /// The price up to which the grid grows; None if it does not grow.
    pub expands_to: Option<Decimal>,
}

/// The settings of a grid bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridBotConfig {
    /// The prices of the levels, the lowest first.
    pub levels: Vec<Decimal>,
    /// The lower bound of the grid.
    pub lower_price: Decimal,
    /// The upper bound of the grid.
    pub upper_price: Decimal,
    /// The distance between two levels.
    #[serde(default)]
    pub spacing: Spacing,
    /// The size of each order.
    #[serde(flatten)]
    pub order_size: GridOrderSize,
    /// The direction.
    #[serde(default)]
    pub mode: GridMode,
    /// The number of buy orders that may be on the exchange at once; None for no limit.
    pub max_active_buys: Option<usize>,
    /// The number of sell orders that may be on the exchange at once; None for no limit.
    pub max_active_sells: Option<usize>,
    /// The stop loss below the grid.
    pub lower_stop: Option<GridStop>,
    /// The stop loss above the grid.
    pub upper_stop: Option<GridStop>,
    /// The reaction to a price above the grid.
    #[serde(default)]
    pub above: GridEnd,
    /// The reaction to a price below the grid.
    #[serde(default)]
    pub below: GridEnd,
    /// True to count the profit in the base currency as well.
    #[serde(default)]
    pub profit_in_base: bool,
    /// True to measure the profit of an order from the average entry price of the position, as exchanges do for futures, instead of
    /// from the price of the level where the step was opened.
    #[serde(default)]
    pub profit_from_entry: bool,
}
