//! The data of the picture of a backtest that its attributes do not have.

use pyo3::prelude::*;

use super::class::{Backtest, fee};
use super::values::Time;
use crate::runtime::computation::compute;
use crate::values::TradingDecimal;

/// A pair, and the times and prices of its outline.
type PriceLine = (Option<String>, Vec<(Time, TradingDecimal)>);

/// The number of a deal, two times, and its average price and its take profit between them.
type DealLine = (u64, Time, Time, TradingDecimal, Option<TradingDecimal>);

#[pymethods]
impl Backtest {
    /// The fee, as the title of a picture names it.
    #[getter]
    fn _fee_text(&self) -> String {
        fee(&self.0)
    }

    /// Return the price of each pair as points for a picture with this number of columns.
    fn _price_lines(&self, py: Python<'_>, columns: usize) -> Vec<PriceLine> {
        let setup = self.0.setup();
        py.detach(|| {
            let lines = setup.pairs.iter().zip(self.0.candles()).map(|(pair, candles)| {
                let name = Some(pair.market.pair.to_string()).filter(|name| !name.is_empty());
                let points = candles.outline(columns, setup.path).into_iter();
                (name, points.map(|(time, price)| (Time(time), TradingDecimal(price))).collect())
            });
            lines.collect()
        })
    }

    /// Return the average price and the take profit between the orders of each deal.
    fn _deal_lines(&self, py: Python<'_>) -> PyResult<Vec<DealLine>> {
        let prices = compute(py, |should_stop| self.0.deal_prices(should_stop))?;
        let line = prices.into_iter().map(|prices| {
            let take_profit = prices.take_profit_price.map(TradingDecimal);
            (prices.deal, Time(prices.from), Time(prices.until), TradingDecimal(prices.average_price), take_profit)
        });
        Ok(line.collect())
    }
}
