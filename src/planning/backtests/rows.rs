//! The deals, the orders and the equity of a backtest.

use pyo3::prelude::*;

use super::values::{Duration, Name, Shown, Time};
use crate::display::columns::element_columns;
use crate::pickles::{PickleParts, of_text, restoring, text};
use crate::values::TradingDecimal;
use botdesk_api::{dca_bots, grid_bots};
use botdesk_display::figures::{Rounding, common_quote};
use botdesk_display::html;
use botdesk_schema::values::Choices;
use botdesk_trading::backtest::{self, DealRow, OrderRow};
use botdesk_trading::ladder;

/// A deal of a backtest, or a SmartTrade after its entry.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct BacktestDeal(pub(super) DealRow);

/// An order that filled in a backtest.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct BacktestOrder(pub(super) OrderRow);

/// The profit of a bot at a time, and the capital that it uses, in the quote currency.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct EquityPoint(pub(super) backtest::EquityPoint);

/// The states of deals.
pub(super) enum DealStatus {}

impl Choices for DealStatus {
    const VALUES: &'static [&'static str] = &["completed", "stop_loss_finished", "timeout", "open"];
    const SAMPLE: &'static str = "\"completed\"";
}

/// The kinds of orders.
pub(super) enum OrderKind {}

impl Choices for OrderKind {
    const VALUES: &'static [&'static str] = &[
        "entry",
        "base_order",
        "safety_order",
        "take_profit",
        "trailing",
        "stop_loss",
        "timeout",
        "reduced_funds",
        "step_by_hand",
        "by_hand",
        "grid_line",
        "balancing_order",
    ];
    const SAMPLE: &'static str = "\"base_order\"";
}

