//! A backtest and its results, each calculated when it is first needed.

use std::sync::{Arc, OnceLock};

use super::summary::BacktestSummary;
use botdesk_planning::backtest_setup::BacktestSetup;
use botdesk_trading::backtest::{Backtest, BacktestRun, DealPrices, DealRow, Interrupted, OrderRow};
use botdesk_trading::candles::{Candles, ExtremeOrder};

/// Returns true if a computation must stop.
pub(crate) type ShouldStop<'a> = &'a dyn Fn() -> bool;

/// A backtest and its results. Clones share them.
///
/// No lock is held while a result is calculated: two threads may both calculate it, and get the same.
#[derive(Clone)]
pub(super) struct Simulation(Arc<Inner>);

struct Inner {
    setup: BacktestSetup,
    backtest: Backtest,
    run: OnceLock<BacktestRun>,
    deals: OnceLock<Vec<DealRow>>,
    summary: OnceLock<BacktestSummary>,
    ambiguous: OnceLock<usize>,
}

fn get_or_set<T>(cell: &OnceLock<T>, make: impl FnOnce() -> Result<T, Interrupted>) -> Result<&T, Interrupted> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

impl Simulation {
    /// Returns a backtest over the candles of each pair of its setup; None if the bot can't start.
    pub(super) fn new(setup: BacktestSetup, candles: &[Candles]) -> Option<Self> {
        let backtest = setup.backtest(candles)?;
        Some(Self::of(setup, backtest))
    }

    fn of(setup: BacktestSetup, backtest: Backtest) -> Self {
        let (run, deals, summary, ambiguous) = Default::default();
        Self(Arc::new(Inner { setup, backtest, run, deals, summary, ambiguous }))
    }

    /// Everything about the backtest but its candles.
    pub(super) fn setup(&self) -> &BacktestSetup {
        &self.0.setup
    }

    /// The candles of each pair.
    pub(super) fn candles(&self) -> impl Iterator<Item = &Candles> {
        self.0.backtest.histories.iter().map(|history| &history.candles)
    }

    /// Returns the same backtest with the extremes of the candles in another order.
    pub(super) fn with_path(&self, path: ExtremeOrder) -> Self {
        if path == self.0.setup.path {
            return self.clone();
        }
        let setup = BacktestSetup { path, ..self.0.setup.clone() };
        Self::of(setup, Backtest { path, ..self.0.backtest.clone() })
    }

    pub(super) fn run(&self, should_stop: ShouldStop<'_>) -> Result<&BacktestRun, Interrupted> {
        get_or_set(&self.0.run, || self.0.backtest.run(should_stop))
    }

    pub(super) fn deals(&self, should_stop: ShouldStop<'_>) -> Result<&[DealRow], Interrupted> {
        let deals = get_or_set(&self.0.deals, || self.run(should_stop)?.deals(&self.0.backtest, should_stop));
        deals.map(Vec::as_slice)
    }

    pub(super) fn orders(&self, should_stop: ShouldStop<'_>) -> Result<Vec<OrderRow>, Interrupted> {
        self.run(should_stop)?.orders(&self.0.backtest, should_stop)
    }

    /// Returns the average price and the take profit between the orders of each deal.
    pub(super) fn deal_prices(&self, should_stop: ShouldStop<'_>) -> Result<Vec<DealPrices>, Interrupted> {
        self.run(should_stop)?.deal_prices(&self.0.backtest, should_stop)
    }

    pub(super) fn summary(&self, should_stop: ShouldStop<'_>) -> Result<&BacktestSummary, Interrupted> {
        get_or_set(&self.0.summary, || {
            let summary = self.run(should_stop)?.figures(&self.0.backtest);
            Ok(BacktestSummary::new(summary, self.0.setup.budget.as_ref()))
        })
    }

    /// Returns the number of candles in which the order of the extremes decides which orders fill.
    pub(super) fn ambiguous(&self, should_stop: ShouldStop<'_>) -> Result<usize, Interrupted> {
        get_or_set(&self.0.ambiguous, || self.0.backtest.ambiguous_candles(should_stop)).copied()
    }

    /// Returns what to know about the result, each in a sentence.
    pub(super) fn warnings(&self, should_stop: ShouldStop<'_>) -> Result<Vec<String>, Interrupted> {
        let notes = self.0.setup.end_notes(&self.0.backtest, self.run(should_stop)?);
        Ok(self.0.setup.warnings.iter().cloned().chain(notes).collect())
    }
}

/// Backtests of the same bot, market and candles are equal: they have the same result.
impl PartialEq for Simulation {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || (self.0.setup == other.0.setup && self.candles().eq(other.candles()))
    }
}
