//! Starts backtests: from arguments to the computation that runs them.

use std::sync::Arc;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use super::class::Backtest;
use super::comparison::BacktestComparison;
use super::histories::HistoryArguments;
use super::simulation::{ShouldStop, Simulation};
use super::smart_trade_argument::SmartTradeArgument;
use crate::hints::input_type;
use crate::previews::EditPreview;
use crate::protocols::cast;
use crate::raise::OrPyErr as _;
use crate::records::Record;
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::grid_bots::GridBot;
use botdesk_client::edit::Edit;
use botdesk_planning::backtest_history::PairHistory;
use botdesk_planning::backtest_market::BacktestMarketValues;
use botdesk_planning::backtest_settings::{DcaBotSettings, GridBotSettings};
use botdesk_planning::backtest_setup::BacktestSetup;
use botdesk_planning::error::PlanError;
use botdesk_planning::smart_trade_settings::SmartTradeSettings;
use botdesk_schema::input::{RequestBuilder, Violation};
use botdesk_schema::record::{Fields, Record as _};
use botdesk_trading::backtest::Interrupted;
use botdesk_trading::candles::Candles;

/// A bot whose backtest is wanted.
pub(crate) enum Bot {
    /// A DCA bot.
    Dca(DcaBot),
    /// A grid bot.
    Grid(GridBot),
}

impl Bot {
    /// Returns the bot with the fields of a record; None if it is another record.
    fn of(fields: &Fields) -> Option<Self> {
        DcaBot::cast(fields).map(Self::Dca).or_else(|| GridBot::cast(fields).map(Self::Grid))
    }
}

/// A bot, as an argument.
pub(crate) struct BotArgument(Bot);

impl<'py> FromPyObject<'_, 'py> for BotArgument {
    type Error = PyErr;

    input_type!(type_hint_union!(
        type_hint_identifier!("botdesk", "DcaBot"),
        type_hint_identifier!("botdesk", "GridBot")
    ));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let bot = cast::<Record>(&given).and_then(|record| Bot::of(record.get().fields()));
        bot.map(Self).ok_or_else(|| PyTypeError::new_err("must be a DCA bot or a grid bot"))
    }
}

/// The preview of an edit of a bot, as an argument.
pub(crate) struct BotEditArgument {
    /// The bot before the edit.
    bot: Bot,
    edit: Arc<Edit>,
}

impl<'py> FromPyObject<'_, 'py> for BotEditArgument {
    type Error = PyErr;

    input_type!(EditPreview::TYPE_HINT);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let edit = cast::<EditPreview>(&given).map(|preview| Arc::clone(preview.get().edit()));
        let argument = edit.and_then(|edit| Some(Self { bot: Bot::of(edit.before())?, edit }));
        argument.ok_or_else(|| PyTypeError::new_err("must be a preview of an edit of a DCA bot or a grid bot"))
    }
}

/// Returns the computation of the backtest of a bot.
pub(crate) fn backtest_bot(
    bot: &BotArgument,
    market: &RequestBuilder,
    histories: HistoryArguments,
) -> PyResult<impl FnOnce(ShouldStop<'_>) -> Result<Backtest, Interrupted> + Send + use<>> {
    let market = BacktestMarketValues::from_arguments(market);
    single(match &bot.0 {
        Bot::Dca(bot) => {
            let settings = DcaBotSettings::from_record(bot, None, histories.signals.is_some());
            dca_simulation(settings, market, &histories, &[])
        }
        Bot::Grid(bot) => grid_simulation(GridBotSettings::from_record(bot, None), market, &histories, &[]),
    })
}

/// Returns the computation of the backtest of a DCA bot that need not exist, or of a SmartTrade.
pub(crate) fn backtest_inputs(
    market: &RequestBuilder,
    strategy: &RequestBuilder,
    edit: &RequestBuilder,
    smart_trade: Option<&SmartTradeArgument>,
    histories: HistoryArguments,
) -> PyResult<impl FnOnce(ShouldStop<'_>) -> Result<Backtest, Interrupted> + Send + use<>> {
    let market = BacktestMarketValues::from_arguments(market);
    if let Some(smart_trade) = smart_trade {
        only_smart_trade(edit, strategy, &histories).or_py_err()?;
        return single(smart_trade_simulation(smart_trade, market, &histories));
    }
    let settings = DcaBotSettings::from_arguments(edit, strategy, histories.signals.is_some());
    single(dca_simulation(settings, market, &histories, &[]))
}

/// Fails if arguments of a DCA bot are given beside a SmartTrade.
fn only_smart_trade(
    edit: &RequestBuilder,
    strategy: &RequestBuilder,
    histories: &HistoryArguments,
) -> Result<(), PlanError> {
    let mut violations = edit.unsendable();
    let inputs = [edit, strategy].into_iter().flat_map(|request| {
        request.inputs().rows.iter().enumerate().filter(|(place, _)| request.is_given(*place)).map(|(_, row)| row.name)
    });
    let signals = histories.signals.is_some().then_some("signals");
    let message = "is an argument of a DCA bot; leave it out beside smart_trade";
    violations.extend(inputs.chain(signals).map(|name| Violation::new(name, message)));
    if violations.is_empty() { Ok(()) } else { Err(PlanError::Values(violations)) }
}

