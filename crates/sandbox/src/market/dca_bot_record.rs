//! Translates DCA bots between their records and the engine.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;

use super::deal_record::{is_traded, new_record, write_close};
use super::quotes::{BotQuotes, balance, milliseconds, time_of};
use crate::balance::REFUSED;
use crate::clock::timestamp;
use crate::deal_history::event;
use crate::defaults::object;
use crate::exchanges::market_type;
use crate::fills::OrderFill;
use crate::funds::Purse;
use crate::listings::{Costs, PairListings, PairQuote};
use crate::record::{JsonRecord, integer, is_true, number, plain, string};
use crate::state::{DcaBotMut, DcaBotState, DealState, State};
use crate::store::Table;
use botdesk_planning::engine_config::dca_bot_config;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::dca_bot::Context;
use botdesk_trading::engine::{self, CloseReason, Deal, Event, EventKind, OrderKind};

/// The maximum number of finished deals in a bot.
const MAX_FINISHED: usize = 1_000;

/// The market, the accounts and the costs that the bots of a sandbox share.
pub(super) struct Surroundings<'a> {
    pub(super) market: &'a PairListings,
    pub(super) accounts: &'a Table,
    pub(super) costs: &'a Costs,
    /// The pairs on which no bot opens deals.
    pub(super) blacklist: &'a [String],
    pub(super) now: Timestamp,
}

impl<'a> Surroundings<'a> {
    pub(super) fn new(
        market: &'a PairListings,
        accounts: &'a Table,
        costs: &'a Costs,
        blacklist: &'a [String],
        now: Timestamp,
    ) -> Self {
        Self { market, accounts, costs, blacklist, now }
    }

    /// Returns the type of the market on which a bot trades.
    fn market_type(&self, bot: &JsonRecord) -> &'static str {
        let account = bot.get("account_id").and_then(Value::as_u64).and_then(|id| self.accounts.get(&id));
        market_type(account.map_or("", |account| string(account, "market_code")))
    }

    /// Returns those of a state.
    pub(super) fn of(state: &'a State) -> Self {
        Self::new(&state.market, &state.store.accounts, &state.costs, &state.blacklist, state.clock.now())
    }

    /// Returns the engine's market of a pair. A pair that is not traded has no tick.
    pub(super) fn market_of(&self, pair: &str) -> engine::Market {
        let untraded = || PairQuote { pair: pair.to_owned(), price: 0.into(), tick: 0.into(), usd: 0.into() };
        self.market.quote(pair).unwrap_or_else(untraded).market(self.costs)
    }

    pub(super) fn balance(&self, bot: &JsonRecord, pair: &str) -> Decimal {
        self.market.quote(pair).map(|quote| balance(self.accounts, bot, &quote)).unwrap_or_default().into()
    }
}

impl DcaBotState {
    /// Returns the bot for the engine. It is read from the records if they were modified.
    pub(super) fn engine(
        &mut self,
        record: &JsonRecord,
        deals: &Table,
        surroundings: &Surroundings<'_>,
    ) -> &mut engine::SimulatedDcaBot {
        let engine = self.engine.take().unwrap_or_else(|| self.read(record, deals, surroundings));
        self.engine.insert(engine)
    }

    pub(super) fn read(
        &self,
        record: &JsonRecord,
        deals: &Table,
        surroundings: &Surroundings<'_>,
    ) -> engine::SimulatedDcaBot {
        let deals = self.deals.iter().filter_map(|deal| Some((deal, deals.get(&deal.id)?)));
        let deals = deals.filter(|(_, deal)| is_traded(deal)).map(|(state, deal)| {
            let pair = string(deal, "pair");
            Box::new(state.read(deal, &surroundings.market_of(pair), &surroundings.balance(record, pair)))
        });
        let mut config = dca_bot_config(record);
        // A bot opens no deals on a pair of the blacklist, as if it did not trade it.
        config.pairs.retain(|pair| !surroundings.blacklist.iter().any(|listed| **listed == **pair));
        engine::SimulatedDcaBot {
            config,
            is_enabled: is_true(record, "is_enabled"),
            deals: deals.collect(),
            opened_deals: integer(record, "deals_counter")
                .and_then(|count| u64::try_from(count).ok())
                .unwrap_or_default(),
            timers: self.timers.clone(),
        }
    }

    /// Returns true if a price of the pair matters to the bot.
    pub(super) fn is_on(&self, record: &JsonRecord, deals: &Table, pair: &str) -> bool {
        let trades =
            || record.get("pairs").and_then(Value::as_array).is_some_and(|pairs| pairs.iter().any(|own| own == pair));
        let is_deal_on = |deal: &DealState| deals.get(&deal.id).is_some_and(|deal| string(deal, "pair") == pair);
        match &self.engine {
            Some(engine) => engine.is_on(pair),
            None => trades() || self.deals.iter().any(is_deal_on),
        }
    }
}

