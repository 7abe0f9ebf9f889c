//! Parts of the position of a SmartTrade are closed, and it ends.

use super::Moment;
use super::state::{Closing, OrderStatus, SmartTrade, SmartTradeStatus};
use crate::decimal::Decimal;
use crate::engine::event::{OrderKind, SmartTradeOrder};

impl SmartTrade {
    /// Returns the quantity that can be closed: the whole lots of what is open.
    pub(super) fn closable_amount(&self, moment: &Moment<'_>) -> Decimal {
        self.position.open_amount().round_down_to(Some(&moment.market.lot))
    }

    /// Adds a part of the position to what is closed.
    pub(super) fn close_part(&mut self, quantity: &Decimal, price: &Decimal, kind: OrderKind, moment: &mut Moment<'_>) {
        moment.emit(self.exit_side(), kind, price, quantity);
        self.position.close(quantity, price, &moment.market.fee);
    }

    /// Fills a target, by its index. The last one ends the SmartTrade.
    pub(super) fn fill_target(&mut self, number: usize, status: OrderStatus, price: &Decimal, moment: &mut Moment<'_>) {
        // The user may have reduced the position while the target was being closed.
        let open = self.position.open_amount();
        let Some(target) = self.targets.get_mut(number) else { return };
        let quantity = target.quantity.take().unwrap_or_default().min(open);
        (target.status, target.best, target.total) = (status, None, Some(&quantity * price));
        target.quantity = Some(quantity.clone());
        let kind = match status {
            OrderStatus::Closed => OrderKind::StepByHand(number + 1),
            _ if target.trailing.is_some() => OrderKind::Trailing,
            _ => OrderKind::TakeProfit(number + 1),
        };
        self.close_part(&quantity, price, kind, moment);
        let is_last = self.targets.iter().all(|it| !it.status.is_waiting() && it.status != OrderStatus::Closing);
        // Less than a lot may be left.
        if is_last || !self.position.open_amount().is_positive() {
            self.finish(SmartTradeStatus::Finished);
        }
    }

    /// Carries out what is pending.
    pub fn end_pending(&mut self, moment: &mut Moment<'_>) {
        match self.status {
            SmartTradeStatus::Cancelling => self.end_by_cancelling(SmartTradeStatus::Cancelled),
            SmartTradeStatus::Closing => self.close_at_market(moment),
            SmartTradeStatus::Reducing => {
                self.fill_reduction(moment);
                self.close_pending_targets(moment);
            }
            _ if self.entry.status == OrderStatus::Closing => {
                self.fill_entry(&moment.market_price(self.entry_side()), moment);
            }
            _ => self.close_pending_targets(moment),
        }
    }

    fn close_pending_targets(&mut self, moment: &mut Moment<'_>) {
        for number in 0..self.targets.len() {
            if self.targets.get(number).is_some_and(|target| target.status == OrderStatus::Closing) {
                let price = moment.market_price(self.exit_side());
                self.fill_target(number, OrderStatus::Closed, &price, moment);
            }
        }
    }

    /// Closes what is left of the position at the market price.
    fn close_at_market(&mut self, moment: &mut Moment<'_>) {
        let (quantity, price) = (self.closable_amount(moment), moment.market_price(self.exit_side()));
        self.close_part(&quantity, &price, OrderKind::ByHand, moment);
        self.market_close = Some(Closing { is_limit: false, quantity, price, status: OrderStatus::Finished });
        self.finish(SmartTradeStatus::Closed);
    }

    /// Reduces the position: at the limit price, or at the market price. The targets share what is left.
    fn fill_reduction(&mut self, moment: &mut Moment<'_>) {
        let side = self.exit_side();
        let Some(reduction) = self.reductions.last_mut().filter(|it| it.status == OrderStatus::Idle) else { return };
        if !reduction.is_limit {
            reduction.price = moment.market_price(side);
        }
        reduction.status = OrderStatus::Finished;
        let (quantity, price) = (reduction.quantity.clone(), reduction.price.clone());
        let covered = self.covered_part(moment);
        self.close_part(&quantity, &price, OrderKind::SmartTrade(SmartTradeOrder::Reduction), moment);
        self.share_among_targets(&covered, moment);
        self.status = SmartTradeStatus::WaitingTargets;
    }

    /// Ends it because the exchange refused an order. What was bought or sold stays on the account.
    pub fn fail(&mut self) {
        self.end_by_cancelling(SmartTradeStatus::Failed);
        if self.position.entered.amount.is_zero() {
            self.entry.status = OrderStatus::Failed;
        }
    }

    /// Ends it without closing the position: its targets go.
    fn end_by_cancelling(&mut self, status: SmartTradeStatus) {
        self.targets.clear();
        if self.entry.status.is_waiting() || self.entry.status == OrderStatus::Closing {
            self.entry.status = OrderStatus::Cancelled;
        }
        if let Some(stop) = &mut self.stop_loss {
            (stop.status, stop.due) = (OrderStatus::Cancelled, None);
        }
        self.end(status);
    }

    /// Ends it after its position was closed: what still waits is cancelled.
    pub(super) fn finish(&mut self, status: SmartTradeStatus) {
        for target in &mut self.targets {
            if target.status.is_waiting() || matches!(target.status, OrderStatus::Idle | OrderStatus::Closing) {
                (target.status, target.best) = (OrderStatus::Cancelled, None);
            }
        }
        if let Some(stop) = self.stop_loss.as_mut().filter(|stop| stop.status != OrderStatus::Finished) {
            stop.status = OrderStatus::Cancelled;
        }
        self.end(status);
    }

    fn end(&mut self, status: SmartTradeStatus) {
        self.status = status;
        self.entry.best = None;
        for reduction in self.reductions.iter_mut().filter(|reduction| reduction.status == OrderStatus::Idle) {
            reduction.status = OrderStatus::Cancelled;
        }
        if let Some(stop) = &mut self.stop_loss {
            stop.due = None;
        }
    }
}
