//! An independent implementation of part 1 of the specification, in fractions.
//!
//! It is plain and slow. A move goes from tick to tick, asks at each whether something happens to an open deal, and if so does what a
//! jump to that tick does. No level is calculated ahead, and nothing is remembered that follows from the orders of a deal.

use proptest::prelude::*;

use super::exact_event::{ExactEvent, ExactEventKind, exact_events};
use super::fraction::Fraction;
use super::random::{RandomBot, SimulationStep, cases};
use super::simulation::PAIRS;
use crate::decimal::Decimal;
use crate::engine::{CloseReason, DisableReason, Milliseconds, OrderKind, OrderVolume, VolumeUnit};
use crate::grid::OrderSide;
use crate::ladder::Direction;
use crate::position::ProfitOf;

/// A filled order of a deal.
#[derive(Clone, Copy, Debug)]
struct Order {
    price: Fraction,
    quantity: Fraction,
}

#[derive(Clone, Debug)]
struct ReferenceDeal {
    id: u64,
    pair: usize,
    opened_at: Milliseconds,
    entries: Vec<Order>,
    exits: Vec<Order>,
    steps_done: usize,
    /// The best price since trailing started.
    trailing_best: Option<Fraction>,
    /// The best price since the base order.
    best: Fraction,
    stops_at: Option<Milliseconds>,
    cancels_at: Option<Milliseconds>,
}

impl ReferenceDeal {
    fn entered(&self) -> Fraction {
        self.entries.iter().map(|order| order.quantity).sum()
    }

    fn open_quantity(&self) -> Fraction {
        self.entered() - self.exits.iter().map(|order| order.quantity).sum()
    }
}

/// The prices of a deal, with the settings of its bot.
struct Rules<'a> {
    settings: &'a RandomBot,
}

