//! A combination that was run.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::objective::summary;
use super::plan::SharedPlan;
use super::table::{column, inputs, shown};
use crate::display::columns::Columns as _;
use crate::display::tables::{ArrowTable, DecimalsArgument, WithIssues, all};
use crate::hints::input_type;
use crate::pickles::{PickleParts, of_text, restoring, text};
use crate::planning::backtests::{Backtest, BacktestSummary, ShouldStop};
use crate::raise::OrPyErr as _;
use crate::runtime::computation::{compute, compute_async};
use crate::to_python::input_value;
use crate::values::{NamedValues, typed_objects};
use botdesk_display::arrow::Calculated;
use botdesk_display::figures::{Rounding, common_quote};
use botdesk_display::html;
use botdesk_planning::sweep::{Figures, SweepBot};
use botdesk_trading::backtest::Interrupted;

/// A combination of settings that was run, and its figures.
#[pyclass(frozen, module = "botdesk")]
#[derive(Clone)]
pub(crate) struct SweepPoint {
    pub(super) plan: SharedPlan,
    pub(super) index: usize,
    pub(super) figures: Figures,
}

typed_objects! {
    /// The preview of an edit.
    AnyEditPreview(PyAny) => type_hint_union!(
        type_hint_identifier!("botdesk", "DcaBotEditPreview"),
        type_hint_identifier!("botdesk", "GridBotEditPreview")
    );
}

/// A bot whose edit is previewed.
struct AnyBot<'py>(Bound<'py, PyAny>);

impl<'py> FromPyObject<'_, 'py> for AnyBot<'py> {
    type Error = std::convert::Infallible;

    input_type!(type_hint_union!(
        type_hint_identifier!("botdesk", "DcaBot"),
        type_hint_identifier!("botdesk", "GridBot")
    ));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self, Self::Error> {
        Ok(Self(given.to_owned()))
    }
}

#[pymethods]
impl SweepPoint {
    /// The settings of the combination, by name.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<NamedValues<'py>> {
        parameters(py, &self.plan, self.index)
    }

    /// The figures of the backtest.
    #[getter]
    fn summary(&self) -> BacktestSummary {
        summary(&self.figures)
    }

    /// Return the backtest of the combination, with its deals, orders and equity.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> rows = [[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]]
    ///     >>> bot = {"base_order_volume": 100, "max_safety_orders": 0}
    ///     >>> point = botdesk.sweep(bot, rows, {"take_profit": [1, 2]})[1]
    ///     >>> point.backtest().summary == point.summary
    ///     True
    fn backtest(&self, py: Python<'_>) -> PyResult<Backtest> {
        compute(py, self.computation()?)
    }

    /// Return the backtest of the combination, with its deals, orders and equity.
    ///
    /// Example:
    ///     >>> import asyncio
    ///     >>> import botdesk
    ///     >>> rows = [[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]]
    ///     >>> bot = {"base_order_volume": 100, "max_safety_orders": 0}
    ///     >>> point = botdesk.sweep(bot, rows, {"take_profit": [1, 2]})[1]
    ///     >>> asyncio.run(point.backtest_async()).summary == point.summary
    ///     True
    async fn backtest_async(&self) -> PyResult<Backtest> {
        compute_async(self.computation()?).await
    }

    /// Return the preview of the edit that gives a bot the settings of the combination.
    ///
    /// Nothing is sent until `preview.apply()`.
    ///
    /// Args:
    ///     bot: The bot, usually the one of the sweep.
    ///
    /// Returns:
    ///     The preview, as `bot.preview_edit(**point.parameters)` returns it.
    ///
    /// Raises:
    ///     ValidationError: The edit breaks a rule.
    ///     ConfigurationError: The record has no client.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> rows = [[0, 2500, 2600, 2400, 2550], [60000, 2550, 2700, 2500, 2600]]
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     bot = sandbox.client().dca_bots.get(41)
    ///     ...     sweep = botdesk.sweep(bot, rows, {"take_profit": [1.5, 2.5]}, signals=[0])
    ///     ...     sweep[1].preview(bot).changes
    ///     field        old  new
    ///     take_profit  1.0  2.5
    fn preview<'py>(&self, bot: AnyBot<'py>) -> PyResult<AnyEditPreview<'py>> {
        let parameters = self.parameters(bot.0.py())?;
        bot.0.call_method("preview_edit", (), Some(&parameters.0)).map(AnyEditPreview)
    }

    fn __repr__(&self) -> String {
        format!(
            "<SweepPoint {} profit={}>",
            shown(&self.plan, self.index),
            self.profit().round(&self.figures.summary.profit.to_string())
        )
    }

    fn _repr_html_(&self) -> String {
        let mut cells = super::table::cells(&self.plan, self.index);
        cells.push(("profit".to_owned(), self.figures.summary.profit.to_string()));
        html::figures("SweepPoint", &cells, |name| if name == "profit" { self.profit() } else { Rounding::Exact })
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.figures == other.figures && shown(&self.plan, self.index) == shown(&other.plan, other.index)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py, (SharedPlan, usize, String)>> {
        Ok((restoring::<Self>(py)?, (self.plan.clone(), self.index, text(&self.figures)?)))
    }

    #[staticmethod]
    fn _restore(plan: &Bound<'_, SharedPlan>, index: usize, figures: &str) -> PyResult<Self> {
        Ok(Self { plan: plan.get().clone(), index, figures: of_text(figures, "figures")? })
    }

    /// Return the table of these points, and the values that it can't represent.
    #[staticmethod]
    fn _table(elements: &Bound<'_, PyAny>, decimals: DecimalsArgument) -> PyResult<WithIssues> {
        let points = all::<Self>(elements, &elements.py().get_type::<Self>())?;
        let points: Vec<_> = points.iter().map(Bound::get).collect();
        ArrowTable::of_calculated(columns(&points), decimals.0)
    }
}

