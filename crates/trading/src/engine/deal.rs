//! A deal: its position, and the orders that it waits for.

use std::sync::Arc;

use super::Milliseconds;
use super::config::{DealConfig, StopLoss, Target};
use super::hand_orders::{HandClosing, ManualOrder};
use super::market::{Action, Market, Quote};
use crate::decimal::Decimal;
use crate::ladder::{self, Direction};
use crate::position::Position;

/// A deal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deal {
    /// The id.
    pub id: u64,
    /// The settings.
    pub config: Arc<DealConfig>,
    /// The code of the pair.
    pub pair: Arc<str>,
    /// The time of the base order.
    pub opened_at: Milliseconds,
    /// The average price of the base order, with its fee.
    pub base_price: Decimal,
    /// The amount bought, or sold for a short deal. The volumes are after fees.
    pub entry: Position,
    /// The quantity sold, or bought back for a short deal.
    pub exited_quantity: Decimal,
    /// The volume of what was sold, or bought back for a short deal, after fees.
    pub exited_volume: Decimal,
    /// The number of filled safety orders.
    pub filled_safety_orders: u32,
    /// The number of take-profit targets that were reached.
    pub reached_targets: usize,
    /// The best price since trailing started; None before.
    pub trailing_best: Option<Decimal>,
    /// The best price of a trailing stop loss; None before the first price after the base order.
    pub stop_loss_best: Option<Decimal>,
    /// The time when the stop loss, which has a timeout, closes the deal.
    pub stops_at: Option<Milliseconds>,
    /// The time when a cancellation is complete; None unless the deal is being cancelled. It then has no orders.
    pub cancels_at: Option<Milliseconds>,
    /// The time when the market order of a close by hand fills; None unless the deal is being closed. It then has no others.
    pub closes_at: Option<Milliseconds>,
    /// The time after which the deal closes itself; None for that of its bot.
    pub timeout: Option<Milliseconds>,
    /// The orders that were placed by hand and wait, oldest first.
    pub manual_orders: Vec<ManualOrder>,
    /// The targets that are being closed or were closed by hand.
    pub hand_closings: Vec<HandClosing>,
    /// The prices of the orders that the deal waits for.
    pub(super) next_prices: NextPrices,
}

/// The prices at which something happens to a deal. They follow from its settings and its state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NextPrices {
    /// The price of the next safety order on the exchange.
    pub(super) safety_order: Option<Decimal>,
    /// The price of the next order that was placed by hand.
    pub(super) manual_order: Option<Decimal>,
    /// The price of the next target.
    pub(super) target: Option<Decimal>,
    /// The price of the stop loss.
    pub(super) stop_loss: Option<Decimal>,
    /// The price at which trailing closes the deal, or ends because the deal would close without a profit.
    pub(super) trailing: Option<Decimal>,
}

impl Deal {
    /// Returns a deal without orders.
    pub fn new(
        id: u64,
        config: Arc<DealConfig>,
        market: &Market,
        opened_at: Milliseconds,
        base_price: Decimal,
    ) -> Self {
        Self {
            id,
            entry: Position::new(config.direction),
            config,
            pair: Arc::clone(&market.pair),
            opened_at,
            base_price,
            exited_quantity: Decimal::ZERO,
            exited_volume: Decimal::ZERO,
            filled_safety_orders: 0,
            reached_targets: 0,
            trailing_best: None,
            stop_loss_best: None,
            stops_at: None,
            cancels_at: None,
            closes_at: None,
            timeout: None,
            manual_orders: Vec::new(),
            hand_closings: Vec::new(),
            next_prices: NextPrices::default(),
        }
    }

    /// Opens a deal and fills its base order; returns the deal and the price of the order, or None if the order is too small.
    pub fn open(
        id: u64,
        config: &Arc<DealConfig>,
        quote: &Quote<'_>,
        at: Milliseconds,
    ) -> Option<(Box<Self>, Decimal)> {
        let Quote { market, .. } = quote;
        let price = if config.base_order_is_market {
            quote.market_price(config.direction, Action::Enter)
        } else {
            quote.price.clone()
        };
        let quantity = config.base_order.quantity(&price, quote.balance, Some(&market.lot))?;
        let base_price = market.entry_after_fee(config.direction, price.clone());
        let mut deal = Box::new(Self::new(id, Arc::clone(config), market, at, base_price));
        deal.enter(&quantity, &price, market);
        deal.update(market);
        Some((deal, price))
    }

    /// Adds an order that enlarged the deal.
    pub(crate) fn enter(&mut self, quantity: &Decimal, price: &Decimal, market: &Market) {
        self.entry.fill(quantity, &market.entry_after_fee(self.direction(), quantity * price));
    }

