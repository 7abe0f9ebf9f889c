//! The Python class of a backtest.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use super::bounds::BacktestBounds;
use super::rows::{BacktestDeal, BacktestOrder, EquityPoint};
use super::simulation::{ShouldStop, Simulation};
use super::summary::BacktestSummary;
use crate::hints::output_type;
use crate::pickles::{PickleParts, of_text, restoring, text};
use crate::planning::candles::{Candles, timestamp};
use crate::raise::OrPyErr as _;
use crate::records::{Records, object};
use crate::runtime::computation::compute;
use crate::values::typed_objects;
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::grid_bots::GridBot;
use botdesk_client::error::Error;
use botdesk_display::figures::common_quote;
use botdesk_display::html;
use botdesk_display::text_table::Table;
use botdesk_planning::backtest_settings;
use botdesk_planning::backtest_setup::{BacktestSetup, BotSetup};
use botdesk_planning::fraction::fee_text;
use botdesk_schema::record::Record as _;
use botdesk_trading::backtest::{EngineBot, Interrupted, few_points};
use botdesk_trading::candles::ExtremeOrder;

/// The deals, orders and figures that a bot or a SmartTrade would have had over candles.
///
/// The run takes milliseconds. Everything else is calculated when it is first read, and kept.
///
/// Settings that matter but are not simulated are in `not_simulated`, and at the end of what it prints. Two backtests are equal if
/// their bots, markets and candles are. A pickle has those, without the results.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(Clone, PartialEq)]
pub(crate) struct Backtest(pub(super) Simulation);

/// A setting that matters, but that a backtest does not simulate.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct NotSimulated(pub(crate) backtest_settings::NotSimulated);

#[pymethods]
impl NotSimulated {
    /// The name of the field.
    #[getter]
    fn field(&self) -> &str {
        &self.0.field
    }

    /// The effect that the field has live, and what the backtest does instead.
    #[getter]
    fn reason(&self) -> &str {
        &self.0.reason
    }

    fn __repr__(&self) -> String {
        format!("<NotSimulated {}: {}>", self.0.field, self.0.reason)
    }

    fn _repr_html_(&self) -> String {
        html::record("NotSimulated", &[(self.0.field.to_string(), self.0.reason.to_string())])
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py, (String,)>> {
        Ok((restoring::<Self>(py)?, (text(&self.0)?,)))
    }

    #[staticmethod]
    fn _restore(setting: &str) -> PyResult<Self> {
        of_text(setting, "setting").map(Self)
    }
}

typed_objects! {
    /// A DCA bot or a grid bot.
    TriedBot(PyAny) => ANY;
    /// The candles of the only pair, or a dict: the stubs can't say which of them.
    CandlesOfPairs(PyAny) => ANY;
}

#[pymethods]
impl Backtest {
    /// The deals, in the order in which they were opened. A deal that is open after the last candle is among them.
    #[getter]
    fn deals(&self, py: Python<'_>) -> PyResult<Records<BacktestDeal>> {
        compute(py, |should_stop| Ok(self.0.deals(should_stop)?.iter().cloned().map(BacktestDeal).collect()))
    }

    /// The orders, in the order in which they filled.
    #[getter]
    fn orders(&self, py: Python<'_>) -> PyResult<Records<BacktestOrder>> {
        compute(py, |should_stop| Ok(self.0.orders(should_stop)?.into_iter().map(BacktestOrder).collect()))
    }

    /// The profit and the capital over time: a point after each price and each timer at which an order filled, one for each start of a
    /// day (UTC), and one for the end. Several points may have the same time.
    #[getter]
    fn equity(&self, py: Python<'_>) -> PyResult<Records<EquityPoint>> {
        compute(py, |should_stop| {
            let run = self.0.run(should_stop)?;
            Ok(run.equity.iter().cloned().map(EquityPoint).collect())
        })
    }

    /// Return the profit over time in about `points` points: milliseconds since 1970 and an amount.
    fn _profit_line(&self, py: Python<'_>, points: usize) -> PyResult<Vec<(i64, f64)>> {
        compute(py, |should_stop| {
            let points = few_points(&self.0.run(should_stop)?.equity, points);
            Ok(points.map(|point| (point.time, point.total().to_f64())).collect())
        })
    }

    /// The figures: deals, profit, drawdown, time in the market, fees and others.
    #[getter]
    fn summary(&self, py: Python<'_>) -> PyResult<BacktestSummary> {
        compute(py, |should_stop| self.0.summary(should_stop)).cloned()
    }

