//! Simulates deals: fills safety orders, takes profit and applies stop losses as the price changes.

use bigdecimal::{BigDecimal, Zero};

use super::deal_config::{DealConfig, OrderVolume, StopLossConfig, TakeProfitTarget};
use super::position::DealPosition;
use super::{CloseReason, MarketContext, lot_size};
use crate::clock::{later, timestamp};
use crate::defaults::{self, object};
use crate::record::{JsonRecord, integer, string};
use crate::state::DealState;
use botdesk_api::deal::Deal;
use botdesk_api::decimal;
use botdesk_api::pair::currencies;
use botdesk_trading::ladder::{self, Direction};
use botdesk_trading::rounding::down;

/// The status of an active deal. A deal that is being cancelled has no orders.
pub(super) const ACTIVE: &str = "bought";

/// Fields that a deal does not copy from its bot, although the bot has fields of the same names.
const NOT_COPIED: [&str; 2] = ["type", "min_profit_percentage"];

/// Opens a deal and fills its base order at the current price; None if the order is too small.
pub(crate) fn open_deal(bot: &JsonRecord, id: u64, context: &MarketContext<'_>) -> Option<DealState> {
    let mut deal = new_deal(bot, id, context);
    fill_base_order(&mut deal, context).then_some(deal)
}

/// Returns a new deal without orders.
pub(crate) fn new_deal(bot: &JsonRecord, id: u64, context: &MarketContext<'_>) -> DealState {
    let mut deal = DealState { record: defaults::sample::<Deal>(), ..DealState::default() };
    copy_settings(&mut deal.record, bot);
    write_identity(&mut deal.record, bot, id, context);
    deal
}

/// Fills the base order at the current price; returns false if it is too small.
pub(crate) fn fill_base_order(deal: &mut DealState, context: &MarketContext<'_>) -> bool {
    let volume = OrderVolume::from_record(&deal.record, "base_order_volume", "base_order_volume_type");
    let price = &context.quote.price;
    let Some(quantity) = volume.quantity(price, &context.balance) else {
        return false;
    };
    let mut simulation = DealSimulation::new(deal, context);
    simulation.position.fill(&quantity, price);
    simulation.write();
    true
}

/// Copies the settings of the bot to the deal. A field that is null in the bot keeps its sample.
fn copy_settings(deal: &mut JsonRecord, bot: &JsonRecord) {
    for (field, value) in deal {
        if let Some(bot_value) = bot.get(field).filter(|bot_value| !bot_value.is_null())
            && !NOT_COPIED.contains(&field.as_str())
        {
            *value = bot_value.clone();
        }
    }
}

fn write_identity(deal: &mut JsonRecord, bot: &JsonRecord, id: u64, context: &MarketContext<'_>) {
    let pair = context.quote.pair.as_str();
    let (quote, base) = currencies(pair).unwrap_or_default();
    let now = timestamp(context.now);
    deal.extend(object! {
        "id": id,
        "bot_id": integer(bot, "id"),
        "bot_name": string(bot, "name"),
        "created_at": now.as_str(),
        "updated_at": now,
        "pair": pair,
        "from_currency": quote,
        "to_currency": base,
        "from_currency_id": currency_id(quote),
        "to_currency_id": currency_id(base),
        "orderbook_price_currency": quote,
        "base_order_average_price": context.quote.price.to_plain_string(),
    });
}

/// Returns an id for a currency. The same code gives the same id.
fn currency_id(code: &str) -> u32 {
    code.bytes().fold(0_u32, |id, letter| id.wrapping_mul(37).wrapping_add(u32::from(letter) - u32::from(b' '))) >> 1
}

/// Moves a deal to the current price; returns the reason if that closes it.
pub(crate) fn follow_price(deal: &mut DealState, context: &MarketContext<'_>) -> Option<CloseReason> {
    let active = string(&deal.record, "status") == ACTIVE;
    let mut simulation = DealSimulation::new(deal, context);
    let reason = if active { simulation.run() } else { None };
    simulation.finish(reason)
}

