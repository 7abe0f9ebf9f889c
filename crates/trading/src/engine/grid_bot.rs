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
use super::grid_config::{GridBotConfig, GridInvestment, GridMode, GridStop, RangeEnd, StopAction};
use super::grid_position::{BalancingOrder, GridPosition, GridRun, GridTotals};
use super::market::{Action, Market, Quote};
use super::movement::{PriceMove, QuietRange};
use crate::decimal::Decimal;
use crate::grid::OrderSide;
use crate::ladder::Direction;

/// The decimal places of a profit in the base currency.
const PROFIT_PLACES: u8 = 18;

/// A grid bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedGridBot {
    /// The settings.
    pub config: Arc<GridBotConfig>,
    /// The quantity of the order at each level, in the base currency. An order of 0 can't be placed.
    pub quantities: Arc<Vec<Decimal>>,
    /// The number of the line at each level.
    pub lines: Arc<Vec<usize>>,
    /// True if it trades.
    pub is_enabled: bool,
    /// The index of the level without an order.
    pub empty_level: usize,
    /// The price at which it started.
    pub start_price: Decimal,
    /// The market order of the start; None if it had none.
    pub balancing: Option<BalancingOrder>,
    /// The investment at the start, in the quote currency.
    pub invested: Decimal,
    /// The position: the quantity that it holds or owes.
    pub position: GridPosition,
    /// The totals of its orders.
    pub totals: GridTotals,
    /// The index of the level below which sell orders close a step, and above which buy orders do.
    pub(super) neutral_level: usize,
    /// The number of the next line that joins the grid.
    pub(super) next_line: usize,
    /// True for each level whose sell order sells what was bought one level lower.
    pub(super) bought_below: Vec<bool>,
    /// The end of the range beyond which there are no more lines.
    pub(super) ended: Option<RangeEnd>,
}

impl SimulatedGridBot {
    /// Returns an enabled bot that starts at a price: the level nearest to it has no order. Returns None without levels.
    ///
    /// A market order gets what the orders need that close a step: a long grid buys what its sell orders sell.
    pub fn start(config: GridBotConfig, start_price: Decimal, market: &Market) -> Option<Self> {
        let empty_level = nearest_level(&config.levels, &start_price)?;
        let quantity = |level: &Decimal| config.order_size.quantity(level, Some(&market.lot));
        let quantities: Vec<Decimal> = config.levels.iter().map(quantity).collect();
        let neutral_level = match config.mode {
            GridMode::Long => quantities.len().saturating_sub(1),
            GridMode::Short => 0,
            GridMode::Reversal => empty_level,
        };
        let closing = quantities.iter().enumerate().filter(|(level, _)| match config.mode {
            GridMode::Long => *level > empty_level,
            GridMode::Short => *level < empty_level,
            GridMode::Reversal => false,
        });
        let needed = closing.fold(Decimal::ZERO, |sum, (_, quantity)| sum + quantity);
        let balancing = BalancingOrder::new(config.mode, needed, &start_price, market);
        let mut bot = Self {
            lines: Arc::new((0..quantities.len()).collect()),
            next_line: quantities.len(),
            bought_below: vec![false; quantities.len()],
            config: Arc::new(config),
            quantities: Arc::new(quantities),
            is_enabled: true,
            empty_level,
            start_price,
            balancing: None,
            invested: Decimal::ZERO,
            position: GridPosition::default(),
            totals: GridTotals::default(),
            neutral_level,
            ended: None,
        };
        let price = balancing.as_ref().map_or(&bot.start_price, |order| &order.price);
        bot.invested = bot.investment(price).total(price);
        bot.balancing = balancing;
        bot.enter(market);
        Some(bot)
    }

    /// Returns the bot with other numbers of its lines.
    #[must_use]
    pub fn with_lines(mut self, lines: Vec<usize>) -> Self {
        self.next_line = lines.iter().max().map_or(0, |last| last.saturating_add(1));
        self.lines = Arc::new(lines);
        self
    }

    /// Returns the bot in the middle of a run.
    #[must_use]
    pub fn with_run(mut self, run: &GridRun) -> Self {
        self.position.clone_from(&run.position);
        self.invested = run.invested.clone().unwrap_or(self.invested);
        self.next_line = run.next_line.unwrap_or(0).max(self.next_line);
        self.neutral_level = run.neutral_level.unwrap_or(self.neutral_level);
        for (level, is_bought) in self.bought_below.iter_mut().enumerate() {
            *is_bought = run.bought_below.contains(&level);
        }
        self
    }

