//! What grid bots have done: their profits, their events and their orders. Their records do not contain it.

mod messages;
mod story;

use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::balance::REFUSED;
use super::clock::timestamp;
use super::grid_bot_record;
use super::record::{JsonRecord, is_true, list, string};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::event::{EventKind, Fill, OrderKind};
use botdesk_trading::engine::{BalancingOrder, DisableReason, Event, Market, SimulatedGridBot};
use botdesk_trading::grid::OrderSide;
use messages::Messages;

/// What a grid bot has done.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GridHistory {
    /// The profits, oldest first.
    pub(crate) profits: Vec<GridProfit>,
    /// The events, oldest first.
    pub(crate) events: Vec<GridEvent>,
    /// The orders on the exchange, by the identifiers of their lines.
    pub(crate) placed: BTreeMap<u64, GridOrder>,
    /// The filled orders that got the base currency at a start, oldest first.
    pub(crate) balancing: Vec<GridOrder>,
    /// The number of orders so far.
    orders: u64,
    /// The fees of the orders since the last profit.
    fees: Decimal,
}

/// A profit of a line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GridProfit {
    pub(crate) line: u64,
    /// The price of the line, which an edit may replace.
    pub(crate) price: String,
    pub(crate) profit: Decimal,
    pub(crate) usd: Decimal,
    pub(crate) created_at: String,
}

/// An event.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GridEvent {
    pub(crate) message: String,
    pub(crate) created_at: String,
}

/// An order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GridOrder {
    pub(crate) id: u64,
    pub(crate) is_sell: bool,
    pub(crate) price: Decimal,
    pub(crate) quantity: Decimal,
    pub(crate) created_at: String,
}

impl GridOrder {
    pub(crate) fn side(&self) -> OrderSide {
        if self.is_sell { OrderSide::Sell } else { OrderSide::Buy }
    }
}

/// A grid bot at a time: its record, which may be older than the bot of the engine, as far as prices and sides are concerned.
pub(crate) struct Situation<'a> {
    pub(crate) bot: &'a JsonRecord,
    pub(crate) grid: &'a SimulatedGridBot,
    pub(crate) at: Timestamp,
}

impl<'a> Situation<'a> {
    fn messages(&self) -> Messages<'a> {
        Messages::of(self.bot)
    }

    /// Returns the identifier of the line with a number, and its price if the record has it.
    fn line(&self, number: usize) -> (u64, Option<&'a str>) {
        let (bot, lines) = (grid_bot_record::bot_id(self.bot), list(self.bot, "grid_lines"));
        let is_line = |line: &&JsonRecord| grid_bot_record::line_number(bot, line) == Some(number);
        // The lines of a grid that did not move have their indices as numbers.
        let at_index = lines.get(number).and_then(Value::as_object).filter(is_line);
        let line = at_index.or_else(|| lines.iter().filter_map(Value::as_object).find(is_line));
        let id = line.and_then(|line| line.get("id")?.as_u64());
        (id.unwrap_or_else(|| grid_bot_record::line_id(bot, number)), line.map(|line| string(line, "price")))
    }

    /// Returns the lines whose orders are on the exchange, with the side, the price and the quantity of each.
    fn placed(&self) -> impl Iterator<Item = (u64, OrderSide, &'a Decimal, &'a Decimal)> {
        let grid = self.grid;
        let levels = grid.config.levels.iter().zip(grid.quantities.iter()).zip(grid.lines.iter()).enumerate();
        levels.filter_map(|(level, ((price, quantity), number))| {
            let side = grid.side(level).filter(|_| grid.is_placed(level))?;
            Some((self.line(*number).0, side, price, quantity))
        })
    }
}

/// The times of the steps of a start, in milliseconds after the request.
#[derive(Clone, Copy)]
struct StartTimes {
    on: i64,
    leverage: i64,
    balancing: i64,
    balanced: i64,
    orders: i64,
    per_order: i64,
}

impl StartTimes {
    /// All at once, as the sandbox starts a bot.
    const NOW: Self = Self { on: 0, leverage: 0, balancing: 0, balanced: 0, orders: 0, per_order: 0 };
    /// One after the other, as an exchange takes its time.
    const LIVE: Self =
        Self { on: 100, leverage: 1_400, balancing: 1_700, balanced: 3_600, orders: 5_900, per_order: 100 };
}

impl GridHistory {
    /// Returns all times.
    pub(crate) fn times(&self) -> impl Iterator<Item = &str> {
        let orders = self.placed.values().chain(&self.balancing).map(|order| &order.created_at);
        let profits = self.profits.iter().map(|profit| &profit.created_at);
        let events = self.events.iter().map(|event| &event.created_at);
        profits.chain(events).chain(orders).map(String::as_str)
    }

