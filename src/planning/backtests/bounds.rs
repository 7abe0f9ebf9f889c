//! The same backtest with the low and with the high of each candle first.

use pyo3::prelude::*;

use super::simulation::{ShouldStop, Simulation};
use super::summary::BacktestSummary;
use crate::pickles::PickleParts;
use crate::values::TradingDecimal;
use botdesk_display::text_table::Table;
use botdesk_trading::backtest::Interrupted;
use botdesk_trading::candles::ExtremeOrder;

/// The figures of a backtest with the low of each candle first, and with the high first.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct BacktestBounds {
    low_first: BacktestSummary,
    high_first: BacktestSummary,
}

#[pymethods]
impl BacktestBounds {
    /// The figures if the price reaches the low of each candle first.
    #[getter]
    fn low_first(&self) -> BacktestSummary {
        self.low_first.clone()
    }

    /// The figures if the price reaches the high of each candle first.
    #[getter]
    fn high_first(&self) -> BacktestSummary {
        self.high_first.clone()
    }

    /// The lower and the higher of the two profits, those of open deals included.
    #[getter]
    fn profit(&self) -> (TradingDecimal, TradingDecimal) {
        let (low, high) = (self.low_first.total_profit(), self.high_first.total_profit());
        let (lower, higher) = if low <= high { (low, high) } else { (high, low) };
        (TradingDecimal(lower.normalized()), TradingDecimal(higher.normalized()))
    }

    fn __repr__(&self) -> String {
        self.table().text(1)
    }

    fn _repr_html_(&self) -> String {
        self.table().html()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py, (BacktestSummary, BacktestSummary)>> {
        Ok((crate::pickles::restoring::<Self>(py)?, (self.low_first(), self.high_first())))
    }

    #[staticmethod]
    fn _restore(low_first: &Bound<'_, BacktestSummary>, high_first: &Bound<'_, BacktestSummary>) -> Self {
        Self { low_first: low_first.get().clone(), high_first: high_first.get().clone() }
    }
}

impl BacktestBounds {
    /// Runs a backtest with both paths.
    pub(super) fn of(simulation: &Simulation, should_stop: ShouldStop<'_>) -> Result<Self, Interrupted> {
        let with = |path| simulation.with_path(path).summary(should_stop).cloned();
        Ok(Self { low_first: with(ExtremeOrder::LowFirst)?, high_first: with(ExtremeOrder::HighFirst)? })
    }

    fn table(&self) -> Table {
        Table {
            title: "Backtest with both orders of the extremes of each candle".to_owned(),
            heads: vec!["figure", "low_first", "high_first"],
            rows: BacktestSummary::side_by_side(&[&self.low_first, &self.high_first]),
            figures: BacktestSummary::figures(None),
            ..Table::default()
        }
    }
}
