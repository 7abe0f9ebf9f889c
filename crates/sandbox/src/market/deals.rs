//! What a deal does as the price moves: its safety orders fill, its profit is taken, its loss stopped.

use bigdecimal::{BigDecimal, Zero};

use super::position::Holding;
use super::terms::{StopLoss, Target, Terms, Volume};
use super::{End, Scene, lot};
use crate::clock::{later, text as timestamp};
use crate::defaults::{self, object};
use crate::record::{Record, text, whole};
use crate::state::DealState;
use botdesk_api::deal::Deal;
use botdesk_api::decimal;
use botdesk_api::pair::currencies;
use botdesk_trading::ladder::{self, Direction};
use botdesk_trading::rounding::down;

/// The status of a deal that is traded. One that is being cancelled has no orders left.
pub(super) const ACTIVE: &str = "bought";

/// What a deal has of its own, though its bot has a field of the same name.
const ITS_OWN: [&str; 2] = ["type", "min_profit_percentage"];

/// A new deal of a bot: its base order is filled at the price. None where that buys nothing.
pub(crate) fn open(bot: &Record, id: u64, scene: &Scene<'_>) -> Option<DealState> {
    let mut deal = begin(bot, id, scene);
    fill_base_order(&mut deal, scene).then_some(deal)
}

/// A new deal of a bot, before its first order.
pub(crate) fn begin(bot: &Record, id: u64, scene: &Scene<'_>) -> DealState {
    let mut deal = DealState { record: defaults::sample::<Deal>(), ..DealState::default() };
    take_over(&mut deal.record, bot);
    identify(&mut deal.record, bot, id, scene);
    deal
}

/// Fills the base order of a deal at the price; false where that buys nothing.
pub(crate) fn fill_base_order(deal: &mut DealState, scene: &Scene<'_>) -> bool {
    let volume = Volume::of(&deal.record, "base_order_volume", "base_order_volume_type");
    let price = &scene.quote.price;
    let Some(quantity) = volume.quantity(price, &scene.balance) else {
        return false;
    };
    let mut course = Course::of(deal, scene);
    course.holding.fill(&quantity, price);
    course.write();
    true
}

/// A deal is on its bot's terms; where the bot has null, the deal keeps its sample.
fn take_over(deal: &mut Record, bot: &Record) {
    for (field, value) in deal {
        if let Some(of_bot) = bot.get(field).filter(|of_bot| !of_bot.is_null())
            && !ITS_OWN.contains(&field.as_str())
        {
            *value = of_bot.clone();
        }
    }
}

fn identify(deal: &mut Record, bot: &Record, id: u64, scene: &Scene<'_>) {
    let pair = scene.quote.pair.as_str();
    let (quote, base) = currencies(pair).unwrap_or_default();
    let now = timestamp(scene.now);
    deal.extend(object! {
        "id": id,
        "bot_id": whole(bot, "id"),
        "bot_name": text(bot, "name"),
        "created_at": now.as_str(),
        "updated_at": now,
        "pair": pair,
        "from_currency": quote,
        "to_currency": base,
        "from_currency_id": currency(quote),
        "to_currency_id": currency(base),
        "orderbook_price_currency": quote,
        "base_order_average_price": scene.quote.price.to_plain_string(),
    });
}

/// An identifier for a currency: the same code has the same one.
fn currency(code: &str) -> u32 {
    code.bytes().fold(0_u32, |id, letter| id.wrapping_mul(37).wrapping_add(u32::from(letter) - u32::from(b' '))) >> 1
}

/// Moves a deal to the price. How it ended, if it did.
pub(crate) fn follow(deal: &mut DealState, scene: &Scene<'_>) -> Option<End> {
    let active = text(&deal.record, "status") == ACTIVE;
    let mut course = Course::of(deal, scene);
    let end = if active { course.go() } else { None };
    course.finish(end)
}