    /// Adds what the engine did.
    pub(crate) fn add(&mut self, now: &Situation<'_>, events: &[Event], market: &Market, usd: &BigDecimal) {
        let messages = now.messages();
        for event in events {
            match &event.kind {
                EventKind::OrderFilled(fill) => match fill.kind {
                    OrderKind::GridLevel(number) => self.fill(now, fill, number, market, usd),
                    OrderKind::Balancing => self.balance(now, fill, market),
                    _ => self.say(messages.closed(fill.side, &fill.price, &fill.quantity), now.at),
                },
                EventKind::GridMoved(moved) => self.say(messages.moved(moved), now.at),
                EventKind::BotDisabled(reason) => {
                    let message = match reason {
                        DisableReason::InsufficientBalance => REFUSED,
                        DisableReason::StopLoss | DisableReason::DealCount => "Stop loss reached",
                    };
                    self.say(message.to_owned(), now.at);
                    self.turn_off(now);
                }
                EventKind::DealOpened { .. } | EventKind::DealClosed { .. } => {}
            }
        }
        self.update_orders(now, |_| now.at);
    }

    /// Adds an edit: the orders are withdrawn, and those of a running bot are placed anew.
    pub(crate) fn edit(&mut self, now: &Situation<'_>) {
        self.say("Settings changed".to_owned(), now.at);
        self.withdraw(now);
        self.update_orders(now, |_| now.at);
    }

    /// Adds an edit with new lines: a market order gets what they need.
    pub(crate) fn start_again(&mut self, now: &Situation<'_>) {
        self.say("Settings changed".to_owned(), now.at);
        self.withdraw(now);
        self.balance_start(now, [now.at; 2]);
        self.update_orders(now, |_| now.at);
    }

    /// Adds a start.
    pub(crate) fn start(&mut self, now: &Situation<'_>) {
        self.withdraw(now);
        self.start_with(now, StartTimes::NOW, |_| now.at);
    }

    fn start_with(&mut self, now: &Situation<'_>, times: StartTimes, at: impl Fn(i64) -> Timestamp) {
        self.say("Start command received".to_owned(), at(0));
        self.say("Bot turned on".to_owned(), at(times.on));
        if let Some(message) = messages::leverage(now.bot) {
            self.say(message, at(times.leverage));
        }
        self.balance_start(now, [at(times.balancing), at(times.balanced)]);
        let place = |index: i64| at(times.orders.saturating_add(times.per_order.saturating_mul(index)));
        self.update_orders(now, place);
    }

    /// Adds the market order of a start, created and filled at these times.
    fn balance_start(&mut self, now: &Situation<'_>, [created, filled]: [Timestamp; 2]) {
        let Some(BalancingOrder { side, price, quantity }) = &now.grid.balancing else { return };
        // A bot whose record has no start price never started.
        if !price.is_positive() {
            return;
        }
        self.fees += now.grid.in_profit_currency(&now.grid.totals.fees, price);
        self.add_balancing(now, (*side, price, quantity), [created, filled]);
    }

    /// Adds a market order of a range that moves.
    fn balance(&mut self, now: &Situation<'_>, fill: &Fill, market: &Market) {
        self.add_fee(now, fill, market);
        self.add_balancing(now, (fill.side, &fill.price, &fill.quantity), [now.at; 2]);
    }

    fn add_balancing(
        &mut self,
        now: &Situation<'_>,
        (side, price, quantity): (OrderSide, &Decimal, &Decimal),
        [created, filled]: [Timestamp; 2],
    ) {
        let messages = now.messages();
        self.say(messages.balancing("created", side, price, quantity), created);
        self.say(messages.balancing("filled", side, price, quantity), filled);
        let order = self.order(now.bot, side, price, quantity.clone(), created);
        self.balancing.push(order);
    }

    /// Adds the end of a run: the orders are withdrawn.
    pub(crate) fn turn_off(&mut self, now: &Situation<'_>) {
        self.withdraw(now);
        self.say("Bot turned off".to_owned(), now.at);
    }

    /// Fills the order of a line. A profit is less the fees since the one before it.
    fn fill(&mut self, now: &Situation<'_>, fill: &Fill, number: usize, market: &Market, usd: &BigDecimal) {
        self.add_fee(now, fill, market);
        let profit = fill
            .profit
            .as_ref()
            .map(|profit| now.grid.in_profit_currency(profit, &fill.price) - &std::mem::take(&mut self.fees));
        let worth = if now.grid.config.profit_in_base { fill.price.to_big() * usd } else { usd.clone() };
        let in_usd = profit.as_ref().map(|profit| Decimal::from(profit.to_big() * &worth));
        self.fill_order(now, number, (fill.side, &fill.price, &fill.quantity), profit.zip(in_usd));
    }

