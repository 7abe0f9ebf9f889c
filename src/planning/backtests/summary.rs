//! The figures of a backtest.

use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use super::rows::{Quoted, row_class};
use super::values::{Duration, Shown};
use crate::display::columns::{Columns as _, element_columns};
use crate::exceptions::RustResult as _;
use crate::pickles::{PickleParts, of_text, restoring, text};
use crate::values::TradingDecimal;
use botdesk_display::figures::{Better, Figure, Figures as TableFigures, Rounding};
use botdesk_display::html;
use botdesk_trading::backtest::Summary;
use botdesk_trading::decimal::Decimal;

/// The figures of a backtest, or the differences between the figures of two. Amounts are in the quote currency.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(Clone, PartialEq)]
pub(crate) struct BacktestSummary(Figures);

/// The difference of two values.
trait Difference {
    /// Returns the value minus another one.
    fn minus(&self, other: &Self) -> Self;
}

impl Difference for i64 {
    fn minus(&self, other: &Self) -> Self {
        self.saturating_sub(*other)
    }
}

impl Difference for Duration {
    fn minus(&self, other: &Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Difference for TradingDecimal {
    fn minus(&self, other: &Self) -> Self {
        Self((&self.0 - &other.0).normalized())
    }
}

impl<T: Difference> Difference for Option<T> {
    fn minus(&self, other: &Self) -> Self {
        Some(self.as_ref()?.minus(other.as_ref()?))
    }
}

/// Defines the figures: each one's description, name, type and value.
macro_rules! figures {
    (|$summary:ident, $budget:ident| $($(#[doc = $doc:literal])* $name:ident: $kind:ty = $value:expr;)*) => {
        /// The figures of a backtest.
        #[derive(Clone, PartialEq, Serialize, Deserialize)]
        struct Figures {
            $($name: $kind),*
        }

        impl Figures {
            fn new($summary: Summary, $budget: Option<&Decimal>) -> Self {
                Self { $($name: $value),* }
            }

            fn minus(&self, other: &Self) -> Self {
                Self { $($name: self.$name.minus(&other.$name)),* }
            }
        }

        row_class! {
            BacktestSummary {
                $($(#[doc = $doc])* fn $name(&self) -> $kind { self.0.$name.clone() })*
            }
        }
    };
}

figures! {
    |summary, budget|
    /// The profit after fees of finished deals, or of the steps of a grid.
    profit: TradingDecimal = TradingDecimal(summary.profit.clone());
    /// The profit of the deals that are open at the end, if they are closed at the last price; or of what a grid holds, before the
    /// fee of selling it.
    open_profit: TradingDecimal = TradingDecimal(summary.open_profit);
    /// The deepest fall of realized and unrealized profit from its highest value, over the points of `equity`: one after each order,
    /// and one a day. Between them the profit may fall deeper. The `drawdown_percentage` of a deal counts every price.
    drawdown: TradingDecimal = TradingDecimal(summary.drawdown);
    /// The fees of all orders.
    fees: TradingDecimal = TradingDecimal(summary.fees);
    /// The number of finished deals.
    deals: i64 = count(summary.deals);
    /// The number of finished deals with a profit.
    won: i64 = count(summary.won);
    /// The number of finished deals without one.
    lost: i64 = count(summary.lost);
    /// The profit in percent of the most capital in use; None if none was used.
    profit_percentage: Option<TradingDecimal> = summary.profit_percentage.map(TradingDecimal);
    /// The profit in percent of the budget; None without a budget.
    profit_percentage_of_budget: Option<TradingDecimal> = of_budget(&summary.profit, budget);
    /// The profit after fees of buying for the most capital in use at the first price, and holding until the last one.
    buy_and_hold: TradingDecimal = TradingDecimal(summary.buy_and_hold);
    /// The most capital in use at once.
    most_capital: TradingDecimal = TradingDecimal(summary.most_capital);
    /// The volume of all orders of all deals that may be open at once, or the investment of a grid. It is None if volumes are in
    /// percent.
    budget: Option<TradingDecimal> = budget.cloned().map(TradingDecimal);
    /// The share of time with an open deal, in percent.
    time_in_market: TradingDecimal = TradingDecimal(summary.time_in_market);
    /// The mean duration of finished deals; None without any.
    mean_duration: Option<Duration> = summary.mean_duration.map(Duration);
    /// The duration of the longest deal, finished or open; None without any.
    longest_duration: Option<Duration> = summary.longest_duration.map(Duration);
    /// The most safety orders that a deal used.
    most_safety_orders: i64 = summary.most_safety_orders.into();
}

impl Quoted for BacktestSummary {}

fn count(number: u64) -> i64 {
    i64::try_from(number).rust_ok().unwrap_or(i64::MAX)
}

fn of_budget(profit: &Decimal, budget: Option<&Decimal>) -> Option<TradingDecimal> {
    budget.filter(|budget| budget.is_positive()).map(|budget| TradingDecimal(profit.percentage_of(budget)))
}

/// Returns the direction in which a figure is better. More deals, won or not, and more capital are neither better nor worse.
fn better(name: &str) -> Better {
    match name {
        "profit" | "profit_percentage" | "profit_percentage_of_budget" | "open_profit" => Better::Higher,
        "lost" | "drawdown" | "fees" => Better::Lower,
        _ => Better::Neither,
    }
}

impl BacktestSummary {
    /// Returns the figures of a summary; the budget is that of the bot.
    pub(crate) fn new(summary: Summary, budget: Option<&Decimal>) -> Self {
        Self(Figures::new(summary, budget))
    }

    /// Returns the figures minus those of another backtest.
    pub(super) fn minus(&self, other: &Self) -> Self {
        Self(self.0.minus(&other.0))
    }

    /// Returns the rows of a table with a column of names and one for each summary.
    pub(crate) fn side_by_side(summaries: &[&Self]) -> Vec<Vec<String>> {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for summary in summaries {
            let cells = summary.cells();
            rows.resize(cells.len(), Vec::new());
            for (row, (name, value)) in rows.iter_mut().zip(cells) {
                if row.is_empty() {
                    row.push(name);
                }
                row.push(value);
            }
        }
        rows
    }

    /// Returns how the rows of [`Self::side_by_side`] are shown; `quote` is the currency of the amounts if it is known.
    pub(crate) fn figures(quote: Option<&str>) -> TableFigures {
        let figure = |name: &&str| Figure { rounding: Rounding::of_figure(name, quote), better: better(name) };
        TableFigures::Rows(Self::NAMES.iter().map(figure).collect())
    }

    /// Returns the sum of the profits of finished and of open deals.
    pub(super) fn total_profit(&self) -> Decimal {
        &self.0.profit.0 + &self.0.open_profit.0
    }
}
