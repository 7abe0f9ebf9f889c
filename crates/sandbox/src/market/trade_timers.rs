//! What is pending in SmartTrades, and simple trades: at which times and prices something happens to them.

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde_json::Value;

use crate::clock::timestamp;
use crate::record::{JsonRecord, string};
use crate::simple_trade::is_over;
use crate::simple_trade_life::{self, Moment, SimpleTradeState};
use crate::smart_trade_figures::{self, nested_string};
use crate::smart_trade_life::{Circumstances, end_pending, is_pending};
use crate::state::State;

impl State {
    /// Returns the time of the next event of a SmartTrade or a simple trade.
    pub(super) fn next_trade_time(&self) -> Option<Timestamp> {
        let checks = self.simple_trade_states.values().filter_map(|state| state.checked_at);
        self.smart_trade_timers.values().copied().chain(checks).min()
    }

    /// Carries out what is due in SmartTrades and in simple trades now.
    pub(super) fn run_due_trades(&mut self) {
        let now = self.clock.now();
        let is_due = |time: &Timestamp| *time <= now;
        let states = self.simple_trade_states.iter();
        let due: Vec<_> = states.filter(|(_, state)| state.checked_at.as_ref().is_some_and(is_due)).collect();
        for id in due.into_iter().map(|(id, _)| *id).collect::<Vec<_>>() {
            self.visit_simple_trade(id);
        }
        let due: Vec<_> = self.smart_trade_timers.iter().filter(|(_, at)| **at <= now).map(|(id, _)| *id).collect();
        for id in due {
            self.end_pending_trade(id);
        }
    }

    /// Carries out what is pending in the SmartTrades on a pair.
    pub(super) fn end_pending_trades_on(&mut self, pair: &str) {
        let trades = &self.store.smart_trades;
        let is_on = |id: &&u64| trades.get(id).is_some_and(|trade| string(trade, "pair") == pair);
        let pending: Vec<_> = self.smart_trade_timers.keys().filter(is_on).copied().collect();
        for id in pending {
            self.end_pending_trade(id);
        }
    }

    /// Carries out what follows from the current price in the simple trades on a pair.
    pub(super) fn visit_simple_trades_on(&mut self, pair: &str) {
        let active: Vec<_> = self.active_trades_on(pair).map(|(id, _)| *id).collect();
        for id in active {
            self.visit_simple_trade(id);
        }
    }

    fn active_trades_on(&self, pair: &str) -> impl Iterator<Item = (&u64, &JsonRecord)> {
        let is_active = |trade: &JsonRecord| !is_over(nested_string(trade, "status.value"));
        self.store.trades.iter().filter(move |(_, trade)| string(trade, "pair") == pair && is_active(trade))
    }

    /// Returns the prices at which something happens to the simple trades on a pair.
    pub(super) fn simple_trade_levels(&self, pair: &str) -> Vec<BigDecimal> {
        let tick = self.market.tick(pair);
        let level = |(id, trade): (&u64, &JsonRecord)| {
            let state = self.simple_trade_states.get(id).cloned().unwrap_or_default();
            simple_trade_life::level(trade, &state, &tick)
        };
        self.active_trades_on(pair).filter_map(level).collect()
    }

    /// Carries out what follows from the current price and time in a simple trade.
    pub(crate) fn visit_simple_trade(&mut self, id: u64) {
        let slippage = self.costs.slippage.to_big();
        let Some(trade) = self.store.trades.get_mut(&id) else { return };
        let Some(quote) = self.market.quote(string(trade, "pair")) else { return };
        let mut state = self.simple_trade_states.remove(&id).unwrap_or_default();
        let moment = Moment { quote: &quote, slippage: &slippage, now: self.clock.now() };
        simple_trade_life::visit(trade, &mut state, &moment);
        let ended = is_over(nested_string(trade, "status.value"));
        if !ended && state != SimpleTradeState::default() {
            self.simple_trade_states.insert(id, state);
        }
    }

    fn end_pending_trade(&mut self, id: u64) {
        self.smart_trade_timers.remove(&id);
        let (now, fee) = (Value::from(timestamp(self.clock.now())), self.fee());
        let Some(trade) = self.store.smart_trades.get_mut(&id).filter(|trade| is_pending(trade)) else { return };
        let Some(quote) = self.market.quote(string(trade, "pair")) else { return };
        end_pending(trade, &Circumstances { quote: &quote, fee: &fee, now: &now });
        smart_trade_figures::write(trade, &quote);
        self.has_stale_records = true;
    }

    /// Returns the fee of every order, as a fraction.
    pub(crate) fn fee(&self) -> BigDecimal {
        self.costs.fee.to_big()
    }
}
