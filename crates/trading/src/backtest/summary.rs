//! The figures of a backtest.

use serde::{Deserialize, Serialize};

use super::deal_row::{DealRow, DealStatus};
use super::equity::{Drawdown, EquityPoint};
use super::run::{Backtest, BacktestRun, Interrupted};
use super::simulated_bot::EngineBot;
use crate::decimal::Decimal;
use crate::engine::{Deal, Event, EventKind, Fill, Market, Milliseconds, OrderKind};

/// The figures of a backtest. Amounts are in the quote currency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The number of finished deals.
    pub deals: u64,
    /// The profit after fees of finished deals, or of the steps of a grid.
    pub profit: Decimal,
    /// The profit of deals that are open at the end, or of what a grid holds, if it was closed at the last price.
    pub open_profit: Decimal,
    /// The most capital that was in use.
    pub most_capital: Decimal,
    /// The profit in percent of the most capital in use; None if none was used.
    pub profit_percentage: Option<Decimal>,
    /// The number of finished deals with a profit.
    pub won: u64,
    /// The number of finished deals without one.
    pub lost: u64,
    /// The deepest fall of realized and unrealized profit from its highest value, over the points of the equity.
    pub drawdown: Decimal,
    /// The share of time with an open deal, in percent.
    pub time_in_market: Decimal,
    /// The mean duration of finished deals; None without any.
    pub mean_duration: Option<Milliseconds>,
    /// The duration of the longest deal, finished or open; None without any.
    pub longest_duration: Option<Milliseconds>,
    /// The most safety orders that a deal used.
    pub most_safety_orders: u32,
    /// The fees of all orders.
    pub fees: Decimal,
    /// The profit after fees of buying for the most capital in use at the first price, and holding until the last one.
    pub buy_and_hold: Decimal,
}

/// The decimal places of the profit of buying and holding.
const HOLD_PLACES: u8 = 8;

/// The values of a deal that the figures of a run are calculated from.
struct DealFigures {
    id: u64,
    is_finished: bool,
    has_profit: bool,
    opened_at: Milliseconds,
    duration: Milliseconds,
    safety_orders: u32,
}

impl DealFigures {
    /// Returns the figures of a deal with its profit.
    fn new(deal: &Deal, is_finished: bool, end: Milliseconds, profit: &Decimal) -> Self {
        Self {
            id: deal.id,
            is_finished,
            has_profit: profit.is_positive(),
            opened_at: deal.opened_at,
            duration: end - deal.opened_at,
            safety_orders: deal.filled_safety_orders,
        }
    }
}

/// The volumes of orders, added up.
struct Volumes<'a> {
    /// The market of all orders. The fees of pairs do not differ.
    market: Option<&'a Market>,
    /// The volume of all orders, before fees.
    total: Decimal,
    /// The volume of the entries of each open deal minus that of its exits, after fees. They are few, so that a search is faster than a
    /// map.
    open: Vec<(u64, Decimal)>,
    /// The most volume of open deals.
    most_open: Decimal,
}

impl<'a> Volumes<'a> {
    fn new(backtest: &'a Backtest) -> Self {
        let market = backtest.histories.first().map(|history| &history.market);
        Self { market, total: Decimal::ZERO, open: Vec::new(), most_open: Decimal::ZERO }
    }

    fn add(&mut self, event: &EventKind) {
        match event {
            EventKind::OrderFilled(fill) => self.fill(fill),
            EventKind::DealClosed { deal, .. } => self.open.retain(|(id, _)| *id != deal.id),
            EventKind::DealOpened { .. } | EventKind::GridMoved(_) | EventKind::BotDisabled(_) => {}
        }
    }

    fn fill(&mut self, fill: &Fill) {
        let volume = &fill.price * &fill.quantity;
        self.total += &volume;
        let (Some(deal), Some(market)) = (fill.deal, self.market) else { return };
        let volume = market.volume_after_fee(fill.side, volume);
        let is_entry = fill.kind.is_entry();
        match self.open.iter_mut().find(|(id, _)| *id == deal) {
            Some((_, left)) if is_entry => *left += volume,
            Some((_, left)) => *left -= &volume,
            None if is_entry => self.open.push((deal, volume)),
            None => {}
        }
        if is_entry {
            self.update_most_open();
        }
    }

