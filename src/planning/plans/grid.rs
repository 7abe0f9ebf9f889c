//! The levels of a grid bot.

use std::borrow::Cow;

use crate::hints::output_type;
use crate::raise::OrPyErr as _;
use pyo3::prelude::*;

use super::{ElementIterator, element};
use crate::display::columns::{Column, element_columns};
use crate::display::pictures;
use crate::display::table_methods::table_methods;
use crate::exceptions::RustResult;
use crate::pickles::{PickleParts, of_text, restoring, text};
use crate::values::Exact;
use botdesk_api::grid_bots;
use botdesk_client::edit::Edit;
use botdesk_display::arrow::Calculated;
use botdesk_planning::error::PlanError;
use botdesk_planning::grid_plan::{self, GridConfig};
use botdesk_schema::input::RequestBuilder;
use botdesk_schema::record::Record as _;
use botdesk_trading::grid::OrderSide;

/// The levels of a grid, the lowest first.
///
/// `for level in grid` iterates over them, `grid[0]` is the lowest, and `len(grid)` is their number. All numbers are exact,
/// except for divisions and roots with infinitely many digits, which have at least 36 decimal places.
#[pyclass(frozen, eq, module = "botdesk")]
pub(crate) struct GridPlan {
    plan: grid_plan::GridPlan,
    pair: Option<String>,
}

/// Plans with the same levels are equal, because the pair only names the currencies.
impl PartialEq for GridPlan {
    fn eq(&self, other: &Self) -> bool {
        self.plan == other.plan
    }
}

/// A level of a grid, and its profit.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct GridLevel(grid_plan::GridLevel);

#[pymethods]
impl GridPlan {
    /// The distance of two levels before rounding: a difference in an arithmetic grid, a ratio in a geometric one.
    #[getter]
    fn step(&self) -> Exact<'_> {
        Exact(&self.plan.step)
    }

    /// The amount for all orders at once, in the quote currency: `investment_quote_currency` +
    /// `investment_base_currency` × price. None if the price or `quantity_per_grid` is unknown.
    #[getter]
    fn investment(&self) -> Option<Exact<'_>> {
        self.plan.investment.as_ref().map(|investment| Exact(&investment.total))
    }

    /// The amount for the orders, in the quote currency.
    ///
    /// For a bot that is long, as those on spot accounts are, it is the amount for the buy orders: `quantity_per_grid` for each if
    /// `order_currency_type` is `quote`, otherwise price × quantity. If `mode` is `short` it is the amount for the sell orders, and
    /// for the position that the bot sells at its start; if `mode` is `reversal` that for all orders.
    #[getter]
    fn investment_quote_currency(&self) -> Option<Exact<'_>> {
        self.plan.investment.as_ref().map(|investment| Exact(&investment.quote))
    }

    /// The amount for the sell orders, in the base currency: the sum of their quantities. It is 0 if `mode` is `short` or
    /// `reversal`, because the margin of futures is in the quote currency.
    #[getter]
    fn investment_base_currency(&self) -> Option<Exact<'_>> {
        self.plan.investment.as_ref().map(|investment| Exact(&investment.base))
    }

    /// The profit of one grid step, in the quote currency: the mean of `GridLevel.profit`.
    ///
    /// In an arithmetic grid without a fee whose `order_currency_type` is `base`, it is step × `quantity_per_grid`. None if
    /// `quantity_per_grid` is unknown. On a futures account the bot counts its profit from the average entry price of its position instead.
    #[getter]
    fn profit_per_grid(&self) -> Option<Exact<'_>> {
        self.plan.profit_per_grid.as_ref().map(Exact)
    }

    /// Warnings, each a sentence: a price outside of the grid, levels with the same price, levels without profit, orders of less
    /// than a lot, values that the service would reject.
    #[getter]
    fn warnings(&self) -> Vec<&str> {
        self.plan.warnings.iter().map(String::as_str).collect()
    }

    fn __len__(&self) -> usize {
        self.plan.levels.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<GridLevel> {
        element(&self.plan.levels, index, "levels").cloned().map(GridLevel)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<ElementIterator<'py, GridLevel>> {
        ElementIterator::over(py, self.plan.levels.iter().cloned().map(GridLevel).collect())
    }

    /// The price that decides the side of each level; None if it is unknown.
    #[getter]
    fn price(&self) -> Option<Exact<'_>> {
        self.plan.price.as_ref().map(Exact)
    }

    /// The pair of the grid, as `<QUOTE>_<BASE>`; None if it is unknown.
    #[getter]
    fn pair(&self) -> Option<&str> {
        self.pair.as_deref()
    }

    fn __repr__(&self) -> String {
        self.plan.table(self.pair()).text(0)
    }

    fn _repr_html_(&self) -> String {
        self.plan.table(self.pair()).html()
    }

    fn __reduce__<'py>(&'py self, py: Python<'py>) -> PyResult<PickleParts<'py, (String, Option<&'py str>)>> {
        Ok((restoring::<Self>(py)?, (text(&self.plan)?, self.pair())))
    }

    #[staticmethod]
    fn _restore(plan: &str, pair: Option<String>) -> PyResult<Self> {
        Ok(Self { plan: of_text(plan, "plan")?, pair })
    }
}

