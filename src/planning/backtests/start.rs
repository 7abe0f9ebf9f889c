//! Starts backtests: from arguments to the computation that runs them.

use pyo3::prelude::*;

use super::class::Backtest;
use super::comparison::BacktestComparison;
use super::histories::HistoryArguments;
use super::simulation::{ShouldStop, Simulation};
use super::smart_trade_argument::SmartTradeArgument;
use crate::arguments::Arguments;
use crate::previews::EditOf;
use crate::raise::OrPyErr as _;
use crate::records::RecordOf;
use botdesk_api::dca_bots::{DcaBot, DcaBotEdit};
use botdesk_api::grid_bots::GridBot;
use botdesk_client::edit::Edit;
use botdesk_client::request::spec::InputValues;
use botdesk_planning::backtest_history::PairHistory;
use botdesk_planning::backtest_market::{BacktestMarket, BacktestMarketValues};
use botdesk_planning::backtest_settings::{DcaBotSettings, GridBotSettings};
use botdesk_planning::backtest_setup::BacktestSetup;
use botdesk_planning::error::PlanError;
use botdesk_planning::ladder_config::LadderStrategy;
use botdesk_planning::smart_trade_settings::SmartTradeSettings;
use botdesk_schema::input::{Inputs, RequestBuilder, Violation};
use botdesk_schema::record::Record as _;
use botdesk_trading::backtest::Interrupted;
use botdesk_trading::candles::Candles;

/// The bot of a backtest: a record, as an argument.
#[derive(FromPyObject)]
pub(crate) enum BotArgument {
    /// A DCA bot.
    Dca(RecordOf<DcaBot>),
    /// A grid bot.
    Grid(RecordOf<GridBot>),
}

/// The edit of a backtest: a preview of an edit of a bot, as an argument.
#[derive(FromPyObject)]
pub(crate) enum EditArgument {
    /// An edit of a DCA bot.
    Dca(EditOf<DcaBot>),
    /// An edit of a grid bot.
    Grid(EditOf<GridBot>),
}

/// Returns the computation of the backtest of a bot.
pub(crate) fn backtest_bot(
    bot: &BotArgument,
    market: Arguments,
    histories: HistoryArguments,
) -> PyResult<impl FnOnce(ShouldStop<'_>) -> Result<Backtest, Interrupted> + Send + use<>> {
    let market = market_values(market);
    single(match bot {
        BotArgument::Dca(bot) => {
            let settings = DcaBotSettings::from_record(&bot.0, None, histories.signals.is_some());
            dca_simulation(settings, market, &histories, &[])
        }
        BotArgument::Grid(bot) => grid_simulation(GridBotSettings::from_record(&bot.0, None), market, &histories, &[]),
    })
}

/// Returns the computation of the backtest of a DCA bot that need not exist, or of a SmartTrade.
pub(crate) fn backtest_inputs(
    market: Arguments,
    strategy: Arguments,
    edit: InputValues,
    smart_trade: Option<&SmartTradeArgument>,
    histories: HistoryArguments,
) -> PyResult<impl FnOnce(ShouldStop<'_>) -> Result<Backtest, Interrupted> + Send + use<>> {
    let strategy = request_builder(LadderStrategy::INPUTS, strategy);
    let edit = edit.into_builder(DcaBotEdit::INPUTS);
    let market = market_values(market);
    if let Some(smart_trade) = smart_trade {
        only_smart_trade(&edit, &strategy, &histories).or_py_err()?;
        return single(smart_trade_simulation(smart_trade, market, &histories));
    }
    let settings = DcaBotSettings::from_arguments(&edit, &strategy, histories.signals.is_some());
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
    edit: &EditArgument,
    market: Arguments,
    histories: HistoryArguments,
) -> PyResult<impl FnOnce(ShouldStop<'_>) -> Result<BacktestComparison, Interrupted> + Send + use<>> {
    let market = market_values(market);
    let (before, after) = match edit {
        EditArgument::Dca(edit) => dca_simulations(&edit.0, market, &histories),
        EditArgument::Grid(edit) => grid_simulations(&edit.0, market, &histories),
    }
    .or_py_err()?;
    Ok(move |should_stop: ShouldStop<'_>| BacktestComparison::of(before, after, should_stop))
}

/// Returns the backtests of a DCA bot before and after an edit.
fn dca_simulations(
    edit: &Edit,
    market: Result<BacktestMarketValues, PlanError>,
    histories: &HistoryArguments,
) -> Result<(Simulation, Simulation), PlanError> {
    let bot = DcaBot::from_fields(edit.before().clone());
    let has_signals = histories.signals.is_some();
    let before = DcaBotSettings::from_record(&bot, None, has_signals)?;
    let after = DcaBotSettings::from_record(&bot, Some(edit.builder()), has_signals)?;
    let (old, new) = (before.pairs.clone(), after.pairs.clone());
    let before = dca_simulation(Ok(before), market.clone(), histories, &new)?;
    Ok((before, dca_simulation(Ok(after), market, histories, &old)?))
}

/// Returns the backtests of a grid bot before and after an edit.
fn grid_simulations(
    edit: &Edit,
    market: Result<BacktestMarketValues, PlanError>,
    histories: &HistoryArguments,
) -> Result<(Simulation, Simulation), PlanError> {
    let bot = GridBot::from_fields(edit.before().clone());
    let before = grid_simulation(GridBotSettings::from_record(&bot, None), market.clone(), histories, &[])?;
    let after = GridBotSettings::from_record(&bot, Some(edit.builder()));
    Ok((before, grid_simulation(after, market, histories, &[])?))
}

fn single(
    simulation: Result<Simulation, PlanError>,
) -> PyResult<impl FnOnce(ShouldStop<'_>) -> Result<Backtest, Interrupted> + Send + use<>> {
    let simulation = simulation.or_py_err()?;
    Ok(|should_stop: ShouldStop<'_>| Backtest(simulation).run(should_stop))
}

fn market_values(arguments: Arguments) -> Result<BacktestMarketValues, PlanError> {
    BacktestMarketValues::from_arguments(&request_builder(BacktestMarket::INPUTS, arguments))
}

fn request_builder(inputs: &'static Inputs, arguments: Arguments) -> RequestBuilder {
    arguments.none_is_absent().into_inputs(None).into_builder(inputs)
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