    /// The number of candles in which other orders would have filled if the two extremes had come in the other order.
    ///
    /// If it is not 0, compare with `bounds()`, or use shorter candles.
    #[getter]
    fn ambiguous(&self, py: Python<'_>) -> PyResult<usize> {
        compute(py, |should_stop| self.0.ambiguous(should_stop))
    }

    /// Run the backtest with the low of each candle first, and with the high first.
    ///
    /// Returns:
    ///     The figures of both, and the range of the profit. A path that mixes both may leave the range.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> candles = botdesk.Candles([[0, 100, 100, 100, 100], [60000, 100, 102, 97, 100]])
    ///     >>> bounds = botdesk.backtest(
    ///     ...     candles,
    ///     ...     base_order_volume=100,
    ///     ...     max_safety_orders=0,
    ///     ...     take_profit=2,
    ///     ...     stop_loss_percentage=3,
    ///     ...     cooldown=3600,
    ///     ... ).bounds()
    ///     >>> bounds.profit
    ///     (Decimal('-3'), Decimal('2'))
    fn bounds(&self, py: Python<'_>) -> PyResult<BacktestBounds> {
        compute(py, |should_stop| BacktestBounds::of(&self.0, should_stop))
    }

    /// Notes about the settings, the candles and the result, each in a sentence.
    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        compute(py, |should_stop| self.0.warnings(should_stop))
    }

    /// The settings that matter but are not simulated, each with the reason.
    #[getter]
    fn not_simulated(&self) -> Vec<NotSimulated> {
        self.0.setup().not_simulated.iter().cloned().map(NotSimulated).collect()
    }

    /// The status of the SmartTrade after the last candle, such as `finished`, `stop_loss_finished` or `waiting_targets`; None for a bot.
    #[getter]
    fn status(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        compute(py, |should_stop| match &self.0.run(should_stop)?.bot.state {
            EngineBot::SmartTrade(simulated) => Ok(Some(simulated.trade.status.code())),
            EngineBot::Dca(_) | EngineBot::Grid { .. } => Ok(None),
        })
    }

    /// The candles from `start` to `end`; for a bot of several pairs, a dict from pair to candles.
    #[getter]
    fn candles<'py>(&self, py: Python<'py>) -> PyResult<CandlesOfPairs<'py>> {
        let pairs = || self.0.setup().pairs.iter().zip(self.0.candles());
        let mut all = pairs();
        if let (Some((_, candles)), None) = (all.next(), all.next()) {
            return Ok(CandlesOfPairs(Bound::new(py, Candles::of(candles.clone()))?.into_any()));
        }
        let dict = PyDict::new(py);
        for (pair, candles) in pairs() {
            dict.set_item(&*pair.market.pair, Candles::of(candles.clone()))?;
        }
        Ok(CandlesOfPairs(dict.into_any()))
    }

    /// The extreme of each candle that the price reaches first.
    #[getter]
    fn path(&self) -> PathName {
        PathName(self.0.setup().path)
    }

    /// Return a record with the settings of the bot, which is one of the resource with this name.
    #[pyo3(name = "_tried")]
    fn tried<'py>(&self, py: Python<'py>, resource: &str) -> PyResult<TriedBot<'py>> {
        let setup = self.0.setup();
        let mut fields = setup.fields.0.clone();
        let mut pairs = setup.pairs.iter().map(|pair| Value::from(&*pair.market.pair)).filter(|pair| *pair != "");
        let has_settings = !fields.is_empty();
        let record = match (&setup.bot, resource) {
            (BotSetup::Dca(_), "dca_bots") if has_settings => {
                fields.insert("pairs".to_owned(), pairs.collect());
                DcaBot::SPEC.from_json(&Value::Object(fields).to_string())
            }
            (BotSetup::Grid { .. }, "grid_bots") if has_settings => {
                fields.extend(pairs.next().map(|pair| ("pair".to_owned(), pair)));
                GridBot::SPEC.from_json(&Value::Object(fields).to_string())
            }
            _ => {
                let kind = if resource == "dca_bots" { "a DCA bot" } else { "a grid bot" };
                let message = format!("the backtest has no settings of {kind} to create");
                return Err(Error::Configuration(message)).or_py_err();
            }
        };
        object(py, record.or_py_err()?, None).map(TriedBot)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.table(py)?.text(1))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.table(py)?.html())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py, (String, Vec<Candles>)>> {
        let candles = self.0.candles().cloned().map(Candles::of).collect();
        Ok((restoring::<Self>(py)?, (text(self.0.setup())?, candles)))
    }

    #[staticmethod]
    fn _restore(setup: &str, candles: Vec<Py<Candles>>) -> PyResult<Self> {
        let setup: BacktestSetup = of_text(setup, "backtest")?;
        let candles: Vec<_> = candles.iter().map(|candles| candles.get().candles.clone()).collect();
        let simulation = Some(setup).filter(|setup| setup.pairs.len() == candles.len());
        let simulation = simulation.and_then(|setup| Simulation::new(setup, &candles));
        simulation.map(Self).ok_or_else(|| PyValueError::new_err("the pickle has no backtest: candles are missing"))
    }
}

