//! The run of a backtest: from one event to the next.

use std::cmp::Ordering;
use std::sync::Arc;

use super::cursor::{Cursor, PointAt};
use super::equity::EquityPoint;
use super::simulated_bot::SimulatedBot;
use crate::candles::{Candles, ExtremeOrder};
use crate::decimal::Decimal;
use crate::engine::dca_bot::Markets;
use crate::engine::{Event, EventKind, Market, Milliseconds, Quote};

/// The milliseconds of a day.
const DAY: Milliseconds = 86_400_000;

/// The number of events between two checks whether the caller wants to stop.
pub(super) const STOP_INTERVAL: usize = 64;

/// The most events, and points of the equity, that memory is reserved for. A grid has as many in a year.
const MOST_RESERVED: usize = 16_384;

/// The candles of a pair.
#[derive(Clone)]
pub struct History {
    /// The market.
    pub market: Market,
    /// The candles.
    pub candles: Candles,
    /// The times at which a signal asks for a deal, in order.
    pub signals: Vec<Milliseconds>,
}

/// A bot, and the candles that it is tried on.
#[derive(Clone)]
pub struct Backtest {
    /// The bot before its first deal.
    pub bot: SimulatedBot,
    /// The candles of its pairs.
    pub histories: Vec<History>,
    /// The balance in the quote currency, for volumes in percent.
    pub balance: Decimal,
    /// The order of the two extremes of each candle.
    pub path: ExtremeOrder,
}

/// The result of a backtest.
#[derive(Clone, Debug)]
pub struct BacktestRun {
    /// The bot at the end, with its open deals.
    pub bot: SimulatedBot,
    /// The events.
    pub events: Vec<Event>,
    /// The profit over time: a point after each price or timer at which an order filled, and one a day.
    pub equity: Vec<EquityPoint>,
    /// The last price of each pair, and its time.
    pub last_prices: Vec<(Decimal, Milliseconds)>,
}

/// The caller stopped a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl Backtest {
    /// Runs the bot over its candles, unless `should_stop` stops it.
    pub fn run(&self, should_stop: &dyn Fn() -> bool) -> Result<BacktestRun, Interrupted> {
        self.run_with(should_stop, |_, _| {})
    }

    /// Runs the bot, and passes the events and the equity after each step to `on_step`, which may take them away.
    pub(super) fn run_with(
        &self,
        should_stop: &dyn Fn() -> bool,
        mut on_step: impl FnMut(&mut Vec<Event>, &mut Vec<EquityPoint>),
    ) -> Result<BacktestRun, Interrupted> {
        let mut simulation = Simulation::new(self);
        let mut steps = 0_usize;
        while let Some(step) = simulation.next_step() {
            simulation.take(step);
            on_step(&mut simulation.events, &mut simulation.equity);
            steps += 1;
            if steps.is_multiple_of(STOP_INTERVAL) && should_stop() {
                return Err(Interrupted);
            }
        }
        Ok(simulation.finish())
    }

    /// Returns the fee of orders, as a fraction. All pairs have the same.
    pub(super) fn fee(&self) -> Decimal {
        self.histories.first().map(|history| history.market.fee.clone()).unwrap_or_default()
    }
}

/// A run in progress.
pub(super) struct Simulation<'a> {
    bot: SimulatedBot,
    pub(super) pairs: PairCursors<'a>,
    /// The signals of each pair that are still to come.
    signals: Vec<&'a [Milliseconds]>,
    now: Milliseconds,
    next_day: Milliseconds,
    pub(super) events: Vec<Event>,
    equity: Vec<EquityPoint>,
}

/// A moment at which something may happen to a bot.
#[derive(Clone, Copy, Debug)]
pub(super) enum BacktestStep {
    /// Timers are due.
    Timers(Milliseconds),
    /// The price of a pair, given by its index, reaches a point.
    Point(PointAt, usize),
}

impl BacktestStep {
    pub(super) fn time(self) -> Milliseconds {
        match self {
            Self::Timers(time) => time,
            Self::Point(point, _) => point.time,
        }
    }
}

