//! The entry of a SmartTrade fills, and its targets become active.

use super::Moment;
use super::state::{OrderStatus, SmartTrade, SmartTradeStatus, StopLossOrder, TargetOrder, Totals};
use crate::decimal::Decimal;
use crate::engine::event::{OrderKind, SmartTradeOrder};
use crate::grid::OrderSide;

/// The decimal places of the distance of a trailing stop loss.
const DISTANCE_PLACES: u8 = 8;

impl SmartTrade {
    /// Goes on with a new SmartTrade: its entry is placed, or its targets become active if its position is held already.
    pub fn start(&mut self, moment: &mut Moment<'_>) {
        if self.status != SmartTradeStatus::Created {
            return;
        }
        if self.is_held {
            return self.take_over(moment);
        }
        self.status = SmartTradeStatus::WaitingPosition;
        if self.entry.condition.is_none() {
            self.place_entry(moment);
        }
    }

    /// Takes over a position that is held already.
    fn take_over(&mut self, moment: &Moment<'_>) {
        let price = self.entry.price.get_or_insert_with(|| moment.price.clone()).clone();
        self.entry.status = OrderStatus::Held;
        self.position.entered =
            Totals { amount: self.entry.quantity.clone(), total: (&self.entry.quantity * &price).normalized() };
        self.activate_targets(&price, moment);
        self.status = SmartTradeStatus::WaitingTargets;
    }

    /// Places the entry: a market order fills at once, and a limit order if the price is good enough.
    pub(super) fn place_entry(&mut self, moment: &mut Moment<'_>) {
        let side = self.entry_side();
        let limit = self.entry.price.as_ref().filter(|_| self.entry.is_limit);
        self.entry.best = None;
        match limit {
            Some(limit) if !side.is_reached(moment.price, limit) => self.entry.status = OrderStatus::Placed,
            Some(_) => self.fill_entry(&moment.price.clone(), moment),
            None => self.fill_entry(&moment.market_price(side), moment),
        }
    }

    /// Places the limit order of an entry again, as an edit does: it fills at the market price if that is good enough now.
    pub fn place_entry_again(&mut self, moment: &mut Moment<'_>) {
        if self.status == SmartTradeStatus::WaitingPosition && self.entry.status == OrderStatus::Placed {
            self.place_entry(moment);
        }
    }

    /// Fills the entry: the targets become active, or a simple buy or sell ends.
    pub(super) fn fill_entry(&mut self, price: &Decimal, moment: &mut Moment<'_>) {
        let quantity = self.entry.quantity.clone();
        moment.open();
        moment.emit(self.entry_side(), OrderKind::SmartTrade(SmartTradeOrder::Entry), price, &quantity);
        self.entry.best = None;
        self.enter(&quantity, price, price.clone(), moment);
        self.entry.status = OrderStatus::Finished;
        if self.is_instant {
            return self.finish(SmartTradeStatus::Finished);
        }
        self.activate(moment);
        self.status = SmartTradeStatus::WaitingTargets;
    }

    /// Adds to a filled entry at the market price. The targets share the new quantity.
    pub fn add_funds(&mut self, quantity: &Decimal, moment: &mut Moment<'_>) {
        let price = moment.market_price(self.entry_side());
        let paid = self.average_without_fee.as_ref().or(self.entry.price.as_ref()).cloned().unwrap_or_default();
        let held = self.wanted_amount(&paid);
        let value = paid * &held + quantity * &price;
        let without_fee = value.div_round_down(&(held + quantity), Some(&moment.market.tick)).unwrap_or_default();
        let covered = self.covered_part(moment);
        moment.emit(self.entry_side(), OrderKind::SmartTrade(SmartTradeOrder::Addition), &price, quantity);
        self.enter(quantity, &price, without_fee, moment);
        self.price_targets(moment, OrderStatus::is_waiting);
        self.share_among_targets(&covered, moment);
    }

    /// Returns the quantity that was entered before the fee, at an average price. Only the fee of a purchase on a spot account is
    /// taken from the quantity.
    fn wanted_amount(&self, paid: &Decimal) -> Decimal {
        let Totals { amount, total } = &self.position.entered;
        let takes_fee = self.entry_side() == OrderSide::Buy && !self.is_leveraged;
        total.checked_div(paid).filter(|_| takes_fee).unwrap_or_else(|| amount.clone())
    }

    /// Enlarges an entry that is not filled; its price stays.
    pub fn enlarge_entry(&mut self, quantity: &Decimal) {
        self.entry.quantity += quantity;
    }

    fn enter(&mut self, quantity: &Decimal, price: &Decimal, average_without_fee: Decimal, moment: &Moment<'_>) {
        let Moment { market, .. } = moment;
        self.position.enter(quantity, price, &market.fee, self.is_leveraged);
        let Totals { amount, total } = &self.position.entered;
        let average = total.div_round_down(amount, Some(&market.tick)).unwrap_or_default();
        self.entry.quantity.clone_from(amount);
        self.entry.price = Some(average.clone());
        (self.average, self.average_without_fee) = (Some(average), Some(average_without_fee));
    }

    /// Activates the idle targets of a filled entry, such as those of an edit.
    pub fn activate(&mut self, moment: &Moment<'_>) {
        if let Some(price) = self.reference_price().cloned() {
            self.activate_targets(&price, moment);
        }
    }

