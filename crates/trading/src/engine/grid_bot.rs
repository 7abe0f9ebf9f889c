//! A grid bot: it buys at one level and sells one level higher.
//!
//! One level has no order: at the start, the one nearest to the price. The levels above it have sell orders, those below it buy
//! orders. When the price reaches an order, it fills at its level, which becomes the empty level. The level that was empty gets an
//! order on the opposite side: a quantity bought at one level is sold one level higher. Each filled sell order takes the profit of
//! one grid step.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::Milliseconds;
use super::event::{DisableReason, Event, EventKind, Fill, OrderKind};
use super::market::{Action, Market, Quote};
use super::movement::{PriceMove, QuietRange};
use crate::decimal::Decimal;
use crate::grid::OrderSide;
use crate::ladder::Direction;

/// The action of a stop loss besides stopping the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StopAction {
    /// Nothing: the bot keeps what it bought.
    Keep,
    /// It sells everything.
    Sell,
}

/// A stop loss of a grid bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridStop {
    /// The price; None to stop outside the grid.
    pub price: Option<Decimal>,
    /// The action.
    pub action: StopAction,
}

/// The settings of a grid bot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GridBotConfig {
    /// The prices of the levels, the lowest first.
    pub levels: Vec<Decimal>,
    /// The lower bound of the grid.
    pub lower_price: Decimal,
    /// The upper bound of the grid.
    pub upper_price: Decimal,
    /// The quantity of each order, in the base currency.
    pub quantity: Decimal,
    /// The number of buy orders that may be on the exchange at once; None for no limit.
    pub max_active_buys: Option<usize>,
    /// The number of sell orders that may be on the exchange at once; None for no limit.
    pub max_active_sells: Option<usize>,
    /// The stop loss below the grid.
    pub lower_stop: Option<GridStop>,
    /// The stop loss above the grid.
    pub upper_stop: Option<GridStop>,
}

/// A grid bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridBot {
    /// The settings.
    pub config: GridBotConfig,
    /// True if it trades.
    pub is_enabled: bool,
    /// The index of the level without an order.
    pub empty_level: usize,
    /// The price at which it started.
    pub start_price: Decimal,
    /// True if a stop loss sold everything.
    pub has_sold: bool,
    /// The totals of its orders.
    pub totals: GridTotals,
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
    /// The number of filled sell orders.
    pub profits_count: u64,
    /// The fees that it paid, in the quote currency.
    pub fees: Decimal,
}

