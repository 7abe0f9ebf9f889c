//! The effect of a price and a time on a SmartTrade: its entry fills, its targets are reached, its stop loss closes it.

use super::Moment;
use super::state::{OrderStatus, SmartTrade, SmartTradeStatus, StopLossOrder, TargetOrder};
use crate::decimal::Decimal;
use crate::engine::event::OrderKind;
use crate::engine::movement::PriceMove;
use crate::grid::OrderSide;

impl SmartTrade {
    /// Carries out what follows from the current price and time.
    pub fn visit(&mut self, moment: &mut Moment<'_>) {
        if self.is_pending() {
            return;
        }
        if self.status == SmartTradeStatus::WaitingPosition {
            self.visit_entry(moment);
        }
        if self.status == SmartTradeStatus::WaitingTargets {
            self.visit_targets(moment);
        }
        if self.status == SmartTradeStatus::WaitingTargets {
            self.visit_stop_loss(moment);
        }
    }

    /// Moves the price from another one to that of the moment, and visits every price at which something happens.
    pub fn move_price(&mut self, from: &Decimal, moment: &mut Moment<'_>) {
        let mut from = from.clone();
        while let Some(next) = self.next_level(&from, moment) {
            self.visit(&mut moment.at(&next));
            from = next;
        }
        self.visit(moment);
    }

    fn next_level(&self, from: &Decimal, moment: &Moment<'_>) -> Option<Decimal> {
        let price_move = PriceMove { from, to: moment.price, market: moment.market };
        let levels = self.levels(moment.market, moment.spread).prices;
        let level = price_move.first(levels.into_iter().filter(|level| price_move.passes(level)))?;
        // A trigger may be between two ticks, but no market order fills there.
        Some(price_move.at_tick(&level))
    }

    fn visit_entry(&mut self, moment: &mut Moment<'_>) {
        let side = self.entry_side();
        if let (OrderStatus::ToProcess, Some(condition)) = (self.entry.status, &self.entry.condition) {
            if !condition.trigger.level(moment.spread).is_some_and(|level| side.is_passed(moment.price, &level)) {
                return;
            }
            if condition.trailing.is_some() {
                self.entry.status = OrderStatus::Following;
                self.entry.best = Some(moment.price.clone());
            } else {
                self.place_entry(moment);
            }
        }
        if self.entry.status == OrderStatus::Following {
            let percent = self.entry.condition.as_ref().and_then(|condition| condition.trailing.clone());
            if has_turned(&mut self.entry.best, side, &percent.unwrap_or_default(), moment) {
                self.place_entry(moment);
            }
        }
        let limit = self.entry.price.as_ref().filter(|_| self.entry.status == OrderStatus::Placed);
        if let Some(limit) = limit.filter(|limit| side.is_reached(moment.price, limit)).cloned() {
            self.fill_entry(&limit, moment);
        }
    }

    fn visit_targets(&mut self, moment: &mut Moment<'_>) {
        for number in 0..self.targets.len() {
            if self.status != SmartTradeStatus::WaitingTargets {
                return;
            }
            if let Some(price) = self.price_of_target(number, moment) {
                self.fill_target(number, OrderStatus::Finished, &price, moment);
                self.move_stop_to_entry();
            }
        }
    }

    /// Returns the price at which a target fills now; None if it waits.
    fn price_of_target(&mut self, number: usize, moment: &Moment<'_>) -> Option<Decimal> {
        let side = self.exit_side();
        let target = self.targets.get_mut(number).filter(|target| target.status.is_waiting())?;
        let is_reached = target.is_reached(side, moment);
        let Some(percent) = &target.trailing else {
            if is_reached {
                return Some(target.fill_price(side, moment));
            }
            target.wait();
            return None;
        };
        if !is_reached && target.status != OrderStatus::Following {
            return None;
        }
        target.status = OrderStatus::Following;
        let has_turned = has_turned(&mut target.best, side, percent, moment);
        has_turned.then(|| if target.is_limit { moment.price.clone() } else { moment.market_price(side) })
    }

    /// Moves the stop loss to the entry after a target, if it is to. It never moves away from the price.
    fn move_stop_to_entry(&mut self) {
        let side = self.exit_side();
        let Some(entry) = self.reference_price().cloned() else { return };
        let Some(stop) = self.stop_loss.as_mut().filter(|stop| stop.breakeven && stop.status.is_waiting()) else {
            return;
        };
        if stop.trigger.price.as_ref().is_none_or(|trigger| side.is_reached(&entry, trigger)) {
            (stop.trigger.price, stop.percent) = (Some(entry), None);
        }
    }

