//! The range of a grid that follows the price: it trails, or it grows.
//!
//! If the price leaves the range, a line joins one step beyond the end, rounded to the tick towards the grid. If the range trails, the
//! line at the other end leaves. All other lines keep their numbers and prices.
//!
//! The line at the end that the price left stays empty, and the new line gets an order. If that order closes a step, a market order
//! opens the step first: a long grid buys at once what the new line sells. In the same way, a market order closes the step of a line
//! that leaves: a long grid sells what the line was to sell. A price that jumped beyond the new line takes its place as well: the line
//! is the empty one then.

use std::sync::Arc;

use super::Milliseconds;
use super::event::{Event, EventKind, Fill, GridMove, GridMoveKind, OrderKind};
use super::grid_bot::SimulatedGridBot;
use super::grid_config::{GridEnd, GridMode, RangeEnd};
use super::market::{Action, Quote};
use crate::decimal::Decimal;
use crate::grid::OrderSide;
use crate::ladder::Direction;
use crate::next_line::GridBounds;

impl SimulatedGridBot {
    /// Lets the range follow a price outside of it.
    pub(super) fn follow(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) {
        for end in [RangeEnd::Upper, RangeEnd::Lower] {
            while self.followed_end(end).is_some_and(|line| is_left(end, line, quote.price))
                && self.extend(end, quote, at, events)
            {}
        }
    }

    /// Returns the line at an end of the range, if the range follows a price that leaves it there.
    pub(super) fn followed_end(&self, end: RangeEnd) -> Option<&Decimal> {
        let (settings, last, max) = match end {
            RangeEnd::Lower => (&self.config.below, 0, self.config.max_active_buys),
            RangeEnd::Upper => (&self.config.above, self.last_level(), self.config.max_active_sells),
        };
        if self.empty_level != last || !self.is_enabled || max == Some(0) || self.ended == Some(end) {
            return None;
        }
        let line = self.config.levels.get(last)?;
        let grows = settings.expands_to.as_ref().is_some_and(|stop| !is_left(end, stop, line));
        (settings.trails || grows).then_some(line)
    }

    fn last_level(&self) -> usize {
        self.quantities.len().saturating_sub(1)
    }

    /// Adds a line at an end. Returns false if there is none to add.
    fn extend(&mut self, end: RangeEnd, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) -> bool {
        let Some((price, grows)) = self.next_line(end, &quote.market.tick) else {
            self.ended = Some(end);
            return false;
        };
        self.ended = None;
        let removed = if grows { None } else { self.remove_line(end.opposite(), quote, at, events) };
        let added = self.add_line(end, &price, quote, at, events);
        let kind = match (end, grows) {
            (RangeEnd::Upper, false) => GridMoveKind::TrailingUp,
            (RangeEnd::Lower, false) => GridMoveKind::TrailingDown,
            (RangeEnd::Upper, true) => GridMoveKind::ExpansionUp,
            (RangeEnd::Lower, true) => GridMoveKind::ExpansionDown,
        };
        events.push(Event { at, kind: EventKind::GridMoved(GridMove { kind, added, price, removed }) });
        true
    }

    /// Returns the price of the line that joins at an end, and whether the grid grows by it.
    fn next_line(&self, end: RangeEnd, tick: &Decimal) -> Option<(Decimal, bool)> {
        let config = &*self.config;
        let bounds = GridBounds {
            lower: &config.lower_price,
            upper: &config.upper_price,
            gaps: u32::try_from(self.last_level()).ok()?,
            spacing: config.spacing,
        };
        let (GridEnd { trails, expands_to }, price) = match end {
            RangeEnd::Upper => (&config.above, bounds.above(config.levels.last()?, tick)?),
            RangeEnd::Lower => (&config.below, bounds.below(config.levels.first()?, tick)?),
        };
        let grows = expands_to.as_ref().is_some_and(|stop| !is_left(end, stop, &price));
        (grows || *trails).then_some((price, grows))
    }

