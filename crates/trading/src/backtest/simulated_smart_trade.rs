//! A SmartTrade as a backtest uses it.

use std::sync::Arc;

use super::equity::EquityPoint;
use crate::decimal::Decimal;
use crate::engine::movement::QuietRange;
use crate::engine::smart_trade::{Moment, PositionFigures, QuietPrices, SmartTrade, SmartTradeStatus};
use crate::engine::{Event, EventKind, Fill, Market, Milliseconds, OrderKind, Quote};
use crate::ladder::Direction;

/// The distance of bid and ask from the price: candles have one price.
const NO_SPREAD: Decimal = Decimal::ZERO;

/// A SmartTrade that is tried on candles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedSmartTrade {
    /// The SmartTrade.
    pub trade: SmartTrade,
    /// The code of its pair.
    pub pair: Arc<str>,
    /// The position that it began with; None before the first price, and without one.
    taken_over: Option<Segment>,
    /// The prices between which nothing happens; None before the first price.
    quiet: Option<QuietPrices>,
}

impl SimulatedSmartTrade {
    /// Returns a SmartTrade before its first price.
    pub fn new(trade: SmartTrade, pair: Arc<str>) -> Self {
        Self { trade, pair, taken_over: None, quiet: None }
    }

    /// Lets the price jump, or move from the price before it.
    pub(super) fn set_price(
        &mut self,
        from: Option<&Decimal>,
        quote: &Quote<'_>,
        now: Milliseconds,
        events: &mut Vec<Event>,
    ) {
        let is_first = self.quiet.is_none();
        let mut moment = Moment { market: quote.market, price: quote.price, spread: &NO_SPREAD, now, events };
        if is_first {
            self.begin(&mut moment);
        }
        match from {
            Some(from) => self.trade.move_price(from, &mut moment),
            None => self.trade.visit(&mut moment),
        }
        self.quiet = Some(self.trade.quiet_prices(quote.market, &NO_SPREAD, quote.price));
    }

    /// Goes on with the SmartTrade as the service does: its entry is placed, its new targets become active, what is pending is carried out.
    fn begin(&mut self, moment: &mut Moment<'_>) {
        let takes_over = self.trade.is_held || self.trade.position.entered.amount.is_positive();
        self.trade.start(moment);
        if self.trade.status == SmartTradeStatus::WaitingTargets {
            // The response of an edit has its new targets before they are active.
            self.trade.activate(moment);
        }
        if takes_over {
            // What is pending closes a part of it, so it is noted before.
            let (from, price, position) = (moment.now, moment.price.clone(), self.trade.position.clone());
            let targets = self.trade.targets.iter().filter(|target| target.status.is_filled()).count();
            self.taken_over = Some(Segment { from, price, opening_price: None, position, targets });
        }
        if self.trade.is_pending() {
            self.trade.end_pending(moment);
        }
    }

    /// Returns the time of the next timer.
    pub(super) fn next_timer(&self) -> Option<Milliseconds> {
        self.trade.stop_loss.as_ref().and_then(|stop| stop.due)
    }

    /// Runs the timers that are due.
    pub(super) fn run_timers(&mut self, quote: &Quote<'_>, now: Milliseconds, events: &mut Vec<Event>) {
        self.trade.visit(&mut Moment { market: quote.market, price: quote.price, spread: &NO_SPREAD, now, events });
        self.quiet = Some(self.trade.quiet_prices(quote.market, &NO_SPREAD, quote.price));
    }

    /// Returns the prices between which nothing happens; None if something may happen at every price.
    pub(super) fn quiet_range(&self) -> Option<QuietRange<'_>> {
        let QuietPrices { lower, upper } = self.quiet.as_ref()?;
        Some(QuietRange { lower: lower.as_ref(), upper: upper.as_ref() })
    }

    /// Returns the profit and the capital at a price; the price is None if it is unknown. A simple buy or sell has none.
    pub(super) fn equity(&self, time: Milliseconds, quote: Option<&Quote<'_>>) -> EquityPoint {
        let (realized, unrealized, capital) = (Decimal::ZERO, Decimal::ZERO, Decimal::ZERO);
        let (position, mut point) = (&self.trade.position, EquityPoint { time, realized, unrealized, capital });
        let Some(quote) = quote.filter(|_| !self.trade.is_instant) else { return point };
        if self.trade.status.has_ended() {
            point.realized = position.profit(&quote.market.lot);
        } else {
            point.unrealized = position.profit_at(quote.price, &quote.market.fee);
            point.capital = (&position.entered.total - &position.closed.total).max(Decimal::ZERO);
        }
        point
    }

    /// Returns the capital that it used: the value of the entry after its fee.
    pub(super) fn capital(&self) -> Decimal {
        self.trade.position.entered.total.clone()
    }
}

/// A position between two orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) from: Milliseconds,
    /// The price of the order with which it began.
    pub(super) price: Decimal,
    /// The price of the moment at which it was entered, which is better than that of the order if there is slippage.
    pub(super) opening_price: Option<Decimal>,
    pub(super) position: PositionFigures,
    /// The number of targets that were reached.
    pub(super) targets: usize,
}

impl SimulatedSmartTrade {
    /// Returns the positions that it had, the first one first.
    pub(super) fn segments(&self, events: &[Event], market: &Market) -> Vec<Segment> {
        let mut segments: Vec<_> = self.taken_over.iter().cloned().collect();
        let first = segments.first();
        let new = || PositionFigures::new(self.trade.position.direction);
        let mut position = first.map_or_else(new, |taken_over| taken_over.position.clone());
        let mut targets = first.map_or(0, |taken_over| taken_over.targets);
        let mut opened = None;
        for Event { at, kind } in events {
            let fill = match kind {
                EventKind::OrderFilled(fill) => fill,
                EventKind::DealOpened { price, .. } => {
                    opened = Some(price.clone());
                    continue;
                }
                EventKind::DealClosed { .. } | EventKind::GridMoved(_) | EventKind::BotDisabled(_) => continue,
            };
            self.apply(fill, &mut position, market);
            targets += usize::from(matches!(fill.kind, OrderKind::TakeProfit(_) | OrderKind::Trailing));
            let (price, opening_price, position) = (fill.price.clone(), opened.take(), position.clone());
            segments.push(Segment { from: *at, price, opening_price, position, targets });
        }
        segments
    }

    fn apply(&self, fill: &Fill, position: &mut PositionFigures, market: &Market) {
        if fill.kind.is_entry() {
            position.enter(&fill.quantity, &fill.price, &market.fee, self.trade.is_leveraged);
        } else {
            position.close(&fill.quantity, &fill.price, &market.fee);
        }
    }

    /// Returns the price of the next target after a number of targets were reached.
    pub(super) fn target_after(&self, reached: usize) -> Option<Decimal> {
        let mut prices: Vec<_> = self.trade.targets.iter().filter_map(|target| target.trigger.price.clone()).collect();
        prices.sort_unstable();
        if self.trade.position.direction == Direction::Short {
            prices.reverse();
        }
        prices.into_iter().nth(reached)
    }
}
