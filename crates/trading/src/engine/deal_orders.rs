//! The orders of a deal as the price changes: safety orders, take profits, trailing, and stop losses.

use super::Milliseconds;
use super::deal::Deal;
use super::event::{CloseReason, Event, EventKind, Fill, OrderKind};
use super::market::{Action, Quote, side};
use crate::decimal::Decimal;

impl Deal {
    /// Handles a price; returns the reason if it closes the deal.
    pub fn set_price(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) -> Option<CloseReason> {
        if self.cancels_at.is_some() {
            return Some(CloseReason::Cancelled);
        }
        if self.closes_at.is_some() {
            self.close(CloseReason::ByHand, quote, at, events);
            return Some(CloseReason::ByHand);
        }
        if !self.reacts_to(quote.price) {
            return None;
        }
        let mut step = DealStep { deal: self, quote, at, events };
        step.fill_arriving(Milliseconds::MAX).or_else(|| step.run())
    }

    /// Fills the market orders that are due; returns the reason if that closes the deal.
    pub(super) fn fill_arriving(
        &mut self,
        quote: &Quote<'_>,
        now: Milliseconds,
        events: &mut Vec<Event>,
    ) -> Option<CloseReason> {
        DealStep { deal: self, quote, at: now, events }.fill_arriving(now)
    }

    /// Returns true if the deal is being cancelled or closed by hand: it waits for no price.
    pub fn is_ending(&self) -> bool {
        self.cancels_at.is_some() || self.closes_at.is_some()
    }

    /// Fills the safety orders that a price has reached.
    pub(super) fn fill_safety_orders(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) {
        DealStep { deal: self, quote, at, events }.fill_safety_orders();
    }

    /// Closes the deal at the current price, with a market order.
    pub(super) fn close(&mut self, reason: CloseReason, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) {
        let kind = match reason {
            CloseReason::Cancelled | CloseReason::Failed => return,
            CloseReason::TakeProfit => OrderKind::Trailing,
            CloseReason::StopLoss => OrderKind::StopLoss,
            CloseReason::Timeout => OrderKind::Timeout,
            CloseReason::ByHand => OrderKind::ByHand,
        };
        DealStep { deal: self, quote, at, events }.exit_at_market(kind);
    }

    /// Takes back an order that the exchange refused after all.
    pub fn take_back(&mut self, kind: OrderKind, quantity: &Decimal, volume_after_fee: &Decimal) {
        let (quantities, volumes) = if kind.is_entry() {
            (&mut self.entry.quantity, &mut self.entry.volume)
        } else {
            (&mut self.exited_quantity, &mut self.exited_volume)
        };
        *quantities -= quantity;
        *volumes -= volume_after_fee;
        if matches!(kind, OrderKind::Safety(_)) {
            self.filled_safety_orders = self.filled_safety_orders.saturating_sub(1);
        }
    }

    /// Returns true if a price changes anything.
    fn reacts_to(&self, price: &Decimal) -> bool {
        let direction = self.direction();
        let has_reached =
            |level: &Option<Decimal>| level.as_ref().is_some_and(|level| direction.is_at_least_as_good(level, price));
        let is_better =
            |than: &Option<Decimal>| than.as_ref().is_some_and(|than| direction.is_at_least_as_good(price, than));
        self.has_arriving_orders()
            || has_reached(&self.next_prices.safety_order)
            || has_reached(&self.next_prices.manual_order)
            || has_reached(&self.next_prices.stop_loss)
            || has_reached(&self.next_prices.trailing)
            || is_better(&self.next_prices.target)
            || is_better(&self.trailing_best)
            || self.stops_at.is_some()
            || self.trails_stop_loss() && is_better(&Some(self.stop_loss_base().clone()))
    }

    /// Returns true if the deal has a trailing stop loss.
    pub(super) fn trails_stop_loss(&self) -> bool {
        self.config.stop_loss.as_ref().is_some_and(|stop_loss| stop_loss.is_trailing)
    }

    /// Returns the best price of a trailing stop loss so far.
    pub(super) fn stop_loss_base(&self) -> &Decimal {
        self.stop_loss_best.as_ref().unwrap_or(&self.base_price)
    }
}

/// A deal at a price. After each change of its state, the deal calculates its next prices again.
struct DealStep<'a> {
    deal: &'a mut Deal,
    quote: &'a Quote<'a>,
    at: Milliseconds,
    events: &'a mut Vec<Event>,
}

