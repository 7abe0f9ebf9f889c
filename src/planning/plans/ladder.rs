//! The ladder of a DCA bot.

use crate::raise::IntoPyErr as _;
use pyo3::prelude::*;
use serde_json::Value;

use super::{ElementIterator, element};
use crate::display::columns::element_columns;
use crate::display::pictures;
use crate::display::table_methods::table_methods;
use crate::exceptions::RustResult;
use crate::pickles::{PickleParts, of_text, restoring, text};
use crate::records::RecordOf;
use crate::values::Exact;
use botdesk_api::dca_bots::{self, DcaBotInputs};
use botdesk_api::markets::PairRates;
use botdesk_client::edit::Edit;
use botdesk_planning::error::PlanError;
use botdesk_planning::ladder_config::{LadderConfig, LadderMarketValues};
use botdesk_planning::ladder_plan;
use botdesk_schema::input::RequestBuilder;
use botdesk_schema::record::Record as _;

/// The orders of a deal: the base order first, then each safety order.
///
/// `for rung in ladder` iterates over them, `ladder[0]` is the base order, and `len(ladder)` is their number. All numbers
/// are exact, except for divisions with infinitely many digits, which have 50 digits.
#[pyclass(frozen, eq, module = "botdesk")]
pub(crate) struct Ladder {
    plan: ladder_plan::LadderPlan,
    pair: Option<String>,
}

/// Plans with the same orders are equal, because the pair only names the currencies.
impl PartialEq for Ladder {
    fn eq(&self, other: &Self) -> bool {
        self.plan == other.plan
    }
}

/// An order of a deal, and the state of the deal once this order and those before it are filled.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct Rung(ladder_plan::PlannedOrder);

#[pymethods]
impl Ladder {
    /// The budget of a deal, in the quote currency: the sizes of all its orders.
    #[getter]
    fn budget(&self) -> Exact<'_> {
        Exact(&self.plan.budget)
    }

    /// The budget of all deals that may be open at once, in the quote currency: `budget` × `max_active_deals`.
    #[getter]
    fn bot_budget(&self) -> Exact<'_> {
        Exact(&self.plan.bot_budget)
    }

    /// The price at which a deal is closed at a loss, not rounded; None without a stop loss.
    #[getter]
    fn stop_loss_price(&self) -> Option<Exact<'_>> {
        self.plan.stop_loss_price.as_ref().map(Exact)
    }

    /// Warnings, each a sentence: orders that are never placed, values that the service would reject, orders smaller than a
    /// lot, orders outside of the limits of `rates`, a take profit in steps, and settings that trail the price.
    #[getter]
    fn warnings(&self) -> Vec<&str> {
        self.plan.warnings.iter().map(String::as_str).collect()
    }

    fn __len__(&self) -> usize {
        self.plan.rungs.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<Rung> {
        element(&self.plan.rungs, index, "rungs").cloned().map(Rung)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<ElementIterator<'py, Rung>> {
        ElementIterator::over(py, self.plan.rungs.iter().cloned().map(Rung).collect())
    }

    /// The pair of the ladder, as `<QUOTE>_<BASE>`; None if the bot has several or none is known.
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
    /// Draw the ladder: the orders, and after each of them the average price and the take profit.
    Ladder by "ladder":
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     ladder = sandbox.client().dca_bots.get(41).ladder(2561, tick="0.01")
    ///     >>> ladder.plot().get_ylabel()
    ///     'price, USDT per ETH'
    ;
}

table_methods! {
    Ladder, a "plan" of Rung, such as "plan_ladder(price=100, base_order_volume=80, max_safety_orders=0)";
}

