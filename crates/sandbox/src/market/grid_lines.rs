//! Simulates grids: fills orders and applies stop losses as the price changes.
//!
//! One level has no order: at the start, the one nearest to the price. The levels above it have sell orders, those below it buy
//! orders. When the price reaches an order, it fills at its level, which becomes the empty level. The level that was empty gets an
//! order on the opposite side: a quantity bought at one level is sold one level higher. Each filled sell order takes the profit of
//! one grid step.

use bigdecimal::{BigDecimal, Zero};
use jiff::Timestamp;
use serde_json::Value;

use super::Quote;
use super::figures::{percent, plain};
use crate::clock::timestamp;
use crate::defaults::object;
use crate::grid_bots;
use crate::record::{JsonRecord, integer, is_true, list, number, string};

/// The simulation of a grid that moves to a new price.
struct GridSimulation<'a> {
    bot: &'a mut JsonRecord,
    quote: &'a Quote,
    levels: Vec<BigDecimal>,
    quantity: BigDecimal,
    /// The index of the level without an order.
    empty: usize,
}

/// Moves a grid bot to the price of its pair. A disabled bot only updates the price.
pub(crate) fn follow_price(bot: &mut JsonRecord, quote: &Quote, now: Timestamp) {
    if string(bot, "pair") != quote.pair {
        return;
    }
    bot.extend(object! { "current_price": quote.price.to_plain_string(), "updated_at": timestamp(now) });
    if !is_true(bot, "is_enabled") {
        return;
    }
    if let Some(mut simulation) = GridSimulation::new(bot, quote) {
        simulation.run();
    }
}

impl<'a> GridSimulation<'a> {
    /// Returns None if the lines don't form a grid.
    fn new(bot: &'a mut JsonRecord, quote: &'a Quote) -> Option<Self> {
        let lines = list(bot, "grid_lines").iter().filter_map(Value::as_object);
        let levels: Vec<_> = lines.clone().map(|line| number(line, "price")).collect();
        let empty = lines.into_iter().position(|line| string(line, "side").is_empty())?;
        let quantity = number(bot, "quantity_per_grid");
        Some(Self { bot, quote, levels, quantity, empty })
    }

    fn run(&mut self) {
        while self.sell() || self.buy() {}
        self.write_lines();
        self.write_profit();
        self.apply_stop_loss();
    }

    /// Fills the lowest sell order if the price has reached it.
    fn sell(&mut self) -> bool {
        let level = self.empty + 1;
        let Some(price) = self.reached_price(level, "max_active_sell_lines", |price, level| price >= level) else {
            return false;
        };
        let gain = self.levels.get(self.empty).map(|below| (&price - below) * &self.quantity).unwrap_or_default();
        self.add("sold_volume", &(&price * &self.quantity));
        self.add("current_profit", &gain);
        self.add("current_profit_usd", &(gain * &self.quote.usd));
        let count = integer(self.bot, "total_profits_count").unwrap_or_default().saturating_add(1);
        self.bot.insert("total_profits_count".to_owned(), Value::from(count.to_string()));
        self.empty = level;
        true
    }

    /// Fills the highest buy order if the price has reached it.
    fn buy(&mut self) -> bool {
        let Some(level) = self.empty.checked_sub(1) else {
            return false;
        };
        let Some(price) = self.reached_price(level, "max_active_buy_lines", |price, level| price <= level) else {
            return false;
        };
        self.add("bought_volume", &(price * &self.quantity));
        self.empty = level;
        true
    }

    /// Returns the price of a level if the market has reached it and it has an order.
    fn reached_price(
        &self,
        level: usize,
        limit_field: &str,
        reaches: fn(&BigDecimal, &BigDecimal) -> bool,
    ) -> Option<BigDecimal> {
        let price = self.levels.get(level).filter(|level| reaches(&self.quote.price, level))?;
        let has_order = integer(self.bot, limit_field).is_none_or(|limit| limit > 0);
        has_order.then(|| price.clone())
    }

    fn add(&mut self, field: &str, amount: &BigDecimal) {
        let sum = number(self.bot, field) + amount;
        self.bot.insert(field.to_owned(), Value::from(plain(&sum)));
    }

