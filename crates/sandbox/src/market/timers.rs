//! Timed events: closes deals after a timeout, and opens deals after a cooldown or a start delay.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::deals::{self, ACTIVE};
use super::listing::Market;
use super::{CloseReason, MarketContext, Quote, balance};
use crate::clock::later;
use crate::record::{JsonRecord, integer, list, string};
use crate::state::{DcaBotState, DealState, NextEventTime, ReadCache, State};

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
        for _ in 0..MAX_EVENTS {
            let Some(time) = self.next_event_time().filter(|time| *time <= until) else {
                break;
            };
            self.clock.advance_to(time);
            self.run_due_events();
        }
        self.clock.advance_to(until);
    }

    /// Returns the time of the next event.
    fn next_event_time(&mut self) -> Option<Timestamp> {
        if let Some(ReadCache { next_event_time: NextEventTime::Known(known), .. }) = self.read_cache {
            return known;
        }
        let next = self.dca_bots.values().filter_map(|bot| bot.next_event_time(&self.market)).min();
        if let Some(read_cache) = &mut self.read_cache {
            read_cache.next_event_time = NextEventTime::Known(next);
        }
        next
    }

    /// Runs the events that are due now.
    fn run_due_events(&mut self) {
        self.read_cache = self.read_cache.take().map(|_| ReadCache::default());
        let now = self.clock.now();
        for bot in self.dca_bots.values_mut() {
            bot.close_due_deals(&self.market, &self.accounts, now);
            bot.open_due_deal(&self.market, &self.accounts, &mut self.next_deal, now);
        }
    }
}

impl DcaBotState {
    /// Returns the time of the next event of the bot.
    fn next_event_time(&self, market: &Market) -> Option<Timestamp> {
        let of_deals = self.deals.iter().filter(|deal| market.listings.contains_key(string(&deal.record, "pair")));
        let closes = of_deals.filter_map(|deal| self.scheduled_close(deal).map(|(at, _)| at));
        closes.chain(self.cooldown_until).chain(self.starts_at).min()
    }

    /// Returns the time at which a timer closes a deal, and the reason.
    fn scheduled_close(&self, deal: &DealState) -> Option<(Timestamp, CloseReason)> {
        if string(&deal.record, "status") != ACTIVE {
            return None;
        }
        let seconds = integer(&self.record, "close_deals_timeout").filter(|seconds| *seconds > 0);
        let opened = string(&deal.record, "created_at").parse().ok();
        let timeout = seconds.zip(opened).map(|(seconds, opened)| later(opened, SignedDuration::from_secs(seconds)));
        let closes =
            [deal.stops_at.map(|at| (at, CloseReason::StopLoss)), timeout.map(|at| (at, CloseReason::Timeout))];
        closes.into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    fn close_due_deals(&mut self, market: &Market, accounts: &BTreeMap<u64, JsonRecord>, now: Timestamp) {
        let mut changed = false;
        for mut deal in std::mem::take(&mut self.deals) {
            let due = self.scheduled_close(&deal).filter(|(at, _)| *at <= now);
            let due = due.zip(market.quote(string(&deal.record, "pair")));
            let Some(((_, end), quote)) = due else {
                self.deals.push(deal);
                continue;
            };
            deals::close(&mut deal, &self.context(&quote, accounts, now), end);
            self.keep_or_finish(deal, Some(end), now);
            changed = true;
        }
        if changed {
            self.update_deal_totals();
        }
    }

    fn context<'a>(&self, quote: &'a Quote, accounts: &BTreeMap<u64, JsonRecord>, now: Timestamp) -> MarketContext<'a> {
        MarketContext { quote, now, balance: balance(accounts, &self.record, quote) }
    }

    /// Opens a deal if the cooldown or the start delay has elapsed.
    fn open_due_deal(
        &mut self,
        market: &Market,
        accounts: &BTreeMap<u64, JsonRecord>,
        next_deal: &mut u64,
        now: Timestamp,
    ) {
        let is_over = |time: &mut Option<Timestamp>| time.take_if(|time| *time <= now).is_some();
        let (rested, delayed) = (is_over(&mut self.cooldown_until), is_over(&mut self.starts_at));
        if !rested && !delayed {
            return;
        }
        let pairs = list(&self.record, "pairs").iter().filter_map(|pair| market.quote(pair.as_str()?));
        let allowed = |quote: &Quote| self.may_open_deal(&self.context(quote, accounts, now));
        let Some(quote) = pairs.collect::<Vec<_>>().into_iter().find(allowed) else {
            return;
        };
        let context = self.context(&quote, accounts, now);
        if delayed {
            self.open_deal(&context, next_deal);
        } else {
            self.open_or_schedule_deal(&context, next_deal);
        }
    }
}
