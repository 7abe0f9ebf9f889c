//! SmartTrades and simple trades: at which times and prices something happens to them.

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde_json::Value;

use crate::balance::REFUSED;
use crate::clock::timestamp;
use crate::order_prices::OrderState;
use crate::record::{JsonRecord, string};
use crate::simple_trade::is_over;
use crate::simple_trade_life::{self, Moment};
use crate::smart_trade_figures::{self, nested_string};
use crate::smart_trade_life::{end_pending, fail, is_pending};
use crate::smart_trade_orders::OrderId;
use crate::smart_trade_parts::{Circumstances, OrderStates, forget};
use crate::smart_trade_prices::{self, Levels, is_alive};
use crate::state::{QuietTrades, State};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::movement::PriceMove;

impl State {
    /// Returns the time of the next event of a SmartTrade or a simple trade.
    pub(super) fn next_trade_time(&self) -> Option<Timestamp> {
        let simple = self.simple_trade_states.values().filter_map(|state| state.checked_at);
        let smart = self.smart_trade_orders.iter().filter_map(|(order, state)| self.due_time(*order, state));
        self.smart_trade_timers.values().copied().chain(simple).chain(smart).min()
    }

    /// Returns the time at which an order of a SmartTrade is checked again; None while something else of the SmartTrade is pending.
    fn due_time(&self, order: u64, state: &OrderState) -> Option<Timestamp> {
        state.checked_at.filter(|_| !self.smart_trade_timers.contains_key(&OrderId::owner(order)))
    }

    /// Carries out what is due in SmartTrades and in simple trades now.
    pub(super) fn run_due_trades(&mut self) {
        let now = self.clock.now();
        let is_due = |state: &OrderState| state.checked_at.is_some_and(|time| time <= now);
        let simple: Vec<_> = self.simple_trade_states.iter().filter(|(_, it)| is_due(it)).map(|(id, _)| *id).collect();
        let pending: Vec<_> = self.smart_trade_timers.iter().filter(|(_, at)| **at <= now).map(|(id, _)| *id).collect();
        for id in simple {
            self.visit_simple_trade(id);
        }
        for id in pending {
            self.end_pending_trade(id);
        }
        let is_due = |(order, it): &(&u64, &OrderState)| self.due_time(**order, it).is_some_and(|time| time <= now);
        let smart: Vec<_> = self.smart_trade_orders.iter().filter(is_due).map(|(id, _)| OrderId::owner(*id)).collect();
        for id in smart {
            self.visit_smart_trade(id);
        }
        self.quiet_trades.clear();
    }

    /// Carries out what is pending in the SmartTrades on a pair.
    pub(super) fn end_pending_trades_on(&mut self, pair: &str) {
        let trades = &self.store.smart_trades;
        let is_on = |id: &&u64| trades.get(id).is_some_and(|trade| string(trade, "pair") == pair);
        let pending: Vec<_> = self.smart_trade_timers.keys().filter(is_on).copied().collect();
        for id in pending {
            self.end_pending_trade(id);
            self.quiet_trades.remove(pair);
        }
    }

    /// Carries out what follows from the current price in the SmartTrades and the simple trades on a pair.
    pub(super) fn visit_trades_on(&mut self, pair: &str) {
        let Some(price) = self.market.listings.get(pair).map(|listing| Decimal::from(&listing.price)) else { return };
        if self.quiet_trades.get(pair).is_some_and(|quiet| quiet.contains(&price)) {
            return;
        }
        let simple: Vec<_> = self.active_trades_on(pair).map(|(id, _)| *id).collect();
        let smart: Vec<_> = self.alive_trades_on(pair).map(|(id, _)| *id).collect();
        for id in simple {
            self.visit_simple_trade(id);
        }
        for id in smart {
            self.visit_smart_trade(id);
        }
        let levels = self.trade_levels(pair);
        let mut quiet = QuietTrades::default();
        for level in &levels.prices {
            quiet.add(level.into(), &price);
        }
        if levels.follows {
            self.quiet_trades.remove(pair);
        } else {
            self.quiet_trades.insert(pair.to_owned(), quiet);
        }
    }

    fn active_trades_on(&self, pair: &str) -> impl Iterator<Item = (&u64, &JsonRecord)> {
        let is_active = |trade: &JsonRecord| !is_over(nested_string(trade, "status.value"));
        self.store.trades.iter().filter(move |(_, trade)| string(trade, "pair") == pair && is_active(trade))
    }

    fn alive_trades_on(&self, pair: &str) -> impl Iterator<Item = (&u64, &JsonRecord)> {
        self.store.smart_trades.iter().filter(move |(_, trade)| string(trade, "pair") == pair && is_alive(trade))
    }

    /// Returns the price of these trades that a move reaches first, at the tick: a market order fills there if its trigger is between two
    /// ticks.
    pub(super) fn next_trade_price(&self, pair: &str, price_move: &PriceMove<'_>) -> Option<Decimal> {
        let next = if let Some(QuietTrades { lower, upper }) = self.quiet_trades.get(pair) {
            let next = if price_move.is_up() { upper } else { lower };
            next.clone().filter(|price| price_move.passes(price))
        } else {
            let levels = self.trade_levels(pair).prices;
            price_move.first(levels.iter().map(Decimal::from).filter(|price| price_move.passes(price)))
        };
        next.map(|price| price_move.at_tick(&price))
    }

