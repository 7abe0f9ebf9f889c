//! The levels of a grid bot.

use std::borrow::Cow;

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;

use super::columns::{Column, attributes, tabled};
use super::{Elements, Reduced, drafted, element, of_text, restoring, text};
use crate::arguments::Arguments;
use crate::display;
use crate::exceptions::RustResult;
use crate::values::{Exact, Literal};
use botdesk_api::grid_bot::{self, GridBotEdit};
use botdesk_api::tables::Calculated;
use botdesk_client::request::spec::InputValues;
use botdesk_planning::error::PlanError;
use botdesk_planning::grid_plan::{self, GridConfig, GridMarket};
use botdesk_trading::grid::OrderSide;

/// The levels of a grid, the lowest first.
///
/// `for level in grid` walks over them, `grid[0]` is the lowest, `len(grid)` counts them. All numbers are exact; what a
/// division or a root leaves without an end is told with 36 places or more.
#[pyclass(frozen, eq, module = "botdesk")]
pub(crate) struct GridPlan {
    plan: grid_plan::GridPlan,
    pair: Option<String>,
}

/// The pair only names the currencies; plans with the same levels are the same.
impl PartialEq for GridPlan {
    fn eq(&self, other: &Self) -> bool {
        self.plan == other.plan
    }
}

/// A level of a grid, and what it earns.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct GridLevel(grid_plan::GridLevel);

#[pymethods]
impl GridPlan {
    /// The distance of two levels before they are rounded: a difference in an arithmetic grid, a ratio in a geometric
    /// one.
    #[getter]
    fn step(&self) -> Exact<'_> {
        Exact(&self.plan.step)
    }

    /// What is needed to place all orders at once, in the quote currency: `investment_quote_currency` +
    /// `investment_base_currency` × price. None where the price or `quantity_per_grid` is not known.
    #[getter]
    fn investment(&self) -> Option<Exact<'_>> {
        self.plan.investment.as_ref().map(|investment| Exact(&investment.total))
    }

    /// What the orders to buy need, in the quote currency: the sum of price × `quantity_per_grid` of the levels that
    /// buy.
    #[getter]
    fn investment_quote_currency(&self) -> Option<Exact<'_>> {
        self.plan.investment.as_ref().map(|investment| Exact(&investment.quote))
    }

    /// What the orders to sell need, in the base currency: `quantity_per_grid` × the number of levels that sell.
    #[getter]
    fn investment_base_currency(&self) -> Option<Exact<'_>> {
        self.plan.investment.as_ref().map(|investment| Exact(&investment.base))
    }

    /// What one grid earns, in the quote currency: the mean of what the levels earn, `GridLevel.profit`.
    ///
    /// In an arithmetic grid without a fee that is step × `quantity_per_grid`. None where `quantity_per_grid` is not
    /// known.
    #[getter]
    fn profit_per_grid(&self) -> Option<Exact<'_>> {
        self.plan.profit_per_grid.as_ref().map(Exact)
    }

    /// What the numbers do not show, each in a sentence: a price outside of the grid, levels that fall on one price,
    /// levels that earn nothing, values that the service would refuse.
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

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Elements<'py, GridLevel>> {
        Elements::over(py, self.plan.levels.iter().cloned().map(GridLevel).collect())
    }

    /// The price that decides what each level does; None where it is not known.
    #[getter]
    fn price(&self) -> Option<Exact<'_>> {
        self.plan.price.as_ref().map(Exact)
    }

    /// The pair that the grid is of, as `<QUOTE>_<BASE>`; None where it is not known.
    #[getter]
    fn pair(&self) -> Option<&str> {
        self.pair.as_deref()
    }

    fn __repr__(&self) -> String {
        self.plan.to_string()
    }

    fn _repr_html_(&self) -> String {
        self.plan.table().html()
    }

    fn __reduce__<'py>(&'py self, py: Python<'py>) -> PyResult<Reduced<'py, (String, Option<&'py str>)>> {
        Ok((restoring::<Self>(py)?, (text(&self.plan)?, self.pair())))
    }

    #[staticmethod]
    fn _restore(plan: &str, pair: Option<String>) -> PyResult<Self> {
        Ok(Self { plan: of_text(plan)?, pair })
    }
}

display::drawn! {
    /// Draw the grid: its levels, and what each of them does at the price.
    GridPlan by "grid_plan":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> grid = botdesk.plan_grid(lower_price=100, upper_price=140, grids_quantity=5, price=121)
    ///     >>> grid.plot().get_title("left")
    ///     'Grid of 5 levels: 2 buy below 121, 2 sell above'
    ;
}

tabled! {
    GridPlan of GridLevel, such as "plan_grid(lower_price=100, upper_price=140, grids_quantity=5)";
}

attributes! {
    GridLevel {
        /// The price of the level, rounded to the nearest tick.
        fn price(&self) -> Exact<'_> {
            Exact(&self.0.price)
        }

        /// What the order at the level does; None at the level nearest to the price, and where no price is known.
        fn side(&self) -> Option<GridSide> {
            self.0.side.map(GridSide)
        }

        /// What is earned by buying one level lower and selling here, in the quote currency.
        ///
        /// That is `quantity_per_grid` × (price − price below − fee × (price + price below)). None at the lowest level, and
        /// where `quantity_per_grid` is not known.
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

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (String,)>> {
        Ok((restoring::<Self>(py)?, (text(&self.0)?,)))
    }

    #[staticmethod]
    fn _restore(element: &str) -> PyResult<Self> {
        of_text(element).map(Self)
    }
}

/// What an order does, as the service names it.
pub(super) struct GridSide(pub(super) OrderSide);

impl Column for Option<GridSide> {
    fn column(values: impl Iterator<Item = Self>) -> Calculated {
        Calculated::Texts(values.map(|value| value.map(|side| side.0.name())).collect())
    }
}

impl<'py> IntoPyObject<'py> for GridSide {
    type Target = pyo3::types::PyString;
    type Output = Bound<'py, pyo3::types::PyString>;
    type Error = std::convert::Infallible;

    const OUTPUT_TYPE: pyo3::inspect::PyStaticExpr = Literal::<grid_bot::Side>::HINT;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(pyo3::types::PyString::intern(py, self.0.name()))
    }
}

impl GridPlan {
    /// Plans the grid of a bot.
    pub(crate) fn of_bot(bot: &grid_bot::GridBot, market: Arguments) -> PyResult<Self> {
        let pair = bot.pair().rust_ok().flatten().map(Cow::into_owned);
        plan(pair, GridConfig::of_bot(bot, &drafted(GridMarket::INPUTS, market)))
    }

    /// Plans the grid of a bot that an edit would make of nothing.
    pub(crate) fn of_inputs(market: Arguments, edit: InputValues) -> PyResult<Self> {
        let edit = edit.draft(GridBotEdit::INPUTS);
        plan(None, GridConfig::given(&edit, &drafted(GridMarket::INPUTS, market)))
    }
}

fn plan(pair: Option<String>, terms: Result<GridConfig, PlanError>) -> PyResult<GridPlan> {
    let plan = grid_plan::GridPlan::new(&terms.or_py_err()?).or_py_err()?;
    Ok(GridPlan { plan, pair })
}
