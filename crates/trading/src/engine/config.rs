//! The settings of DCA bots and their deals.

use std::iter::successors;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Milliseconds;
use super::market::Market;
use crate::decimal::Decimal;
use crate::ladder::{self, Direction};
use crate::position::TakeProfit;
use crate::rounding::to_digits;

/// The digits to which deviations and volumes are rounded, so that no coefficient exhausts the memory.
const MAX_DIGITS: u64 = 1_000;

/// The unit of an order's volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VolumeUnit {
    /// The quote currency.
    Quote,
    /// The base currency.
    Base,
    /// A percentage of the account's balance in the quote currency.
    Percent,
}

/// The volume of an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrderVolume {
    /// The amount.
    pub amount: Decimal,
    /// The unit of the amount.
    pub unit: VolumeUnit,
}

impl OrderVolume {
    /// Returns the size of the order at a price, in the quote currency.
    pub fn size(&self, price: &Decimal, balance: &Decimal) -> Decimal {
        match self.unit {
            VolumeUnit::Quote => self.amount.clone(),
            VolumeUnit::Base => &self.amount * price,
            VolumeUnit::Percent => (&self.amount * balance).hundredth(),
        }
    }

    /// Returns the quantity of the order at a price, rounded up to the lot; None if the price is not above 0.
    pub fn quantity(&self, price: &Decimal, balance: &Decimal, lot: Option<&Decimal>) -> Option<Decimal> {
        let quantity = match self.unit {
            VolumeUnit::Quote => ladder::quantity(&self.amount, price, lot),
            VolumeUnit::Base => price.is_positive().then(|| self.amount.round_up_to(lot)),
            VolumeUnit::Percent => ladder::quantity(&self.size(price, balance), price, lot),
        };
        quantity.filter(Decimal::is_positive)
    }
}

/// A safety order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SafetyOrder {
    /// The distance from the base order's price, in percent.
    pub deviation: Decimal,
    /// The volume.
    pub volume: OrderVolume,
}

/// The safety orders of a bot, the first one first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SafetyOrders {
    /// The orders.
    pub orders: Vec<SafetyOrder>,
    /// The number of orders that may be on the exchange at once.
    pub max_active: u32,
}

impl SafetyOrders {
    /// Returns a number of orders. Each step is `step_coefficient` times the step before, each volume `volume_coefficient` times
    /// the volume before.
    pub fn new(
        count: u32,
        volume: OrderVolume,
        step: Decimal,
        step_coefficient: &Decimal,
        volume_coefficient: &Decimal,
    ) -> Self {
        let unit = volume.unit;
        let first = step.clone();
        let further = move |deviation: &Decimal| Some(limit_digits(&(deviation * step_coefficient + &step)));
        let larger = |amount: &Decimal| Some(limit_digits(&(amount * volume_coefficient)));
        let deviations = successors(Some(first), further);
        let amounts = successors(Some(volume.amount), larger);
        let orders = (0..count).zip(deviations.zip(amounts));
        let order = |(_, (deviation, amount))| SafetyOrder { deviation, volume: OrderVolume { amount, unit } };
        Self { orders: orders.map(order).collect(), max_active: count }
    }
}

fn limit_digits(number: &Decimal) -> Decimal {
    if number.parts().is_some() { number.normalized() } else { to_digits(&number.to_big(), MAX_DIGITS).into() }
}

/// A take-profit target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Target {
    /// The profit.
    pub take_profit: TakeProfit,
    /// The percentage of the deal that is closed once this target and all before it are reached.
    pub closed: Decimal,
}

/// A stop loss.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StopLoss {
    /// The distance from the base order's price, in percent.
    pub percent: Decimal,
    /// True if it trails the price.
    pub is_trailing: bool,
    /// The time for which the price must stay past the stop loss.
    pub timeout: Option<Milliseconds>,
    /// The farthest level to which it moves as targets are reached: 0 is the base order's price, 1 the first target, and so on.
    pub breakeven_limit: Option<usize>,
}

/// The settings of a deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DealConfig {
    /// The direction.
    pub direction: Direction,
    /// The volume of the base order.
    pub base_order: OrderVolume,
    /// True if the base order is a market order, which has slippage; false if it is a limit order.
    pub base_order_is_market: bool,
    /// The safety orders.
    pub safety_orders: SafetyOrders,
    /// The take-profit targets in order.
    pub targets: Vec<Target>,
    /// The trailing deviation in percent, if trailing is on.
    pub trailing: Option<Decimal>,
    /// The stop loss.
    pub stop_loss: Option<StopLoss>,
}

impl DealConfig {
    /// Returns true if a volume is in percent of the balance.
    pub fn uses_balance(&self) -> bool {
        let orders = self.safety_orders.orders.first().map(|order| &order.volume);
        orders.into_iter().chain([&self.base_order]).any(|volume| volume.unit == VolumeUnit::Percent)
    }
}

/// The settings of a DCA bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DcaBotConfig {
    /// The settings of its next deals.
    pub deal: Arc<DealConfig>,
    /// The pairs that it trades.
    pub pairs: Vec<Arc<str>>,
    /// True if it opens deals by itself.
    pub is_nonstop: bool,
    /// The number of deals that may be open at once.
    pub max_active_deals: usize,
    /// The number of deals that may be open on the same pair; None for one.
    pub max_deals_per_pair: Option<usize>,
    /// The pause after a deal.
    pub cooldown: Milliseconds,
    /// The time from the signal for a deal to its base order.
    pub start_delay: Option<Milliseconds>,
    /// The time after which a deal is closed.
    pub deal_timeout: Option<Milliseconds>,
    /// The number of opened deals at which the bot disables itself.
    pub max_deals: Option<u64>,
    /// True if a stop loss disables the bot.
    pub disables_after_stop_loss: bool,
    /// The lowest price at which a deal is opened.
    pub min_price: Option<Decimal>,
    /// The highest price at which a deal is opened.
    pub max_price: Option<Decimal>,
}

impl DcaBotConfig {
    /// Returns the number of deals that may be open on the same pair.
    pub fn deals_per_pair(&self) -> usize {
        self.max_deals_per_pair.unwrap_or(1)
    }

    /// Returns true if a deal may be opened at a price.
    pub(super) fn allows_price(&self, price: &Decimal) -> bool {
        self.min_price.as_ref().is_none_or(|min| price >= min) && self.max_price.as_ref().is_none_or(|max| price <= max)
    }

    /// Returns true if the bot trades the pair of a market.
    pub(super) fn trades(&self, market: &Market) -> bool {
        self.pairs.iter().any(|pair| market.is_of(pair))
    }
}