    /// Replaces the position of a start by one that the bot has already: the market order gets, or gives away, only the difference.
    /// Returns the profit of that order, before its fee.
    pub fn adopt(&mut self, held: GridPosition, market: &Market) -> Decimal {
        let missing = &self.position.quantity - &held.quantity;
        let mode = if missing.is_positive() { GridMode::Long } else { GridMode::Short };
        if let Some(BalancingOrder { price, .. }) = self.balancing.take() {
            self.count_profit(&self.totals.fees.clone(), &price);
        }
        self.totals.fees = Decimal::ZERO;
        self.position = held;
        self.balancing = BalancingOrder::new(mode, missing.abs(), &self.start_price, market);
        self.enter(market)
    }

    /// Trades the market order of the start, and returns its profit before its fee.
    fn enter(&mut self, market: &Market) -> Decimal {
        let Some(BalancingOrder { side, price, quantity }) = self.balancing.clone() else { return Decimal::ZERO };
        let profit = self.trade_position(side, &quantity, &price, None).unwrap_or_default();
        self.totals.fees = &price * &quantity * &market.fee;
        self.count_profit(&(&profit - &self.totals.fees), &price);
        profit
    }

    /// Adds a profit that was made at a price, in the quote currency, to the totals.
    pub(super) fn count_profit(&mut self, profit: &Decimal, price: &Decimal) {
        self.totals.profit += profit;
        if self.config.profit_in_base {
            let in_base = self.in_profit_currency(profit, price);
            **self.totals.base_profit.get_or_insert_default() += in_base;
        }
    }

    /// Returns an amount of the quote currency in the currency of the bot's profit, at a price.
    pub fn in_profit_currency(&self, amount: &Decimal, price: &Decimal) -> Decimal {
        if !self.config.profit_in_base {
            return amount.clone();
        }
        amount.div_round(price, PROFIT_PLACES).unwrap_or_default()
    }

    /// Returns the profit in the currency of the bot's profit.
    pub fn profit(&self) -> Decimal {
        if self.config.profit_in_base {
            return self.totals.base_profit.as_deref().cloned().unwrap_or_default();
        }
        self.totals.profit.clone()
    }

    /// Returns what its settings and its totals do not contain.
    pub fn run(&self) -> GridRun {
        let bought = self.bought_below.iter().enumerate().filter(|(_, is_bought)| **is_bought);
        GridRun {
            position: self.position.clone(),
            invested: Some(self.invested.clone()),
            next_line: Some(self.next_line),
            neutral_level: Some(self.neutral_level),
            bought_below: bought.map(|(level, _)| level).collect(),
        }
    }

    /// Returns the market order of the start as an event.
    pub fn balancing_event(&self, at: Milliseconds) -> Option<Event> {
        let BalancingOrder { side, price, quantity } = self.balancing.clone()?;
        let fill = Fill { deal: None, side, kind: OrderKind::Balancing, price, quantity, profit: None };
        Some(Event { at, kind: EventKind::OrderFilled(fill) })
    }

    /// Returns the bot with another empty level, and the position that a straight move of the price there leaves. Its totals stay.
    #[must_use]
    pub fn at_level(mut self, empty_level: usize) -> Self {
        for side in [OrderSide::Sell, OrderSide::Buy] {
            let is_passed =
                |level: &usize| if side == OrderSide::Sell { *level <= empty_level } else { *level >= empty_level };
            while let Some(order) = self.next_level(side).filter(is_passed).and_then(|level| self.order(level, side)) {
                self.trade(&order);
            }
        }
        Self { empty_level, ..self }
    }

    /// Handles a price that the pair jumped to: fills the orders that it reaches, and triggers stop losses.
    pub fn set_price(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) {
        if !self.is_enabled {
            return;
        }
        // A price reaches the orders of one side only. If two levels have the same price, trying both sides would never end.
        let side = if self.fill_next(OrderSide::Sell, quote, at, events) { OrderSide::Sell } else { OrderSide::Buy };
        while self.fill_next(side, quote, at, events) {}
        self.stop(quote, at, events);
        self.follow(quote, at, events);
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
        let end = if price_move.is_up() { RangeEnd::Upper } else { RangeEnd::Lower };
        let (order, stop) = match end {
            RangeEnd::Upper => (self.next_price(OrderSide::Sell), self.config.upper_stop.as_ref()),
            RangeEnd::Lower => (self.next_price(OrderSide::Buy), self.config.lower_stop.as_ref()),
        };
        let order = price_move.limit_fill_price(order);
        let exit = stop.and_then(|stop| price_move.trigger_fill_price(&self.stop_price(end, stop, price_move.market)));
        let left = self.followed_end(end).map(|line| tick_beyond(end, line, price_move.market));
        let left = left.filter(|price| price_move.passes(price));
        match (order, exit, left) {
            (order, None, None) => order,
            (order, exit, left) => price_move.first(order.into_iter().chain(exit).chain(left)),
        }
    }