impl GridBot {
    /// Returns an enabled bot that starts at a price: the level nearest to it has no order. Returns None without levels.
    pub fn start(config: GridBotConfig, start_price: Decimal) -> Option<Self> {
        let empty_level = nearest_level(&config.levels, &start_price)?;
        let totals = GridTotals::default();
        Some(Self { config, is_enabled: true, empty_level, start_price, has_sold: false, totals })
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
            let GridBotConfig { lower_stop, upper_stop, lower_price, upper_price, .. } = &self.config;
            range.raise(lower_stop.as_ref().map(|stop| stop.price.as_ref().unwrap_or(lower_price)));
            range.reduce(upper_stop.as_ref().map(|stop| stop.price.as_ref().unwrap_or(upper_price)));
        }
        range
    }

    /// Returns the price of the lowest sell order.
    fn next_sell(&self) -> Option<&Decimal> {
        self.config.levels.get(self.empty_level.checked_add(1)?).filter(|_| self.config.max_active_sells != Some(0))
    }

    /// Returns the price of the highest buy order.
    fn next_buy(&self) -> Option<&Decimal> {
        self.config.levels.get(self.empty_level.checked_sub(1)?).filter(|_| self.config.max_active_buys != Some(0))
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
        self.is_enabled && max.is_none_or(|max| level.abs_diff(self.empty_level) <= max)
    }

    /// Fills the lowest sell order if the price has reached it.
    fn sell(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) -> bool {
        let Some(price) = self.next_sell().filter(|price| quote.price >= *price).cloned() else {
            return false;
        };
        let below = self.config.levels.get(self.empty_level).unwrap_or(&price);
        self.totals.profit += (&price - below) * &self.config.quantity;
        self.totals.profits_count = self.totals.profits_count.saturating_add(1);
        self.empty_level += 1;
        let kind = OrderKind::GridLevel(self.empty_level);
        let quantity = self.config.quantity.clone();
        let fill = Fill { deal: None, side: OrderSide::Sell, kind, price, quantity };
        self.fill(fill, quote.market, at, events);
        true
    }

    /// Fills the highest buy order if the price has reached it.
    fn buy(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) -> bool {
        let Some(price) = self.next_buy().filter(|price| quote.price <= *price).cloned() else {
            return false;
        };
        self.empty_level -= 1;
        let kind = OrderKind::GridLevel(self.empty_level);
        let quantity = self.config.quantity.clone();
        let fill = Fill { deal: None, side: OrderSide::Buy, kind, price, quantity };
        self.fill(fill, quote.market, at, events);
        true
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
        let GridBotConfig { lower_stop, upper_stop, lower_price, upper_price, .. } = &self.config;
        let below = lower_stop
            .as_ref()
            .filter(|stop| stop.price.as_ref().map_or_else(|| price < lower_price, |limit| price <= limit));
        let above = upper_stop
            .as_ref()
            .filter(|stop| stop.price.as_ref().map_or_else(|| price > upper_price, |limit| price >= limit));
        let Some(action) = below.or(above).map(|stop| stop.action) else {
            return;
        };
        if action == StopAction::Sell {
            self.sell_all(quote, at, events);
        }
        self.is_enabled = false;
        events.push(Event { at, kind: EventKind::BotDisabled(DisableReason::StopLoss) });
    }

    /// Sells everything with a market order, which realizes the unrealized profit.
    fn sell_all(&mut self, quote: &Quote<'_>, at: Milliseconds, events: &mut Vec<Event>) {
        let price = quote.market_price(Direction::Long, Action::Exit);
        self.totals.profit += self.unrealized(&price);
        let quantity = self.held_quantity();
        if quantity.is_positive() {
            let kind = OrderKind::StopLoss;
            let fill = Fill { deal: None, side: OrderSide::Sell, kind, price, quantity };
            self.fill(fill, quote.market, at, events);
        }
        self.has_sold = true;
    }

    /// Returns the funds that the orders need: quote currency for the buy orders, base currency for the sell orders.
    pub fn investment(&self) -> (Decimal, Decimal) {
        let levels = self.config.levels.iter().take(self.empty_level);
        let to_buy = levels.map(|level| level * &self.config.quantity).sum();
        (to_buy, self.held_quantity())
    }

    /// Returns the quantity that the sell orders would sell.
    pub fn held_quantity(&self) -> Decimal {
        if self.has_sold {
            return Decimal::ZERO;
        }
        let held = self.config.levels.len().saturating_sub(self.empty_level.saturating_add(1));
        &self.config.quantity * Decimal::from(u64::try_from(held).unwrap_or(u64::MAX))
    }

    /// Returns the unrealized profit: the additional profit, before its fee, if the bot sold everything at a price.
    ///
    /// The quantity of a sell order above the start level was bought at the start price, that of any other sell order one level
    /// lower. The realized profit counts one step for each sale, as if all were bought one level lower. The difference to the start
    /// price is added here.
    pub fn unrealized(&self, price: &Decimal) -> Decimal {
        if self.has_sold {
            return Decimal::ZERO;
        }
        let start = &self.start_price;
        let levels = &self.config.levels;
        let first = nearest_level(levels, start).unwrap_or(0);
        let of_step = |(below, index): (&Decimal, usize)| match (index > first, index > self.empty_level) {
            (true, true) => price - start,
            (true, false) => below - start,
            (false, true) => price - below,
            (false, false) => Decimal::ZERO,
        };
        // The last level has no level above it.
        let steps = levels.iter().zip(1_usize..).take(levels.len().saturating_sub(1));
        steps.map(of_step).sum::<Decimal>() * &self.config.quantity
    }
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
