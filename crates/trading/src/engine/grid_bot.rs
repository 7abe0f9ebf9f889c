//! A grid bot: it buys at one level and sells one level higher.
//!
//! One level has no order: at the start, the one nearest to the price. The levels above it have sell orders, those below it buy
//! orders. When the price reaches an order, it fills at its level, which becomes the empty level. The level that was empty gets an
//! order on the opposite side: a quantity bought at one level is sold one level higher.
//!
//! The orders are the same in all directions. What differs is the position at the start, and which orders close a step of the grid
//! and take its profit: sell orders below the neutral level, and buy orders above it. The neutral level of a long grid is its
//! highest level, that of a short one its lowest level, and that of a reversal grid the level that was empty at the start.

use std::cmp::Ordering;
use std::sync::Arc;

use super::Milliseconds;
use super::event::{DisableReason, Event, EventKind, Fill, OrderKind};
use super::grid_config::{GridBotConfig, GridInvestment, GridMode, GridStop, StopAction};
use super::market::{Action, Market, Quote};
use super::movement::{PriceMove, QuietRange};
use crate::decimal::Decimal;
use crate::grid::OrderSide;
use crate::ladder::Direction;

/// A grid bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridBot {
    /// The settings.
    pub config: Arc<GridBotConfig>,
    /// The quantity of the order at each level, in the base currency. An order of 0 can't be placed.
    pub quantities: Arc<[Decimal]>,
    /// True if it trades.
    pub is_enabled: bool,
    /// The index of the level without an order.
    pub empty_level: usize,
    /// The price at which it started.
    pub start_price: Decimal,
    /// The position: the quantity that it holds or owes.
    pub position: GridPosition,
    /// The totals of its orders.
    pub totals: GridTotals,
    /// The index of the level below which sell orders close a step, and above which buy orders do.
    neutral_level: usize,
}

/// The position of a grid bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridPosition {
    /// The quantity that the bot holds; below 0 if it owes it.
    pub quantity: Decimal,
    /// The value of the quantity at which the unrealized profit is 0, in the quote currency.
    pub cost: Decimal,
}

impl GridPosition {
    /// Returns the unrealized profit: the additional profit, before its fee, if the position was closed at a price.
    pub fn unrealized(&self, price: &Decimal) -> Decimal {
        &self.quantity * price - &self.cost
    }

    fn trade(&mut self, side: OrderSide, quantity: &Decimal, price: &Decimal) {
        match side {
            OrderSide::Buy => {
                self.quantity += quantity;
                self.cost += quantity * price;
            }
            OrderSide::Sell => {
                self.quantity -= quantity;
                self.cost -= &(quantity * price);
            }
        }
    }
}

/// The totals of the orders of a grid bot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GridTotals {
    /// The volume of its buy orders, in the quote currency.
    pub bought_volume: Decimal,
    /// The volume of its sell orders, in the quote currency.
    pub sold_volume: Decimal,
    /// The profit of its grid steps after fees, in the quote currency.
    pub profit: Decimal,
    /// The number of filled orders that closed a step.
    pub profits_count: u64,
    /// The fees that it paid, in the quote currency.
    pub fees: Decimal,
}

impl GridBot {
    /// Returns an enabled bot that starts at a price: the level nearest to it has no order. Returns None without levels.
    pub fn start(config: GridBotConfig, start_price: Decimal, lot: &Decimal) -> Option<Self> {
        let empty_level = nearest_level(&config.levels, &start_price)?;
        let quantity = |level: &Decimal| config.order_size.quantity(level, Some(lot));
        let quantities: Arc<[Decimal]> = config.levels.iter().map(quantity).collect();
        let neutral_level = match config.mode {
            GridMode::Long => quantities.len().saturating_sub(1),
            GridMode::Short => 0,
            GridMode::Reversal => empty_level,
        };
        let mut position = GridPosition::default();
        for (level, quantity) in quantities.iter().enumerate() {
            match config.mode {
                GridMode::Long if level > empty_level => position.trade(OrderSide::Buy, quantity, &start_price),
                GridMode::Short if level < empty_level => position.trade(OrderSide::Sell, quantity, &start_price),
                _ => {}
            }
        }
        let totals = GridTotals::default();
        let config = Arc::new(config);
        Some(Self { config, quantities, is_enabled: true, empty_level, start_price, position, totals, neutral_level })
    }