impl Rules<'_> {
    fn is_long(&self) -> bool {
        self.settings.direction == Direction::Long
    }

    fn tick(&self) -> Fraction {
        (&self.settings.exchange.tick).into()
    }

    fn lot(&self) -> Fraction {
        (&self.settings.exchange.lot).into()
    }

    fn fee(&self) -> Fraction {
        (&self.settings.exchange.fee).into()
    }

    /// Returns the volume of orders after their fees.
    fn volume(&self, orders: &[Order], side: OrderSide) -> Fraction {
        let after_fee = match side {
            OrderSide::Buy => Fraction::ONE + self.fee(),
            OrderSide::Sell => Fraction::ONE - self.fee(),
        };
        orders.iter().map(|order| order.quantity * order.price * after_fee).sum()
    }

    fn entered_volume(&self, deal: &ReferenceDeal) -> Fraction {
        self.volume(&deal.entries, self.entry_side())
    }

    /// Returns the average price of the base order.
    fn base_price(&self, deal: &ReferenceDeal) -> Fraction {
        self.volume(&deal.entries[..1], self.entry_side()) / deal.entries[0].quantity
    }

    /// Returns true if `price` is at `level`, or worse for the deal.
    fn fell_to(&self, level: Fraction, price: Fraction) -> bool {
        if self.is_long() { price <= level } else { price >= level }
    }

    /// Returns true if `price` is at `level`, or better for the deal.
    fn rose_to(&self, level: Fraction, price: Fraction) -> bool {
        if self.is_long() { price >= level } else { price <= level }
    }

    /// Returns the price that is worse than another one by a percentage.
    fn worse(&self, price: Fraction, percent: Fraction) -> Fraction {
        let change = price * percent.percent();
        if self.is_long() { price - change } else { price + change }
    }

    fn market_price(&self, price: Fraction, side: OrderSide) -> Fraction {
        let slippage = Fraction::from(&self.settings.exchange.slippage);
        if !slippage.is_positive() {
            return price;
        }
        match side {
            OrderSide::Buy => (price * (Fraction::ONE + slippage)).ceil_to(self.tick()),
            OrderSide::Sell => (price * (Fraction::ONE - slippage)).floor_to(self.tick()),
        }
    }

    fn entry_side(&self) -> OrderSide {
        if self.is_long() { OrderSide::Buy } else { OrderSide::Sell }
    }

    fn exit_side(&self) -> OrderSide {
        if self.is_long() { OrderSide::Sell } else { OrderSide::Buy }
    }

    fn quantity(&self, volume: &OrderVolume, factor: Fraction, price: Fraction) -> Fraction {
        let amount = Fraction::from(&volume.amount) * factor;
        let quantity = match volume.unit {
            VolumeUnit::Base => amount,
            VolumeUnit::Quote => amount / price,
            VolumeUnit::Percent => amount.percent() * (&self.settings.exchange.balance).into() / price,
        };
        quantity.ceil_to(self.lot())
    }

    /// Returns the next safety order of a deal.
    fn safety_order(&self, deal: &ReferenceDeal) -> Option<Order> {
        let ladder = &self.settings.ladder;
        let filled = u32::try_from(deal.entries.len()).unwrap() - 1;
        if filled >= ladder.count || ladder.active == 0 || deal.steps_done > 0 || deal.trailing_best.is_some() {
            return None;
        }
        let power =
            |base: &Decimal, exponent: u32| (0..exponent).fold(Fraction::ONE, |power, _| power * Fraction::from(base));
        let step = Fraction::from(&ladder.step);
        let deviation = (0..=filled).map(|order| step * power(&ladder.step_coefficient, order)).sum();
        let price = self.worse(self.base_price(deal), deviation);
        let price = if self.is_long() { price.floor_to(self.tick()) } else { price.ceil_to(self.tick()) };
        let factor = power(&ladder.volume_coefficient, filled);
        price.is_positive().then(|| Order { price, quantity: self.quantity(&ladder.volume, factor, price) })
    }

    /// Returns the price of a take-profit step.
    fn step_price(&self, deal: &ReferenceDeal, step: usize) -> Option<Fraction> {
        let percent = Fraction::from(&self.settings.steps.get(step)?.0).percent();
        let volume_of = match self.settings.profit_of {
            ProfitOf::BaseOrder => self.volume(&deal.entries[..1], self.entry_side()),
            ProfitOf::Total => self.entered_volume(deal),
        };
        let (profit, spent, quantity) = (volume_of * percent, self.entered_volume(deal), deal.entered());
        Some(if self.is_long() {
            ((spent + profit) / (quantity * (Fraction::ONE - self.fee()))).ceil_to(self.tick())
        } else {
            ((spent - profit) / (quantity * (Fraction::ONE + self.fee()))).floor_to(self.tick())
        })
    }

    fn stop_price(&self, deal: &ReferenceDeal) -> Option<Fraction> {
        let stop_loss = self.settings.stop_loss.as_ref()?;
        let from = if stop_loss.is_trailing { deal.best } else { self.base_price(deal) };
        let own = self.worse(from, (&stop_loss.percent).into());
        let Some(limit) = stop_loss.breakeven_limit.filter(|_| deal.steps_done > 0) else { return Some(own) };
        let level = limit.min(deal.steps_done - 1);
        let moved = if level == 0 { self.base_price(deal) } else { self.step_price(deal, level - 1)? };
        Some(match (stop_loss.is_trailing, self.is_long()) {
            (false, _) => moved,
            (true, true) => own.max(moved),
            (true, false) => own.min(moved),
        })
    }

    fn trailing_limit(&self, deal: &ReferenceDeal) -> Option<Fraction> {
        Some(self.worse(deal.trailing_best?, self.settings.trailing.as_ref()?.into()))
    }

    /// Returns true if a deal that closes at a price, between two ticks or at one, earns nothing.
    fn earns_nothing(&self, deal: &ReferenceDeal, price: Fraction) -> bool {
        let all = [Order { price, quantity: deal.open_quantity() }];
        let (entered, exited) = (self.entered_volume(deal), self.volume(&all, self.exit_side()));
        if self.is_long() { exited <= entered } else { entered <= exited }
    }

    /// Returns true if trailing ends at a price: it is at the last tick at which closing earns nothing, or past it.
    fn trailing_ends(&self, deal: &ReferenceDeal, price: Fraction) -> bool {
        let tick = self.tick();
        let at_tick = if self.is_long() { price.ceil_to(tick) } else { price.floor_to(tick) };
        deal.trailing_best.is_some() && self.earns_nothing(deal, at_tick)
    }

    /// Returns true if something happens to a deal at a price: an order fills, or trailing or the time of a stop loss starts.
    fn happens(&self, deal: &ReferenceDeal, price: Fraction) -> bool {
        let fell_to = |level: Option<Fraction>| level.is_some_and(|level| self.fell_to(level, price));
        let target = self.step_price(deal, deal.steps_done).filter(|_| deal.trailing_best.is_none());
        deal.cancels_at.is_none()
            && (fell_to(self.safety_order(deal).map(|order| order.price))
                || fell_to(self.trailing_limit(deal))
                || self.trailing_ends(deal, price)
                || fell_to(self.stop_price(deal).filter(|_| deal.stops_at.is_none()))
                || target.is_some_and(|target| self.rose_to(target, price)))
    }

    fn profit(&self, deal: &ReferenceDeal) -> Fraction {
        let (entered, exited) = (self.entered_volume(deal), self.volume(&deal.exits, self.exit_side()));
        if self.is_long() { exited - entered } else { entered - exited }
    }
}