impl DcaBotMut<'_> {
    pub(super) fn engine(&mut self, surroundings: &Surroundings<'_>) -> &mut engine::SimulatedDcaBot {
        self.state.engine(self.record, self.deals, surroundings)
    }

    /// Moves the bot to the price of a pair.
    pub(super) fn set_price(
        &mut self,
        quote: &PairQuote,
        market: &engine::Market,
        surroundings: &Surroundings<'_>,
        next_deal: &mut u64,
        purse: &mut Purse,
    ) -> Vec<Event> {
        let balance = if self.engine(surroundings).uses_balance() {
            balance(surroundings.accounts, self.record, quote).into()
        } else {
            Decimal::ZERO
        };
        let price = Decimal::from(&quote.price);
        let priced = engine::Quote { market, price: &price, balance: &balance };
        self.run(Some(&quote.pair), surroundings, next_deal, purse, |engine, context| {
            engine.set_price(&priced, context);
        })
    }

    /// Opens a deal at the price of a pair, whatever the bot waits for.
    pub(super) fn start_deal(
        &mut self,
        quote: &PairQuote,
        market: &engine::Market,
        surroundings: &Surroundings<'_>,
        next_deal: &mut u64,
        purse: &mut Purse,
    ) -> Vec<Event> {
        let balance = balance(surroundings.accounts, self.record, quote).into();
        let price = Decimal::from(&quote.price);
        let priced = engine::Quote { market, price: &price, balance: &balance };
        self.run(Some(&quote.pair), surroundings, next_deal, purse, |engine, context| engine.start(&priced, context))
    }

    /// Runs the timers that are due.
    pub(super) fn run_timers(
        &mut self,
        surroundings: &Surroundings<'_>,
        next_deal: &mut u64,
        purse: &mut Purse,
    ) -> Vec<Event> {
        let pairs: Vec<Arc<str>> = self.engine(surroundings).all_pairs().cloned().collect();
        let Surroundings { market, accounts, costs, .. } = surroundings;
        let quotes = BotQuotes::new(pairs.iter().map(|pair| &**pair), self.record, market, accounts, costs);
        self.run(None, surroundings, next_deal, purse, |engine, context| engine.run_timers(&quotes, context))
    }

    /// Runs a step of the engine, and writes its effects to the records. The deals on a pair with a new price get new figures.
    fn run(
        &mut self,
        priced: Option<&str>,
        surroundings: &Surroundings<'_>,
        next_deal: &mut u64,
        purse: &mut Purse,
        effect: impl FnOnce(&mut engine::SimulatedDcaBot, &mut Context<'_>),
    ) -> Vec<Event> {
        let mut events = Vec::new();
        let mut context = Context { now: milliseconds(surroundings.now), next_deal, events: &mut events };
        let before = self.reservations(purse, surroundings);
        effect(self.engine(surroundings), &mut context);
        let events = self.settle(&before, events, purse, surroundings);
        if let Some(pair) = priced {
            self.mark_stale(pair, surroundings.now);
        }
        self.write_timers();
        self.write_events(&events, surroundings);
        events
    }

    /// Marks the figures of the deals on a pair as out of date.
    fn mark_stale(&mut self, pair: &str, now: Timestamp) {
        for deal in &mut self.state.deals {
            if self.deals.get(&deal.id).is_some_and(|record| string(record, "pair") == pair) {
                deal.stale_since = Some(now);
                self.state.is_stale = true;
            }
        }
    }

    fn write_timers(&mut self) {
        if let Some(engine) = &self.state.engine {
            self.state.timers.clone_from(&engine.timers);
        }
    }

    fn write_events(&mut self, events: &[Event], surroundings: &Surroundings<'_>) {
        for event in events {
            let at = time_of(event.at);
            match &event.kind {
                EventKind::DealOpened { deal, pair, .. } => self.write_opened(*deal, pair, at, surroundings),
                EventKind::DealClosed { deal, reason } => self.write_closed(deal, *reason, at, surroundings),
                EventKind::BotDisabled(_) => {
                    self.set("is_enabled", false);
                    self.add_event("Bot disabled", Value::from(timestamp(at)));
                }
                EventKind::OrderFilled(fill) => self.write_fill(fill.deal, event, surroundings),
                EventKind::GridMoved(_) => {}
            }
        }
    }

    fn write_opened(&mut self, id: u64, pair: &str, at: Timestamp, surroundings: &Surroundings<'_>) {
        let base_price = self.engine_deal(id).map(|deal| deal.base_price.to_string());
        let Some(quote) = surroundings.market.quote(pair) else {
            return;
        };
        let mut record = new_record(self.record, surroundings.market_type(self.record), id, &quote, at);
        record.extend(object! { "base_order_average_price": base_price });
        self.deals.insert(id, record);
        self.state.deals.push(DealState { id, stale_since: Some(at), ..DealState::default() });
        let opened = integer(self.record, "deals_counter").unwrap_or_default().saturating_add(1);
        self.set("deals_counter", opened);
        self.state.is_stale = true;
        self.add_event(&format!("Deal {id} opened"), Value::from(timestamp(at)));
    }

    fn write_fill(&mut self, deal: Option<u64>, event: &Event, surroundings: &Surroundings<'_>) {
        let Some((id, record)) = deal.and_then(|id| Some((id, self.deals.get_mut(&id)?))) else { return };
        let market = surroundings.market_of(string(record, "pair"));
        let fill = OrderFill::of(event, &market);
        if let Some(OrderFill { kind: kind @ OrderKind::Manual(_), at, .. }) = &fill {
            let filled = integer(record, "completed_manual_safety_orders_count").unwrap_or_default().saturating_add(1);
            record.extend(object! { "completed_manual_safety_orders_count": filled });
            self.state.histories.entry(id).or_default().fill(*kind, *at);
        }
        // A timer fills orders without a new price.
        if let Some((deal, fill)) = self.state.deals.iter_mut().find(|deal| deal.id == id).zip(fill.as_ref()) {
            deal.stale_since.get_or_insert(fill.at);
            self.state.is_stale = true;
        }
        self.state.fills.entry(id).or_default().extend(fill);
    }

    pub(super) fn engine_deal(&self, id: u64) -> Option<&Deal> {
        self.state.engine.as_ref()?.deals.iter().map(Box::as_ref).find(|deal| deal.id == id)
    }

    fn write_closed(&mut self, deal: &Deal, reason: CloseReason, at: Timestamp, surroundings: &Surroundings<'_>) {
        let index = self.state.deals.iter().position(|known| known.id == deal.id);
        let quote = surroundings.market.quote(&deal.pair);
        let (Some(index), Some(quote), Some(record)) = (index, quote, self.deals.get_mut(&deal.id)) else {
            return;
        };
        let mut closed = self.state.deals.remove(index);
        let market = quote.market(surroundings.costs);
        closed.write(record, deal, &quote, &market, at);
        write_close(record, deal, reason, &quote, &market, at);
        self.state.is_stale = true;
        if let Some(history) = self.state.histories.get_mut(&deal.id) {
            history.cancel_active(at);
            if reason == CloseReason::Cancelled {
                history.events.push(event("Deal cancelled", at));
            }
        }
        if !reason.keeps_position() {
            count_finished(self.record, record);
        }
        let event = match reason {
            CloseReason::TakeProfit => "took profit",
            CloseReason::StopLoss => "hit its stop loss",
            CloseReason::Timeout => "timed out",
            CloseReason::ByHand => "was closed at the market price",
            CloseReason::Cancelled => "was cancelled",
            CloseReason::Failed => "failed: ",
        };
        let reason = if reason == CloseReason::Failed { REFUSED } else { "" };
        self.add_event(&format!("Deal {} {event}{reason}", deal.id), Value::from(timestamp(at)));
        self.state.finished.push(deal.id);
        self.forget_finished_deals();
    }

    /// Forgets the oldest finished deals if there are too many.
    pub(crate) fn forget_finished_deals(&mut self) {
        let too_many = self.state.finished.len().saturating_sub(MAX_FINISHED);
        for forgotten in self.state.finished.drain(..too_many) {
            self.deals.remove(&forgotten);
            self.state.fills.remove(&forgotten);
            self.state.histories.remove(&forgotten);
        }
    }

    /// Writes the figures that are out of date to the records.
    pub(super) fn write_figures(&mut self, market: &PairListings, costs: &Costs) {
        if !std::mem::take(&mut self.state.is_stale) {
            return;
        }
        let engine = self.state.engine.as_ref();
        for deal in &mut self.state.deals {
            let stale_since = deal.stale_since.take();
            let known = engine.and_then(|engine| engine.deals.iter().find(|known| known.id == deal.id));
            let Some(record) = self.deals.get_mut(&deal.id) else { continue };
            let quote = market.quote(string(record, "pair"));
            if let (Some(since), Some(known), Some(quote)) = (stale_since, known, quote) {
                let market = quote.market(costs);
                deal.write(record, known, &quote, &market, since);
            }
        }
        self.update_deal_totals();
    }

    /// Updates the fields that summarize the open deals.
    pub(crate) fn update_deal_totals(&mut self) {
        let deals = self.state.deals.iter().filter_map(|deal| self.deals.get(&deal.id));
        let profit: bigdecimal::BigDecimal = deals.map(|deal| number(deal, "actual_usd_profit")).sum();
        let has_none = self.state.deals.is_empty();
        self.record.extend(object! {
            "active_deals_count": self.state.deals.len(),
            "deletable?": has_none,
            "active_deals_usd_profit": if has_none { "0.0".to_owned() } else { plain(&profit.into()) },
        });
    }
}

fn count_finished(bot: &mut JsonRecord, deal: &JsonRecord) {
    let profit = number(bot, "finished_deals_profit_usd") + number(deal, "usd_final_profit");
    let finished = integer(bot, "finished_deals_count").unwrap_or_default().saturating_add(1);
    bot.extend(object! {
        "finished_deals_profit_usd": profit.to_plain_string(),
        "finished_deals_count": finished.to_string(),
    });
}
