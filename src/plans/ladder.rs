//! The ladder of a DCA bot.

use crate::raise::IntoPyErr as _;
use pyo3::prelude::*;
use serde_json::Value;

use super::columns::{attributes, tabled};
use super::{Elements, Reduced, drafted, element, of_text, restoring, text};
use crate::arguments::Arguments;
use crate::display;
use crate::exceptions::RustResult;
use crate::values::Exact;
use botdesk_api::dca_bot::{self, DcaBotEdit};
use botdesk_api::input::RequestBuilder;
use botdesk_client::request::spec::InputValues;
use botdesk_planning::error::PlanError;
use botdesk_planning::ladder_config::{LadderConfig, LadderMarket, LadderMarketValues, LadderStrategy};
use botdesk_planning::ladder_plan;

/// The orders of a deal: the base order first, then each safety order.
///
/// `for rung in ladder` walks over them, `ladder[0]` is the base order, `len(ladder)` counts them. All numbers are exact;
/// what a division leaves without an end is told with 50 digits.
#[pyclass(frozen, eq, module = "botdesk")]
pub(crate) struct Ladder {
    plan: ladder_plan::LadderPlan,
    pair: Option<String>,
}

/// The pair only names the currencies; plans with the same orders are the same.
impl PartialEq for Ladder {
    fn eq(&self, other: &Self) -> bool {
        self.plan == other.plan
    }
}

/// An order of a deal, and what the deal is once this order and those before it are filled.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct Rung(ladder_plan::PlannedOrder);

#[pymethods]
impl Ladder {
    /// What a deal takes, in the quote currency: the sizes of all its orders.
    #[getter]
    fn budget(&self) -> Exact<'_> {
        Exact(&self.plan.budget)
    }

    /// What all deals that may be open at once take, in the quote currency: the budget × `max_active_deals`.
    #[getter]
    fn bot_budget(&self) -> Exact<'_> {
        Exact(&self.plan.bot_budget)
    }

    /// The price at which a deal is closed at a loss, not rounded; None where there is no stop loss.
    #[getter]
    fn stop_loss_price(&self) -> Option<Exact<'_>> {
        self.plan.stop_loss_price.as_ref().map(Exact)
    }

    /// What the numbers do not show, each in a sentence: orders that are never placed, values that the service would
    /// refuse, orders smaller than a lot, profit in steps, what trails the price.
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

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Elements<'py, Rung>> {
        Elements::over(py, self.plan.rungs.iter().cloned().map(Rung).collect())
    }

    /// The pair that the ladder is of, as `<QUOTE>_<BASE>`; None where the bot has several or none is known.
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

tabled! {
    Ladder of Rung, such as "plan_ladder(price=100, base_order_volume=80, max_safety_orders=0)";
}

attributes! {
    Rung {
        /// The number of the safety order; 0 for the base order.
        fn number(&self) -> u32 {
            self.0.number
        }

        /// How far the order lies from the base order's price, in percent.
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

        /// How much of the base currency the order buys, or sells for a short bot: size ÷ price, rounded up to the lot.
        ///
        /// 0 where the price is not above 0: such an order is never placed.
        fn quantity(&self) -> Exact<'_> {
            Exact(&self.0.quantity)
        }

        /// What this order and those before it cost, in the quote currency.
        ///
        /// Without a lot that is the sum of their sizes; with one, the sum of quantity × price, which is a little more.
        fn spent(&self) -> Exact<'_> {
            Exact(&self.0.spent)
        }

        /// The average price of this order and those before it: spent ÷ the sum of their quantities.
        fn average_price(&self) -> Exact<'_> {
            Exact(&self.0.average_price)
        }

        /// The price at which the deal takes its profit now; None where no take profit was given.
        ///
        /// Of type `total`: average × (1 + take profit) ÷ (1 − fee), rounded up to the tick. Of type `base`, the profit is
        /// that percentage of what the base order cost. For a short bot: average × (1 − take profit) ÷ (1 + fee), rounded
        /// down. Where profit is taken in steps, it is that of the first step.
        fn take_profit_price(&self) -> Option<Exact<'_>> {
            self.0.take_profit_price.as_ref().map(Exact)
        }

        /// How far the price has to move from this order to the take profit, in percent; below 0 for a short bot.
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

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (String,)>> {
        Ok((restoring::<Self>(py)?, (text(&self.0)?,)))
    }

    #[staticmethod]
    fn _restore(element: &str) -> PyResult<Self> {
        of_text(element).map(Self)
    }
}

impl Ladder {
    /// Plans the ladder of a bot.
    pub(crate) fn of_bot(bot: &dca_bot::DcaBot, market: Arguments) -> PyResult<Self> {
        plan(pair_of(bot), LadderConfig::of_bot(bot), LadderMarketValues::given(&drafted(LadderMarket::INPUTS, market)))
    }

    /// Plans the ladder of a bot that an edit would make of nothing.
    pub(crate) fn of_inputs(market: Arguments, strategy: Arguments, edit: InputValues) -> PyResult<Self> {
        let edit = edit.draft(DcaBotEdit::INPUTS);
        let terms = LadderConfig::given(&edit, &drafted(LadderStrategy::INPUTS, strategy));
        plan(given_pair(&edit), terms, LadderMarketValues::given(&drafted(LadderMarket::INPUTS, market)))
    }
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

fn pair_of(bot: &dca_bot::DcaBot) -> Option<String> {
    match bot.pairs().rust_ok().flatten()?.as_slice() {
        [one] => Some(one.clone().into_owned()),
        _ => None,
    }
}

fn given_pair(edit: &RequestBuilder) -> Option<String> {
    let pairs = edit.value(DcaBotEdit::pairs as usize)?;
    let one = match pairs {
        Value::Array(several) => several.first().filter(|_| several.len() == 1)?,
        one => one,
    };
    one.as_str().map(str::to_owned)
}
