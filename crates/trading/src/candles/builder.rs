//! Builds candles from columns or row by row, and checks them.

use super::error::CandlesError;
use super::price_column::PriceColumn;
use super::prices::StoredPrices;
use super::series::Candles;
use super::times::Times;

/// Candles that are being read.
#[derive(Debug)]
pub struct CandlesBuilder {
    /// The times of the candles, in milliseconds since 1970.
    pub times: Vec<i64>,
    /// The prices: open, high, low and close.
    pub prices: [PriceColumn; 4],
}

impl Default for CandlesBuilder {
    fn default() -> Self {
        Self::with_places(0)
    }
}

impl CandlesBuilder {
    /// Returns a builder of candles with at least this number of decimal places.
    pub(super) fn with_places(places: u8) -> Self {
        Self { times: Vec::new(), prices: ["open", "high", "low", "close"].map(|name| PriceColumn::new(name, places)) }
    }

    /// Reserves room for this number of candles.
    pub fn reserve(&mut self, count: usize) {
        self.times.reserve(count);
        self.prices.iter_mut().for_each(|column| column.reserve(count));
    }

    /// Reverses the order of the candles.
    pub(super) fn reverse(&mut self) {
        self.times.reverse();
        self.prices.iter_mut().for_each(PriceColumn::reverse);
    }

    /// Checks the candles.
    pub fn finish(self) -> Result<Candles, CandlesError> {
        self.finish_with(None)
    }

    /// Checks the candles, which are some of a history whose interval is known.
    pub(super) fn finish_with(self, interval: Option<i64>) -> Result<Candles, CandlesError> {
        let Self { times, mut prices } = self;
        let count = times.len();
        if count == 0 {
            return Err(CandlesError::new("there are no candles; pass at least one"));
        }
        if let Some(column) = prices.iter().find(|column| column.len() != count) {
            let message = format!("there are {count} times, but {} values of {}", column.len(), column.name());
            return Err(CandlesError::new(message));
        }
        let times = Times::new(times, interval)?;
        let places = prices.iter().map(PriceColumn::places).max().unwrap_or(0);
        for column in &mut prices {
            column.align(places)?;
        }
        let prices = StoredPrices::new(prices.map(PriceColumn::into_values), places)?;
        Ok(Candles::new(times, places, prices, count))
    }
}
