//! What is pending in SmartTrades: it is carried out at its time, or at the next price before it.

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde_json::Value;

use crate::clock::timestamp;
use crate::record::string;
use crate::smart_trade_figures;
use crate::smart_trade_life::{Circumstances, end_pending, is_pending};
use crate::state::State;

impl State {
    /// Returns the time of the next event of a SmartTrade.
    pub(super) fn next_trade_time(&self) -> Option<Timestamp> {
        self.smart_trade_timers.values().min().copied()
    }

    /// Carries out what is due in SmartTrades now.
    pub(super) fn run_due_trades(&mut self) {
        let now = self.clock.now();
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