    fn write_lines(&mut self) {
        let empty = self.empty;
        let side = |level: usize| match level.cmp(&empty) {
            std::cmp::Ordering::Less => Value::from("buy"),
            std::cmp::Ordering::Equal => Value::Null,
            std::cmp::Ordering::Greater => Value::from("sell"),
        };
        if let Some(Value::Array(lines)) = self.bot.get_mut("grid_lines") {
            for (level, line) in lines.iter_mut().filter_map(Value::as_object_mut).enumerate() {
                line.insert("side".to_owned(), side(level));
            }
        }
        grid_bots::place_orders(self.bot);
    }

    /// Writes the realized and the unrealized profit.
    fn write_profit(&mut self) {
        let unrealized = self.unrealized();
        let invested = number(self.bot, "investment_quote_currency")
            + number(self.bot, "investment_base_currency") * number(self.bot, "start_price");
        let earned = number(self.bot, "current_profit");
        let total = &earned + &unrealized;
        self.bot.extend(object! {
            "profit_percentage": percent(&earned, &invested),
            "unrealized_profit_loss": plain(&unrealized),
            "current_profit_loss": plain(&total),
            "current_profit_loss_percent": percent(&total, &invested),
        });
    }

    /// Returns the unrealized profit: the additional profit if the bot sold everything now.
    ///
    /// A quantity that is to be sold above the start level was bought at the start price. One that is to be sold below it was bought
    /// one level lower. Each realized profit counts one step, so the difference between the start price and the level below remains.
    fn unrealized(&self) -> BigDecimal {
        let start = number(self.bot, "start_price");
        let distance = |level: &BigDecimal| (level - &start).abs();
        let first = (0..self.levels.len()).zip(&self.levels).min_by_key(|(_, level)| distance(level));
        let first = first.map_or(0, |(index, _)| index);
        let steps = self.levels.iter().zip(1_usize..);
        let of_step = |(below, index): (&BigDecimal, usize)| {
            let held = index > self.empty;
            match (index > first, held) {
                (true, true) => &self.quote.price - &start,
                (true, false) => below - &start,
                (false, true) => &self.quote.price - below,
                (false, false) => BigDecimal::zero(),
            }
        };
        // The last level has no level above it.
        let steps = steps.take(self.levels.len().saturating_sub(1));
        steps.map(of_step).sum::<BigDecimal>() * &self.quantity
    }

    /// Disables the bot if the price has reached a stop loss. A stop loss without a price triggers outside the grid.
    fn apply_stop_loss(&mut self) {
        let price = &self.quote.price;
        let limit = |field: &str| Some(number(self.bot, field)).filter(|limit| *limit > BigDecimal::zero());
        let below = is_true(self.bot, "lower_stop_loss_enabled")
            && limit("lower_stop_loss_price")
                .map_or_else(|| *price < number(self.bot, "lower_price"), |limit| *price <= limit);
        let above = is_true(self.bot, "upper_stop_loss_enabled")
            && limit("upper_stop_loss_price")
                .map_or_else(|| *price > number(self.bot, "upper_price"), |limit| *price >= limit);
        let action = match (below, above) {
            (true, _) => "lower_stop_loss_action",
            (_, true) => "upper_stop_loss_action",
            (false, false) => return,
        };
        if string(self.bot, action) != "stop_bot" {
            self.sell_all();
        }
        self.bot.insert("is_enabled".to_owned(), Value::Bool(false));
        grid_bots::place_orders(self.bot);
    }

    /// Sells everything, which realizes the unrealized profit.
    fn sell_all(&mut self) {
        let held = self.levels.len().saturating_sub(self.empty + 1);
        let worth = &self.quote.price * &self.quantity * BigDecimal::from(u64::try_from(held).unwrap_or(u64::MAX));
        let gain = number(self.bot, "unrealized_profit_loss");
        self.add("sold_volume", &worth);
        self.add("current_profit", &gain);
        self.add("current_profit_usd", &(gain * &self.quote.usd));
        self.bot.insert("unrealized_profit_loss".to_owned(), Value::from("0"));
    }
}
