//! The native functions behind the methods and functions that plan, backtest and sweep. Inputs come in lists, in the order of their rows.

use pyo3::coroutine::CancelHandle;
use pyo3::prelude::*;

use super::backtests::{
    Backtest, BacktestComparison, BotArgument, BotEditArgument, CandlesArgument, HistoryArguments, ShouldStop,
    SignalsArgument, SmartTradeArgument, TimeArgument, backtest_bot, backtest_inputs, compare,
};
use super::plans::{GridPlan, Ladder};
use super::sweeps::{Sweep, SweepBotArgument, SweepExecutor, SweepOptions, SweepParameters, SweepRun};
use crate::arguments::{AnyInteger, Arguments, GivenInputs, UnknownKeywords};
use crate::previews::EditOf;
use crate::records::RecordOf;
use crate::runtime::computation::{compute, compute_async};
use botdesk_api::dca_bots::{DcaBot, DcaBotEdit};
use botdesk_api::grid_bots::{GridBot, GridBotEdit};
use botdesk_api::markets::PairRates;
use botdesk_planning::backtest_market::BacktestMarket;
use botdesk_planning::grid_plan::GridMarket;
use botdesk_planning::ladder_config::{LadderMarket, LadderStrategy};
use botdesk_trading::backtest::Interrupted;

/// Return the result of `DcaBot.ladder`.
#[pyfunction]
pub(crate) fn _ladder(
    py: Python<'_>,
    bot: RecordOf<DcaBot>,
    market: GivenInputs,
    rates: Option<RecordOf<PairRates>>,
) -> PyResult<Ladder> {
    Ladder::from_record(&bot.0, Arguments::new(py, LadderMarket::INPUTS, market)?, rates)
}

/// Return the result of `GridBot.levels`.
#[pyfunction]
pub(crate) fn _levels(py: Python<'_>, bot: RecordOf<GridBot>, market: GivenInputs) -> PyResult<GridPlan> {
    GridPlan::from_record(&bot.0, Arguments::new(py, GridMarket::INPUTS, market)?)
}

/// Return the ladder of a bot after an edit.
#[pyfunction]
pub(crate) fn _ladder_of_edit(py: Python<'_>, edit: EditOf<DcaBot>, market: GivenInputs) -> PyResult<Ladder> {
    Ladder::of_edit(&edit.0, Arguments::new(py, LadderMarket::INPUTS, market)?)
}

/// Return the levels of a grid bot after an edit.
#[pyfunction]
pub(crate) fn _levels_of_edit(py: Python<'_>, edit: EditOf<GridBot>, market: GivenInputs) -> PyResult<GridPlan> {
    GridPlan::of_edit(&edit.0, Arguments::new(py, GridMarket::INPUTS, market)?)
}

/// Return the result of `plan_ladder`.
#[pyfunction]
pub(crate) fn _plan_ladder(
    py: Python<'_>,
    market: GivenInputs,
    strategy: GivenInputs,
    edit: GivenInputs,
    rates: Option<RecordOf<PairRates>>,
    unknown: UnknownKeywords,
) -> PyResult<Ladder> {
    let market = Arguments::new(py, LadderMarket::INPUTS, market)?;
    let strategy = Arguments::new(py, LadderStrategy::INPUTS, strategy)?;
    let edit = Arguments::new(py, DcaBotEdit::INPUTS, edit)?.none_is_absent();
    Ladder::of_inputs(market, strategy, edit.into_inputs(Some(unknown)), rates)
}

/// Return the result of `plan_grid`.
#[pyfunction]
pub(crate) fn _plan_grid(
    py: Python<'_>,
    market: GivenInputs,
    edit: GivenInputs,
    unknown: UnknownKeywords,
) -> PyResult<GridPlan> {
    let market = Arguments::new(py, GridMarket::INPUTS, market)?;
    let edit = Arguments::new(py, GridBotEdit::INPUTS, edit)?.none_is_absent();
    GridPlan::of_inputs(market, edit.into_inputs(Some(unknown)))
}

/// Return the backtest of a bot.
#[pyfunction]
pub(crate) fn _backtest(
    py: Python<'_>,
    bot: BotArgument,
    candles: CandlesArgument,
    market: GivenInputs,
    signals: Option<SignalsArgument>,
    start: Option<TimeArgument>,
    end: Option<TimeArgument>,
) -> PyResult<Backtest> {
    let market = Arguments::new(py, BacktestMarket::INPUTS, market)?;
    compute(py, backtest_bot(&bot, market, HistoryArguments { candles, signals, start, end })?)
}

/// Return the backtest of a bot.
#[pyfunction]
pub(crate) async fn _backtest_async(
    bot: BotArgument,
    candles: CandlesArgument,
    market: GivenInputs,
    signals: Option<SignalsArgument>,
    start: Option<TimeArgument>,
    end: Option<TimeArgument>,
) -> PyResult<Backtest> {
    let market = Python::attach(|py| Arguments::new(py, BacktestMarket::INPUTS, market))?;
    compute_async(backtest_bot(&bot, market, HistoryArguments { candles, signals, start, end })?).await
}

