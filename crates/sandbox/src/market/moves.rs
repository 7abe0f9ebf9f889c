//! Prices that jump or move, and all bots with them.

use std::sync::Arc;

use bigdecimal::BigDecimal;

use super::dca_bot_record::Surroundings;
use super::grid_settlement;
use crate::active_entities::account_of;
use crate::funds::Purse;
use crate::grid_bot_record;
use crate::grid_history::{GridHistory, Situation};
use crate::listings::{PairListings, PairQuote, check_pair, check_price};
use crate::record::{JsonRecord, string};
use crate::smart_trade_figures;
use crate::state::{BotEvent, DcaBotMut, DcaBotState, GridEngine, State};
use botdesk_schema::input::Violation;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::{self, Event, EventKind, GridRun, movement::PriceMove};

/// A price of a move at which something happens, and the bots to which it happens.
struct MoveStep {
    price: Decimal,
    dca_bots: Vec<u64>,
    grid_bots: Vec<u64>,
}

impl State {
    /// Sets the price of a pair, and updates all bots on it. Prices between the last one and this one are not traded.
    pub(crate) fn set_price(&mut self, pair: &str, price: BigDecimal) -> Result<(), Violation> {
        Self::check_market_price(pair, &price)?;
        self.catch_up();
        self.jump_to(pair, price);
        self.write_records();
        Ok(())
    }

    /// Moves the price of a pair, which passes all prices between, and updates all bots on it.
    pub(crate) fn move_price(&mut self, pair: &str, price: BigDecimal) -> Result<(), Violation> {
        Self::check_market_price(pair, &price)?;
        self.catch_up();
        self.move_to(pair, price);
        self.write_records();
        Ok(())
    }

    /// Sets the tick of a pair. The engine reads the bots on it again.
    pub(crate) fn set_tick(&mut self, pair: &str, tick: &Decimal) {
        self.write_records();
        self.market.set_tick(pair, tick.to_big());
        for bot in self.dca_bot_states.values_mut() {
            bot.engine = None;
        }
    }

    fn check_market_price(pair: &str, price: &BigDecimal) -> Result<(), Violation> {
        check_pair("pair", pair)?;
        check_price("price", price)
    }

    /// Lets a price jump. Records are not written yet.
    pub(crate) fn jump_to(&mut self, pair: &str, price: BigDecimal) {
        self.market.set(pair, price);
        self.end_pending_trades_on(pair);
        self.visit(pair, None);
    }

    /// Lets a price move: visits, in order, every price at which something happens, and the end of the move.
    pub(crate) fn move_to(&mut self, pair: &str, price: BigDecimal) {
        let Some(first) = self.market.quote(pair) else {
            return self.jump_to(pair, price);
        };
        // The first price of a move is the one before it.
        self.end_pending_trades_on(pair);
        let market = first.market(&self.costs);
        let (mut from, to) = (Decimal::from(&first.price), Decimal::from(&price));
        while let Some(step) = self.next_step(&PriceMove { from: &from, to: &to, market: &market }) {
            self.market.set(pair, step.price.to_big());
            self.visit(pair, Some(&step));
            from = step.price;
        }
        self.jump_to(pair, price);
    }