/// The prices of all pairs at a moment.
pub(super) struct PairCursors<'a> {
    pub(super) cursors: Vec<Cursor>,
    balance: &'a Decimal,
}

impl Markets for PairCursors<'_> {
    fn quote(&self, pair: &Arc<str>) -> Option<Quote<'_>> {
        let cursor = self.cursors.iter().find(|cursor| cursor.market.is_of(pair))?;
        cursor.quote(self.balance)
    }
}

impl Cursor {
    fn quote<'a>(&'a self, balance: &'a Decimal) -> Option<Quote<'a>> {
        Some(Quote { market: &self.market, price: self.price.as_ref()?, balance })
    }
}

impl<'a> Simulation<'a> {
    pub(super) fn new(backtest: &'a Backtest) -> Self {
        let cursor = |history: &History| Cursor::new(history.market.clone(), history.candles.clone(), backtest.path);
        let first = backtest.histories.iter().filter_map(|history| history.candles.time(0)).min().unwrap_or(0);
        let candles: usize = backtest.histories.iter().map(|history| history.candles.len()).sum();
        let capacity = candles.min(MOST_RESERVED);
        let mut events = Vec::with_capacity(capacity);
        events.extend(backtest.bot.first_order(first));
        Self {
            bot: backtest.bot.clone(),
            pairs: PairCursors { cursors: backtest.histories.iter().map(cursor).collect(), balance: &backtest.balance },
            signals: backtest.histories.iter().map(|history| history.signals.as_slice()).collect(),
            now: first,
            next_day: first.div_euclid(DAY).saturating_add(1).saturating_mul(DAY),
            events,
            equity: Vec::with_capacity(capacity),
        }
    }

    /// Returns the next step; None at the end of the candles.
    pub(super) fn next_step(&mut self) -> Option<BacktestStep> {
        let next = self.next_point();
        let timer = self.bot.next_timer(&self.pairs);
        // A timer that is due at the time of a point fires before the price moves.
        match timer.filter(|timer| self.fires_before(*timer, next)) {
            Some(timer) => Some(BacktestStep::Timers(timer)),
            None => next.map(|(point, pair)| BacktestStep::Point(point, pair)),
        }
    }

    /// Takes the next step.
    pub(super) fn take(&mut self, step: BacktestStep) {
        match step {
            BacktestStep::Timers(time) => self.run_timers(time),
            BacktestStep::Point(point, pair) => self.pass(point, pair),
        }
    }

    /// Returns true if a timer fires before the next point at which something happens, and before the candles end.
    fn fires_before(&self, timer: Milliseconds, next: Option<(PointAt, usize)>) -> bool {
        match next {
            Some((point, _)) => timer <= point.time,
            None => self.pairs.cursors.iter().any(|cursor| cursor.first_from(timer).is_some()),
        }
    }

    /// Returns the first point at which something happens, and the index of its pair.
    fn next_point(&mut self) -> Option<(PointAt, usize)> {
        let pairs = 0..self.pairs.cursors.len();
        let points = pairs.filter_map(|pair| Some((self.next_point_of(pair)?, pair)));
        points.min_by_key(|(point, pair)| (point.time, *pair))
    }

    /// Returns the first point of a pair at which something happens.
    fn next_point_of(&mut self, pair: usize) -> Option<PointAt> {
        let cursor = self.pairs.cursors.get_mut(pair)?;
        let outside = match self.bot.quiet_range(&cursor.market, self.now) {
            Some(range) => cursor.next_outside(&range),
            None => cursor.next_point(),
        };
        let signal = self.signals.get(pair).and_then(|signals| signals.first());
        let signalled = signal.and_then(|time| cursor.first_from(*time));
        outside.into_iter().chain(signalled).min()
    }

    /// Returns a copy that can be advanced by itself, without the events and the equity so far.
    pub(super) fn copy(&self) -> Self {
        Self {
            bot: self.bot.clone(),
            pairs: PairCursors { cursors: self.pairs.cursors.clone(), balance: self.pairs.balance },
            signals: self.signals.clone(),
            events: Vec::new(),
            equity: Vec::new(),
            ..*self
        }
    }