impl DealStep<'_> {
    fn run(&mut self) -> Option<CloseReason> {
        if let Some(reason) = self.close_trailing() {
            return Some(reason);
        }
        self.fill_entries();
        self.trail_stop_loss();
        self.reset_stop_loss_timer();
        self.take_profit().or_else(|| self.stop_loss())
    }

    /// Returns true if the market has reached a price that is worse for the deal.
    fn is_at_or_past(&self, price: &Decimal) -> bool {
        self.deal.direction().is_at_least_as_good(price, self.quote.price)
    }

    /// Closes the deal if the price fell back by the trailing deviation from its best value. Without a profit, trailing ends instead,
    /// and the deal waits for its target again.
    fn close_trailing(&mut self) -> Option<CloseReason> {
        let trigger = self.deal.next_prices.trailing.clone()?;
        if !self.is_at_or_past(&trigger) {
            self.track_trailing_best();
            return None;
        }
        if !self.deal.profit(self.quote.price, self.quote.market).is_positive() {
            self.deal.trailing_best = None;
            self.deal.update(self.quote.market);
            return None;
        }
        self.exit_at_market(OrderKind::Trailing);
        Some(CloseReason::TakeProfit)
    }

    /// Updates the best price since trailing started.
    fn track_trailing_best(&mut self) {
        let direction = self.deal.direction();
        let best = self.deal.trailing_best.take();
        let best = best.filter(|best| direction.is_at_least_as_good(best, self.quote.price));
        self.deal.trailing_best = Some(best.unwrap_or_else(|| self.quote.price.clone()));
        self.deal.update(self.quote.market);
    }

    /// Fills the orders that enlarge the deal and that the price has reached, the nearest first.
    fn fill_entries(&mut self) {
        while let Some(price) = self.deal.next_prices.manual_order.clone() {
            if !self.is_at_or_past(&price) || self.stops_before(&price) {
                break;
            }
            self.fill_safety_orders_before(Some(&price));
            let number = self.deal.next_manual_order().map(|order| order.number);
            let place = self.deal.manual_orders.iter().position(|order| Some(order.number) == number);
            let Some(place) = place else { break };
            let order = self.deal.manual_orders.remove(place);
            self.fill_manual(order.number, &order.quantity, price);
        }
        self.fill_safety_orders();
    }

    fn fill_manual(&mut self, number: u32, quantity: &Decimal, price: Decimal) {
        self.deal.enter(quantity, &price, self.quote.market);
        self.deal.update(self.quote.market);
        self.emit(OrderKind::Manual(number), Action::Enter, price, quantity.clone());
    }

    /// Fills the market orders that arrive at the exchange until a time. A limit order that is worse than the price rests.
    fn fill_arriving(&mut self, until: Milliseconds) -> Option<CloseReason> {
        if self.deal.next_arrival().is_none_or(|at| at > until) {
            return None;
        }
        let price = self.quote.market_price(self.deal.direction(), Action::Enter);
        let is_due = |at: Option<Milliseconds>| at.is_some_and(|at| at <= until);
        let mut waiting = Vec::new();
        for mut order in std::mem::take(&mut self.deal.manual_orders) {
            let fills = order.limit.as_ref().is_none_or(|limit| self.is_at_or_past(limit));
            match (is_due(order.arrives_at), fills) {
                (true, true) => self.fill_manual(order.number, &order.quantity, price.clone()),
                (true, false) => {
                    order.arrives_at = None;
                    waiting.push(order);
                }
                (false, _) => waiting.push(order),
            }
        }
        self.deal.manual_orders = waiting;
        while let Some(place) = self.deal.hand_closings.iter().position(|closing| is_due(closing.at)) {
            if self.close_target_by_hand(place) {
                return Some(CloseReason::ByHand);
            }
        }
        self.deal.update(self.quote.market);
        None
    }

    /// Closes the part of a target at the market price; returns true if nothing is left of the deal.
    fn close_target_by_hand(&mut self, place: usize) -> bool {
        let Some(target) = self.deal.hand_closings.get(place).map(|closing| closing.target) else { return false };
        let (open, market) = (self.deal.open_quantity(), self.quote.market);
        let quantity = self.deal.quantity_of_target(target, market);
        if let Some(closing) = self.deal.hand_closings.get_mut(place) {
            closing.at = None;
        }
        let is_closed = quantity >= open;
        if quantity.is_positive() {
            let price = self.quote.market_price(self.deal.direction(), Action::Exit);
            self.exit(OrderKind::StepByHand(target + 1), price, quantity);
        }
        is_closed
    }

    /// Fills the safety orders that the price has reached, one by one: each fill places the next order.
    fn fill_safety_orders(&mut self) {
        self.fill_safety_orders_before(None);
    }

    /// Fills those that the price reaches before another price, or all.
    fn fill_safety_orders_before(&mut self, other: Option<&Decimal>) {
        while let Some(price) = self.deal.next_prices.safety_order.clone() {
            let is_later = other.is_some_and(|other| !self.deal.direction().is_at_least_as_good(&price, other));
            if is_later || !self.is_at_or_past(&price) || self.stops_before(&price) {
                return;
            }
            let filled = usize::try_from(self.deal.filled_safety_orders).unwrap_or(usize::MAX);
            let volume = self.deal.config.safety_orders.orders.get(filled).map(|order| &order.volume);
            let lot = Some(&self.quote.market.lot);
            let Some(quantity) = volume.and_then(|volume| volume.quantity(&price, self.quote.balance, lot)) else {
                return;
            };
            self.deal.enter(&quantity, &price, self.quote.market);
            self.deal.filled_safety_orders += 1;
            self.deal.update(self.quote.market);
            self.emit(OrderKind::Safety(self.deal.filled_safety_orders), Action::Enter, price, quantity);
        }
    }

    /// Returns true if the stop loss closes the deal before the price reaches `price`.
    fn stops_before(&self, price: &Decimal) -> bool {
        let has_timeout = self.deal.config.stop_loss.as_ref().is_some_and(|stop_loss| stop_loss.timeout.is_some());
        let stop = self.deal.next_prices.stop_loss.as_ref();
        !has_timeout && stop.is_some_and(|stop| !self.deal.direction().is_at_least_as_good(price, stop))
    }

    fn trail_stop_loss(&mut self) {
        let direction = self.deal.direction();
        if !self.deal.trails_stop_loss() {
            return;
        }
        let best = self.deal.stop_loss_base();
        let best = if direction.is_at_least_as_good(best, self.quote.price) { best } else { self.quote.price };
        self.deal.stop_loss_best = Some(best.clone());
        self.deal.update(self.quote.market);
    }

    fn take_profit(&mut self) -> Option<CloseReason> {
        loop {
            let price = self.deal.next_prices.target.clone()?;
            if !self.deal.direction().is_at_least_as_good(self.quote.price, &price) {
                return None;
            }
            if self.deal.config.trailing.is_some() {
                self.track_trailing_best();
                return None;
            }
            let target = self.deal.next_target()?;
            let open = self.deal.open_quantity();
            let quantity = self.deal.quantity_of_target(target, self.quote.market);
            self.deal.reached_targets = target + 1;
            let kind = OrderKind::TakeProfit(self.deal.reached_targets);
            // The first targets may already close all of the deal.
            if quantity >= open {
                self.exit(kind, price, open);
                return Some(CloseReason::TakeProfit);
            }
            self.deal.update(self.quote.market);
            if quantity.is_positive() {
                self.exit(kind, price, quantity);
            }
        }
    }

    fn is_past_stop_loss(&self) -> bool {
        self.deal.next_prices.stop_loss.as_ref().is_some_and(|stop| self.is_at_or_past(stop))
    }

    /// Resets the timer of a stop loss that the price has left. A target may then move the stop loss past the price, and start the timer
    /// again.
    fn reset_stop_loss_timer(&mut self) {
        if !self.is_past_stop_loss() {
            self.deal.stops_at = None;
        }
    }

    fn stop_loss(&mut self) -> Option<CloseReason> {
        if !self.is_past_stop_loss() {
            return None;
        }
        if let Some(timeout) = self.deal.config.stop_loss.as_ref().and_then(|stop_loss| stop_loss.timeout) {
            self.deal.stops_at.get_or_insert(self.at.saturating_add(timeout));
            return None;
        }
        self.exit_at_market(OrderKind::StopLoss);
        Some(CloseReason::StopLoss)
    }

    fn exit_at_market(&mut self, kind: OrderKind) {
        let price = self.quote.market_price(self.deal.direction(), Action::Exit);
        self.exit(kind, price, self.deal.open_quantity());
    }

    fn exit(&mut self, kind: OrderKind, price: Decimal, quantity: Decimal) {
        self.deal.exit(&quantity, &price, self.quote.market);
        self.emit(kind, Action::Exit, price, quantity);
    }

    fn emit(&mut self, kind: OrderKind, action: Action, price: Decimal, quantity: Decimal) {
        let side = side(self.deal.direction(), action);
        let fill = Fill { deal: Some(self.deal.id), side, kind, price, quantity, profit: None };
        self.events.push(Event { at: self.at, kind: EventKind::OrderFilled(fill) });
    }
}