impl SweepPoint {
    /// Returns the rounding of the profit.
    fn profit(&self) -> Rounding {
        let pairs = self.plan.0.definition().pairs();
        Rounding::money(common_quote(pairs.iter().map(String::as_str)))
    }

    /// Returns the computation of the backtest.
    fn computation(&self) -> PyResult<impl FnOnce(ShouldStop<'_>) -> Result<Backtest, Interrupted> + Send + use<>> {
        let (setup, candles) = self.plan.0.setup(self.index).or_py_err()?;
        let no_grid = || PyValueError::new_err("the combination makes no grid");
        let backtest = Backtest::new(setup, &candles).ok_or_else(no_grid)?;
        Ok(|should_stop: ShouldStop<'_>| backtest.run(should_stop))
    }
}

/// Returns the settings of a combination.
pub(super) fn parameters<'py>(py: Python<'py>, plan: &SharedPlan, index: usize) -> PyResult<NamedValues<'py>> {
    let bot: &SweepBot = &plan.0.definition().bot;
    let combinations = plan.0.combinations();
    let dict = PyDict::new(py);
    for (parameter, value) in combinations.parameters().iter().zip(combinations.values(index)) {
        if let Some(input) = parameter.input(bot) {
            dict.set_item(input.name, input_value(py, input.input_type, value)?)?;
        }
    }
    Ok(NamedValues(dict))
}

/// Returns the columns of points: the settings, then the figures.
fn columns(points: &[&SweepPoint]) -> Vec<(&'static str, Calculated)> {
    let summaries: Vec<BacktestSummary> = points.iter().map(|point| summary(&point.figures)).collect();
    let figures = BacktestSummary::columns(&summaries.iter().collect::<Vec<_>>());
    let settings = points.first().map_or(Vec::new(), |point| inputs(&point.plan));
    let settings = settings.into_iter().enumerate().map(|(place, input)| {
        let values = points
            .iter()
            .map(|point| point.plan.0.combinations().values(point.index).get(place).and_then(|value| *value));
        (input.name, column(input.input_type, values))
    });
    settings.chain(figures).collect()
}