    /// Returns the prices at which something happens to these trades next.
    fn trade_levels(&self, pair: &str) -> Levels {
        let tick = self.market.tick(pair);
        let mut levels = Levels::default();
        for (_, trade) in self.alive_trades_on(pair) {
            levels.add(trade, &self.smart_trade_orders, &tick);
        }
        for (id, trade) in self.active_trades_on(pair) {
            let state = self.simple_trade_states.get(id).cloned().unwrap_or_default();
            levels.follows |= state.best.is_some();
            levels.prices.extend(simple_trade_life::level(trade, &state, &tick));
        }
        levels
    }

    /// Carries out what follows from the current price and time in a simple trade. One whose order is beyond the balance fails.
    pub(crate) fn visit_simple_trade(&mut self, id: u64) {
        let slippage = self.costs.slippage.to_big();
        let Some(before) = self.store.trades.get(&id).cloned() else { return };
        let Some(quote) = self.market.quote(string(&before, "pair")) else { return };
        let mut state = self.simple_trade_states.remove(&id).unwrap_or_default();
        let moment = Moment { quote: &quote, slippage: &slippage, now: self.clock.now() };
        let mut trade = before.clone();
        simple_trade_life::visit(&mut trade, &mut state, &moment);
        if trade != before && !self.pay_for_simple_trade(&before, &trade) {
            trade = before;
            simple_trade_life::end(&mut trade, "failed", Some(REFUSED), self.clock.now());
        }
        let has_ended = is_over(nested_string(&trade, "status.value"));
        if !has_ended && state != OrderState::default() {
            self.simple_trade_states.insert(id, state);
        }
        self.store.trades.insert(id, trade);
    }

    /// Carries out what follows from the current price and time in a SmartTrade.
    pub(crate) fn visit_smart_trade(&mut self, id: u64) {
        let time = self.clock.now();
        self.change_smart_trade(id, |trade, orders, circumstances| {
            smart_trade_prices::visit(trade, orders, time, circumstances);
        });
    }

    /// Changes a SmartTrade at the current price and time. One on a pair that is not traded stays as it is, and one whose order is
    /// beyond the balance fails.
    pub(crate) fn change_smart_trade(
        &mut self,
        id: u64,
        change: impl FnOnce(&mut JsonRecord, &mut OrderStates, &Circumstances<'_>),
    ) {
        if !self.try_to_change_smart_trade(id, change) {
            let now = Value::from(timestamp(self.clock.now()));
            forget(&mut self.smart_trade_orders, id);
            let Some(before) = self.store.smart_trades.get(&id).cloned() else { return };
            let mut trade = before.clone();
            fail(&mut trade, REFUSED, &now);
            self.smart_trade_steps.keep_filled(id, &before, &trade);
            self.store.smart_trades.insert(id, trade);
        }
    }

    /// Does the same; returns false, and leaves the record as it was, if an order is beyond the balance.
    pub(crate) fn try_to_change_smart_trade(
        &mut self,
        id: u64,
        change: impl FnOnce(&mut JsonRecord, &mut OrderStates, &Circumstances<'_>),
    ) -> bool {
        let (now, fee) = (Value::from(timestamp(self.clock.now())), self.fee());
        let Some(before) = self.store.smart_trades.get(&id).cloned() else { return true };
        let Some(quote) = self.market.quote(string(&before, "pair")) else { return true };
        let mut trade = before.clone();
        let circumstances = Circumstances { quote: &quote, fee: &fee, now: &now };
        change(&mut trade, &mut self.smart_trade_orders, &circumstances);
        let is_paid = trade == before || self.pay_for_smart_trade(&before, &trade);
        if is_paid {
            self.smart_trade_steps.keep_filled(id, &before, &trade);
            self.store.smart_trades.insert(id, trade);
        }
        is_paid
    }

    fn end_pending_trade(&mut self, id: u64) {
        self.smart_trade_timers.remove(&id);
        let mut has_ended = false;
        self.change_smart_trade(id, |trade, _, circumstances| {
            has_ended = is_pending(trade);
            if has_ended {
                end_pending(trade, circumstances);
                smart_trade_figures::write(trade, circumstances.quote);
            }
        });
        self.has_stale_records |= has_ended;
    }

    /// Returns the fee of every order, as a fraction.
    pub(crate) fn fee(&self) -> BigDecimal {
        self.costs.fee.to_big()
    }
}

impl QuietTrades {
    fn contains(&self, price: &Decimal) -> bool {
        self.lower.as_ref().is_none_or(|lower| price > lower) && self.upper.as_ref().is_none_or(|upper| price < upper)
    }

    /// Narrows the range around a price by another one at which something happens.
    fn add(&mut self, level: Decimal, price: &Decimal) {
        if level <= *price && self.lower.as_ref().is_none_or(|lower| *lower < level) {
            self.lower = Some(level.clone());
        }
        if level >= *price && self.upper.as_ref().is_none_or(|upper| *upper > level) {
            self.upper = Some(level);
        }
    }
}