    fn update_most_open(&mut self) {
        let open = self.open.iter().map(|(_, left)| left).filter(|left| left.is_positive());
        let open: Decimal = open.sum();
        if open > self.most_open {
            self.most_open = open;
        }
    }
}

/// The sums over the events and the equity of a run from which its figures are calculated.
struct RunTotals<'a> {
    volumes: Volumes<'a>,
    drawdown: Drawdown,
    /// The deals that were closed.
    closed: Vec<DealFigures>,
    last: Option<EquityPoint>,
    /// True if nothing happened but the first order of a grid.
    is_idle: bool,
}

impl<'a> RunTotals<'a> {
    fn new(backtest: &'a Backtest) -> Self {
        Self {
            volumes: Volumes::new(backtest),
            drawdown: Drawdown::default(),
            closed: Vec::new(),
            last: None,
            is_idle: true,
        }
    }

    fn add(&mut self, events: &[Event], equity: &[EquityPoint]) {
        for Event { at, kind } in events {
            self.volumes.add(kind);
            if let EventKind::DealClosed { deal, reason } = kind {
                self.closed.push(DealFigures::new(deal, !reason.keeps_position(), *at, &deal.final_profit()));
            }
            self.is_idle &= is_start(kind);
        }
        for point in equity {
            self.drawdown.add(point);
        }
        if let Some(last) = equity.last() {
            self.last = Some(last.clone());
        }
    }
}

impl Backtest {
    /// Runs the bot for its figures alone, unless `should_stop` stops it. Returns them, and true if nothing happened but the first
    /// order of a grid.
    ///
    /// This is faster than `run`, because the events do not pile up in memory.
    pub fn figures(&self, should_stop: &dyn Fn() -> bool) -> Result<(Summary, bool), Interrupted> {
        let mut totals = RunTotals::new(self);
        // The row of a SmartTrade is made of all events, which are few.
        let keeps_all = matches!(self.bot.state, EngineBot::SmartTrade(_));
        let run = self.run_with(should_stop, |events, equity| {
            if !keeps_all {
                totals.add(events, equity);
                events.clear();
                equity.clear();
            }
        })?;
        totals.add(&run.events, &run.equity);
        let is_idle = totals.is_idle;
        Ok((run.figures_of(totals, self), is_idle))
    }
}

impl From<&DealRow> for DealFigures {
    fn from(row: &DealRow) -> Self {
        Self {
            id: row.id,
            is_finished: row.status != DealStatus::Open,
            has_profit: row.profit.is_positive(),
            opened_at: row.opened_at,
            duration: row.duration,
            safety_orders: row.safety_orders,
        }
    }
}

/// Returns true for the order with which a grid starts.
fn is_start(event: &EventKind) -> bool {
    matches!(event, EventKind::OrderFilled(fill) if fill.kind == OrderKind::Balancing)
}

impl BacktestRun {
    /// Returns true if nothing happened but the first order of a grid.
    pub fn is_idle(&self) -> bool {
        self.events.iter().all(|event| is_start(&event.kind))
    }

    /// Returns the figures of the run, whose deals are given.
    pub fn summary(&self, deals: &[DealRow], backtest: &Backtest) -> Summary {
        let deals: Vec<_> = deals.iter().map(DealFigures::from).collect();
        self.summary_of(&deals, self.totals(backtest), backtest)
    }

    /// Returns the figures of the run. This is faster than `summary` with the deals: their drawdowns are not needed.
    pub fn figures(&self, backtest: &Backtest) -> Summary {
        self.figures_of(self.totals(backtest), backtest)
    }

    fn figures_of(&self, mut totals: RunTotals<'_>, backtest: &Backtest) -> Summary {
        let deals = self.deal_figures(std::mem::take(&mut totals.closed), backtest);
        self.summary_of(&deals, totals, backtest)
    }