/// Closes a deal at the price.
pub(super) fn close(deal: &mut DealState, scene: &Scene<'_>, end: End) {
    let mut course = Course::of(deal, scene);
    course.leave_all(&scene.quote.price);
    course.finish(Some(end));
}

/// Writes anew what follows from what a deal holds, its terms and the price.
pub(crate) fn refresh(deal: &mut DealState, scene: &Scene<'_>) {
    Course::of(deal, scene).write();
}

/// A deal on its way to a price.
pub(super) struct Course<'a> {
    pub(super) deal: &'a mut DealState,
    pub(super) scene: &'a Scene<'a>,
    pub(super) terms: Terms,
    pub(super) holding: Holding,
}

impl<'a> Course<'a> {
    fn of(deal: &'a mut DealState, scene: &'a Scene<'a>) -> Self {
        let terms = Terms::of(&deal.record);
        let holding = Holding::of(&deal.record, &terms, &scene.balance);
        Self { deal, scene, terms, holding }
    }

    fn price(&self) -> &'a BigDecimal {
        &self.scene.quote.price
    }

    fn go(&mut self) -> Option<End> {
        if let Some(end) = self.give_up_trailing() {
            return Some(end);
        }
        self.fill_safety_orders();
        self.trail_stop_loss();
        self.take_profit().or_else(|| self.stop_loss())
    }

    /// Fills the safety orders that the price has reached, one after the other: each fill places the next.
    fn fill_safety_orders(&mut self) {
        while self.orders_placed() > 0 {
            let Some((price, quantity)) = self.next_order() else {
                return;
            };
            if !self.is_as_bad_as(&price) || self.stops_before(&price) {
                return;
            }
            self.holding.fill(&quantity, &price);
            self.holding.safety_orders += 1;
        }
    }

    /// How many safety orders are on the exchange. Once a target is reached, there are none.
    pub(super) fn orders_placed(&self) -> u32 {
        let left = self.terms.ladder.orders.saturating_sub(self.holding.safety_orders);
        if self.deal.targets > 0 { 0 } else { left.min(self.terms.ladder.at_once) }
    }

    /// The price and the quantity of the next safety order.
    pub(super) fn next_order(&self) -> Option<(BigDecimal, BigDecimal)> {
        let order = self.holding.safety_orders + 1;
        let price = self.terms.ladder.price(&self.terms, order, &self.scene.quote.tick);
        let quantity = self.terms.ladder.quantity(order, &price, &self.scene.balance)?;
        Some((price, quantity))
    }

    /// Whether the loss is stopped before the price comes that far.
    fn stops_before(&self, price: &BigDecimal) -> bool {
        let waits = self.terms.stop_loss.as_ref().is_some_and(|stop_loss| stop_loss.waits.is_some());
        !waits && self.stop_loss_price().is_some_and(|stop| !is_as_good(self.terms.direction, price, &stop))
    }

    fn take_profit(&mut self) -> Option<End> {
        loop {
            let (price, closed) = self.target()?;
            if !is_as_good(self.terms.direction, self.price(), &price) {
                return None;
            }
            if self.terms.trailing.is_some() {
                self.best("trailing_max_price", None);
                return None;
            }
            self.deal.targets += 1;
            if self.deal.targets >= self.terms.targets.len() {
                self.leave_all(&price);
                return Some(End::TakeProfit);
            }
            self.leave_up_to(&closed, &price);
        }
    }

    /// The price of the next target, and how much of the deal is closed by it.
    fn target(&self) -> Option<(BigDecimal, BigDecimal)> {
        let target = self.terms.targets.get(self.deal.targets)?;
        Some((self.target_price(target)?, target.closed.clone()))
    }

    /// The price at which profit is taken next, or was taken last.
    pub(super) fn take_profit_price(&self) -> Option<BigDecimal> {
        let target = self.terms.targets.get(self.deal.targets).or(self.terms.targets.last())?;
        self.target_price(target)
    }

    /// The demo exchange takes no fee.
    fn target_price(&self, target: &Target) -> Option<BigDecimal> {
        let fee = BigDecimal::zero();
        self.holding.entered.take_profit_price(&target.take_profit, &fee, Some(&self.scene.quote.tick))
    }

    /// Closes a deal whose price fell back by the trailing deviation, or rose for a short one.
    fn give_up_trailing(&mut self) -> Option<End> {
        let deviation = self.terms.trailing.as_ref()?;
        let best = self.deal.record.get("trailing_max_price").and_then(decimal::of)?;
        let limit = self.terms.direction.worse(&best, deviation);
        if self.is_as_bad_as(&limit) {
            self.leave_all(self.price());
            return Some(End::TakeProfit);
        }
        self.best("trailing_max_price", None);
        None
    }

    fn trail_stop_loss(&mut self) {
        if self.terms.stop_loss.as_ref().is_some_and(|stop_loss| stop_loss.trails) {
            self.best("tsl_max_price", Some(self.terms.base_price.clone()));
        }
    }

    /// Notes the price in a field that holds the best one so far.
    fn best(&mut self, field: &str, at_first: Option<BigDecimal>) {
        let held = self.deal.record.get(field).and_then(decimal::of).or(at_first);
        let best = held.filter(|held| is_as_good(self.terms.direction, held, self.price()));
        let best = best.unwrap_or_else(|| self.price().clone());
        self.deal.record.insert(field.to_owned(), best.to_plain_string().into());
    }

    fn stop_loss(&mut self) -> Option<End> {
        let stop = self.stop_loss_price().filter(|stop| self.is_as_bad_as(stop));
        if stop.is_none() {
            self.deal.stops_at = None;
            return None;
        }
        if let Some(waits) = self.terms.stop_loss.as_ref().and_then(|stop_loss| stop_loss.waits) {
            self.deal.stops_at.get_or_insert(later(self.scene.now, waits));
            return None;
        }
        self.leave_all(self.price());
        Some(End::StopLoss)
    }

    pub(super) fn stop_loss_price(&self) -> Option<BigDecimal> {
        let stop_loss = self.terms.stop_loss.as_ref()?;
        self.moved_stop_loss(stop_loss).or_else(|| {
            let best = self.deal.record.get("tsl_max_price").and_then(decimal::of).filter(|_| stop_loss.trails);
            let from = best.as_ref().unwrap_or(&self.terms.base_price);
            Some(ladder::stop_loss_price(self.terms.direction, from, &stop_loss.percent))
        })
    }

    /// Where the stop loss has moved to, as targets were reached.
    fn moved_stop_loss(&self, stop_loss: &StopLoss) -> Option<BigDecimal> {
        match self.deal.targets.checked_sub(1)?.min(stop_loss.moves_to?) {
            0 => Some(self.terms.base_price.clone()),
            target => self.target_price(self.terms.targets.get(target - 1)?),
        }
    }

    fn is_as_bad_as(&self, price: &BigDecimal) -> bool {
        is_as_good(self.terms.direction, price, self.price())
    }

    fn leave_all(&mut self, price: &BigDecimal) {
        let rest = self.holding.rest();
        self.holding.leave(&rest, price);
    }

    /// Closes so much that in all so many percent of the deal are closed.
    fn leave_up_to(&mut self, percent: &BigDecimal, price: &BigDecimal) {
        let closed = &self.holding.entered.quantity * percent * BigDecimal::new(1.into(), 2);
        let quantity = down(&closed, Some(&lot())) - &self.holding.left_quantity;
        let quantity = quantity.clamp(BigDecimal::zero(), self.holding.rest());
        self.holding.leave(&quantity, price);
    }

    fn finish(&mut self, end: Option<End>) -> Option<End> {
        self.write();
        if let Some(end) = end {
            self.write_end(end);
        }
        end
    }
}

/// Whether a price is as good for a deal as another one, or better.
fn is_as_good(direction: Direction, price: &BigDecimal, than: &BigDecimal) -> bool {
    match direction {
        Direction::Long => price >= than,
        Direction::Short => price <= than,
    }
}
