//! Deals that are started by hand, and what a bot needs to run.

use bigdecimal::BigDecimal;

use super::dca_bot_record::Surroundings;
use super::moves::collect;
use super::quotes::balance;
use crate::active_entities::account_of;
use crate::listings::PairQuote;
use crate::record::{JsonRecord, integer, list, plain};
use crate::state::{DcaBotMut, State};
use botdesk_planning::engine_config::deal_config;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::EventKind;

impl State {
    /// Opens a deal of a bot at the price of a pair; returns its id, or None if its orders are too small.
    pub(crate) fn open_deal(&mut self, bot: u64, quote: &PairQuote) -> Option<u64> {
        let market = quote.market(&self.costs);
        let now = self.clock.now();
        let mut purse = self.purse(self.store.dca_bots.get(&bot)?);
        let surroundings = Surroundings::new(&self.market, &self.store.accounts, &self.costs, &self.blacklist, now);
        let record = self.store.dca_bots.get_mut(&bot)?;
        let account = account_of(record);
        let state = self.dca_bot_states.entry(bot).or_default();
        let mut changed = DcaBotMut { record, deals: &mut self.store.deals, state };
        let events = changed.start_deal(quote, &market, &surroundings, &mut self.next_deal, &mut purse);
        let opened = events.iter().find_map(|event| match event.kind {
            EventKind::DealOpened { deal, .. } => Some(deal),
            _ => None,
        });
        collect(&mut self.recorded_events, bot, Some(&market.pair), events);
        self.post(account, &purse.moved());
        self.has_stale_records = true;
        self.write_records();
        opened
    }
}

/// Returns the amount of the quote currency that all deals of a bot need at the current prices.
pub(crate) fn required_amount(state: &State, bot: &JsonRecord) -> String {
    let pairs = list(bot, "pairs").iter().filter_map(|pair| state.market.quote(pair.as_str()?));
    let config = deal_config(bot);
    let of_deal = |quote: PairQuote| {
        let (price, balance) = (Decimal::from(&quote.price), balance(&state.store.accounts, bot, &quote).into());
        let orders = config.safety_orders.orders.iter().map(|order| &order.volume);
        orders.chain([&config.base_order]).fold(Decimal::ZERO, |sum, order| sum + order.size(&price, &balance))
    };
    let deals = integer(bot, "max_active_deals").unwrap_or(1);
    plain(&(pairs.map(of_deal).max().unwrap_or_default() * Decimal::from(BigDecimal::from(deals))))
}
