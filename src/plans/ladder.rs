//! The ladder of a DCA bot.

use crate::raise::IntoPyErr as _;
use pyo3::prelude::*;
use serde_json::Value;

use super::columns::{attributes, tabled};
use super::{Elements, Reduced, drafted, element, of_text, restoring, text};
use crate::arguments::{Argument, Gathered, Unknown};
use crate::display;
use crate::exceptions::RustResult;
use crate::records::{Acting, DcaBot};
use crate::values::Exact;
use botdesk_api::dca_bot::{
    self, DcaBotEdit, LeverageChoice, MinProfitType, ProfitCurrency, StartOrderType, StopLossType, TakeProfitType,
    VolumeType,
};
use botdesk_api::dca_bot_edit_rows;
use botdesk_api::input::{Draft, Pairs};
use botdesk_api::strategy::Strategy;
use botdesk_api::take_profit_step::TakeProfitStep;
use botdesk_api::values::{Amount, Flag, Integer, List, Object, OneOf, Text};
use botdesk_planning::error::PlanError;
use botdesk_planning::ladder_config::{LadderConfig, LadderMarket, LadderStrategy, MarketConditions};
use botdesk_planning::ladder_market_rows;
use botdesk_planning::ladder_plan;
use botdesk_planning::ladder_strategy_rows;