    fn totals<'a>(&self, backtest: &'a Backtest) -> RunTotals<'a> {
        let mut totals = RunTotals::new(backtest);
        totals.add(&self.events, &self.equity);
        totals
    }

    /// Returns the figures of all deals: those that were closed, which are given, and those that are open.
    fn deal_figures(&self, closed: Vec<DealFigures>, backtest: &Backtest) -> Vec<DealFigures> {
        if let EngineBot::SmartTrade(trade) = &self.bot.state {
            return self.smart_trade_row(trade, backtest).iter().map(DealFigures::from).collect();
        }
        let place = |deal: &Deal| backtest.histories.iter().position(|history| history.market.is_of(&deal.pair));
        let open = |deal: &Deal| {
            let place = place(deal)?;
            let (last_price, at) = self.last_prices.get(place)?;
            let market = &backtest.histories.get(place)?.market;
            Some(DealFigures::new(deal, false, *at, &deal.profit(last_price, market)))
        };
        let still_open = match &self.bot.state {
            EngineBot::Dca(bot) => bot.deals.as_slice(),
            EngineBot::Grid { .. } | EngineBot::SmartTrade(_) => &[],
        };
        let mut deals: Vec<_> = closed.into_iter().chain(still_open.iter().map(Box::as_ref).filter_map(open)).collect();
        deals.sort_by_key(|deal| deal.id);
        deals
    }

    fn summary_of(&self, deals: &[DealFigures], totals: RunTotals<'_>, backtest: &Backtest) -> Summary {
        let RunTotals { volumes, drawdown, last, .. } = totals;
        let finished = || deals.iter().filter(|deal| deal.is_finished);
        let count = |deals: usize| u64::try_from(deals).unwrap_or(u64::MAX);
        let won = count(finished().filter(|deal| deal.has_profit).count());
        let total = count(finished().count());
        // The capital of a grid does not change, so its last point has it.
        let most_capital = match &self.bot.state {
            EngineBot::SmartTrade(trade) => trade.capital(),
            EngineBot::Dca(_) | EngineBot::Grid { .. } => {
                last.as_ref().map(|point| point.capital.clone()).unwrap_or_default().max(volumes.most_open)
            }
        };
        let profit = last.as_ref().map(|point| point.realized.clone()).unwrap_or_default();
        let durations: i64 = finished().map(|deal| deal.duration).sum();
        Summary {
            deals: total,
            open_profit: last.map(|point| point.unrealized.normalized()).unwrap_or_default(),
            profit_percentage: most_capital.is_positive().then(|| profit.percentage_of(&most_capital)),
            profit: profit.normalized(),
            won,
            lost: total - won,
            drawdown: drawdown.deepest.normalized(),
            time_in_market: self.time_in_market(deals, backtest),
            mean_duration: i64::try_from(total).ok().filter(|total| *total > 0).map(|total| durations / total),
            longest_duration: deals.iter().map(|deal| deal.duration).max(),
            most_safety_orders: deals.iter().map(|deal| deal.safety_orders).max().unwrap_or(0),
            fees: (volumes.total * backtest.fee()).normalized(),
            buy_and_hold: self.buy_and_hold(&most_capital, backtest),
            most_capital: most_capital.normalized(),
        }
    }

    /// Returns the share of time with an open deal, in percent.
    fn time_in_market(&self, deals: &[DealFigures], backtest: &Backtest) -> Decimal {
        let start = backtest.histories.iter().filter_map(|history| history.candles.time(0)).min().unwrap_or(0);
        let end = self.last_prices.iter().map(|(_, time)| *time).max().unwrap_or(start);
        let (mut covered, mut open_time) = (start, 0_i64);
        // Deals are in the order of their starts.
        for deal in deals {
            let closed_at = deal.opened_at.saturating_add(deal.duration);
            open_time += (closed_at - deal.opened_at.max(covered)).max(0);
            covered = covered.max(closed_at);
        }
        Decimal::from(open_time).percentage_of(&(end - start).into())
    }

    /// Returns the profit of buying in equal parts of all pairs, and holding.
    fn buy_and_hold(&self, capital: &Decimal, backtest: &Backtest) -> Decimal {
        let pairs = u64::try_from(backtest.histories.len()).unwrap_or(1);
        let profit = backtest.histories.iter().zip(&self.last_prices).filter_map(|(history, (last, _))| {
            let first = history.candles.candle(0)?.open;
            let fee = &history.market.fee;
            let profit = capital * (last * (Decimal::ONE - fee) - &first * (Decimal::ONE + fee));
            profit.div_round(&(first * Decimal::from(pairs)), HOLD_PLACES)
        });
        profit.sum::<Decimal>().normalized()
    }
}
