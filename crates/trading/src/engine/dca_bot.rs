//! A DCA bot: it opens deals, finishes them, pauses, and disables itself.

use std::sync::Arc;

use super::Milliseconds;
use super::config::DcaBotConfig;
use super::deal::{Deal, NextPrices};
use super::event::{CloseReason, DisableReason, Event, EventKind, Fill, OrderKind};
use super::market::{Action, Market, Quote, side};
use super::movement::{PriceMove, QuietRange};
use crate::decimal::Decimal;

/// A DCA bot and its open deals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimulatedDcaBot {
    /// The settings.
    pub config: DcaBotConfig,
    /// True if it may open deals.
    pub is_enabled: bool,
    /// The open deals, oldest first.
    #[allow(clippy::vec_box, reason = "a deal is large, and moves into an event when it is closed")]
    pub deals: Vec<Box<Deal>>,
    /// The number of deals that it opened.
    pub opened_deals: u64,
    /// The pauses and the pending starts of its pairs. A pair that waits for nothing has none.
    pub timers: Vec<PairTimers>,
}

/// The times for which a bot waits before it opens a deal on a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairTimers {
    /// The code of the pair.
    pub pair: Arc<str>,
    /// The end of the pause after the last deal.
    pub cooldown_until: Option<Milliseconds>,
    /// The time at which a signalled deal opens, after its start delay.
    pub starts_at: Option<Milliseconds>,
}

impl PairTimers {
    fn new(pair: Arc<str>) -> Self {
        Self { pair, cooldown_until: None, starts_at: None }
    }

    /// Returns true if a time is not over yet.
    pub fn is_waiting(&self) -> bool {
        self.cooldown_until.is_some() || self.starts_at.is_some()
    }

    /// Moves the times that are due into timers of their own.
    fn take_due(&mut self, now: Milliseconds) -> Self {
        Self {
            pair: Arc::clone(&self.pair),
            cooldown_until: self.cooldown_until.take_if(|time| *time <= now),
            starts_at: self.starts_at.take_if(|time| *time <= now),
        }
    }
}

/// The time and the results of a step of a bot.
#[derive(Debug)]
pub struct Context<'a> {
    /// The time.
    pub now: Milliseconds,
    /// The id of the next deal. Ids are never reused.
    pub next_deal: &'a mut u64,
    /// The list to which events are appended.
    pub events: &'a mut Vec<Event>,
}

/// The markets of all pairs.
pub trait Markets {
    /// Returns the quote of a pair; None if it is not traded or has no price yet.
    fn quote(&self, pair: &Arc<str>) -> Option<Quote<'_>>;
}

impl SimulatedDcaBot {
    /// Returns an enabled bot without deals.
    pub fn new(config: DcaBotConfig) -> Self {
        Self { config, is_enabled: true, deals: Vec::new(), opened_deals: 0, timers: Vec::new() }
    }

    /// Returns the pairs that the bot trades, then those of its deals. Some may appear twice.
    pub fn all_pairs(&self) -> impl Iterator<Item = &Arc<str>> {
        self.config.pairs.iter().chain(self.deals.iter().map(|deal| &deal.pair))
    }

    /// Returns true if a price of the pair matters to the bot.
    pub fn is_on(&self, pair: &str) -> bool {
        self.all_pairs().any(|own| **own == *pair)
    }

    /// Returns true if an order of the bot has a volume in percent of the balance.
    pub fn uses_balance(&self) -> bool {
        self.config.deal.uses_balance() || self.deals.iter().any(|deal| deal.uses_balance())
    }

    /// Handles a price that the pair jumped to: updates its deals; a nonstop bot may also open a deal.
    pub fn set_price(&mut self, quote: &Quote<'_>, context: &mut Context<'_>) {
        self.update_deals(quote, context);
        if self.config.is_nonstop {
            self.open_or_schedule(quote, context);
        }
    }

    /// Handles a move of the price, at every price on the way at which something happens.
    ///
    /// `quote` is the quote at the end of the move.
    pub fn move_price(&mut self, from: &Decimal, quote: &Quote<'_>, context: &mut Context<'_>) {
        let mut from = from.clone();
        loop {
            let price_move = PriceMove { from: &from, to: quote.price, market: quote.market };
            let Some(price) = self.next_event_price(&price_move).filter(|price| price != quote.price) else {
                return self.set_price(quote, context);
            };
            self.set_price(&Quote { price: &price, ..*quote }, context);
            from = price;
        }
    }