/// Closes a deal at the current price.
pub(super) fn close(deal: &mut DealState, context: &MarketContext<'_>, reason: CloseReason) {
    let mut simulation = DealSimulation::new(deal, context);
    simulation.exit_all(&context.quote.price);
    simulation.finish(Some(reason));
}

/// Recalculates the figures of a deal from its position, its settings and the price.
pub(crate) fn recalculate(deal: &mut DealState, context: &MarketContext<'_>) {
    DealSimulation::new(deal, context).write();
}

/// The simulation of a deal that moves to a new price.
pub(super) struct DealSimulation<'a> {
    pub(super) deal: &'a mut DealState,
    pub(super) context: &'a MarketContext<'a>,
    pub(super) config: DealConfig,
    pub(super) position: DealPosition,
}

impl<'a> DealSimulation<'a> {
    fn new(deal: &'a mut DealState, context: &'a MarketContext<'a>) -> Self {
        let config = DealConfig::from_record(&deal.record);
        let position = DealPosition::from_record(&deal.record, &config, &context.balance);
        Self { deal, context, config, position }
    }

    fn price(&self) -> &'a BigDecimal {
        &self.context.quote.price
    }

    fn run(&mut self) -> Option<CloseReason> {
        if let Some(reason) = self.close_trailing() {
            return Some(reason);
        }
        self.fill_safety_orders();
        self.trail_stop_loss();
        self.take_profit().or_else(|| self.stop_loss())
    }

    /// Fills the safety orders that the price has reached, one by one: each fill places the next order.
    fn fill_safety_orders(&mut self) {
        while self.orders_placed() > 0 {
            let Some((price, quantity)) = self.next_order() else {
                return;
            };
            if !self.is_at_or_past(&price) || self.stops_before(&price) {
                return;
            }
            self.position.fill(&quantity, &price);
            self.position.filled_safety_orders += 1;
        }
    }

    /// Returns the number of safety orders on the exchange: none after a target was reached.
    pub(super) fn orders_placed(&self) -> u32 {
        let remaining = self.config.safety_orders.count.saturating_sub(self.position.filled_safety_orders);
        if self.deal.targets > 0 { 0 } else { remaining.min(self.config.safety_orders.max_active) }
    }

    /// Returns the price and the quantity of the next safety order.
    pub(super) fn next_order(&self) -> Option<(BigDecimal, BigDecimal)> {
        let order = self.position.filled_safety_orders + 1;
        let price = self.config.safety_orders.price(&self.config, order, &self.context.quote.tick);
        let quantity = self.config.safety_orders.quantity(order, &price, &self.context.balance)?;
        Some((price, quantity))
    }

    /// Returns whether the stop loss triggers before the price reaches `price`.
    fn stops_before(&self, price: &BigDecimal) -> bool {
        let has_timeout = self.config.stop_loss.as_ref().is_some_and(|stop_loss| stop_loss.timeout.is_some());
        !has_timeout
            && self.stop_loss_price().is_some_and(|stop| !is_at_least_as_good(self.config.direction, price, &stop))
    }

    fn take_profit(&mut self) -> Option<CloseReason> {
        loop {
            let (price, closed) = self.target()?;
            if !is_at_least_as_good(self.config.direction, self.price(), &price) {
                return None;
            }
            if self.config.trailing.is_some() {
                self.track_best_price("trailing_max_price", None);
                return None;
            }
            self.deal.targets += 1;
            if self.deal.targets >= self.config.targets.len() {
                self.exit_all(&price);
                return Some(CloseReason::TakeProfit);
            }
            self.exit_up_to(&closed, &price);
        }
    }

    /// Returns the price of the next target, and the percentage of the deal that is closed once it is reached.
    fn target(&self) -> Option<(BigDecimal, BigDecimal)> {
        let target = self.config.targets.get(self.deal.targets)?;
        Some((self.target_price(target)?, target.closed.clone()))
    }

    /// Returns the price of the next target, or of the last one if all were reached.
    pub(super) fn take_profit_price(&self) -> Option<BigDecimal> {
        let target = self.config.targets.get(self.deal.targets).or(self.config.targets.last())?;
        self.target_price(target)
    }

    /// Returns the price of a target. The exchange charges no fee.
    fn target_price(&self, target: &TakeProfitTarget) -> Option<BigDecimal> {
        let fee = BigDecimal::zero();
        self.position.entry.take_profit_price(&target.take_profit, &fee, Some(&self.context.quote.tick))
    }

    /// Closes the deal if the price retraced by the trailing deviation from its best value.
    fn close_trailing(&mut self) -> Option<CloseReason> {
        let deviation = self.config.trailing.as_ref()?;
        let best = self.deal.record.get("trailing_max_price").and_then(decimal::of)?;
        let limit = self.config.direction.worse(&best, deviation);
        if self.is_at_or_past(&limit) {
            self.exit_all(self.price());
            return Some(CloseReason::TakeProfit);
        }
        self.track_best_price("trailing_max_price", None);
        None
    }

    fn trail_stop_loss(&mut self) {
        if self.config.stop_loss.as_ref().is_some_and(|stop_loss| stop_loss.is_trailing) {
            self.track_best_price("tsl_max_price", Some(self.config.base_price.clone()));
        }
    }

    /// Updates a field that holds the best price so far.
    fn track_best_price(&mut self, field: &str, initial: Option<BigDecimal>) {
        let known = self.deal.record.get(field).and_then(decimal::of).or(initial);
        let best = known.filter(|known| is_at_least_as_good(self.config.direction, known, self.price()));
        let best = best.unwrap_or_else(|| self.price().clone());
        self.deal.record.insert(field.to_owned(), best.to_plain_string().into());
    }

    fn stop_loss(&mut self) -> Option<CloseReason> {
        let stop = self.stop_loss_price().filter(|stop| self.is_at_or_past(stop));
        if stop.is_none() {
            self.deal.stops_at = None;
            return None;
        }
        if let Some(timeout) = self.config.stop_loss.as_ref().and_then(|stop_loss| stop_loss.timeout) {
            self.deal.stops_at.get_or_insert(later(self.context.now, timeout));
            return None;
        }
        self.exit_all(self.price());
        Some(CloseReason::StopLoss)
    }

    pub(super) fn stop_loss_price(&self) -> Option<BigDecimal> {
        let stop_loss = self.config.stop_loss.as_ref()?;
        self.moved_stop_loss(stop_loss).or_else(|| {
            let best = self.deal.record.get("tsl_max_price").and_then(decimal::of).filter(|_| stop_loss.is_trailing);
            let from = best.as_ref().unwrap_or(&self.config.base_price);
            Some(ladder::stop_loss_price(self.config.direction, from, &stop_loss.percent))
        })
    }

    /// Returns the price to which the stop loss moved when targets were reached.
    fn moved_stop_loss(&self, stop_loss: &StopLossConfig) -> Option<BigDecimal> {
        match self.deal.targets.checked_sub(1)?.min(stop_loss.breakeven_limit?) {
            0 => Some(self.config.base_price.clone()),
            target => self.target_price(self.config.targets.get(target - 1)?),
        }
    }

    fn is_at_or_past(&self, price: &BigDecimal) -> bool {
        is_at_least_as_good(self.config.direction, price, self.price())
    }

    fn exit_all(&mut self, price: &BigDecimal) {
        let open_quantity = self.position.open_quantity();
        self.position.exit(&open_quantity, price);
    }

    /// Closes a part of the deal, so that this percentage of it is closed in total.
    fn exit_up_to(&mut self, percent: &BigDecimal, price: &BigDecimal) {
        let closed = &self.position.entry.quantity * percent * BigDecimal::new(1.into(), 2);
        let quantity = down(&closed, Some(&lot_size())) - &self.position.exited_quantity;
        let quantity = quantity.clamp(BigDecimal::zero(), self.position.open_quantity());
        self.position.exit(&quantity, price);
    }

    fn finish(&mut self, reason: Option<CloseReason>) -> Option<CloseReason> {
        self.write();
        if let Some(reason) = reason {
            self.write_close(reason);
        }
        reason
    }
}

/// Returns whether a price is at least as good for a deal as another one.
fn is_at_least_as_good(direction: Direction, price: &BigDecimal, than: &BigDecimal) -> bool {
    match direction {
        Direction::Long => price >= than,
        Direction::Short => price <= than,
    }
}