    /// Returns the prices between which nothing happens.
    pub fn quiet_range(&self) -> QuietRange<'_> {
        let mut range = QuietRange::default();
        if self.is_enabled {
            range.raise(self.next_price(OrderSide::Buy));
            range.reduce(self.next_price(OrderSide::Sell));
            let GridBotConfig { lower_stop, upper_stop, lower_price, upper_price, .. } = &*self.config;
            range.raise(lower_stop.as_ref().map(|stop| stop.price.as_ref().unwrap_or(lower_price)));
            range.reduce(upper_stop.as_ref().map(|stop| stop.price.as_ref().unwrap_or(upper_price)));
            range.raise(self.followed_end(RangeEnd::Lower));
            range.reduce(self.followed_end(RangeEnd::Upper));
        }
        range
    }

    /// Returns the first price at which the stop loss at an end triggers.
    fn stop_price(&self, end: RangeEnd, stop: &GridStop, market: &Market) -> Decimal {
        let bound = match end {
            RangeEnd::Lower => &self.config.lower_price,
            RangeEnd::Upper => &self.config.upper_price,
        };
        stop.price.clone().unwrap_or_else(|| tick_beyond(end, bound, market))
    }

    /// Returns the price of the order of a side that fills next: of the lowest sell order, or of the highest buy order.
    fn next_price(&self, side: OrderSide) -> Option<&Decimal> {
        self.next_placed(side).map(|(_, price)| price)
    }

    /// Returns the level and the price of that order.
    fn next_placed(&self, side: OrderSide) -> Option<(usize, &Decimal)> {
        let max = match side {
            OrderSide::Sell => self.config.max_active_sells,
            OrderSide::Buy => self.config.max_active_buys,
        };
        let level = self.next_level(side).filter(|_| max != Some(0))?;
        Some((level, self.config.levels.get(level)?))
    }

    /// Returns the level nearest to the empty one that has an order of a side. Levels whose quantity is 0 have none.
    fn next_level(&self, side: OrderSide) -> Option<usize> {
        let has_order = |level: &usize| self.quantities.get(*level).is_some_and(Decimal::is_positive);
        match side {
            OrderSide::Sell => (self.empty_level.saturating_add(1)..self.quantities.len()).find(has_order),
            OrderSide::Buy => (0..self.empty_level).rfind(has_order),
        }
    }

    /// Returns the order of a level, which is of a side.
    fn order(&self, level: usize, side: OrderSide) -> Option<GridOrder> {
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

    /// Fills the next order of a side if the price has reached it.
    fn fill_next(&mut self, side: OrderSide, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) -> bool {
        let reached = self.next_placed(side).filter(|(_, price)| match side {
            OrderSide::Sell => quote.price >= *price,
            OrderSide::Buy => quote.price <= *price,
        });
        let Some(order) = reached.and_then(|(level, _)| self.order(level, side)) else {
            return false;
        };
        let profit = self.trade(&order);
        if profit.is_some() {
            self.totals.profits_count = self.totals.profits_count.saturating_add(1);
        }
        let GridOrder { level, side, price, quantity } = order;
        let kind = OrderKind::GridLevel(self.lines.get(level).copied().unwrap_or(level));
        self.fill(Fill { deal: None, side, kind, price, quantity, profit }, quote.market, at, events);
        true
    }

    /// Returns the profit, before fees, that an order at a level makes when it is filled; None if it closes no step.
    ///
    /// The profit is that of the quantity with which the step was opened, one level lower in a long position and one level higher
    /// in a short one. The difference between the two quantities stays in the position.
    pub fn step_profit(&self, side: OrderSide, level: usize) -> Option<Decimal> {
        self.step_profit_at(side, level, self.config.levels.get(level)?)
    }

    /// Returns the profit of `step_profit` if the order fills at another price than its level.
    pub(super) fn step_profit_at(&self, side: OrderSide, level: usize, price: &Decimal) -> Option<Decimal> {
        let (opening_level, closes) = match side {
            OrderSide::Sell => (level.checked_sub(1)?, level <= self.neutral_level),
            OrderSide::Buy => (level.checked_add(1)?, level >= self.neutral_level),
        };
        let opened = self.config.levels.get(opening_level).zip(self.quantities.get(opening_level)).filter(|_| closes);
        let (opened_price, quantity) = opened?;
        Some(match side {
            OrderSide::Sell => (price - opened_price) * quantity,
            OrderSide::Buy => (opened_price - price) * quantity,
        })
    }

    /// Moves the empty level to that of an order, and trades its quantity. Returns its profit if it makes one.
    fn trade(&mut self, order: &GridOrder) -> Option<Decimal> {
        self.empty_level = order.level;
        let sold = if order.side == OrderSide::Buy { order.level.saturating_add(1) } else { order.level };
        if let Some(is_bought) = self.bought_below.get_mut(sold) {
            *is_bought = order.side == OrderSide::Buy;
        }
        let step_profit = self.step_profit(order.side, order.level);
        self.trade_position(order.side, &order.quantity, &order.price, step_profit)
    }

    /// Trades an order, and returns its profit before fees: that of the step that it closes or, of futures, that of the part of the
    /// position. Returns None if it closes nothing.
    pub(super) fn trade_position(
        &mut self,
        side: OrderSide,
        quantity: &Decimal,
        price: &Decimal,
        step_profit: Option<Decimal>,
    ) -> Option<Decimal> {
        if self.config.profit_from_entry {
            let profit = self.position.close(side, quantity, price);
            return (step_profit.is_some() || !profit.is_zero()).then_some(profit);
        }
        self.position.trade(side, quantity, price);
        let profit = step_profit?;
        self.position.cost += &profit;
        Some(profit)
    }

    /// Adds a filled order and its profit to the totals, and charges its fee.
    pub(super) fn fill(&mut self, fill: Fill, market: &Market, at: Milliseconds, events: &mut Vec<Event>) {
        let volume = &fill.price * &fill.quantity;
        let fee = &volume * &market.fee;
        if let Some(profit) = &fill.profit {
            self.count_profit(profit, &fill.price);
        }
        self.count_profit(&-&fee, &fill.price);
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
        match action {
            StopAction::Keep => {}
            StopAction::Close => self.close_position(quote, at, events),
            StopAction::Buy => self.buy_at_market(quote, at, events),
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
        let profit = position.unrealized(&price);
        let quantity = position.quantity.abs();
        if quantity.is_zero() {
            return self.count_profit(&profit, &price);
        }
        let (kind, profit) = (OrderKind::StopLoss, Some(profit));
        self.fill(Fill { deal: None, side, kind, price, quantity, profit }, quote.market, at, events);
    }

    /// Spends the funds of the buy orders on a market order.
    fn buy_at_market(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) {
        let price = quote.market_price(Direction::Long, Action::Enter);
        let buys = self.orders().filter(|(side, ..)| *side == OrderSide::Buy);
        let funds = buys.map(|(_, price, quantity)| self.config.order_size.volume(price, quantity));
        let funds = funds.fold(Decimal::ZERO, |sum, next| sum + next);
        let quantity = funds.div_round_down(&price, Some(&quote.market.lot)).unwrap_or_default();
        if quantity.is_positive() {
            let (side, kind) = (OrderSide::Buy, OrderKind::StopLoss);
            let profit = self.trade_position(side, &quantity, &price, None);
            self.fill(Fill { deal: None, side, kind, price, quantity, profit }, quote.market, at, events);
        }
    }

    /// Returns the base currency that a long grid holds for its sell orders, without rounding to lots; 0 for grids that trade futures.
    ///
    /// What was bought one level lower is the quantity of that level.
    pub fn exact_base_investment(&self) -> Decimal {
        if self.config.mode != GridMode::Long {
            return Decimal::ZERO;
        }
        let sells = self.empty_level.saturating_add(1)..self.quantities.len();
        let sells = sells.filter(|level| self.quantities.get(*level).is_some_and(Decimal::is_positive));
        let bought_at = |level: usize| match self.bought_below.get(level) {
            Some(true) => level.saturating_sub(1),
            _ => level,
        };
        let prices = sells.filter_map(|level| self.config.levels.get(bought_at(level)));
        prices.fold(Decimal::ZERO, |sum, price| sum + self.config.order_size.quantity(price, None))
    }

    /// Returns the funds of the buy orders that are on the exchange, in the quote currency.
    pub fn placed_buy_volume(&self) -> Decimal {
        let levels = self.config.levels.iter().zip(self.quantities.iter()).enumerate();
        let placed = levels.filter(|(level, _)| self.side(*level) == Some(OrderSide::Buy) && self.is_placed(*level));
        placed.fold(Decimal::ZERO, |sum, (_, (price, quantity))| sum + self.config.order_size.volume(price, quantity))
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

/// Returns the first tick beyond a price at an end of the range.
fn tick_beyond(end: RangeEnd, price: &Decimal, market: &Market) -> Decimal {
    let tick = Some(&market.tick);
    match end {
        RangeEnd::Lower => {
            let below = price.round_down_to(tick);
            if below < *price { below } else { below - &market.tick }
        }
        RangeEnd::Upper => {
            let above = price.round_up_to(tick);
            if above > *price { above } else { above + &market.tick }
        }
    }
}