    /// Handles a signal: opens or schedules a deal if the bot may have another one.
    pub fn signal(&mut self, quote: &Quote<'_>, context: &mut Context<'_>) {
        self.open_or_schedule(quote, context);
    }

    /// Opens a deal at once, whatever the pauses and the prices between which the bot opens deals by itself.
    ///
    /// Nothing happens if the orders are too small, or if the bot is disabled.
    pub fn start(&mut self, quote: &Quote<'_>, context: &mut Context<'_>) {
        if self.is_enabled {
            self.open(quote, context);
        }
    }

    /// Returns the first price of a move at which something happens.
    pub fn next_event_price(&self, price_move: &PriceMove<'_>) -> Option<Decimal> {
        let deals = self.deals.iter().filter(|deal| price_move.market.is_of(&deal.pair));
        price_move.first(deals.filter_map(|deal| deal.next_event_price(price_move)))
    }

    /// Returns the prices between which nothing happens until the time of the next event.
    ///
    /// Returns None if something may happen at every price, such as the start of a deal.
    pub fn quiet_range(&self, market: &Market, now: Milliseconds) -> Option<QuietRange<'_>> {
        let mut range = QuietRange::default();
        // An edit may have removed the delay of a deal that is scheduled.
        let is_scheduled = self.config.start_delay.is_some()
            && self.timers_of(&market.pair).is_some_and(|timers| timers.starts_at.is_some());
        if self.config.is_nonstop && !is_scheduled && self.may_open_on(market, now) {
            return None;
        }
        for deal in self.deals.iter().filter(|deal| market.is_of(&deal.pair)) {
            deal.narrow(&mut range)?;
        }
        Some(range)
    }

    /// Moves the deals on a pair to its new price.
    fn update_deals(&mut self, quote: &Quote<'_>, context: &mut Context<'_>) {
        let mut index = 0;
        while let Some(deal) = self.deals.get_mut(index) {
            let reason =
                if quote.market.is_of(&deal.pair) { deal.set_price(quote, context.now, context.events) } else { None };
            match reason {
                Some(reason) => self.finish(index, reason, context),
                None => index += 1,
            }
        }
    }

    fn finish(&mut self, index: usize, reason: CloseReason, context: &mut Context<'_>) {
        let mut deal = self.deals.remove(index);
        // A closed deal waits for nothing. Its prices may be out of date.
        deal.next_prices = NextPrices::default();
        let pair = Arc::clone(&deal.pair);
        context.events.push(Event { at: context.now, kind: EventKind::DealClosed { deal, reason } });
        if reason == CloseReason::Cancelled {
            return;
        }
        let cooldown_until = context.now.saturating_add(self.config.cooldown);
        self.set_timers(&pair, |timers| timers.cooldown_until = Some(cooldown_until));
        if reason == CloseReason::StopLoss && self.config.disables_after_stop_loss {
            self.disable(DisableReason::StopLoss, context);
        }
    }

    /// Removes a deal whose order the account can't pay for; returns it without orders, and with its position. No pause follows.
    pub fn fail(&mut self, id: u64) -> Option<Box<Deal>> {
        let index = self.deals.iter().position(|deal| deal.id == id)?;
        let mut deal = self.deals.remove(index);
        deal.next_prices = NextPrices::default();
        Some(deal)
    }

    fn disable(&mut self, reason: DisableReason, context: &mut Context<'_>) {
        if std::mem::take(&mut self.is_enabled) {
            context.events.push(Event { at: context.now, kind: EventKind::BotDisabled(reason) });
        }
    }

    fn timers_of(&self, pair: &str) -> Option<&PairTimers> {
        self.timers.iter().find(|timers| *timers.pair == *pair)
    }

    /// Changes the timers of a pair.
    fn set_timers(&mut self, pair: &Arc<str>, change: impl FnOnce(&mut PairTimers)) {
        if let Some(timers) = self.timers.iter_mut().find(|timers| timers.pair == *pair) {
            return change(timers);
        }
        let mut timers = PairTimers::new(Arc::clone(pair));
        change(&mut timers);
        self.timers.push(timers);
    }

    /// Opens a deal if the bot may have another one, or schedules it if the bot has a start delay.
    fn open_or_schedule(&mut self, quote: &Quote<'_>, context: &mut Context<'_>) {
        if !self.may_open(quote, context.now) {
            return;
        }
        match self.config.start_delay {
            Some(delay) => {
                let starts_at = context.now.saturating_add(delay);
                self.set_timers(&quote.market.pair, |timers| _ = timers.starts_at.get_or_insert(starts_at));
            }
            None => self.open(quote, context),
        }
    }

    /// Returns true if the bot may open a deal at a price.
    fn may_open(&self, quote: &Quote<'_>, now: Milliseconds) -> bool {
        self.may_open_on(quote.market, now) && self.config.allows_price(quote.price)
    }

    /// Returns true if the bot may open a deal on a market.
    fn may_open_on(&self, market: &Market, now: Milliseconds) -> bool {
        self.is_enabled
            && self.deals.len() < self.config.max_active_deals
            && self.config.trades(market)
            && self.deals.iter().filter(|deal| market.is_of(&deal.pair)).count() < self.config.deals_per_pair()
            && self.timers_of(&market.pair).and_then(|timers| timers.cooldown_until).is_none_or(|until| until <= now)
    }

    fn open(&mut self, quote: &Quote<'_>, context: &mut Context<'_>) {
        let id = *context.next_deal;
        let Some((mut deal, price)) = Deal::open(id, &self.config.deal, quote, context.now) else {
            return;
        };
        let base_order = Fill {
            deal: Some(id),
            side: side(deal.direction(), Action::Enter),
            kind: OrderKind::Base,
            price,
            quantity: deal.entry.quantity.clone(),
            profit: None,
        };
        *context.next_deal = id.saturating_add(1);
        let opened = EventKind::DealOpened { deal: id, pair: deal.pair.clone(), price: quote.price.clone() };
        context.events.push(Event { at: context.now, kind: opened });
        context.events.push(Event { at: context.now, kind: EventKind::OrderFilled(base_order) });
        deal.fill_safety_orders(quote, context.now, context.events);
        self.timers.retain(|timers| timers.pair != deal.pair);
        self.deals.push(deal);
        self.opened_deals = self.opened_deals.saturating_add(1);
        if self.config.max_deals.is_some_and(|max| self.opened_deals >= max) {
            self.disable(DisableReason::DealCount, context);
        }
    }

    /// Returns the time of the next event that no price causes. Deals on pairs that are not traded have none.
    pub fn next_timer(&self, is_traded: impl Fn(&Arc<str>) -> bool) -> Option<Milliseconds> {
        let times = |deal: &Deal| [self.scheduled_close(deal).map(|(at, _)| at), deal.next_arrival()];
        let traded = self.deals.iter().filter(|deal| is_traded(&deal.pair));
        let closes = traded.flat_map(|deal| times(deal)).flatten();
        let starts = self.timers.iter().flat_map(|timers| [timers.cooldown_until, timers.starts_at]).flatten();
        closes.chain(starts).min()
    }

    /// Returns the time at which a timer closes a deal, and the reason.
    fn scheduled_close(&self, deal: &Deal) -> Option<(Milliseconds, CloseReason)> {
        if let Some(at) = deal.cancels_at {
            return Some((at, CloseReason::Cancelled));
        }
        if let Some(at) = deal.closes_at {
            return Some((at, CloseReason::ByHand));
        }
        let timeout = deal.timeout.or(self.config.deal_timeout).map(|timeout| deal.opened_at.saturating_add(timeout));
        let closes =
            [deal.stops_at.map(|at| (at, CloseReason::StopLoss)), timeout.map(|at| (at, CloseReason::Timeout))];
        closes.into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    /// Runs the timers that are due: closes deals, then opens those whose start delay or, for a nonstop bot, pause has elapsed.
    pub fn run_timers(&mut self, markets: &impl Markets, context: &mut Context<'_>) {
        self.fill_due_orders(markets, context);
        self.close_due_deals(markets, context);
        let due: Vec<_> = self.timers.iter_mut().map(|timers| timers.take_due(context.now)).collect();
        self.timers.retain(PairTimers::is_waiting);
        let rank = |timers: &PairTimers| self.config.pairs.iter().position(|pair| *pair == timers.pair);
        let mut due: Vec<_> = due.into_iter().filter_map(|timers| Some((rank(&timers)?, timers))).collect();
        due.sort_by_key(|(rank, _)| *rank);
        for (_, timers) in due {
            self.open_due_deal(&timers, markets, context);
        }
    }

    /// Fills the market orders that are due.
    fn fill_due_orders(&mut self, markets: &impl Markets, context: &mut Context<'_>) {
        let mut index = 0;
        while let Some(deal) = self.deals.get_mut(index) {
            let is_due = deal.next_arrival().is_some_and(|at| at <= context.now);
            let quote = if is_due { markets.quote(&deal.pair) } else { None };
            match quote.and_then(|quote| deal.fill_arriving(&quote, context.now, context.events)) {
                Some(reason) => self.finish(index, reason, context),
                None => index += 1,
            }
        }
    }

    fn close_due_deals(&mut self, markets: &impl Markets, context: &mut Context<'_>) {
        let mut index = 0;
        while let Some(deal) = self.deals.get(index) {
            let due = self.scheduled_close(deal).filter(|(at, _)| *at <= context.now);
            let quote = due.and_then(|_| markets.quote(&deal.pair));
            let (Some((_, reason)), Some(quote)) = (due, quote) else {
                index += 1;
                continue;
            };
            if let Some(deal) = self.deals.get_mut(index) {
                deal.close(reason, &quote, context.now, context.events);
            }
            self.finish(index, reason, context);
        }
    }

    /// Opens or schedules a deal on a pair whose pause or start delay has elapsed.
    fn open_due_deal(&mut self, due: &PairTimers, markets: &impl Markets, context: &mut Context<'_>) {
        let Some(quote) = markets.quote(&due.pair).filter(|quote| self.may_open(quote, context.now)) else {
            return;
        };
        if due.starts_at.is_some() {
            self.open(&quote, context);
        } else if due.cooldown_until.is_some() && self.config.is_nonstop {
            self.open_or_schedule(&quote, context);
        }
    }
}