    /// Activates the idle targets of a filled entry: prices in percent become prices, and each target gets its quantity.
    fn activate_targets(&mut self, average: &Decimal, moment: &Moment<'_>) {
        self.price_targets(moment, |status| status == OrderStatus::Idle);
        let side = self.exit_side();
        let idle = self.targets.iter_mut().filter(|target| target.status == OrderStatus::Idle);
        let mut shares = Decimal::ZERO;
        for target in idle {
            shares += &target.share;
            // One that is reached already never waits on the exchange: it fills at the market price.
            let is_placed = target.is_limit && target.trailing.is_none() && !target.is_reached(side, moment);
            target.status = if is_placed { OrderStatus::Placed } else { OrderStatus::ToProcess };
        }
        if shares.is_positive() {
            let whole = Decimal::HUNDRED.max(shares.clone());
            self.share_among_targets(&CoveredPart { part: shares, whole }, moment);
        }
        let at = self.price_at_distance(&moment.market.tick);
        if let Some(stop) = self.stop_loss.as_mut().filter(|stop| stop.status == OrderStatus::Idle) {
            stop.activate(average, at);
        }
    }

    /// Returns a function that returns the price at a distance in percent from the average that is not rounded.
    fn price_at_distance(&self, tick: &Decimal) -> impl Fn(&Decimal) -> Decimal + use<> {
        let (direction, tick) = (self.position.direction, tick.clone());
        let Totals { amount, total } = self.position.entered.clone();
        let average = self.reference_price().cloned().unwrap_or_default();
        move |percent| {
            let exact = direction.better(&total, percent).div_round_down(&amount, Some(&tick));
            exact.unwrap_or_else(|| direction.better(&average, percent).round_down_to(Some(&tick)))
        }
    }

    /// Gives the targets with statuses the prices at their distances from the entry.
    fn price_targets(&mut self, moment: &Moment<'_>, has_status: impl Fn(OrderStatus) -> bool) {
        let at = self.price_at_distance(&moment.market.tick);
        for target in self.targets.iter_mut().filter(|target| has_status(target.status)) {
            if let Some(percent) = &target.percent {
                target.trigger.price = Some(at(percent));
            }
        }
    }

    /// Returns the quantity for the targets that wait: what is open, without the targets that are being closed.
    fn quantity_to_share(&self) -> Decimal {
        let closing = self.quantity_of_targets(|status| status == OrderStatus::Closing);
        (self.position.open_amount() - closing).max(Decimal::ZERO)
    }

    /// Returns the part of the quantity that the targets cover. A target that was cancelled leaves its part open.
    pub(super) fn covered_part(&self, moment: &Moment<'_>) -> CoveredPart {
        let whole = self.quantity_to_share().round_down_to(Some(&moment.market.lot));
        CoveredPart { part: self.quantity_of_targets(OrderStatus::is_waiting).min(whole.clone()), whole }
    }

    /// Shares a part of the quantity among the targets that wait, by their shares. If they cover all of it, what is left of the whole
    /// lots goes to the first one.
    pub(super) fn share_among_targets(&mut self, covered: &CoveredPart, moment: &Moment<'_>) {
        let (open, lot) = (self.quantity_to_share(), Some(&moment.market.lot));
        let CoveredPart { part, whole } = covered;
        let mut rest = open.round_down_to(lot);
        let mut waiting: Vec<_> = self.targets.iter_mut().filter(|target| target.status.is_waiting()).collect();
        let shares: Decimal = waiting.iter().map(|target| &target.share).sum();
        for target in &mut waiting {
            let quantity = (&open * &target.share * part).div_round_down(&(&shares * whole), lot).unwrap_or_default();
            rest -= &quantity;
            target.quantity = Some(quantity);
        }
        if let Some(quantity) =
            waiting.first_mut().and_then(|target| target.quantity.as_mut()).filter(|_| part == whole)
        {
            *quantity += rest;
        }
        waiting.into_iter().for_each(TargetOrder::update_total);
    }
}

/// The part of a whole that targets cover.
pub(super) struct CoveredPart {
    part: Decimal,
    whole: Decimal,
}

impl TargetOrder {
    fn update_total(&mut self) {
        let price = self.trigger.price.clone().unwrap_or_default();
        self.total = self.quantity.as_ref().map(|quantity| quantity * price);
    }
}

impl StopLossOrder {
    fn activate(&mut self, average: &Decimal, at: impl Fn(&Decimal) -> Decimal) {
        self.status = OrderStatus::ToProcess;
        if let Some(percent) = self.percent.take().filter(|percent| !percent.is_zero()) {
            self.trigger.price = Some(at(&-percent.abs()));
        }
        if self.is_trailing && self.distance.is_none() {
            self.distance = self.trigger.price.as_ref().and_then(|trigger| distance(average, trigger));
        }
    }
}

/// Returns the distance of a trigger from the entry in percent.
fn distance(average: &Decimal, trigger: &Decimal) -> Option<Decimal> {
    let distance = (average - trigger).abs() * Decimal::HUNDRED;
    distance.div_round_down(average, Some(&Decimal::new(1, DISTANCE_PLACES)))
}