    /// Returns the bot with another empty level, and the position that a straight move of the price there leaves. Its totals stay.
    #[must_use]
    pub fn at_level(mut self, empty_level: usize) -> Self {
        while let Some(order) = self.next_order(OrderSide::Sell).filter(|order| order.level <= empty_level) {
            self.trade(&order);
        }
        while let Some(order) = self.next_order(OrderSide::Buy).filter(|order| order.level >= empty_level) {
            self.trade(&order);
        }
        Self { empty_level, ..self }
    }

    /// Handles a price that the pair jumped to: fills the orders that it reaches, and triggers stop losses.
    pub fn set_price(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) {
        if !self.is_enabled {
            return;
        }
        // A price reaches the orders of one side only. If two levels have the same price, trying both sides would never end.
        if self.sell(quote, at, events) {
            while self.sell(quote, at, events) {}
        } else {
            while self.buy(quote, at, events) {}
        }
        self.stop(quote, at, events);
    }

    /// Handles a move of the price, at every price on the way at which something happens.
    ///
    /// `quote` is the quote at the end of the move.
    pub fn move_price(&mut self, from: &Decimal, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) {
        let mut from = from.clone();
        loop {
            let price_move = PriceMove { from: &from, to: quote.price, market: quote.market };
            let Some(price) = self.next_event_price(&price_move).filter(|price| price != quote.price) else {
                return self.set_price(quote, at, events);
            };
            self.set_price(&Quote { price: &price, ..*quote }, at, events);
            from = price;
        }
    }

    /// Returns the first price of a move at which something happens.
    pub fn next_event_price(&self, price_move: &PriceMove<'_>) -> Option<Decimal> {
        if !self.is_enabled {
            return None;
        }
        if price_move.is_up() {
            let stop = self.config.upper_stop.as_ref();
            let outside = stop.map(|stop| first_above(stop, &self.config.upper_price, price_move.market));
            let exit = outside.and_then(|outside| price_move.trigger_fill_price(&outside));
            price_move.first(price_move.limit_fill_price(self.next_sell()).into_iter().chain(exit))
        } else {
            let stop = self.config.lower_stop.as_ref();
            let outside = stop.map(|stop| first_below(stop, &self.config.lower_price, price_move.market));
            let exit = outside.and_then(|outside| price_move.trigger_fill_price(&outside));
            price_move.first(price_move.limit_fill_price(self.next_buy()).into_iter().chain(exit))
        }
    }

