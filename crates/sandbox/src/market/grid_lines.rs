//! What a grid does as the price moves.
//!
//! One level, the nearest to the price at the start, is empty; those above it sell and those below it buy. An order
//! that the price reaches is filled at its level, which is then the empty one; the level that was empty before gets an
//! order to the other side: what was bought at a level is sold one level higher. Each order to sell that is filled
//! takes the profit of one step of the grid.

use bigdecimal::{BigDecimal, Zero};
use jiff::Timestamp;
use serde_json::Value;

use super::Quote;
use super::figures::{percent, plain};
use crate::clock::text as timestamp;
use crate::defaults::object;
use crate::grid_bots;
use crate::record::{Record, is_true, list, number, text, whole};

/// A grid on its way to a price.
struct Course<'a> {
    bot: &'a mut Record,
    quote: &'a Quote,
    levels: Vec<BigDecimal>,
    quantity: BigDecimal,
    /// The empty level.
    empty: usize,
}

/// Moves a grid bot to the price of its pair; one that is off only shows the price.
pub(crate) fn follow(bot: &mut Record, quote: &Quote, now: Timestamp) {
    if text(bot, "pair") != quote.pair {
        return;
    }
    bot.extend(object! { "current_price": quote.price.to_plain_string(), "updated_at": timestamp(now) });
    if !is_true(bot, "is_enabled") {
        return;
    }
    if let Some(mut course) = Course::of(bot, quote) {
        course.go();
    }
}

impl<'a> Course<'a> {
    /// None where the lines are those of no grid.
    fn of(bot: &'a mut Record, quote: &'a Quote) -> Option<Self> {
        let lines = list(bot, "grid_lines").iter().filter_map(Value::as_object);
        let levels: Vec<_> = lines.clone().map(|line| number(line, "price")).collect();
        let empty = lines.into_iter().position(|line| text(line, "side").is_empty())?;
        let quantity = number(bot, "quantity_per_grid");
        Some(Self { bot, quote, levels, quantity, empty })
    }

    fn go(&mut self) {
        while self.sell() || self.buy() {}
        self.write_lines();
        self.write_worth();
        self.stop();
    }

    /// Fills the lowest order to sell, if the price reaches it.
    fn sell(&mut self) -> bool {
        let level = self.empty + 1;
        let Some(price) = self.reached(level, "max_active_sell_lines", |price, level| price >= level) else {
            return false;
        };
        let gain = self.levels.get(self.empty).map(|below| (&price - below) * &self.quantity).unwrap_or_default();
        self.add("sold_volume", &(&price * &self.quantity));
        self.add("current_profit", &gain);
        self.add("current_profit_usd", &(gain * &self.quote.usd));
        let count = whole(self.bot, "total_profits_count").unwrap_or_default().saturating_add(1);
        self.bot.insert("total_profits_count".to_owned(), Value::from(count.to_string()));
        self.empty = level;
        true
    }

    /// Fills the highest order to buy, if the price reaches it.
    fn buy(&mut self) -> bool {
        let Some(level) = self.empty.checked_sub(1) else {
            return false;
        };
        let Some(price) = self.reached(level, "max_active_buy_lines", |price, level| price <= level) else {
            return false;
        };
        self.add("bought_volume", &(price * &self.quantity));
        self.empty = level;
        true
    }

    /// The price of a level, if it has an order and the market reaches it.
    fn reached(
        &self,
        level: usize,
        most_active: &str,
        reaches: fn(&BigDecimal, &BigDecimal) -> bool,
    ) -> Option<BigDecimal> {
        let price = self.levels.get(level).filter(|level| reaches(&self.quote.price, level))?;
        let may_be_active = whole(self.bot, most_active).is_none_or(|most| most > 0);
        may_be_active.then(|| price.clone())
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

    /// Writes what the bot has earned, and what it would if it sold all.
    fn write_worth(&mut self) {
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

    /// What the bot would earn beyond its taken profits, if it sold all that it holds.
    ///
    /// What waits to be sold above the level of the start was bought at the price of the start; what waits below it, one
    /// level deeper. A taken profit counts one step, so what the start was cheaper than the level below is left.
    fn unrealized(&self) -> BigDecimal {
        let start = number(self.bot, "start_price");
        let distance = |level: &BigDecimal| (level - &start).abs();
        let first = (0..self.levels.len()).zip(&self.levels).min_by_key(|(_, level)| distance(level));
        let first = first.map_or(0, |(place, _)| place);
        let steps = self.levels.iter().zip(1_usize..);
        let of_step = |(below, place): (&BigDecimal, usize)| {
            let held = place > self.empty;
            match (place > first, held) {
                (true, true) => &self.quote.price - &start,
                (true, false) => below - &start,
                (false, true) => &self.quote.price - below,
                (false, false) => BigDecimal::zero(),
            }
        };
        // The last level is not below another one.
        let steps = steps.take(self.levels.len().saturating_sub(1));
        steps.map(of_step).sum::<BigDecimal>() * &self.quantity
    }

    /// Stops a bot whose stop loss the price has reached. Without a price for it, that is the end of the grid.
    fn stop(&mut self) {
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
        if text(self.bot, action) != "stop_bot" {
            self.sell_all();
        }
        self.bot.insert("is_enabled".to_owned(), Value::Bool(false));
        grid_bots::place_orders(self.bot);
    }

    /// Sells what the bot holds: what was not realized is.
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