element_columns! {
    Rung {
        /// The number of the safety order; 0 for the base order.
        fn number(&self) -> u32 {
            self.0.number
        }

        /// The distance of the order from the base order's price, in percent.
        fn deviation(&self) -> Exact<'_> {
            Exact(&self.0.deviation)
        }

        /// The price of the order, rounded to the tick away from the base order: down for a long bot, up for a short one.
        fn price(&self) -> Exact<'_> {
            Exact(&self.0.price)
        }

        /// The size of the order, in the quote currency.
        fn size(&self) -> Exact<'_> {
            Exact(&self.0.size)
        }

        /// The amount of the base currency that the order buys, or sells for a short bot: size ÷ price, rounded up to the lot.
        ///
        /// 0 if the price is not above 0: such an order is never placed.
        fn quantity(&self) -> Exact<'_> {
            Exact(&self.0.quantity)
        }

        /// The cost of this order and those before it with their fees, in the quote currency.
        ///
        /// Before fees it is the sum of their sizes; with a lot, the sum of quantity × price, which is a little more. A short bot sells:
        /// its fees are subtracted.
        fn spent(&self) -> Exact<'_> {
            Exact(&self.0.spent)
        }

        /// The average price of this order and those before it: spent ÷ the sum of their quantities, rounded to 27 decimal places.
        fn average_price(&self) -> Exact<'_> {
            Exact(&self.0.average_price)
        }

        /// The price at which the deal takes its profit now; None without a take profit.
        ///
        /// For the type `total`: average × (1 + take profit) ÷ (1 − fee), rounded up to the tick. For the type `base`, the
        /// profit is that percentage of the cost of the base order. For a short bot: average × (1 − take profit) ÷ (1 + fee),
        /// rounded down. With several steps, it is the price of the first one.
        fn take_profit_price(&self) -> Option<Exact<'_>> {
            self.0.take_profit_price.as_ref().map(Exact)
        }

        /// The distance from this order's price to the take profit, in percent; below 0 for a short bot.
        fn move_to_close(&self) -> Option<Exact<'_>> {
            self.0.move_to_close.as_ref().map(Exact)
        }
    }
}

#[pymethods]
impl Rung {
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

impl Ladder {
    /// Plans the ladder of a bot.
    pub(crate) fn from_record(
        bot: &dca_bots::DcaBot,
        market: &RequestBuilder,
        rates: Option<RecordOf<PairRates>>,
    ) -> PyResult<Self> {
        plan(pair_of(bot), LadderConfig::from_record(bot), market_values(market, rates))
    }

    /// Plans the ladder of a bot after an edit.
    pub(crate) fn of_edit(edit: &Edit, market: &RequestBuilder) -> PyResult<Self> {
        let bot = dca_bots::DcaBot::from_fields(edit.before().clone());
        plan(given_pair(edit.builder()), LadderConfig::from_edit(&bot, edit.builder()), market_values(market, None))
    }

    /// Plans a ladder from the arguments of an edit.
    pub(crate) fn of_inputs(
        market: &RequestBuilder,
        strategy: &RequestBuilder,
        edit: &RequestBuilder,
        rates: Option<RecordOf<PairRates>>,
    ) -> PyResult<Self> {
        plan(given_pair(edit), LadderConfig::from_arguments(edit, strategy), market_values(market, rates))
    }
}

/// Returns the market of the arguments, and of the rates of the pair if they are given.
fn market_values(market: &RequestBuilder, rates: Option<RecordOf<PairRates>>) -> Result<LadderMarketValues, PlanError> {
    LadderMarketValues::from_arguments(market, rates.as_ref().map(|rates| &rates.0))
}

fn plan(
    pair: Option<String>,
    terms: Result<LadderConfig, PlanError>,
    market: Result<LadderMarketValues, PlanError>,
) -> PyResult<Ladder> {
    match (terms, market) {
        (Ok(terms), Ok(market)) => Ok(Ladder { plan: ladder_plan::LadderPlan::new(&terms, &market), pair }),
        (Err(terms), Err(market)) => Err(market.and(Some(terms)).into_py_err()),
        (Err(error), _) | (_, Err(error)) => Err(error.into_py_err()),
    }
}

fn pair_of(bot: &dca_bots::DcaBot) -> Option<String> {
    match bot.pairs().rust_ok().flatten()?.as_slice() {
        [one] => Some(one.clone().into_owned()),
        _ => None,
    }
}

fn given_pair(edit: &RequestBuilder) -> Option<String> {
    let pairs = edit.value(DcaBotInputs::pairs)?;
    let one = match pairs {
        Value::Array(several) => several.first().filter(|_| several.len() == 1)?,
        one => one,
    };
    one.as_str().map(str::to_owned)
}