    /// Returns the prices between which nothing happens.
    pub fn quiet_range(&self) -> QuietRange<'_> {
        let mut range = QuietRange::default();
        if self.is_enabled {
            range.raise(self.next_buy());
            range.reduce(self.next_sell());
            let GridBotConfig { lower_stop, upper_stop, lower_price, upper_price, .. } = &*self.config;
            range.raise(lower_stop.as_ref().map(|stop| stop.price.as_ref().unwrap_or(lower_price)));
            range.reduce(upper_stop.as_ref().map(|stop| stop.price.as_ref().unwrap_or(upper_price)));
        }
        range
    }

    /// Returns the price of the lowest sell order.
    fn next_sell(&self) -> Option<&Decimal> {
        self.config.levels.get(self.next_level(OrderSide::Sell)?).filter(|_| self.config.max_active_sells != Some(0))
    }

    /// Returns the price of the highest buy order.
    fn next_buy(&self) -> Option<&Decimal> {
        self.config.levels.get(self.next_level(OrderSide::Buy)?).filter(|_| self.config.max_active_buys != Some(0))
    }

    /// Returns the level nearest to the empty one that has an order of a side. Levels whose quantity is 0 have none.
    fn next_level(&self, side: OrderSide) -> Option<usize> {
        let has_order = |level: &usize| self.quantities.get(*level).is_some_and(Decimal::is_positive);
        match side {
            OrderSide::Sell => (self.empty_level.saturating_add(1)..self.quantities.len()).find(has_order),
            OrderSide::Buy => (0..self.empty_level).rfind(has_order),
        }
    }

    /// Returns the order of a side that fills next.
    fn next_order(&self, side: OrderSide) -> Option<GridOrder> {
        let level = self.next_level(side)?;
        let price = self.config.levels.get(level)?.clone();
        let quantity = self.quantities.get(level)?.clone();
        Some(GridOrder { level, side, price, quantity })
    }

    /// Returns the side of a level's order; None for the empty level.
    pub fn side(&self, level: usize) -> Option<OrderSide> {
        match level.cmp(&self.empty_level) {
            Ordering::Less => Some(OrderSide::Buy),
            Ordering::Equal => None,
            Ordering::Greater => Some(OrderSide::Sell),
        }
    }

    /// Returns true if the order of a level is on the exchange. If the number of active orders is limited, those nearest to the
    /// price are.
    pub fn is_placed(&self, level: usize) -> bool {
        let max = match self.side(level) {
            None => return false,
            Some(OrderSide::Buy) => self.config.max_active_buys,
            Some(OrderSide::Sell) => self.config.max_active_sells,
        };
        let has_order = self.quantities.get(level).is_some_and(Decimal::is_positive);
        self.is_enabled && has_order && max.is_none_or(|max| self.orders_before(level) < max)
    }

    /// Counts the orders between a level and the empty one.
    fn orders_before(&self, level: usize) -> usize {
        let between = (level.min(self.empty_level).saturating_add(1))..level.max(self.empty_level);
        self.quantities.get(between).unwrap_or_default().iter().filter(|quantity| quantity.is_positive()).count()
    }

    /// Fills the lowest sell order if the price has reached it.
    fn sell(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) -> bool {
        self.next_sell().is_some_and(|price| quote.price >= price) && self.fill_next(OrderSide::Sell, quote, at, events)
    }

    /// Fills the highest buy order if the price has reached it.
    fn buy(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) -> bool {
        self.next_buy().is_some_and(|price| quote.price <= price) && self.fill_next(OrderSide::Buy, quote, at, events)
    }

    fn fill_next(&mut self, side: OrderSide, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) -> bool {
        let Some(order) = self.next_order(side) else {
            return false;
        };
        if let Some(profit) = self.trade(&order) {
            self.totals.profit += profit;
            self.totals.profits_count = self.totals.profits_count.saturating_add(1);
        }
        let GridOrder { level, side, price, quantity } = order;
        let kind = OrderKind::GridLevel(level);
        self.fill(Fill { deal: None, side, kind, price, quantity }, quote.market, at, events);
        true
    }

    /// Returns the profit, before fees, that an order at a level makes when it is filled; None if it closes no step.
    ///
    /// The profit is that of the quantity with which the step was opened, one level lower in a long position and one level higher
    /// in a short one. The difference between the two quantities stays in the position.
    pub fn step_profit(&self, side: OrderSide, level: usize) -> Option<Decimal> {
        let (opening_level, closes) = match side {
            OrderSide::Sell => (level.checked_sub(1)?, level <= self.neutral_level),
            OrderSide::Buy => (level.checked_add(1)?, level >= self.neutral_level),
        };
        let opened = self.config.levels.get(opening_level).zip(self.quantities.get(opening_level)).filter(|_| closes);
        let (opened_price, quantity) = opened?;
        Some((self.config.levels.get(level)? - opened_price).abs() * quantity)
    }

    /// Moves the empty level to that of an order, and trades its quantity. Returns the profit of the step if the order closes one.
    fn trade(&mut self, order: &GridOrder) -> Option<Decimal> {
        self.empty_level = order.level;
        self.position.trade(order.side, &order.quantity, &order.price);
        let profit = self.step_profit(order.side, order.level)?;
        self.position.cost += &profit;
        Some(profit)
    }

    /// Adds a filled order to the totals, and charges its fee.
    fn fill(&mut self, fill: Fill, market: &Market, at: Milliseconds, events: &mut Vec<Event>) {
        let volume = &fill.price * &fill.quantity;
        let fee = &volume * &market.fee;
        self.totals.profit -= &fee;
        self.totals.fees += fee;
        match fill.side {
            OrderSide::Buy => self.totals.bought_volume += volume,
            OrderSide::Sell => self.totals.sold_volume += volume,
        }
        events.push(Event { at, kind: EventKind::OrderFilled(fill) });
    }

    /// Disables the bot if the price has reached a stop loss. A stop loss without a price triggers outside the grid.
    fn stop(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) {
        let price = quote.price;
        let GridBotConfig { lower_stop, upper_stop, lower_price, upper_price, .. } = &*self.config;
        let below = lower_stop
            .as_ref()
            .filter(|stop| stop.price.as_ref().map_or_else(|| price < lower_price, |limit| price <= limit));
        let above = upper_stop
            .as_ref()
            .filter(|stop| stop.price.as_ref().map_or_else(|| price > upper_price, |limit| price >= limit));
        let Some(action) = below.or(above).map(|stop| stop.action) else {
            return;
        };
        if action == StopAction::Close {
            self.close_position(quote, at, events);
        }
        self.is_enabled = false;
        events.push(Event { at, kind: EventKind::BotDisabled(DisableReason::StopLoss) });
    }

    /// Closes the position with a market order, which realizes the unrealized profit.
    fn close_position(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) {
        let position = std::mem::take(&mut self.position);
        let (direction, side) = match position.quantity.sign() {
            Ordering::Less => (Direction::Short, OrderSide::Buy),
            Ordering::Equal | Ordering::Greater => (Direction::Long, OrderSide::Sell),
        };
        let price = quote.market_price(direction, Action::Exit);
        self.totals.profit += position.unrealized(&price);
        let quantity = position.quantity.abs();
        if quantity.is_positive() {
            let fill = Fill { deal: None, side, kind: OrderKind::StopLoss, price, quantity };
            self.fill(fill, quote.market, at, events);
        }
    }

    /// Returns the base currency for the sell orders of a long grid, without rounding to lots; 0 for grids that trade futures.
    pub fn exact_base_investment(&self) -> Decimal {
        if self.config.mode != GridMode::Long {
            return Decimal::ZERO;
        }
        let sells = self.orders().filter(|(side, _, quantity)| *side == OrderSide::Sell && quantity.is_positive());
        sells
            .map(|(_, price, _)| self.config.order_size.quantity(price, None))
            .fold(Decimal::ZERO, |sum, next| sum + next)
    }

    /// Returns the funds that the orders need at a price, with the position of a start at it.
    pub fn investment(&self, price: &Decimal) -> GridInvestment {
        GridInvestment::new(self.config.mode, &self.config.order_size, price, self.orders())
    }

    /// Returns the side, the price and the quantity of the order at each level that has one.
    fn orders(&self) -> impl Iterator<Item = (OrderSide, &Decimal, &Decimal)> {
        let levels = self.config.levels.iter().zip(self.quantities.iter()).enumerate();
        levels.filter_map(|(level, (price, quantity))| Some((self.side(level)?, price, quantity)))
    }
}

/// An order at a level of a grid.
struct GridOrder {
    level: usize,
    side: OrderSide,
    price: Decimal,
    quantity: Decimal,
}

/// Returns the index of the level that is nearest to a price; the lower one if two are as near.
fn nearest_level(levels: &[Decimal], price: &Decimal) -> Option<usize> {
    let distances = levels.iter().map(|level| (level - price).abs()).enumerate();
    distances.min_by(|(_, left), (_, right)| left.cmp(right)).map(|(index, _)| index)
}

/// Returns the highest price at which the stop loss below a grid triggers.
fn first_below(stop: &GridStop, bound: &Decimal, market: &Market) -> Decimal {
    stop.price.clone().unwrap_or_else(|| {
        let below = bound.round_down_to(Some(&market.tick));
        if below < *bound { below } else { below - &market.tick }
    })
}

/// Returns the lowest price at which the stop loss above a grid triggers.
fn first_above(stop: &GridStop, bound: &Decimal, market: &Market) -> Decimal {
    stop.price.clone().unwrap_or_else(|| {
        let above = bound.round_up_to(Some(&market.tick));
        if above > *bound { above } else { above + &market.tick }
    })
}
