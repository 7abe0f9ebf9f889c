//! The levels of a grid bot.

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;

use super::columns::{Column, attributes, tabled};
use super::{Elements, Reduced, drafted, element, of_text, restoring, text};
use crate::arguments::{Argument, Gathered, Unknown};
use crate::display;
use crate::exceptions::RustResult;
use crate::records::{Acting, GridBot};
use crate::values::{Exact, Literal};
use botdesk_api::dca_bot::LeverageChoice;
use botdesk_api::grid_bot::{self, GridBotEdit, GridType, StopLossAction};
use botdesk_api::grid_bot_edit_rows;
use botdesk_api::tables::Calculated;
use botdesk_api::values::{Amount, Flag, Integer, OneOf, Text};
use botdesk_planning::error::PlanError;
use botdesk_planning::grid_market_rows;
use botdesk_planning::grid_plan::{self, GridConfig, GridMarket};
use botdesk_trading::grid::Side;

/// The levels of a grid, the lowest first.
///
/// `for level in grid` walks over them, `grid[0]` is the lowest, `len(grid)` counts them. All numbers are exact; what a
/// division or a root leaves without an end is told with 36 places or more.
#[pyclass(frozen, eq, module = "botdesk")]
pub(crate) struct GridPlan {
    plan: grid_plan::PlannedGrid,
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
pub(crate) struct GridLevel(grid_plan::PlannedGridLevel);

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

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        display::sheet(py, self.plan.sheet())
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

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        display::record(py, self.0.view())
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
pub(super) struct GridSide(pub(super) Side);

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

macro_rules! levels_method {
    ($market:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        #[pymethods]
        impl GridBot {
            /// Plan the levels of the bot's grid: where they lie, what they need, and what they earn.
            ///
            /// Nothing is sent. Without a price, the bot's current one decides what each level does.
            ///
            /// Args:
            $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
            ///
            /// Returns:
            ///     The grid: its levels, the step, the investment, the profit, and warnings.
            ///
            /// Raises:
            ///     ValidationError: An argument is no price, tick or fee, or the record does not hold what a grid
            ///         needs: its bounds and the number of its levels.
            ///     DecodeError: A field that the grid follows from can't be read.
            ///
            /// Example:
            ///     >>> import botdesk
            ///     >>> bot = botdesk.GridBot.from_json(
            ///     ...     '{"lower_price": "100", "upper_price": "140", "grids_quantity": "5", "current_price": "121"}'
            ///     ... )
            ///     >>> print(*(f"{level.side} {level.price}" for level in bot.levels(tick=1)), sep=", ")
            ///     buy 100, buy 110, None 120, sell 130, sell 140
            #[pyo3(signature = (*, $($field = Argument::absent()),*))]
            fn levels(&self, $($field: Argument<$kind>),*) -> PyResult<GridPlan> {
                let market = Gathered::new($market::INPUTS, true)$(.with($market::$field as usize, $field))*;
                let pair = self.core().pair().rust_ok().flatten().map(std::borrow::Cow::into_owned);
                plan(pair, GridConfig::from_bot(self.core(), &drafted($market::INPUTS, market)))
            }
        }
    };
}

grid_market_rows!(levels_method);

macro_rules! plan_grid_function {
    (
        $market:ident { $($(#[doc = $market_doc:literal])* $around:ident: $market_kind:ty;)* }
        $edit:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }
    ) => {
        /// Plan the levels of a grid bot that need not exist, under the names that an edit has for its fields.
        ///
        /// Any field of an edit is taken, so that what an edit is about to send can be planned; most change nothing of
        /// a grid. Needed are `lower_price`, `upper_price` and `grids_quantity`; `grid_type` is `arithmetic` where it
        /// is left out. With `quantity_per_grid` the profit is known, with a price as well what the levels do and need.
        ///
        /// Args:
        $(#[doc = concat!("    ", stringify!($around), ":", $($market_doc),*)])*
        $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
        ///
        /// Returns:
        ///     The grid: its levels, the step, the investment, the profit, and warnings.
        ///
        /// Raises:
        ///     ValidationError: A value is missing or no grid can be made of it, told all at once in `errors`.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> grid = botdesk.plan_grid(lower_price=56000, upper_price=70000, grids_quantity=40, tick="0.1")
        ///     >>> grid.step, grid[4].price
        ///     (Decimal('358.974358974358974358974358974358974359'), Decimal('57435.9'))
        #[pyfunction]
        #[pyo3(signature = (
            *, $($around = Argument::absent(),)* $($field = Argument::absent(),)* **unknown: "None"
        ))]
        pub(crate) fn plan_grid(
            $($around: Argument<$market_kind>,)* $($field: Argument<$kind>,)* unknown: Option<Unknown>,
        ) -> PyResult<GridPlan> {
            let market = Gathered::new($market::INPUTS, true)$(.with($market::$around as usize, $around))*;
            let edit = Gathered::new($edit::INPUTS, true)$(.with($edit::$field as usize, $field))*;
            let edit = edit.none_is_absent().given(unknown).draft($edit::INPUTS);
            plan(None, GridConfig::from_inputs(&edit, &drafted($market::INPUTS, market)))
        }
    };
}

macro_rules! with_edit {
    ($($rows:tt)*) => { grid_bot_edit_rows!(plan_grid_function $($rows)*); };
}

grid_market_rows!(with_edit);

fn plan(pair: Option<String>, config: Result<GridConfig, PlanError>) -> PyResult<GridPlan> {
    let plan = grid_plan::PlannedGrid::new(&config.or_py_err()?).or_py_err()?;
    Ok(GridPlan { plan, pair })
}