/// Returns the computation of the backtests of a bot before and after an edit.
pub(crate) fn compare(
    given: &BotEditArgument,
    market: &RequestBuilder,
    histories: HistoryArguments,
) -> PyResult<impl FnOnce(ShouldStop<'_>) -> Result<BacktestComparison, Interrupted> + Send + use<>> {
    let market = BacktestMarketValues::from_arguments(market);
    let (before, after) = match &given.bot {
        Bot::Dca(bot) => dca_simulations(bot, &given.edit, market, &histories),
        Bot::Grid(bot) => grid_simulations(bot, &given.edit, market, &histories),
    }
    .or_py_err()?;
    Ok(move |should_stop: ShouldStop<'_>| BacktestComparison::of(before, after, should_stop))
}

/// Returns the backtests of a DCA bot before and after an edit.
fn dca_simulations(
    bot: &DcaBot,
    edit: &Edit,
    market: Result<BacktestMarketValues, PlanError>,
    histories: &HistoryArguments,
) -> Result<(Simulation, Simulation), PlanError> {
    let has_signals = histories.signals.is_some();
    let before = DcaBotSettings::from_record(bot, None, has_signals)?;
    let after = DcaBotSettings::from_record(bot, Some(edit.builder()), has_signals)?;
    let (old, new) = (before.pairs.clone(), after.pairs.clone());
    let before = dca_simulation(Ok(before), market.clone(), histories, &new)?;
    Ok((before, dca_simulation(Ok(after), market, histories, &old)?))
}

/// Returns the backtests of a grid bot before and after an edit.
fn grid_simulations(
    bot: &GridBot,
    edit: &Edit,
    market: Result<BacktestMarketValues, PlanError>,
    histories: &HistoryArguments,
) -> Result<(Simulation, Simulation), PlanError> {
    let before = grid_simulation(GridBotSettings::from_record(bot, None), market.clone(), histories, &[])?;
    let after = GridBotSettings::from_record(bot, Some(edit.builder()));
    Ok((before, grid_simulation(after, market, histories, &[])?))
}

fn single(
    simulation: Result<Simulation, PlanError>,
) -> PyResult<impl FnOnce(ShouldStop<'_>) -> Result<Backtest, Interrupted> + Send + use<>> {
    let simulation = simulation.or_py_err()?;
    Ok(|should_stop: ShouldStop<'_>| Backtest(simulation).run(should_stop))
}

/// Returns the backtest of a DCA bot. `others` are pairs that may have candles although the bot does not trade them.
fn dca_simulation(
    settings: Result<DcaBotSettings, PlanError>,
    market: Result<BacktestMarketValues, PlanError>,
    histories: &HistoryArguments,
    others: &[String],
) -> Result<Simulation, PlanError> {
    let (settings, market) = PlanError::both(settings, market)?;
    let pairs = histories.of_pairs(&settings.pairs, others)?;
    let setup = BacktestSetup::of_dca_bot(settings, &market, &pairs, histories.signals.is_some())?;
    simulation(setup, &pairs)
}

fn grid_simulation(
    settings: Result<GridBotSettings, PlanError>,
    market: Result<BacktestMarketValues, PlanError>,
    histories: &HistoryArguments,
    others: &[String],
) -> Result<Simulation, PlanError> {
    let (settings, market) = PlanError::both(settings, market)?;
    if histories.signals.is_some() {
        return Err(Violation::new("signals", "a grid bot has none; leave them out").into());
    }
    let pairs = histories.of_pairs(settings.pair.as_slice(), others)?;
    let [history] = pairs.as_slice() else {
        return Err(Violation::new("candles", "a grid bot trades one pair; pass candles of one").into());
    };
    let setup = BacktestSetup::of_grid_bot(settings, &market, history)?;
    simulation(setup, &pairs)
}

fn smart_trade_simulation(
    smart_trade: &SmartTradeArgument,
    market: Result<BacktestMarketValues, PlanError>,
    histories: &HistoryArguments,
) -> Result<Simulation, PlanError> {
    let (settings, market) = PlanError::both(SmartTradeSettings::new(&smart_trade.0), market)?;
    let pairs = histories.of_pairs(settings.pair.as_slice(), &[])?;
    let [history] = pairs.as_slice() else {
        return Err(Violation::new("candles", "a SmartTrade trades one pair; pass candles of one").into());
    };
    let setup = BacktestSetup::of_smart_trade(settings, &market, history)?;
    simulation(setup, &pairs)
}

fn simulation(setup: BacktestSetup, pairs: &[PairHistory]) -> Result<Simulation, PlanError> {
    let candles: Vec<Candles> = pairs.iter().map(|history| history.candles.clone()).collect();
    let simulation = Simulation::new(setup, &candles);
    simulation.ok_or_else(|| Violation::new("grids_quantity", "makes no grid").into())
}