/// Return the backtests of a bot without an edit and with it.
#[pyfunction]
pub(crate) fn _compare(
    py: Python<'_>,
    edit: BotEditArgument,
    candles: CandlesArgument,
    market: GivenInputs,
    signals: Option<SignalsArgument>,
    start: Option<TimeArgument>,
    end: Option<TimeArgument>,
) -> PyResult<BacktestComparison> {
    let market = Arguments::new(py, BacktestMarket::INPUTS, market)?;
    compute(py, compare(&edit, market, HistoryArguments { candles, signals, start, end })?)
}

/// Return the backtests of a bot without an edit and with it.
#[pyfunction]
pub(crate) async fn _compare_async(
    edit: BotEditArgument,
    candles: CandlesArgument,
    market: GivenInputs,
    signals: Option<SignalsArgument>,
    start: Option<TimeArgument>,
    end: Option<TimeArgument>,
) -> PyResult<BacktestComparison> {
    let market = Python::attach(|py| Arguments::new(py, BacktestMarket::INPUTS, market))?;
    compute_async(compare(&edit, market, HistoryArguments { candles, signals, start, end })?).await
}

/// The inputs of a bot that need not exist, or the SmartTrade in its place.
struct GivenBot {
    market: GivenInputs,
    strategy: GivenInputs,
    edit: GivenInputs,
    smart_trade: Option<SmartTradeArgument>,
    unknown: UnknownKeywords,
}

impl GivenBot {
    /// Returns the computation of the backtest.
    fn backtest(
        self,
        py: Python<'_>,
        histories: HistoryArguments,
    ) -> PyResult<impl FnOnce(ShouldStop<'_>) -> Result<Backtest, Interrupted> + Send + use<>> {
        let market = Arguments::new(py, BacktestMarket::INPUTS, self.market)?;
        let strategy = Arguments::new(py, LadderStrategy::INPUTS, self.strategy)?;
        let edit = Arguments::new(py, DcaBotEdit::INPUTS, self.edit)?.none_is_absent();
        backtest_inputs(market, strategy, edit.into_inputs(Some(self.unknown)), self.smart_trade.as_ref(), histories)
    }
}

/// Return the result of `backtest`.
#[pyfunction]
pub(crate) fn _backtest_of_inputs(
    py: Python<'_>,
    candles: CandlesArgument,
    market: GivenInputs,
    strategy: GivenInputs,
    edit: GivenInputs,
    signals: Option<SignalsArgument>,
    start: Option<TimeArgument>,
    end: Option<TimeArgument>,
    smart_trade: Option<SmartTradeArgument>,
    unknown: UnknownKeywords,
) -> PyResult<Backtest> {
    let given = GivenBot { market, strategy, edit, smart_trade, unknown };
    compute(py, given.backtest(py, HistoryArguments { candles, signals, start, end })?)
}

/// Return the result of `backtest`.
#[pyfunction]
pub(crate) async fn _backtest_of_inputs_async(
    candles: CandlesArgument,
    market: GivenInputs,
    strategy: GivenInputs,
    edit: GivenInputs,
    signals: Option<SignalsArgument>,
    start: Option<TimeArgument>,
    end: Option<TimeArgument>,
    smart_trade: Option<SmartTradeArgument>,
    unknown: UnknownKeywords,
) -> PyResult<Backtest> {
    let given = GivenBot { market, strategy, edit, smart_trade, unknown };
    let histories = HistoryArguments { candles, signals, start, end };
    compute_async(Python::attach(|py| given.backtest(py, histories))?).await
}

/// Return the result of `sweep`.
#[pyfunction]
pub(crate) fn _sweep(
    py: Python<'_>,
    bot: SweepBotArgument,
    candles: CandlesArgument,
    parameters: SweepParameters,
    objective: Option<String>,
    executor: Option<SweepExecutor>,
    progress: Option<bool>,
    folds: Option<AnyInteger>,
    market: GivenInputs,
    signals: Option<SignalsArgument>,
    start: Option<TimeArgument>,
    end: Option<TimeArgument>,
) -> PyResult<Sweep> {
    let market = Arguments::new(py, BacktestMarket::INPUTS, market)?;
    let options = SweepOptions { objective, executor, progress, folds };
    SweepRun::new(bot, parameters, options, market, HistoryArguments { candles, signals, start, end })?.wait(py)
}

/// Return the result of `sweep`.
#[pyfunction]
#[pyo3(signature = (
    bot, candles, parameters, objective, executor, progress, folds, market, signals, start, end
))]
pub(crate) async fn _sweep_async(
    bot: SweepBotArgument,
    candles: CandlesArgument,
    parameters: SweepParameters,
    objective: Option<String>,
    executor: Option<SweepExecutor>,
    progress: Option<bool>,
    folds: Option<AnyInteger>,
    market: GivenInputs,
    signals: Option<SignalsArgument>,
    start: Option<TimeArgument>,
    end: Option<TimeArgument>,
    #[pyo3(cancel_handle)] cancel: CancelHandle,
) -> PyResult<Sweep> {
    let market = Python::attach(|py| Arguments::new(py, BacktestMarket::INPUTS, market))?;
    let options = SweepOptions { objective, executor, progress, folds };
    let run = SweepRun::new(bot, parameters, options, market, HistoryArguments { candles, signals, start, end })?;
    run.wait_async(cancel).await
}