pictures::plot_methods! {
    /// Draw the grid: its levels, and the side of each.
    GridPlan by "grid_plan":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> grid = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5, price=121)
    ///     >>> grid.plot().get_title("left")
    ///     'Grid of 5 levels: 2 buy below 121, 2 sell above'
    ;
}

table_methods! {
    GridPlan, a "plan" of GridLevel, such as "plan_grid(lower_price=100, upper_price=140, grids_quantity=5)";
}

element_columns! {
    GridLevel {
        /// The price of the level, rounded to the nearest tick.
        fn price(&self) -> Exact<'_> {
            Exact(&self.0.price)
        }

        /// The side of the level's order; None at the level nearest to the price, and if the price is unknown.
        fn side(&self) -> Option<GridSide> {
            self.0.side.map(GridSide)
        }

        /// The quantity of the level's order, in the base currency; None if `quantity_per_grid` is unknown.
        ///
        /// It is `quantity_per_grid`, or `quantity_per_grid` ÷ price if `order_currency_type` is `quote`, rounded down to the lot.
        /// An order whose quantity is 0 can't be placed.
        fn quantity(&self) -> Option<Exact<'_>> {
            self.0.quantity.as_ref().map(Exact)
        }

        /// The profit of buying one level lower and selling here, in the quote currency.
        ///
        /// It is (price − price below) × the quantity of the order that opens the step, less the fees of both orders. That order
        /// is the lower one, but the upper one if `mode` is `short`, and above the price if it is `reversal`. None at the lowest
        /// level, and if `quantity_per_grid` is unknown.
        ///
        /// On a futures account the bot counts its profit from the average entry price of its position instead.
        fn profit(&self) -> Option<Exact<'_>> {
            self.0.profit.as_ref().map(Exact)
        }
    }
}

#[pymethods]
impl GridLevel {
    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    fn _repr_html_(&self) -> String {
        self.0.view().html()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py, (String,)>> {
        Ok((restoring::<Self>(py)?, (text(&self.0)?,)))
    }

    #[staticmethod]
    fn _restore(element: &str) -> PyResult<Self> {
        of_text(element, "plan").map(Self)
    }
}

/// The side of an order, under the service's name.
pub(super) struct GridSide(pub(super) OrderSide);

impl Column for Option<GridSide> {
    fn column(values: impl Iterator<Item = Self>) -> Calculated {
        Calculated::Texts(values.map(|value| value.map(|side| side.0.name().into())).collect())
    }
}

impl<'py> IntoPyObject<'py> for GridSide {
    type Target = pyo3::types::PyString;
    type Output = Bound<'py, pyo3::types::PyString>;
    type Error = std::convert::Infallible;

    output_type!(Literal::<grid_bots::Side>::HINT);

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(pyo3::types::PyString::intern(py, self.0.name()))
    }
}

impl GridPlan {
    /// Plans the grid of a bot.
    pub(crate) fn from_record(bot: &grid_bots::GridBot, market: &RequestBuilder) -> PyResult<Self> {
        let pair = bot.pair().rust_ok().flatten().map(Cow::into_owned);
        plan(pair, GridConfig::from_record(bot, market))
    }

    /// Plans the grid of a bot after an edit.
    pub(crate) fn of_edit(edit: &Edit, market: &RequestBuilder) -> PyResult<Self> {
        let bot = grid_bots::GridBot::from_fields(edit.before().clone());
        let pair = bot.pair().rust_ok().flatten().map(Cow::into_owned);
        plan(pair, GridConfig::from_edit(&bot, edit.builder(), market))
    }

    /// Plans a grid from the arguments of an edit.
    pub(crate) fn of_inputs(market: &RequestBuilder, edit: &RequestBuilder) -> PyResult<Self> {
        plan(None, GridConfig::from_arguments(edit, market))
    }
}

fn plan(pair: Option<String>, terms: Result<GridConfig, PlanError>) -> PyResult<GridPlan> {
    let plan = grid_plan::GridPlan::new(&terms.or_py_err()?).or_py_err()?;
    Ok(GridPlan { plan, pair })
}