/// Defines the attributes of a row, its display, its tables and its pickle.
macro_rules! row_class {
    ($class:ident { $($(#[doc = $doc:literal])* fn $name:ident(&$this:ident) -> $kind:ty $value:block)* }) => {
        element_columns! {
            $class { $($(#[doc = $doc])* fn $name(&$this) -> $kind $value)* }
        }

        impl $class {
            /// Returns the attributes as strings.
            fn cells(&self) -> Vec<(String, String)> {
                vec![$((stringify!($name).to_owned(), Shown::shown(&self.$name()))),*]
            }
        }

        #[pymethods]
        impl $class {
            fn __repr__(&self) -> String {
                let rounded = |name: &str, value: &str| Rounding::of_figure(name, self.quote()).round(value);
                let cells = self.cells().into_iter().map(|(name, value)| format!(" {name}={}", rounded(&name, &value)));
                format!("<{}{}>", stringify!($class), cells.collect::<String>())
            }

            fn _repr_html_(&self) -> String {
                html::figures(stringify!($class), &self.cells(), |name| Rounding::of_figure(name, self.quote()))
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py, (String,)>> {
                Ok((restoring::<Self>(py)?, (text(&self.0)?,)))
            }

            #[staticmethod]
            fn _restore(row: &str) -> PyResult<Self> {
                of_text(row, "row of a backtest").map(Self)
            }
        }
    };
}
pub(super) use row_class;

/// A row whose amounts are in a currency that may be known.
pub(super) trait Quoted {
    /// Returns the currency of the amounts.
    fn quote(&self) -> Option<&str> {
        None
    }
}

impl Quoted for BacktestDeal {
    fn quote(&self) -> Option<&str> {
        common_quote([&*self.0.pair])
    }
}

impl Quoted for BacktestOrder {}
impl Quoted for EquityPoint {}

fn number(number: &botdesk_trading::decimal::Decimal) -> TradingDecimal {
    TradingDecimal(number.clone())
}

row_class! {
    BacktestDeal {
        /// The pair, as `<QUOTE>_<BASE>`; None if the bot has none.
        fn pair(&self) -> Option<&str> {
            Some(&*self.0.pair).filter(|pair| !pair.is_empty())
        }

        /// The direction of the deal.
        fn direction(&self) -> Name<dca_bots::Direction> {
            Name::new(match self.0.direction {
                ladder::Direction::Long => "long",
                ladder::Direction::Short => "short",
            })
        }

        /// The time of the base order, in UTC.
        fn opened_at(&self) -> Time {
            Time(self.0.opened_at)
        }

        /// The time of the last order, in UTC; None if the deal is open at the end.
        fn closed_at(&self) -> Option<Time> {
            self.0.closed_at.map(Time)
        }

        /// The state of the deal: `completed` took profit, `stop_loss_finished` hit its stop loss, `timeout` was open for too long,
        /// `open` is open after the last candle.
        fn status(&self) -> Name<DealStatus> {
            Name::new(self.0.status.name())
        }

        /// The price of the base order, with its fee.
        fn base_price(&self) -> TradingDecimal {
            number(&self.0.base_price)
        }

        /// The average price of the base order and the safety orders, with their fees, rounded to 18 decimal places.
        fn average_price(&self) -> TradingDecimal {
            number(&self.0.average_price)
        }

        /// The average price of the orders that closed the deal, after their fees, rounded to 18 decimal places; None if it is open at the
        /// end.
        fn exit_price(&self) -> Option<TradingDecimal> {
            self.0.exit_price.as_ref().map(number)
        }

        /// The number of filled safety orders.
        fn safety_orders(&self) -> u32 {
            self.0.safety_orders
        }

        /// The quantity of the base order and the safety orders, in the base currency.
        fn quantity(&self) -> TradingDecimal {
            number(&self.0.quantity)
        }

        /// The volume of the base order and the safety orders with their fees, in the quote currency.
        fn volume(&self) -> TradingDecimal {
            number(&self.0.volume)
        }

        /// The fees of all orders, in the quote currency.
        fn fee(&self) -> TradingDecimal {
            number(&self.0.fee)
        }

        /// The profit after fees, in the quote currency; of an open deal, the profit of closing it at the last price.
        fn profit(&self) -> TradingDecimal {
            number(&self.0.profit)
        }

        /// The profit in percent of the volume, rounded to two decimal places.
        fn profit_percentage(&self) -> TradingDecimal {
            number(&self.0.profit_percentage)
        }

        /// The deepest loss before the end, in percent of the volume at that time, rounded to two decimal places; 0 if there was none.
        fn drawdown_percentage(&self) -> TradingDecimal {
            number(&self.0.drawdown_percentage)
        }

        /// The time for which the deal was open.
        fn duration(&self) -> Duration {
            Duration(self.0.duration)
        }
    }
}

row_class! {
    BacktestOrder {
        /// The number of the deal, which is `deals[order.deal - 1]`; None for an order of a grid.
        fn deal(&self) -> Option<u64> {
            self.0.deal
        }

        /// The time at which the order filled, in UTC.
        fn time(&self) -> Time {
            Time(self.0.time)
        }

        /// The side of the order.
        fn side(&self) -> Name<grid_bots::Side> {
            Name::new(self.0.side.name())
        }

        /// The kind of the order.
        fn kind(&self) -> Name<OrderKind> {
            Name::new(self.0.kind.name())
        }

        /// The price.
        fn price(&self) -> TradingDecimal {
            number(&self.0.price)
        }

        /// The quantity, in the base currency.
        fn quantity(&self) -> TradingDecimal {
            number(&self.0.quantity)
        }

        /// The volume, in the quote currency: price × quantity.
        fn volume(&self) -> TradingDecimal {
            number(&self.0.volume)
        }

        /// The fee, in the quote currency.
        fn fee(&self) -> TradingDecimal {
            number(&self.0.fee)
        }
    }
}

row_class! {
    EquityPoint {
        /// The time, in UTC.
        fn time(&self) -> Time {
            Time(self.0.time)
        }

        /// The profit of closed deals, or of the steps of a grid.
        fn realized_profit(&self) -> TradingDecimal {
            TradingDecimal(self.0.realized.normalized())
        }

        /// The profit of closing the open deals at the price of the time, or of selling what a grid holds.
        fn unrealized_profit(&self) -> TradingDecimal {
            TradingDecimal(self.0.unrealized.normalized())
        }

        /// The capital in use: the volume of the entries of open deals minus that of their exits, at least 0; or the investment of a
        /// grid.
        fn capital(&self) -> TradingDecimal {
            TradingDecimal(self.0.capital.normalized())
        }
    }
}