    /// Returns the first price of a move, before its end, at which something happens to a bot.
    fn next_step(&mut self, price_move: &PriceMove<'_>) -> Option<MoveStep> {
        let pair = &*price_move.market.pair;
        let surroundings =
            Surroundings::new(&self.market, &self.store.accounts, &self.costs, &self.blacklist, self.clock.now());
        let deals = &self.store.deals;
        let dca_bots = self.store.dca_bots.iter().filter_map(|(id, record)| {
            let bot = self.dca_bot_states.entry(*id).or_default();
            let engine = bot.is_on(record, deals, pair).then(|| bot.engine(record, deals, &surroundings));
            Some((*id, engine?.next_event_price(price_move)?))
        });
        let dca_bots: Vec<_> = dca_bots.collect();
        let records = self.store.grid_bots.iter().filter(|(_, record)| string(record, "pair") == pair);
        let grid_bots = records.filter_map(|(id, record)| {
            let read = || GridEngine::read(record, price_move.market, self.grid_positions.get(id));
            let engine = self.grids.entry(*id).or_insert_with(read);
            Some((*id, engine.grid.as_ref()?.next_event_price(price_move)?))
        });
        let grid_bots: Vec<_> = grid_bots.collect();
        let prices = dca_bots.iter().chain(&grid_bots).map(|(_, price)| price.clone());
        let trades = self.next_trade_price(pair, price_move);
        let price = price_move.first(prices.chain(trades))?;
        (price != *price_move.to).then(|| MoveStep {
            dca_bots: ids_at(&price, dca_bots),
            grid_bots: ids_at(&price, grid_bots),
            price,
        })
    }

    /// Updates the bots on a pair at its current price: all of them, or those to which something happens in a step of a move.
    fn visit(&mut self, pair: &str, step: Option<&MoveStep>) {
        let Some(quote) = self.market.quote(pair) else {
            return;
        };
        let market = quote.market(&self.costs);
        let is_visited = |bots: fn(&MoveStep) -> &Vec<u64>, id: &u64| step.is_none_or(|step| bots(step).contains(id));
        let is_on = |(id, record): &(&u64, &JsonRecord)| match self.dca_bot_states.get(id) {
            Some(state) => state.is_on(record, &self.store.deals, pair),
            None => DcaBotState::default().is_on(record, &self.store.deals, pair),
        };
        let dca_bots = self.store.dca_bots.iter().filter(|(id, _)| is_visited(|step| &step.dca_bots, id));
        let dca_bots: Vec<_> = dca_bots.filter(is_on).map(|(id, _)| *id).collect();
        for id in dca_bots {
            self.visit_dca_bot(id, &quote, &market);
        }
        let grid_bots = self.store.grid_bots.iter().filter(|(_, record)| string(record, "pair") == pair);
        let grid_bots: Vec<_> =
            grid_bots.filter(|(id, _)| is_visited(|step| &step.grid_bots, id)).map(|(id, _)| *id).collect();
        for id in grid_bots {
            self.visit_grid_bot(id, &quote, &market);
        }
        self.visit_trades_on(pair);
        self.has_stale_records = true;
    }

    fn visit_dca_bot(&mut self, id: u64, quote: &PairQuote, market: &engine::Market) {
        let Some(mut purse) = self.store.dca_bots.get(&id).map(|record| self.purse(record)) else { return };
        let surroundings =
            Surroundings::new(&self.market, &self.store.accounts, &self.costs, &self.blacklist, self.clock.now());
        let Some(record) = self.store.dca_bots.get_mut(&id) else { return };
        let account = account_of(record);
        let state = self.dca_bot_states.entry(id).or_default();
        let mut bot = DcaBotMut { record, deals: &mut self.store.deals, state };
        let events = bot.set_price(quote, market, &surroundings, &mut self.next_deal, &mut purse);
        collect(&mut self.recorded_events, id, Some(&market.pair), events);
        self.post(account, &purse.moved());
    }

    fn visit_grid_bot(&mut self, id: u64, quote: &PairQuote, market: &engine::Market) {
        let Some(record) = self.store.grid_bots.get(&id) else { return };
        let (mut purse, now) = (self.purse(record), self.clock.now());
        let read = || GridEngine::read(record, market, self.grid_positions.get(&id));
        let engine = self.grids.entry(id).or_insert_with(read);
        let events = engine.set_price(quote, market, now, &mut purse);
        if let Some(grid) = engine.grid.as_ref().filter(|_| !events.is_empty()) {
            let of_record = || GridHistory::of_record(record, market, self.seed);
            let history = self.grid_histories.entry(id).or_insert_with(of_record);
            history.add(&Situation { bot: record, grid, at: now }, &events, market, &quote.usd);
        }
        collect(&mut self.recorded_events, id, Some(&market.pair), events);
        self.post(account_of(record), &purse.moved());
    }