    /// Adds the fee of an order to those that the next profit is less.
    fn add_fee(&mut self, now: &Situation<'_>, fill: &Fill, market: &Market) {
        let fee = &(&fill.price * &fill.quantity) * &market.fee;
        self.fees += now.grid.in_profit_currency(&fee, &fill.price);
    }

    /// Removes the filled order of a line; adds its profit and its usd value if it made one.
    fn fill_order(
        &mut self,
        now: &Situation<'_>,
        number: usize,
        (side, price, quantity): (OrderSide, &Decimal, &Decimal),
        profit: Option<(Decimal, Decimal)>,
    ) {
        let (line, shown) = now.line(number);
        self.placed.remove(&line);
        let earned = profit.as_ref().map(|(profit, _)| profit);
        self.say(now.messages().filled(side, price, quantity, earned), now.at);
        if let Some((profit, usd)) = profit {
            let price = shown.map_or_else(|| price.to_string(), str::to_owned);
            let created_at = timestamp(now.at);
            self.profits.push(GridProfit { line, price, profit, usd, created_at });
        }
    }

    /// Withdraws the orders that are not to be on the exchange any more, and places those that are.
    fn update_orders(&mut self, now: &Situation<'_>, at: impl Fn(i64) -> Timestamp) {
        let messages = now.messages();
        let wanted: BTreeMap<_, _> =
            now.placed().map(|(line, side, price, quantity)| (line, (side, price, quantity))).collect();
        let is_wanted =
            |line: &u64, order: &GridOrder| wanted.get(line).is_some_and(|(side, ..)| *side == order.side());
        let withdrawn = self.placed.iter().filter(|(line, order)| !is_wanted(line, order)).map(|(line, _)| *line);
        for line in withdrawn.collect::<Vec<_>>() {
            self.cancel(&messages, line, at(0));
        }
        let mut index = 0_i64;
        for (line, (side, price, quantity)) in wanted {
            if self.placed.contains_key(&line) {
                continue;
            }
            let at = at(index);
            self.say(messages.placed(side, price, quantity), at);
            let order = self.order(now.bot, side, price, quantity.clone(), at);
            self.placed.insert(line, order);
            index = index.saturating_add(1);
        }
    }

    /// Withdraws all orders.
    fn withdraw(&mut self, now: &Situation<'_>) {
        let lines: Vec<_> = self.placed.keys().copied().collect();
        for line in lines {
            self.cancel(&now.messages(), line, now.at);
        }
    }

    fn cancel(&mut self, messages: &Messages<'_>, line: u64, at: Timestamp) {
        if let Some(order) = self.placed.remove(&line) {
            self.say(messages.cancelled(order.side(), &order.price, &order.quantity), at);
        }
    }

    fn say(&mut self, message: String, at: Timestamp) {
        self.events.push(GridEvent { message, created_at: timestamp(at) });
    }

    fn order(
        &mut self,
        bot: &JsonRecord,
        side: OrderSide,
        price: &Decimal,
        quantity: Decimal,
        at: Timestamp,
    ) -> GridOrder {
        self.orders = self.orders.saturating_add(1);
        let id = order_id(bot.get("id").and_then(Value::as_u64).unwrap_or_default(), self.orders);
        let is_sell = side == OrderSide::Sell;
        GridOrder { id, is_sell, price: price.clone(), quantity, created_at: timestamp(at) }
    }

    /// Keeps the orders of the lines that a record says are on the exchange, and adds those that are missing.
    fn agree_with(&mut self, now: &Situation<'_>) {
        let line = |line: &Value| {
            let line = line.as_object()?;
            Some((line.get("id")?.as_u64()?, is_true(line, "order_placed"), string(line, "side").to_owned()))
        };
        let lines = list(now.bot, "grid_lines").iter().enumerate();
        for (level, (id, is_placed, side)) in lines.filter_map(|(level, value)| Some((level, line(value)?))) {
            if !is_placed {
                self.placed.remove(&id);
            } else if let (Some(price), Some(quantity), false) =
                (now.grid.config.levels.get(level), now.grid.quantities.get(level), self.placed.contains_key(&id))
            {
                let side = if side == OrderSide::Sell.name() { OrderSide::Sell } else { OrderSide::Buy };
                let order = self.order(now.bot, side, price, quantity.clone(), now.at);
                self.placed.insert(id, order);
            }
        }
    }
}

/// The orders of a bot that have identifiers of their own.
const ORDERS: u64 = 1_000_000;

/// Returns the identifier of an order of a bot, which a signed integer can hold.
fn order_id(bot: u64, number: u64) -> u64 {
    let id = bot.checked_mul(ORDERS).and_then(|first| first.checked_add(number));
    id.filter(|id| i64::try_from(*id).is_ok()).unwrap_or(number)
}