    /// Removes the line at an end. A market order closes the step that its order was to close.
    fn remove_line(
        &mut self,
        end: RangeEnd,
        quote: &Quote<'_>,
        at: Milliseconds,
        events: &mut Vec<Event>,
    ) -> Option<usize> {
        let level = if end == RangeEnd::Lower { 0 } else { self.last_level() };
        let price = market_price(end.side(), quote, Action::Exit);
        if let Some(step_profit) = self.step_profit_at(end.side(), level, &price)
            && let Some(quantity) = self.quantities.get(level).filter(|quantity| quantity.is_positive()).cloned()
        {
            self.balance(end.side(), price, quantity, Some(step_profit), quote, at, events);
        }
        let number = (level < self.lines.len()).then(|| Arc::make_mut(&mut self.lines).remove(level))?;
        let config = Arc::make_mut(&mut self.config);
        config.levels.remove(level);
        Arc::make_mut(&mut self.quantities).remove(level);
        self.bought_below.remove(level);
        if end == RangeEnd::Lower {
            self.neutral_level = self.neutral_level.saturating_sub(1);
            config.lower_price = config.levels.first().cloned().unwrap_or_default();
        } else {
            self.neutral_level = self.neutral_level.min(self.quantities.len().saturating_sub(1));
            config.upper_price = config.levels.last().cloned().unwrap_or_default();
        }
        Some(number)
    }

    /// Adds a line at an end, which may be where the price is. Returns its number.
    fn add_line(
        &mut self,
        end: RangeEnd,
        price: &Decimal,
        quote: &Quote<'_>,
        at: Milliseconds,
        events: &mut Vec<Event>,
    ) -> usize {
        let quantity = self.config.order_size.quantity(price, Some(&quote.market.lot));
        let number = self.next_line;
        self.next_line = self.next_line.saturating_add(1);
        let config = Arc::make_mut(&mut self.config);
        let (level, before) = match end {
            RangeEnd::Lower => {
                config.lower_price = price.clone();
                (0, 1)
            }
            RangeEnd::Upper => {
                config.upper_price = price.clone();
                (config.levels.len(), config.levels.len().saturating_sub(1))
            }
        };
        config.levels.insert(level, price.clone());
        Arc::make_mut(&mut self.quantities).insert(level, quantity.clone());
        Arc::make_mut(&mut self.lines).insert(level, number);
        self.bought_below.insert(level, false);
        self.neutral_level = match self.config.mode {
            GridMode::Long => self.last_level(),
            GridMode::Short => 0,
            GridMode::Reversal if end == RangeEnd::Lower => self.neutral_level.saturating_add(1),
            GridMode::Reversal => self.neutral_level,
        };
        let is_reached = !is_left(end, quote.price, price);
        self.empty_level = if is_reached { level } else { before };
        let closes = self.step_profit(end.side(), level).is_some();
        // A line that closes a step needs what it trades. A line that opens one has done so if the price is there already.
        let side = if closes { end.side().opposite() } else { end.side() };
        if closes != is_reached && quantity.is_positive() {
            let price = market_price(side, quote, Action::Enter);
            self.balance(side, price, quantity, None, quote, at, events);
        }
        number
    }

    /// Trades a market order of the range, which closes a step with this profit, and adds it to the totals and the events.
    #[expect(clippy::too_many_arguments, reason = "an order has as many figures")]
    fn balance(
        &mut self,
        side: OrderSide,
        price: Decimal,
        quantity: Decimal,
        step_profit: Option<Decimal>,
        quote: &Quote<'_>,
        at: Milliseconds,
        events: &mut Vec<Event>,
    ) {
        let profit = self.trade_position(side, &quantity, &price, step_profit);
        let fill = Fill { deal: None, side, kind: OrderKind::Balancing, price, quantity, profit };
        self.fill(fill, quote.market, at, events);
    }
}

/// Returns true if a price is beyond a line at an end.
fn is_left(end: RangeEnd, line: &Decimal, price: &Decimal) -> bool {
    match end {
        RangeEnd::Lower => price < line,
        RangeEnd::Upper => price > line,
    }
}

/// Returns the price at which a market order of a side fills.
fn market_price(side: OrderSide, quote: &Quote<'_>, action: Action) -> Decimal {
    let direction = match (side, action) {
        (OrderSide::Buy, Action::Enter) | (OrderSide::Sell, Action::Exit) => Direction::Long,
        (OrderSide::Sell, Action::Enter) | (OrderSide::Buy, Action::Exit) => Direction::Short,
    };
    quote.market_price(direction, action)
}
