//! The prices of candles: checked, in integers as small as possible.

use super::block::CandlePrices;
use super::error::CandlesError;
use super::index::CandleIndex;
use super::mantissa::Mantissa;
use super::price_column::PriceValues;
use crate::decimal::Decimal;

/// The prices × 10^places, in integers as small as they allow.
#[derive(Debug)]
pub(super) enum StoredPrices {
    /// Prices that all fit into 32 bits, as most do. They take half the memory, and are searched faster.
    Bits32(CandleIndex<i32>),
    /// Prices that all fit into 64 bits.
    Bits64(CandleIndex<i64>),
    /// Prices of which at least one needs 128 bits.
    Bits128(CandleIndex<i128>),
}

/// Calls a method of the prices in integers of any size.
macro_rules! on_prices {
    ($prices:expr, $method:ident $arguments:tt) => {
        match $prices {
            $crate::candles::prices::StoredPrices::Bits32(prices) => prices.$method $arguments,
            $crate::candles::prices::StoredPrices::Bits64(prices) => prices.$method $arguments,
            $crate::candles::prices::StoredPrices::Bits128(prices) => prices.$method $arguments,
        }
    };
}
pub(super) use on_prices;

impl StoredPrices {
    /// Checks prices, which all have this number of decimal places, and builds their index.
    pub(super) fn new(prices: CandlePrices<PriceValues>, places: u8) -> Result<Self, CandlesError> {
        match prices {
            [
                PriceValues::Narrow(open),
                PriceValues::Narrow(high),
                PriceValues::Narrow(low),
                PriceValues::Narrow(close),
            ] => {
                let prices = [open, high, low, close];
                if fit_32_bits(&prices) {
                    index_of(&prices.map(to_32_bits), places).map(Self::Bits32)
                } else {
                    index_of(&prices, places).map(Self::Bits64)
                }
            }
            wide => index_of(&wide.map(PriceValues::wide), places).map(Self::Bits128),
        }
    }
}

/// Checks the columns of prices, and builds their index.
fn index_of<T: Mantissa>(columns: &CandlePrices<Vec<T>>, places: u8) -> Result<CandleIndex<T>, CandlesError> {
    let [open, high, low, close] = columns;
    let candles = open.iter().zip(high).zip(low).zip(close);
    let mut candles = candles.map(|(((open, high), low), close)| [*open, *high, *low, *close]).enumerate();
    match candles.find(|(_, candle)| !is_candle(*candle)) {
        Some((row, candle)) => Err(CandlesError::at(row, problem(candle.map(Into::into), places).unwrap_or_default())),
        None => Ok(CandleIndex::new(columns.each_ref().map(Vec::as_slice))),
    }
}

/// Returns true if all prices are above 0, and no price is below the low or above the high.
#[inline]
fn is_candle<T: Mantissa>([open, high, low, close]: CandlePrices<T>) -> bool {
    low.into() > 0 && low <= open && low <= close && open <= high && close <= high
}

/// Returns what is wrong with a candle.
fn problem(candle: CandlePrices, places: u8) -> Option<String> {
    let [open, high, low, close] = candle.map(|price| Decimal::new(price, places).normalized());
    let named = [("open", &open), ("high", &high), ("low", &low), ("close", &close)];
    if let Some((name, price)) = named.into_iter().find(|(_, price)| !price.is_positive()) {
        return Some(format!("{name} {price} is not above 0"));
    }
    if high < low {
        return Some(format!("high {high} is below low {low}"));
    }
    let (name, price) =
        [("open", open), ("close", close)].into_iter().find(|(_, price)| *price < low || *price > high)?;
    Some(if price < low {
        format!("{name} {price} is below low {low}")
    } else {
        format!("{name} {price} is above high {high}")
    })
}

/// Returns true if all prices fit into 32 bits. The limits are never prices.
fn fit_32_bits(prices: &CandlePrices<Vec<i64>>) -> bool {
    let limit = u64::from(i32::MAX.unsigned_abs());
    prices.iter().all(|prices| prices.iter().fold(0, |largest, price| price.unsigned_abs().max(largest)) < limit)
}

/// Converts prices that fit. Each column in 64 bits is dropped after its conversion.
fn to_32_bits(prices: Vec<i64>) -> Vec<i32> {
    prices.into_iter().map(|price| i32::try_from(price).unwrap_or(i32::MAX)).collect()
}
