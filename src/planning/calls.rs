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
use botdesk_schema::input::{Inputs, RequestBuilder};
use botdesk_trading::backtest::Interrupted;

/// Returns a request builder with the inputs of a table that are not None, and an error for each keyword that is unknown.
fn builder(
    py: Python<'_>,
    table: &'static Inputs,
    given: GivenInputs,
    unknown: Option<UnknownKeywords>,
) -> PyResult<RequestBuilder> {
    Ok(Arguments::new(py, table, given)?.into_builder(unknown))
}

/// Return the result of `DcaBot.ladder`.
#[pyfunction]
pub(crate) fn _ladder(
    py: Python<'_>,
    bot: RecordOf<DcaBot>,
    market: GivenInputs,
    rates: Option<RecordOf<PairRates>>,
) -> PyResult<Ladder> {
    Ladder::from_record(&bot.0, &builder(py, LadderMarket::INPUTS, market, None)?, rates)
}

/// Return the result of `GridBot.levels`.
#[pyfunction]
pub(crate) fn _levels(py: Python<'_>, bot: RecordOf<GridBot>, market: GivenInputs) -> PyResult<GridPlan> {
    GridPlan::from_record(&bot.0, &builder(py, GridMarket::INPUTS, market, None)?)
}

/// Return the ladder of a bot after an edit.
#[pyfunction]
pub(crate) fn _ladder_of_edit(py: Python<'_>, edit: EditOf<DcaBot>, market: GivenInputs) -> PyResult<Ladder> {
    Ladder::of_edit(&edit.0, &builder(py, LadderMarket::INPUTS, market, None)?)
}

/// Return the levels of a grid bot after an edit.
#[pyfunction]
pub(crate) fn _levels_of_edit(py: Python<'_>, edit: EditOf<GridBot>, market: GivenInputs) -> PyResult<GridPlan> {
    GridPlan::of_edit(&edit.0, &builder(py, GridMarket::INPUTS, market, None)?)
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
    let market = builder(py, LadderMarket::INPUTS, market, None)?;
    let strategy = builder(py, LadderStrategy::INPUTS, strategy, None)?;
    Ladder::of_inputs(&market, &strategy, &builder(py, DcaBotEdit::INPUTS, edit, Some(unknown))?, rates)
}

/// Return the result of `plan_grid`.
#[pyfunction]
pub(crate) fn _plan_grid(
    py: Python<'_>,
    market: GivenInputs,
    edit: GivenInputs,
    unknown: UnknownKeywords,
) -> PyResult<GridPlan> {
    let market = builder(py, GridMarket::INPUTS, market, None)?;
    GridPlan::of_inputs(&market, &builder(py, GridBotEdit::INPUTS, edit, Some(unknown))?)
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
    let market = builder(py, BacktestMarket::INPUTS, market, None)?;
    compute(py, backtest_bot(&bot, &market, HistoryArguments { candles, signals, start, end })?)
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
    let market = Python::attach(|py| builder(py, BacktestMarket::INPUTS, market, None))?;
    compute_async(backtest_bot(&bot, &market, HistoryArguments { candles, signals, start, end })?).await
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
    let market = builder(py, BacktestMarket::INPUTS, market, None)?;
    compute(py, compare(&edit, &market, HistoryArguments { candles, signals, start, end })?)
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
    let market = Python::attach(|py| builder(py, BacktestMarket::INPUTS, market, None))?;
    compute_async(compare(&edit, &market, HistoryArguments { candles, signals, start, end })?).await
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
        let market = builder(py, BacktestMarket::INPUTS, self.market, None)?;
        let strategy = builder(py, LadderStrategy::INPUTS, self.strategy, None)?;
        let edit = builder(py, DcaBotEdit::INPUTS, self.edit, Some(self.unknown))?;
        backtest_inputs(&market, &strategy, &edit, self.smart_trade.as_ref(), histories)
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