    /// Returns the price and the quantity of a safety order that is not filled; None if it is too small, or unknown.
    pub fn planned_safety_order(&self, number: u32, market: &Market, balance: &Decimal) -> Option<(Decimal, Decimal)> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let order = self.config.safety_orders.orders.get(index)?;
        let tick = Some(&market.tick);
        let price = ladder::safety_order_price(self.direction(), &self.base_price, &order.deviation, tick);
        let quantity = order.volume.quantity(&price, balance, Some(&market.lot))?;
        Some((price, quantity))
    }

    /// Adds an order that closed the deal or a part of it.
    pub(super) fn exit(&mut self, quantity: &Decimal, price: &Decimal, market: &Market) {
        self.exited_volume += market.exit_after_fee(self.direction(), quantity * price);
        self.exited_quantity += quantity;
    }

    /// Calculates the prices that the deal waits for, after its state or its settings were changed.
    pub fn update(&mut self, market: &Market) {
        let target = self.next_target().and_then(|index| self.config.targets.get(index));
        self.next_prices.target = target.and_then(|target| self.target_price(target, market));
        self.next_prices.manual_order = self.next_manual_order().and_then(|order| order.limit.clone());
        self.next_prices.safety_order = self.next_safety_order_price(market);
        self.next_prices.stop_loss = self.stop_loss_price(market);
        self.next_prices.trailing = self.trailing_trigger(market);
    }

    /// Returns the direction.
    pub fn direction(&self) -> Direction {
        self.config.direction
    }

    /// Returns the number of safety orders on the exchange: none after a part of the deal was closed, and none while the take profit
    /// trails.
    pub fn active_safety_orders(&self) -> u32 {
        let count = u32::try_from(self.config.safety_orders.orders.len()).unwrap_or(u32::MAX);
        let remaining = count.saturating_sub(self.filled_safety_orders);
        let is_partly_closed = self.reached_targets > 0 || self.hand_closings.iter().any(HandClosing::is_done);
        let are_withdrawn = is_partly_closed || self.trailing_best.is_some();
        if are_withdrawn { 0 } else { remaining.min(self.config.safety_orders.max_active) }
    }

    /// Returns the price of the next safety order on the exchange.
    pub fn next_safety_order_price(&self, market: &Market) -> Option<Decimal> {
        if self.active_safety_orders() == 0 {
            return None;
        }
        let order = self.config.safety_orders.orders.get(usize::try_from(self.filled_safety_orders).ok()?)?;
        let tick = Some(&market.tick);
        Some(ladder::safety_order_price(self.direction(), &self.base_price, &order.deviation, tick))
    }

    /// Returns the price of the next target, or of the last one if all were reached.
    pub fn take_profit_price(&self, market: &Market) -> Option<Decimal> {
        let next = self.next_target().and_then(|index| self.config.targets.get(index));
        let target = next.or(self.config.targets.last())?;
        self.target_price(target, market)
    }

    fn target_price(&self, target: &Target, market: &Market) -> Option<Decimal> {
        self.entry.take_profit_price(&target.take_profit, &market.fee, Some(&market.tick))
    }

    /// Returns the price of the stop loss. Reached targets move it, but never back from where trailing has moved it.
    pub fn stop_loss_price(&self, market: &Market) -> Option<Decimal> {
        let stop_loss = self.config.stop_loss.as_ref()?;
        let best = self.stop_loss_best.as_ref().filter(|_| stop_loss.is_trailing);
        let own = ladder::stop_loss_price(self.direction(), best.unwrap_or(&self.base_price), &stop_loss.percent);
        let is_farther = |moved: &Decimal| !stop_loss.is_trailing || self.direction().is_at_least_as_good(moved, &own);
        Some(self.moved_stop_loss(stop_loss, market).filter(is_farther).unwrap_or(own))
    }

    /// Returns the price to which the stop loss moved when targets were reached.
    fn moved_stop_loss(&self, stop_loss: &StopLoss, market: &Market) -> Option<Decimal> {
        match self.reached_targets.checked_sub(1)?.min(stop_loss.breakeven_limit?) {
            0 => Some(self.base_price.clone()),
            target => self.target_price(self.config.targets.get(target - 1)?, market),
        }
    }

    /// Returns the price at which trailing closes the deal or ends, once it has started: the limit that follows the best price, or
    /// break even if that is reached before.
    fn trailing_trigger(&self, market: &Market) -> Option<Decimal> {
        let (best, deviation) = (self.trailing_best.as_ref()?, self.config.trailing.as_ref()?);
        let limit = self.direction().worse(best, deviation).normalized();
        let break_even = self.entry.break_even_price(&market.fee, &market.tick);
        Some(match (self.direction(), break_even) {
            (_, None) => limit,
            (Direction::Long, Some(break_even)) => limit.max(break_even),
            (Direction::Short, Some(break_even)) => limit.min(break_even),
        })
    }

    /// Returns the quantity that is still open.
    pub fn open_quantity(&self) -> Decimal {
        &self.entry.quantity - &self.exited_quantity
    }

    /// Returns the volume of the entries minus the volume of the exits; at least 0.
    pub fn open_volume(&self) -> Decimal {
        if self.exited_volume.is_zero() {
            return self.entry.volume.clone();
        }
        (&self.entry.volume - &self.exited_volume).max(Decimal::ZERO)
    }

    /// Returns the profit of the closed part of the deal after fees.
    pub fn realized_profit(&self) -> Decimal {
        let entered =
            (&self.entry.volume * &self.exited_quantity).checked_div(&self.entry.quantity).unwrap_or_default();
        self.profit_of(&entered, &self.exited_volume)
    }

    /// Returns the profit of the deal after fees, with its open part closed at this price.
    pub fn profit(&self, price: &Decimal, market: &Market) -> Decimal {
        let exited = &self.exited_volume + market.exit_after_fee(self.direction(), self.open_quantity() * price);
        self.profit_of(&self.entry.volume, &exited)
    }

    /// Returns the profit of a closed deal after fees.
    pub fn final_profit(&self) -> Decimal {
        self.profit_of(&self.entry.volume, &self.exited_volume)
    }

    /// Returns the profit of entries and exits with these volumes.
    fn profit_of(&self, entered: &Decimal, exited: &Decimal) -> Decimal {
        match self.direction() {
            Direction::Long => exited - entered,
            Direction::Short => entered - exited,
        }
    }

    /// Returns true if the deal has a volume in percent of the balance.
    pub fn uses_balance(&self) -> bool {
        self.config.uses_balance()
    }
}

impl Direction {
    /// Returns true if a price is at least as good for a deal as another one.
    pub fn is_at_least_as_good(self, price: &Decimal, than: &Decimal) -> bool {
        match self {
            Self::Long => price >= than,
            Self::Short => price <= than,
        }
    }
}