    fn visit_stop_loss(&mut self, moment: &mut Moment<'_>) {
        let side = self.exit_side();
        let Some(stop) = self.stop_loss.as_mut().filter(|stop| stop.status.is_waiting()) else { return };
        if let Some(price) = stop.price(side, moment) {
            self.close_at_stop(&price, moment);
        }
    }
}

impl TargetOrder {
    /// Returns true if the price of the target is reached.
    pub(super) fn is_reached(&self, side: OrderSide, moment: &Moment<'_>) -> bool {
        self.trigger.level(moment.spread).is_some_and(|level| side.is_reached(moment.price, &level))
    }

    /// Returns the price at which a target that is reached fills: a limit order on the exchange at its limit, and one that is placed at
    /// this moment at the market price, if that is better.
    fn fill_price(&self, side: OrderSide, moment: &Moment<'_>) -> Decimal {
        match self.trigger.price.clone().filter(|_| self.is_limit) {
            Some(limit) if self.status == OrderStatus::Placed => limit,
            Some(limit) => side.best(limit, moment.price.clone()),
            None => moment.market_price(side),
        }
    }

    /// Places a limit order that is not reached on the exchange.
    fn wait(&mut self) {
        if self.is_limit {
            self.status = OrderStatus::Placed;
        }
    }
}

impl StopLossOrder {
    /// Returns the price at which the stop loss closes the position now; None if it waits.
    fn price(&mut self, side: OrderSide, moment: &Moment<'_>) -> Option<Decimal> {
        if self.status == OrderStatus::Placed {
            return self.limit.clone().filter(|limit| side.is_reached(moment.price, limit));
        }
        self.follow(side, moment);
        let is_passed = self.trigger.level(moment.spread).is_some_and(|level| side.is_passed(moment.price, &level));
        if !self.is_confirmed(is_passed, moment) {
            return None;
        }
        match &self.limit {
            Some(limit) if !side.is_reached(moment.price, limit) => {
                self.status = OrderStatus::Placed;
                None
            }
            Some(_) => Some(moment.price.clone()),
            None => Some(moment.market_price(side)),
        }
    }

    /// Returns true if the price is beyond the trigger, and has been so for the timeout. A price that recovers ends the timeout, as it
    /// does for deals.
    fn is_confirmed(&mut self, is_passed: bool, moment: &Moment<'_>) -> bool {
        let Some(timeout) = self.timeout.filter(|_| is_passed) else {
            self.due = None;
            return is_passed;
        };
        let Some(due) = self.due else {
            self.due = Some(moment.now.saturating_add(timeout));
            return false;
        };
        let is_due = moment.now >= due;
        if is_due {
            self.due = None;
        }
        is_due
    }

    /// Lets the trigger of a trailing stop loss follow the price: it moves only closer to it.
    fn follow(&mut self, side: OrderSide, moment: &Moment<'_>) {
        let Some(distance) = self.following_distance() else { return };
        let moved = side.worse(moment.price, distance, &moment.market.tick);
        if self.trigger.price.as_ref().is_none_or(|trigger| side.is_reached(&moved, trigger)) {
            self.trigger.price = Some(moved);
        }
    }

    /// Returns the distance at which the trigger follows the price; None if it does not.
    pub(super) fn following_distance(&self) -> Option<&Decimal> {
        self.distance.as_ref().filter(|distance| self.is_trailing && !distance.is_zero())
    }
}

/// Returns true if the price has turned by a distance since an order began to follow it; keeps the best price.
fn has_turned(best: &mut Option<Decimal>, side: OrderSide, percent: &Decimal, moment: &Moment<'_>) -> bool {
    let known = best.take().unwrap_or_else(|| moment.price.clone());
    let known = best.insert(side.best(known, moment.price.clone()));
    side.is_passed(moment.price, &side.worse(known, percent, &moment.market.tick))
}

impl SmartTrade {
    fn close_at_stop(&mut self, price: &Decimal, moment: &mut Moment<'_>) {
        let quantity = self.closable_amount(moment);
        if let Some(stop) = self.stop_loss.as_mut() {
            stop.status = OrderStatus::Finished;
            (stop.total, stop.quantity) = (Some(&quantity * price), Some(quantity.clone()));
        }
        self.close_part(&quantity, price, OrderKind::StopLoss, moment);
        self.finish(SmartTradeStatus::StopLossFinished);
    }
}