/// A bot, its deals, and all that happened.
pub(super) struct Reference<'a> {
    settings: &'a RandomBot,
    is_enabled: bool,
    deals: Vec<ReferenceDeal>,
    next_id: u64,
    /// The pause of each pair.
    rests_until: Vec<Option<Milliseconds>>,
    /// The pending start of each pair.
    starts_at: Vec<Option<Milliseconds>>,
    now: Milliseconds,
    prices: Vec<Option<Fraction>>,
    pub(super) log: Vec<ExactEvent>,
}

impl<'a> Reference<'a> {
    pub(super) fn new(settings: &'a RandomBot) -> Self {
        Self {
            settings,
            is_enabled: true,
            deals: Vec::new(),
            next_id: 1,
            rests_until: vec![None; settings.bot.pairs],
            starts_at: vec![None; settings.bot.pairs],
            now: 0,
            prices: vec![None; settings.bot.pairs],
            log: Vec::new(),
        }
    }

    fn rules(&self) -> Rules<'a> {
        Rules { settings: self.settings }
    }

    pub(super) fn apply(&mut self, step: &SimulationStep) {
        match step {
            SimulationStep::Advance(until) => self.advance_to(*until),
            SimulationStep::Jump(pair, price) => self.set_price(*pair, price.into()),
            SimulationStep::Move(pair, price) => self.move_price(*pair, price.into()),
            SimulationStep::Signal(pair) => self.ask_for_deal(*pair),
            SimulationStep::Cancel { delay, disables } => {
                self.is_enabled &= !disables;
                for deal in &mut self.deals {
                    deal.cancels_at.get_or_insert(self.now + delay);
                }
            }
        }
    }

    /// Goes to `to` from tick to tick.
    fn move_price(&mut self, pair: usize, to: Fraction) {
        let tick = self.rules().tick();
        let mut price = self.prices[pair].unwrap();
        loop {
            let (rises, falls) = (price < to, price > to);
            if rises {
                price = price.floor_to(tick) + tick;
            } else if falls {
                price = price.ceil_to(tick) - tick;
            }
            if rises && price >= to || falls && price <= to || !rises && !falls {
                return self.set_price(pair, to);
            }
            if self.deals.iter().any(|deal| deal.pair == pair && self.rules().happens(deal, price)) {
                self.set_price(pair, price);
            }
        }
    }

    fn set_price(&mut self, pair: usize, price: Fraction) {
        self.prices[pair] = Some(price);
        for mut deal in std::mem::take(&mut self.deals) {
            let reason = if deal.pair == pair { self.react(&mut deal, price) } else { None };
            self.keep_or_finish(deal, reason);
        }
        if self.settings.bot.is_nonstop {
            self.ask_for_deal(pair);
        }
    }

    fn keep_or_finish(&mut self, deal: ReferenceDeal, reason: Option<CloseReason>) {
        match reason {
            None => self.deals.push(deal),
            Some(reason) => self.finish(&deal, reason),
        }
    }

    /// Does what a deal does at a price. What the bot itself watches, trailing, comes first; then what waits on the exchange.
    fn react(&mut self, deal: &mut ReferenceDeal, price: Fraction) -> Option<CloseReason> {
        let rules = self.rules();
        if deal.cancels_at.is_some() {
            return Some(CloseReason::Cancelled);
        }
        let is_at_limit = rules.trailing_limit(deal).is_some_and(|limit| rules.fell_to(limit, price));
        if rules.trailing_ends(deal, price) || is_at_limit && rules.earns_nothing(deal, price) {
            deal.trailing_best = None;
        } else if is_at_limit {
            self.exit_at_market(deal, OrderKind::Trailing);
            return Some(CloseReason::TakeProfit);
        }
        if deal.trailing_best.is_some_and(|best| rules.rose_to(best, price)) {
            deal.trailing_best = Some(price);
        }
        self.fill_safety_orders(deal, price);
        if rules.rose_to(deal.best, price) {
            deal.best = price;
        }
        // A price that was past the stop loss and is not any more has left it, even if a target then moves the stop loss.
        if !rules.stop_price(deal).is_some_and(|stop| rules.fell_to(stop, price)) {
            deal.stops_at = None;
        }
        self.take_profits(deal, price).or_else(|| self.stop(deal, price))
    }

    fn fill_safety_orders(&mut self, deal: &mut ReferenceDeal, price: Fraction) {
        let rules = self.rules();
        let waits = self.settings.stop_loss.as_ref().is_some_and(|stop_loss| stop_loss.timeout.is_some());
        while let Some(order) = rules.safety_order(deal) {
            // A price that gets to the order passes the stop loss before.
            let stops = rules.stop_price(deal).filter(|_| !waits);
            let is_stopped = stops.is_some_and(|stop| stop != order.price && rules.rose_to(order.price, stop));
            if !rules.fell_to(order.price, price) || is_stopped {
                return;
            }
            deal.entries.push(order);
            let number = u32::try_from(deal.entries.len()).unwrap() - 1;
            self.fill(deal, OrderKind::Safety(number), rules.entry_side(), order);
        }
    }

    fn take_profits(&mut self, deal: &mut ReferenceDeal, price: Fraction) -> Option<CloseReason> {
        let rules = self.rules();
        while let Some(target) = rules.step_price(deal, deal.steps_done) {
            if !rules.rose_to(target, price) {
                return None;
            }
            if self.settings.trailing.is_some() {
                deal.trailing_best.get_or_insert(price);
                return None;
            }
            deal.steps_done += 1;
            let kind = OrderKind::TakeProfit(deal.steps_done);
            if deal.steps_done == self.settings.steps.len() {
                self.exit(deal, kind, target, deal.open_quantity());
                return Some(CloseReason::TakeProfit);
            }
            let share = Fraction::from(&self.settings.steps[deal.steps_done - 1].1).percent();
            let quantity = (deal.entered() * share).floor_to(rules.lot()).min(deal.open_quantity());
            if quantity.is_positive() {
                self.exit(deal, kind, target, quantity);
            }
        }
        None
    }

    fn stop(&mut self, deal: &mut ReferenceDeal, price: Fraction) -> Option<CloseReason> {
        let rules = self.rules();
        let stop = rules.stop_price(deal)?;
        if !rules.fell_to(stop, price) {
            return None;
        }
        if let Some(timeout) = self.settings.stop_loss.as_ref().and_then(|stop_loss| stop_loss.timeout) {
            deal.stops_at.get_or_insert(self.now + timeout);
            return None;
        }
        self.exit_at_market(deal, OrderKind::StopLoss);
        Some(CloseReason::StopLoss)
    }

    fn exit_at_market(&mut self, deal: &mut ReferenceDeal, kind: OrderKind) {
        let rules = self.rules();
        let price = rules.market_price(self.prices[deal.pair].unwrap(), rules.exit_side());
        self.exit(deal, kind, price, deal.open_quantity());
    }

    fn exit(&mut self, deal: &mut ReferenceDeal, kind: OrderKind, price: Fraction, quantity: Fraction) {
        let order = Order { price, quantity };
        deal.exits.push(order);
        self.fill(deal, kind, self.rules().exit_side(), order);
    }

    fn fill(&mut self, deal: &ReferenceDeal, kind: OrderKind, side: OrderSide, order: Order) {
        let Order { price, quantity } = order;
        self.report(ExactEventKind::Filled { deal: Some(deal.id), kind, side, price, quantity });
    }

    fn report(&mut self, kind: ExactEventKind) {
        self.log.push(ExactEvent { at: self.now, kind });
    }

    fn finish(&mut self, deal: &ReferenceDeal, reason: CloseReason) {
        let is_cancelled = reason == CloseReason::Cancelled;
        let profit = (!is_cancelled).then(|| self.rules().profit(deal));
        self.report(ExactEventKind::Closed { deal: deal.id, reason, profit });
        if is_cancelled {
            return;
        }
        let bot = &self.settings.bot;
        self.rests_until[deal.pair] = Some(self.now + bot.cooldown);
        if self.is_enabled && reason == CloseReason::StopLoss && bot.disables_after_stop_loss {
            self.is_enabled = false;
            self.report(ExactEventKind::Disabled(DisableReason::StopLoss));
        }
    }

    fn may_open(&self, pair: usize) -> bool {
        let bot = &self.settings.bot;
        let Some(price) = self.prices[pair] else {
            return false;
        };
        let on_pair = self.deals.iter().filter(|deal| deal.pair == pair).count();
        self.is_enabled
            && self.deals.len() < bot.max_active_deals
            && on_pair < bot.max_deals_per_pair.unwrap_or(1)
            && self.rests_until[pair].is_none_or(|until| until <= self.now)
            && bot.min_price.as_ref().is_none_or(|min| price >= min.into())
            && bot.max_price.as_ref().is_none_or(|max| price <= max.into())
    }

    /// Opens a deal, now or after the start delay.
    fn ask_for_deal(&mut self, pair: usize) {
        if !self.may_open(pair) {
            return;
        }
        match self.settings.bot.start_delay {
            Some(delay) => {
                self.starts_at[pair].get_or_insert(self.now + delay);
            }
            None => self.open(pair),
        }
    }

    fn open(&mut self, pair: usize) {
        let rules = self.rules();
        let price = self.prices[pair].unwrap();
        let is_market = self.settings.base_order_is_market;
        let price = if is_market { rules.market_price(price, rules.entry_side()) } else { price };
        let order = Order { price, quantity: rules.quantity(&self.settings.base_order, Fraction::ONE, price) };
        let mut deal = ReferenceDeal {
            id: self.next_id,
            pair,
            opened_at: self.now,
            entries: vec![order],
            exits: Vec::new(),
            steps_done: 0,
            trailing_best: None,
            best: price,
            stops_at: None,
            cancels_at: None,
        };
        deal.best = rules.base_price(&deal);
        self.next_id += 1;
        self.report(ExactEventKind::Opened { deal: deal.id, pair: PAIRS[pair].to_owned() });
        self.fill(&deal, OrderKind::Base, rules.entry_side(), order);
        // Costs may put safety orders past the price.
        self.fill_safety_orders(&mut deal, self.prices[pair].unwrap());
        (self.rests_until[pair], self.starts_at[pair]) = (None, None);
        self.deals.push(deal);
        let is_last = self.settings.bot.max_deals.is_some_and(|max| self.next_id > max);
        if self.is_enabled && is_last {
            self.is_enabled = false;
            self.report(ExactEventKind::Disabled(DisableReason::DealCount));
        }
    }

    /// Lets time pass. Timers fire at their own times.
    fn advance_to(&mut self, until: Milliseconds) {
        loop {
            let deals = self.deals.iter().filter_map(|deal| self.timer_of(deal)).map(|(at, _)| at);
            let waits = self.rests_until.iter().chain(&self.starts_at).copied().flatten();
            let Some(next) = deals.chain(waits).min().filter(|at| *at <= until) else {
                break;
            };
            self.now = self.now.max(next);
            self.close_by_timers();
            self.open_by_timers();
        }
        self.now = self.now.max(until);
    }

    fn timer_of(&self, deal: &ReferenceDeal) -> Option<(Milliseconds, CloseReason)> {
        if let Some(at) = deal.cancels_at {
            return Some((at, CloseReason::Cancelled));
        }
        let timeout = self.settings.bot.deal_timeout.map(|timeout| deal.opened_at + timeout);
        match (deal.stops_at, timeout) {
            (Some(stop), timeout) if timeout.is_none_or(|timeout| stop <= timeout) => {
                Some((stop, CloseReason::StopLoss))
            }
            (_, timeout) => timeout.map(|at| (at, CloseReason::Timeout)),
        }
    }

    fn close_by_timers(&mut self) {
        for mut deal in std::mem::take(&mut self.deals) {
            let due = self.timer_of(&deal).filter(|(at, _)| *at <= self.now).map(|(_, reason)| reason);
            match due {
                Some(CloseReason::StopLoss) => self.exit_at_market(&mut deal, OrderKind::StopLoss),
                Some(CloseReason::Timeout) => self.exit_at_market(&mut deal, OrderKind::Timeout),
                _ => {}
            }
            self.keep_or_finish(deal, due);
        }
    }

    /// Opens a deal on each pair whose start delay is over and, for a nonstop bot, on each whose pause is over.
    fn open_by_timers(&mut self) {
        for pair in 0..self.settings.bot.pairs {
            let is_due = |time: Option<Milliseconds>| time.is_some_and(|time| time <= self.now);
            let (rested, delayed) = (is_due(self.rests_until[pair]), is_due(self.starts_at[pair]));
            self.rests_until[pair] = self.rests_until[pair].filter(|_| !rested);
            self.starts_at[pair] = self.starts_at[pair].filter(|_| !delayed);
            if delayed && self.may_open(pair) {
                self.open(pair);
            } else if rested && !delayed && self.settings.bot.is_nonstop {
                self.ask_for_deal(pair);
            }
        }
    }
}

proptest! {
    #[test]
    fn the_engine_does_what_the_reference_does((settings, steps) in cases(12)) {
        let (mut engine, mut reference) = (settings.simulation(), Reference::new(&settings));
        for step in &steps {
            engine.apply(step);
            reference.apply(step);
            let seen = exact_events(&engine.events);
            prop_assert_eq!(&seen, &reference.log, "after {:?}", step);
            engine.events.clear();
            reference.log.clear();
        }
    }
}
