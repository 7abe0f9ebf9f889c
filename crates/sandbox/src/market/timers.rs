//! Timers: those of the engine, at their times, until the clock has advanced.

use std::sync::Arc;

use jiff::Timestamp;

use super::dca_bot_record::Surroundings;
use super::moves::collect;
use super::quotes::{milliseconds, time_of};
use crate::active_entities::account_of;
use crate::state::{DcaBotMut, NextEventTime, ReadCache, State};

/// The maximum number of event times that one call processes. The next call processes the rest.
///
/// Without it, a bot that closes each deal after a minute would process a million events for two years.
const MAX_EVENTS: usize = 10_000;

impl State {
    /// Runs the events that are due, if the clock follows the wall clock.
    pub(crate) fn catch_up(&mut self) {
        let due = self.clock.current_time();
        if due > self.clock.now() {
            self.advance_to(due);
        }
    }

    /// Advances the clock, and runs all events until then in order, each at its time.
    pub(crate) fn advance_to(&mut self, until: Timestamp) {
        self.run_timers_until(until, MAX_EVENTS);
        self.write_records();
    }

    /// Counts a request that read the state. After some of them the time passes that a requested cancellation takes.
    ///
    /// Otherwise a script that waits for it would wait forever, because only writes advance a manual clock.
    pub(crate) fn count_read(&mut self) {
        let Some(cancellation) = &mut self.cancellation else {
            return;
        };
        cancellation.reads_left = cancellation.reads_left.saturating_sub(1);
        if cancellation.reads_left == 0 {
            let until = cancellation.until;
            self.cancellation = None;
            self.advance_to(until);
        }
    }

    /// Advances the clock, and runs the events until then, each at its time. Records are not written yet.
    fn run_timers_until(&mut self, until: Timestamp, max_events: usize) {
        self.run_some_timers_until(until, max_events);
        self.clock.advance_to(until);
    }

    /// Advances the clock, and runs the events until then; returns false if there are more than the maximum, and the clock then
    /// stands at the last one of them. Records are not written yet.
    pub(crate) fn run_some_timers_until(&mut self, until: Timestamp, max_events: usize) -> bool {
        for _ in 0..max_events {
            let Some(time) = self.next_event_time().filter(|time| *time <= until) else {
                self.clock.advance_to(until);
                return true;
            };
            self.clock.advance_to(time);
            self.run_due_timers();
        }
        false
    }

    /// Returns the time of the next event.
    fn next_event_time(&mut self) -> Option<Timestamp> {
        if let Some(ReadCache { next_event_time: NextEventTime::Known(known), .. }) = self.read_cache {
            return known;
        }
        let surroundings =
            Surroundings::new(&self.market, &self.store.accounts, &self.costs, &self.blacklist, self.clock.now());
        let is_traded = |pair: &Arc<str>| surroundings.market.listings.contains_key(&**pair);
        let deals = &self.store.deals;
        let timers = self.store.dca_bots.iter().filter_map(|(id, record)| {
            let bot = self.dca_bot_states.entry(*id).or_default();
            bot.engine(record, deals, &surroundings).next_timer(is_traded)
        });
        let next = timers.min().map(time_of);
        let next = [next, self.next_trade_time()].into_iter().flatten().min();
        if let Some(read_cache) = &mut self.read_cache {
            read_cache.next_event_time = NextEventTime::Known(next);
        }
        next
    }

    fn run_timers_of(&mut self, id: u64) {
        let Some(mut purse) = self.store.dca_bots.get(&id).map(|record| self.purse(record)) else { return };
        let surroundings =
            Surroundings::new(&self.market, &self.store.accounts, &self.costs, &self.blacklist, self.clock.now());
        let Some(record) = self.store.dca_bots.get_mut(&id) else { return };
        let account = account_of(record);
        let state = self.dca_bot_states.entry(id).or_default();
        let mut bot = DcaBotMut { record, deals: &mut self.store.deals, state };
        let events = bot.run_timers(&surroundings, &mut self.next_deal, &mut purse);
        collect(&mut self.recorded_events, id, None, events);
        self.post(account, &purse.moved());
    }

    /// Runs the timers that are due now.
    fn run_due_timers(&mut self) {
        self.read_cache = self.read_cache.take().map(|_| ReadCache::default());
        let surroundings =
            Surroundings::new(&self.market, &self.store.accounts, &self.costs, &self.blacklist, self.clock.now());
        let now = milliseconds(surroundings.now);
        let is_traded = |pair: &Arc<str>| surroundings.market.listings.contains_key(&**pair);
        let mut due = Vec::new();
        for (id, record) in &self.store.dca_bots {
            let state = self.dca_bot_states.entry(*id).or_default();
            let engine = state.engine(record, &self.store.deals, &surroundings);
            if engine.next_timer(is_traded).is_some_and(|time| time <= now) {
                due.push(*id);
            }
        }
        for id in due {
            self.run_timers_of(id);
        }
        self.run_due_trades();
        self.has_stale_records = true;
    }
}