    /// Runs the timers that are due at a time, at the prices of the points before it.
    fn run_timers(&mut self, time: Milliseconds) {
        self.add_days(time);
        self.now = self.now.max(time);
        self.pairs.cursors.iter_mut().for_each(|cursor| cursor.skip_before(time));
        let known = self.events.len();
        self.bot.run_timers(&self.pairs, self.now, &mut self.events);
        self.add_equity(known);
    }

    /// Passes a point of a pair.
    fn pass(&mut self, point: PointAt, pair: usize) {
        self.add_days(point.time);
        self.now = point.time;
        // Points of the same time are passed in the order of the pairs.
        for (other, cursor) in self.pairs.cursors.iter_mut().enumerate() {
            match other.cmp(&pair) {
                Ordering::Less => cursor.skip_before(point.time.saturating_add(1)),
                Ordering::Equal => {}
                Ordering::Greater => cursor.skip_before(point.time),
            }
        }
        let known = self.events.len();
        let Some(cursor) = self.pairs.cursors.get_mut(pair) else {
            return;
        };
        let from = cursor.pass(point.index);
        if let Some(quote) = cursor.quote(self.pairs.balance) {
            self.bot.set_price(from.as_ref(), &quote, self.now, &mut self.events);
            let signals = self.signals.get_mut(pair);
            if let Some((signals, due)) = signals.and_then(|signals| {
                let due = signals.partition_point(|time| *time <= point.time);
                Some((signals, due)).filter(|(_, due)| *due > 0)
            }) {
                *signals = signals.get(due..).unwrap_or_default();
                self.bot.signal(&quote, self.now, &mut self.events);
            }
        }
        self.add_equity(known);
    }

    /// Adds the equity after an event at which an order filled.
    fn add_equity(&mut self, known: usize) {
        let new = self.events.get(known..).unwrap_or_default();
        for event in new {
            if let EventKind::DealClosed { deal, .. } = &event.kind {
                self.bot.close(deal);
            }
        }
        if new.iter().any(|event| matches!(event.kind, EventKind::OrderFilled(_))) {
            self.bot.add_equity(&self.pairs, self.now, &mut self.equity);
        }
    }

    /// Adds the equity at each start of a day before a time.
    fn add_days(&mut self, until: Milliseconds) {
        while self.next_day < until {
            let day = self.next_day;
            let prices = self.pairs.cursors.iter_mut().map(|cursor| cursor.price_at(day)).collect();
            let prices = Prices { pairs: &self.pairs, prices };
            self.bot.add_equity(&prices, day, &mut self.equity);
            self.next_day = day.saturating_add(DAY);
        }
    }

    fn finish(mut self) -> BacktestRun {
        let ends = self.pairs.cursors.iter().filter_map(Cursor::last_time);
        let end = ends.max().unwrap_or(self.now);
        self.add_days(end);
        self.now = end;
        for cursor in &mut self.pairs.cursors {
            cursor.skip_before(Milliseconds::MAX);
        }
        self.bot.add_equity(&self.pairs, end, &mut self.equity);
        let last = |cursor: &Cursor| Some((cursor.price.clone()?, cursor.last_time()?));
        let last_prices = self.pairs.cursors.iter().filter_map(last).collect();
        self.events.shrink_to_fit();
        self.equity.shrink_to_fit();
        BacktestRun { bot: self.bot, events: self.events, equity: self.equity, last_prices }
    }
}

/// Prices at a moment between two events.
struct Prices<'a> {
    pairs: &'a PairCursors<'a>,
    /// The price of each pair; None before its first.
    prices: Vec<Option<Decimal>>,
}

impl Markets for Prices<'_> {
    fn quote(&self, pair: &Arc<str>) -> Option<Quote<'_>> {
        let mut quotes = self.pairs.cursors.iter().map(|cursor| &cursor.market).zip(&self.prices);
        let (market, price) = quotes.find(|(market, _)| market.is_of(pair))?;
        Some(Quote { market, price: price.as_ref()?, balance: self.pairs.balance })
    }
}