impl Deal {
    /// Returns the first price of a move at which something happens to the deal.
    fn next_event_price(&self, price_move: &PriceMove<'_>) -> Option<Decimal> {
        let next_prices = &self.next_prices;
        if self.is_ending() {
            return None;
        }
        if !price_move.is_against(self.direction()) {
            return price_move.limit_fill_price(next_prices.target.as_ref().filter(|_| self.trailing_best.is_none()));
        }
        let orders = [&next_prices.safety_order, &next_prices.manual_order];
        let orders = orders.into_iter().filter_map(|price| price_move.limit_fill_price(price.as_ref()));
        let stop_loss = next_prices.stop_loss.as_ref().filter(|_| self.stops_at.is_none());
        let triggers = [stop_loss, next_prices.trailing.as_ref()].into_iter().flatten();
        let exits = triggers.filter_map(|trigger| price_move.trigger_fill_price(trigger));
        price_move.first(orders.chain(exits))
    }

    /// Narrows a range to prices at which nothing happens to the deal; None if something happens at every price.
    fn narrow<'a>(&'a self, range: &mut QuietRange<'a>) -> Option<()> {
        if self.is_ending() || self.has_arriving_orders() {
            return None;
        }
        let (direction, next_prices) = (self.direction(), &self.next_prices);
        range.require_better(direction, next_prices.safety_order.as_ref());
        range.require_better(direction, next_prices.manual_order.as_ref());
        range.require_better(direction, next_prices.trailing.as_ref());
        if self.stops_at.is_some() {
            range.require_worse(direction, next_prices.stop_loss.as_ref());
        } else {
            range.require_better(direction, next_prices.stop_loss.as_ref());
        }
        match &self.trailing_best {
            Some(best) => range.require_worse(direction, Some(best)),
            None => range.require_worse(direction, next_prices.target.as_ref()),
        }
        if self.trails_stop_loss() {
            range.require_worse(direction, Some(self.stop_loss_base()));
        }
        Some(())
    }
}
