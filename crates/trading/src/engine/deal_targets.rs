//! The targets of a deal that are still to be reached, their quantities, and the orders placed by hand that come next.

use super::Milliseconds;
use super::deal::Deal;
use super::hand_orders::ManualOrder;
use super::market::Market;
use crate::decimal::Decimal;

impl Deal {
    /// Returns the index of the target that is reached next; None if each was reached, or is closed by hand.
    pub fn next_target(&self) -> Option<usize> {
        (self.reached_targets..self.config.targets.len()).find(|index| self.waits_for_target(*index))
    }

    /// Returns true if a target was not reached, and is not closed by hand either: its order stands.
    pub fn waits_for_target(&self, index: usize) -> bool {
        index >= self.reached_targets && !self.hand_closings.iter().any(|closing| closing.target == index)
    }

    /// Returns the share of the deal that a target closes, in percent.
    fn share_of_target(&self, index: usize) -> Decimal {
        let closed =
            |index: usize| self.config.targets.get(index).map_or(Decimal::ZERO, |target| target.closed.clone());
        closed(index) - index.checked_sub(1).map_or(Decimal::ZERO, closed)
    }

    /// Returns true if the part of a target is still to be closed.
    fn is_target_open(&self, index: usize) -> bool {
        let by_hand = self.hand_closings.iter().find(|closing| closing.target == index);
        by_hand.map_or(index >= self.reached_targets, |closing| !closing.is_done())
    }

    /// Returns the quantity of a target's order: its share of the deal, rounded down to the lot, and for the last one that is open the
    /// rest.
    pub fn quantity_of_target(&self, index: usize, market: &Market) -> Decimal {
        let share = |index: usize| {
            (&self.entry.quantity * self.share_of_target(index)).hundredth().round_down_to(Some(&market.lot))
        };
        if !self.is_target_open(index) {
            return share(index);
        }
        let is_last = (index + 1..self.config.targets.len()).all(|later| !self.is_target_open(later));
        if !is_last {
            return share(index).min(self.open_quantity());
        }
        let others = (0..index).filter(|other| self.is_target_open(*other));
        others.fold(self.open_quantity(), |rest, other| &rest - share(other).min(rest.clone()))
    }

    /// Returns the limit order placed by hand whose price is reached first.
    pub(super) fn next_manual_order(&self) -> Option<&ManualOrder> {
        let direction = self.direction();
        let resting = self.manual_orders.iter().filter(|order| order.arrives_at.is_none() && order.limit.is_some());
        resting.reduce(|first, order| match (&first.limit, &order.limit) {
            (Some(price), Some(other)) if !direction.is_at_least_as_good(price, other) => order,
            _ => first,
        })
    }

    /// Returns true if something fills at the next price, whatever it is.
    pub(super) fn has_arriving_orders(&self) -> bool {
        self.next_arrival().is_some()
    }

    /// Returns the time when the next market order fills.
    pub(super) fn next_arrival(&self) -> Option<Milliseconds> {
        if self.is_ending() {
            return None;
        }
        let orders = self.manual_orders.iter().filter_map(|order| order.arrives_at);
        orders.chain(self.hand_closings.iter().filter_map(|closing| closing.at)).min()
    }
}