/// The name of the order of the extremes of a candle.
struct PathName(ExtremeOrder);

impl<'py> IntoPyObject<'py> for PathName {
    type Target = pyo3::types::PyString;
    type Output = Bound<'py, pyo3::types::PyString>;
    type Error = std::convert::Infallible;

    output_type!(Literal::<botdesk_planning::backtest_market::CandlePath>::HINT);

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(pyo3::types::PyString::intern(py, path_name(self.0)))
    }
}

fn path_name(path: ExtremeOrder) -> &'static str {
    match path {
        ExtremeOrder::Nearest => "nearest",
        ExtremeOrder::LowFirst => "low_first",
        ExtremeOrder::HighFirst => "high_first",
    }
}

impl Backtest {
    /// Returns the backtest of a setup over the candles of its pairs; None if the bot can't start.
    pub(crate) fn new(setup: BacktestSetup, candles: &[botdesk_trading::candles::Candles]) -> Option<Self> {
        Simulation::new(setup, candles).map(Self)
    }

    /// Runs the backtest, so that its results are at hand.
    pub(crate) fn run(self, should_stop: ShouldStop<'_>) -> Result<Self, Interrupted> {
        self.0.run(should_stop)?;
        Ok(self)
    }

    /// Returns the figures as a table, with everything that is not simulated and all warnings as notes.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let (summary, warnings) =
            compute(py, |should_stop| Ok((self.0.summary(should_stop)?, self.0.warnings(should_stop)?)))?;
        Ok(Table {
            title: title(&self.0),
            heads: vec!["figure", "value"],
            rows: BacktestSummary::side_by_side(&[summary]),
            figures: BacktestSummary::figures(quote(&self.0)),
            ellipsis: None,
            notes: notes(&self.0, warnings),
        })
    }
}

/// Returns what is not simulated, and warnings.
pub(super) fn notes(simulation: &Simulation, warnings: Vec<String>) -> Vec<String> {
    let not_simulated = simulation.setup().not_simulated.iter();
    let not_simulated = not_simulated.map(|setting| format!("not simulated: {}: {}", setting.field, setting.reason));
    not_simulated.chain(warnings).collect()
}

/// Returns the currency of the amounts; None if it is unknown.
pub(super) fn quote(simulation: &Simulation) -> Option<&str> {
    common_quote(simulation.setup().pairs.iter().map(|pair| &*pair.market.pair))
}

/// Names the fee of a backtest, which is that of all its pairs.
pub(super) fn fee(simulation: &Simulation) -> String {
    simulation.setup().pairs.first().map(|pair| fee_text(&pair.market.fee.to_big())).unwrap_or_default()
}

/// Returns the kind of the bot, its pairs, and the times and the number of the candles, in one line.
pub(super) fn title(simulation: &Simulation) -> String {
    let bot = match &simulation.setup().bot {
        BotSetup::Dca(_) => "DCA bot",
        BotSetup::Grid { .. } => "grid bot",
        BotSetup::SmartTrade(_) => "SmartTrade",
    };
    let pairs: Vec<_> = simulation.setup().pairs.iter().map(|pair| &*pair.market.pair).collect();
    let pairs = pairs.join(", ");
    let on = if pairs.is_empty() { String::new() } else { format!(" on {pairs}") };
    let all = simulation.candles();
    let (mut count, mut start, mut end) = (0, i64::MAX, i64::MIN);
    for candles in all {
        count += candles.len();
        start = start.min(candles.time(0).unwrap_or(start));
        end = end.max(candles.time(candles.len().saturating_sub(1)).unwrap_or(end));
    }
    let candles = if count == 1 { "1 candle".to_owned() } else { format!("{count} candles") };
    let path = path_name(simulation.setup().path);
    let fee = fee(simulation);
    format!("Backtest of a {bot}{on}: {candles}, {} to {}, path {path}, {fee}", timestamp(start), timestamp(end))
}
