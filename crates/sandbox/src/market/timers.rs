//! What happens as time passes: deals that waited or were open for too long are closed, and bots that rested go on.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::deals::{self, ACTIVE};
use super::listing::Market;
use super::{End, Quote, Scene, balance};
use crate::clock::later;
use crate::record::{Record, list, text, whole};
use crate::state::{DcaBotState, DealState, Memory, NextMoment, World};

/// The most moments at which something happens in one go. What is left over happens the next time.
///
/// A bot that closes each deal after a minute would otherwise be busy for a million of them in two years.
const MOST_MOMENTS: usize = 10_000;

impl World {
    /// Passes the time since the wall clock was looked at last, where the clock follows it.
    pub(crate) fn catch_up(&mut self) {
        let due = self.clock.due();
        if due > self.clock.now() {
            self.pass(due);
        }
    }

    /// Lets time pass: all that is due until then happens, one after the other, each at its time.
    pub(crate) fn pass(&mut self, until: Timestamp) {
        for _ in 0..MOST_MOMENTS {
            let Some(moment) = self.next_moment().filter(|moment| *moment <= until) else {
                break;
            };
            self.clock.reach(moment);
            self.happen();
        }
        self.clock.reach(until);
    }

    /// When something happens next.
    fn next_moment(&mut self) -> Option<Timestamp> {
        if let Some(Memory { next_moment: NextMoment::Known(known), .. }) = self.memory {
            return known;
        }
        let next = self.dca_bots.values().filter_map(|bot| bot.next_moment(&self.market)).min();
        if let Some(memory) = &mut self.memory {
            memory.next_moment = NextMoment::Known(next);
        }
        next
    }

    /// All that is due now.
    fn happen(&mut self) {
        self.memory = self.memory.take().map(|_| Memory::default());
        let now = self.clock.now();
        for bot in self.dca_bots.values_mut() {
            bot.close_due(&self.market, &self.accounts, now);
            bot.go_on(&self.market, &self.accounts, &mut self.next_deal, now);
        }
    }
}

impl DcaBotState {
    /// When something happens to the bot next.
    fn next_moment(&self, market: &Market) -> Option<Timestamp> {
        let of_deals = self.deals.iter().filter(|deal| market.listings.contains_key(text(&deal.record, "pair")));
        let closings = of_deals.filter_map(|deal| self.closing(deal).map(|(at, _)| at));
        closings.chain(self.rests_until).chain(self.starts_at).min()
    }

    /// When a deal is closed by the clock, and as what.
    fn closing(&self, deal: &DealState) -> Option<(Timestamp, End)> {
        if text(&deal.record, "status") != ACTIVE {
            return None;
        }
        let seconds = whole(&self.record, "close_deals_timeout").filter(|seconds| *seconds > 0);
        let opened = text(&deal.record, "created_at").parse().ok();
        let timeout = seconds.zip(opened).map(|(seconds, opened)| later(opened, SignedDuration::from_secs(seconds)));
        let closings = [deal.stops_at.map(|at| (at, End::StopLoss)), timeout.map(|at| (at, End::Timeout))];
        closings.into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    fn close_due(&mut self, market: &Market, accounts: &BTreeMap<u64, Record>, now: Timestamp) {
        let mut changed = false;
        for mut deal in std::mem::take(&mut self.deals) {
            let due = self.closing(&deal).filter(|(at, _)| *at <= now);
            let due = due.zip(market.quote(text(&deal.record, "pair")));
            let Some(((_, end), quote)) = due else {
                self.deals.push(deal);
                continue;
            };
            deals::close(&mut deal, &self.scene(&quote, accounts, now), end);
            self.keep(deal, Some(end), now);
            changed = true;
        }
        if changed {
            self.sum_up();
        }
    }

    fn scene<'a>(&self, quote: &'a Quote, accounts: &BTreeMap<u64, Record>, now: Timestamp) -> Scene<'a> {
        Scene { quote, now, balance: balance(accounts, &self.record, quote) }
    }

    /// Opens a deal where the pause after the last one, or the delay before the next one, is over.
    fn go_on(&mut self, market: &Market, accounts: &BTreeMap<u64, Record>, next_deal: &mut u64, now: Timestamp) {
        let is_over = |time: &mut Option<Timestamp>| time.take_if(|time| *time <= now).is_some();
        let (rested, delayed) = (is_over(&mut self.rests_until), is_over(&mut self.starts_at));
        if !rested && !delayed {
            return;
        }
        let pairs = list(&self.record, "pairs").iter().filter_map(|pair| market.quote(pair.as_str()?));
        let wanted = |quote: &Quote| self.wants_deal(&self.scene(quote, accounts, now));
        let Some(quote) = pairs.collect::<Vec<_>>().into_iter().find(wanted) else {
            return;
        };
        let scene = self.scene(&quote, accounts, now);
        if delayed {
            self.open(&scene, next_deal);
        } else {
            self.answer_signal(&scene, next_deal);
        }
    }
}