    /// Writes all figures that are out of date to the records.
    pub(crate) fn write_records(&mut self) {
        if !std::mem::take(&mut self.has_stale_records) {
            return;
        }
        for (id, record) in &mut self.store.dca_bots {
            let state = self.dca_bot_states.entry(*id).or_default();
            DcaBotMut { record, deals: &mut self.store.deals, state }.write_figures(&self.market, &self.costs);
        }
        for (id, engine) in &mut self.grids {
            if let Some(record) = self.store.grid_bots.get_mut(id)
                && let Some(run) = engine.write(record, &self.market)
            {
                self.grid_positions.insert(*id, run);
            }
        }
        smart_trade_figures::write_all(&mut self.store.smart_trades, &self.market);
    }
}

impl GridEngine {
    fn read(record: &JsonRecord, market: &engine::Market, run: Option<&GridRun>) -> Self {
        Self::new(grid_bot_record::read(record, market, run))
    }

    /// Moves the bot to a price. A bot that can't pay for an order stops before it.
    fn set_price(
        &mut self,
        quote: &PairQuote,
        market: &engine::Market,
        now: jiff::Timestamp,
        purse: &mut Purse,
    ) -> Vec<Event> {
        self.stale_since = Some(now);
        let price = Decimal::from(&quote.price);
        let quote = engine::Quote { market, price: &price, balance: &Decimal::ZERO };
        let mut events = Vec::new();
        let Some(grid) = &mut self.grid else { return events };
        self.was_enabled |= grid.is_enabled;
        let before = grid.clone();
        let now = super::milliseconds(now);
        grid.set_price(&quote, now, &mut events);
        if events.is_empty() || grid_settlement::pay(&before, grid, &events, market, purse) {
            return events;
        }
        *grid = before;
        grid.is_enabled = false;
        vec![Event { at: now, kind: EventKind::BotDisabled(engine::DisableReason::InsufficientBalance) }]
    }

    /// Writes the figures to the record, if they are out of date; returns the run. Of a disabled bot only the price changes.
    fn write(&mut self, record: &mut JsonRecord, market: &PairListings) -> Option<GridRun> {
        let (since, quote) = self.stale_since.take().zip(market.quote(string(record, "pair")))?;
        grid_bot_record::write_price(record, &quote, since);
        let grid = self.grid.as_ref().filter(|_| std::mem::take(&mut self.was_enabled))?;
        grid_bot_record::write(record, grid, &quote);
        Some(grid.run())
    }
}

/// Returns the ids of the bots whose next price is this one.
fn ids_at(price: &Decimal, bots: Vec<(u64, Decimal)>) -> Vec<u64> {
    bots.into_iter().filter(|(_, next)| next == price).map(|(id, _)| id).collect()
}

/// Appends the events of a bot, if events are recorded.
///
/// Without a visited pair, orders fill only in deals that the events open or close.
pub(super) fn collect(
    recorded: &mut Option<Vec<BotEvent>>,
    bot: u64,
    visited_pair: Option<&Arc<str>>,
    events: Vec<Event>,
) {
    let Some(recorded) = recorded else { return };
    let pairs: Vec<_> =
        events.iter().map(|event| visited_pair.or_else(|| pair_of_fill(event, &events)).cloned()).collect();
    recorded.extend(events.into_iter().zip(pairs).map(|(event, pair)| BotEvent { bot, pair, event }));
}

/// Returns the pair of a filled order, if events open or close its deal.
fn pair_of_fill<'a>(event: &Event, events: &'a [Event]) -> Option<&'a Arc<str>> {
    let EventKind::OrderFilled(fill) = &event.kind else { return None };
    events.iter().find_map(|event| match &event.kind {
        EventKind::DealOpened { deal, pair, .. } if fill.deal == Some(*deal) => Some(pair),
        EventKind::DealClosed { deal, .. } if fill.deal == Some(deal.id) => Some(&deal.pair),
        _ => None,
    })
}