/// The orders of a deal: the base order first, then each safety order.
///
/// `for rung in ladder` walks over them, `ladder[0]` is the base order, `len(ladder)` counts them. All numbers are exact;
/// what a division leaves without an end is told with 50 digits.
#[pyclass(frozen, eq, module = "botdesk")]
pub(crate) struct Ladder {
    plan: ladder_plan::PlannedLadder,
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

macro_rules! ladder_method {
    ($market:ident {
        $(#[doc = $price_doc:literal])* $price:ident: $price_kind:ty;
        $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)*
    }) => {
        #[pymethods]
        impl DcaBot {
            /// Plan the orders of the bot's deals: where they lie, what they cost, and where the profit is taken.
            ///
            /// Nothing is sent. What the record holds is what counts; `refresh()` first to plan with what the bot is
            /// now.
            ///
            /// Args:
            $(#[doc = concat!("    ", stringify!($price), ":", $price_doc)])*
            $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
            ///
            /// Returns:
            ///     The ladder: its rungs, the budget, the stop loss, and warnings.
            ///
            /// Raises:
            ///     ValidationError: An argument is no price, tick, lot or fee, or the bot has no ladder: its volumes
            ///         are in percent of a balance, it has safety steps of its own, or the record lacks a field that
            ///         the API reference requires.
            ///     DecodeError: A field that the ladder follows from can't be read.
            ///
            /// Example:
            ///     >>> import botdesk
            ///     >>> with botdesk.Sandbox() as sandbox:
            ///     ...     ladder = sandbox.client().dca_bots.get(41).ladder("2561.66911", tick="0.01")
            ///     >>> print(*(rung.price for rung in ladder))
            ///     2561.66911 2536.05 2484.81 2382.35
            #[pyo3(signature = ($price, $($field = Argument::absent()),*))]
            fn ladder(&self, $price: Argument<$price_kind>, $($field: Argument<$kind>),*) -> PyResult<Ladder> {
                let market = Gathered::new($market::INPUTS, true).with($market::$price as usize, $price);
                let market = market$(.with($market::$field as usize, $field))*;
                let pair = pair_of(self.core());
                plan(pair, LadderConfig::from_bot(self.core()), MarketConditions::from_inputs(&drafted($market::INPUTS, market)))
            }
        }
    };
}

ladder_market_rows!(ladder_method);

macro_rules! plan_ladder_function {
    (
        $market:ident { $($(#[doc = $market_doc:literal])* $around:ident: $market_kind:ty;)* }
        $strategy:ident { $($(#[doc = $strategy_doc:literal])* $way:ident: $strategy_kind:ty;)* }
        $edit:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }
    ) => {
        /// Plan the orders of a deal of a bot that need not exist, under the names that an edit has for its fields.
        ///
        /// Any field of an edit is taken, so that what an edit is about to send can be planned; most change nothing of
        /// a ladder. Needed are the price, the volume of the base order and the number of safety orders, and with
        /// safety orders their volume and step. Coefficients are 1 where they are left out, `max_active_deals` is 1,
        /// `take_profit_type` is `total`. What the service would refuse is planned all the same, with a warning.
        ///
        /// Args:
        $(#[doc = concat!("    ", stringify!($around), ":", $($market_doc),*)])*
        $(#[doc = concat!("    ", stringify!($way), ":", $($strategy_doc),*)])*
        $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
        ///
        /// Returns:
        ///     The ladder: its rungs, the budget, the stop loss, and warnings.
        ///
        /// Raises:
        ///     ValidationError: A value is missing or no ladder can be made of it, told all at once in `errors`.
        ///
        /// Example:
        ///     >>> import botdesk
        ///     >>> ladder = botdesk.plan_ladder(
        ///     ...     price="2561.66911",
        ///     ...     tick="0.01",
        ///     ...     base_order_volume=80,
        ///     ...     safety_order_volume=30,
        ///     ...     max_safety_orders=3,
        ///     ...     safety_order_step_percentage=1,
        ///     ...     martingale_step_coefficient=4,
        ///     ...     martingale_volume_coefficient="1.7",
        ///     ... )
        ///     >>> ladder[3].deviation, ladder[3].price, ladder.budget
        ///     (Decimal('21'), Decimal('2023.71'), Decimal('247.7'))
        #[pyfunction]
        #[pyo3(signature = (
            *, $($around = Argument::absent(),)* $($way = Argument::absent(),)* $($field = Argument::absent(),)*
            **unknown: "None"
        ))]
        pub(crate) fn plan_ladder(
            $($around: Argument<$market_kind>,)* $($way: Argument<$strategy_kind>,)* $($field: Argument<$kind>,)*
            unknown: Option<Unknown>,
        ) -> PyResult<Ladder> {
            let market = Gathered::new($market::INPUTS, true)$(.with($market::$around as usize, $around))*;
            let strategy = Gathered::new($strategy::INPUTS, true)$(.with($strategy::$way as usize, $way))*;
            let edit = Gathered::new($edit::INPUTS, true)$(.with($edit::$field as usize, $field))*;
            let edit = edit.none_is_absent().given(unknown).draft($edit::INPUTS);
            let config = LadderConfig::from_inputs(&edit, &drafted($strategy::INPUTS, strategy));
            plan(given_pair(&edit), config, MarketConditions::from_inputs(&drafted($market::INPUTS, market)))
        }
    };
}

macro_rules! with_edit {
    ($($rows:tt)*) => { dca_bot_edit_rows!(plan_ladder_function $($rows)*); };
}

macro_rules! with_strategy {
    ($($rows:tt)*) => { ladder_strategy_rows!(with_edit $($rows)*); };
}

ladder_market_rows!(with_strategy);

fn plan(
    pair: Option<String>,
    config: Result<LadderConfig, PlanError>,
    market: Result<MarketConditions, PlanError>,
) -> PyResult<Ladder> {
    match (config, market) {
        (Ok(config), Ok(market)) => Ok(Ladder { plan: ladder_plan::PlannedLadder::new(&config, &market), pair }),
        (Err(config), Err(market)) => Err(market.and(Some(config)).into_py_err()),
        (Err(error), _) | (_, Err(error)) => Err(error.into_py_err()),
    }
}

fn pair_of(bot: &dca_bot::DcaBot) -> Option<String> {
    match bot.pairs().rust_ok().flatten()?.as_slice() {
        [one] => Some(one.clone().into_owned()),
        _ => None,
    }
}

fn given_pair(edit: &Draft) -> Option<String> {
    let pairs = edit.value(DcaBotEdit::pairs as usize)?;
    let one = match pairs {
        Value::Array(several) => several.first().filter(|_| several.len() == 1)?,
        one => one,
    };
    one.as_str().map(str::to_owned)
}
