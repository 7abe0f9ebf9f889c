//! What all orders and positions of an account reserve.

use std::borrow::Cow;

use bigdecimal::{BigDecimal, Zero as _};
use serde_json::Value;

use crate::active_entities::account_of;
use crate::exchanges::trades_futures;
use crate::funds::{Amounts, Limits, Purse, Settlement, of_deal, of_grid, of_simple_trade, of_smart_trade};
use crate::grid_bot_record;
use crate::record::{JsonRecord, number, string};
use crate::smart_trade_figures::{nested, nested_number};
use crate::state::State;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{Market, SimulatedGridBot};

impl State {
    /// Returns what the orders and the positions on an account reserve.
    pub(crate) fn reserved(&self, account: u64) -> Amounts {
        let is_on = |record: &JsonRecord| account_of(record) == Some(account);
        let mut reserved = Amounts::default();
        for (id, bot) in self.store.dca_bots.iter().filter(|(_, bot)| is_on(bot)) {
            let settlement = self.settlement(bot);
            for (deal, market, balance) in self.known_deals(*id, bot) {
                reserved.add_all(&of_deal(&deal, &market, &balance, &settlement));
            }
        }
        for (id, bot) in self.store.grid_bots.iter().filter(|(_, bot)| is_on(bot)) {
            reserved.add_all(&self.reserved_by_grid(*id, bot));
        }
        for trade in self.store.smart_trades.values().filter(|trade| is_on(trade)) {
            reserved.add_all(&self.reserved_by_smart_trade(trade));
        }
        for trade in self.store.trades.values().filter(|trade| is_on(trade)) {
            reserved.add_all(&self.reserved_by_simple_trade(trade));
        }
        reserved
    }

    /// Returns what a grid bot reserves.
    pub(crate) fn reserved_by_grid(&self, id: u64, bot: &JsonRecord) -> Amounts {
        let Some(quote) = self.market.quote(string(bot, "pair")) else { return Amounts::default() };
        let (market, settlement) = (quote.market(&self.costs), self.settlement(bot));
        self.known_grid(id, bot, &market).map(|grid| of_grid(&grid, &market, &settlement)).unwrap_or_default()
    }

    fn known_grid(&self, id: u64, bot: &JsonRecord, market: &Market) -> Option<Cow<'_, SimulatedGridBot>> {
        match self.grids.get(&id) {
            Some(engine) => engine.grid.as_ref().map(Cow::Borrowed),
            None => grid_bot_record::read(bot, market, self.grid_positions.get(&id)).map(Cow::Owned),
        }
    }

    pub(super) fn reserved_by_smart_trade(&self, trade: &JsonRecord) -> Amounts {
        of_smart_trade(trade, &self.settlement(trade))
    }

    pub(super) fn reserved_by_simple_trade(&self, trade: &JsonRecord) -> Amounts {
        of_simple_trade(trade, &self.settlement(trade))
    }

    /// Returns the way in which the account of a bot, deal or trade pays for orders.
    pub(crate) fn settlement(&self, record: &JsonRecord) -> Settlement {
        let account = account_of(record).and_then(|id| self.store.accounts.get(&id));
        if !account.is_some_and(|account| trades_futures(string(account, "market_code"))) {
            return Settlement::Spot;
        }
        let of_trade = nested(record, "leverage.enabled") == Some(&Value::Bool(true));
        let leverage: BigDecimal =
            if of_trade { nested_number(record, "leverage.value") } else { number(record, "leverage_custom_value") };
        Settlement::Futures { leverage: leverage.max(BigDecimal::from(1)) }
    }

    /// Returns the money that the account of a bot, deal or trade has for the orders of a step.
    pub(crate) fn purse(&self, record: &JsonRecord) -> Purse {
        let limited = account_of(record).filter(|account| self.is_limited(*account));
        Purse::new(self.settlement(record), limited.map(|account| self.limits(account)))
    }

    /// Returns true if the account of a deal can sell a quantity of its base currency, or a margin pays for it.
    pub(crate) fn can_sell(&self, deal: &JsonRecord, quantity: &Decimal) -> bool {
        let Some(account) = account_of(deal).filter(|account| self.is_limited(*account)) else { return true };
        let is_spot = matches!(self.settlement(deal), Settlement::Spot);
        !is_spot || quantity.to_big() <= self.free_amount(account, string(deal, "to_currency"))
    }

    fn limits(&self, account: u64) -> Limits {
        let total: Amounts = self.ledger(account).iter().map(|balance| (&*balance.code, balance.total())).collect();
        let outside: Amounts =
            self.ledger(account).iter().map(|balance| (&*balance.code, balance.in_orders.clone())).collect();
        let free = total.clone().minus(&outside).minus(&self.reserved(account));
        Limits { total, free }
    }

    /// Returns what is reserved on an account beyond its balances.
    pub(super) fn uncovered(&self, account: u64) -> Amounts {
        let limits = self.limits(account);
        let lacking = limits.free.iter().filter(|(_, free)| **free < BigDecimal::zero());
        lacking.map(|(code, free)| (code, -free)).collect()
    }
}
