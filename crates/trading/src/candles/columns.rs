//! The prices of candles, column by column.

use std::ops::Range;

use bigdecimal::{RoundingMode, ToPrimitive};

use super::error::CandlesError;
use super::index::BlockIndex;
use super::price_column::PriceValues;
use crate::decimal::{Decimal, power};

/// An integer that a price is stored as.
pub(super) trait Mantissa: Copy + Ord + Into<i128> {
    /// The smallest and the largest integer, which are never prices.
    const LIMITS: (Self, Self);

    /// Converts an integer; one that is out of range becomes a limit.
    fn saturating(mantissa: i128) -> Self;
}

/// Implements the trait for integer types.
macro_rules! mantissa {
    ($($integer:ty),*) => {$(
        impl Mantissa for $integer {
            const LIMITS: (Self, Self) = (Self::MIN, Self::MAX);

            #[allow(clippy::unnecessary_fallible_conversions, reason = "an i128 always fits")]
            fn saturating(mantissa: i128) -> Self {
                Self::try_from(mantissa).unwrap_or(if mantissa < 0 { Self::MIN } else { Self::MAX })
            }
        }
    )*};
}

mantissa!(i32, i64, i128);

/// The prices of one candle in the order open, high, low, close, or something of each of them.
pub(super) type CandlePrices<T = i128> = [T; 4];

/// The prices × 10^places, and their index.
#[derive(Debug)]
pub(super) struct PriceColumns<T> {
    prices: CandlePrices<Box<[T]>>,
    index: BlockIndex<T>,
}

impl<T: Mantissa> PriceColumns<T> {
    /// Checks prices, and builds their index.
    pub(super) fn new(prices: CandlePrices<Vec<T>>, places: u8) -> Result<Self, CandlesError> {
        let prices = prices.map(Vec::into_boxed_slice);
        let [_, highs, lows, _] = &prices;
        let index = BlockIndex::new((lows, highs));
        let columns = Self { prices, index };
        let wrong = columns.rows(0).position(|prices| !is_candle(prices));
        match wrong {
            Some(row) => Err(CandlesError::at(row, columns.problem(row, places).unwrap_or_default())),
            None => Ok(columns),
        }
    }

    /// Returns the prices of a candle.
    pub(super) fn get(&self, row: usize) -> Option<CandlePrices> {
        self.rows(row).next().map(|prices| prices.map(Into::into))
    }

    /// Returns the first candle from a row on whose low is at most `lower`, or whose high is at least `upper`.
    pub(super) fn next_outside(
        &self,
        from: usize,
        places: u8,
        lower: Option<&Decimal>,
        upper: Option<&Decimal>,
    ) -> Option<usize> {
        let [_, highs, lows, _] = &self.prices;
        let lower = lower.map_or(T::LIMITS.0, |lower| T::saturating(mantissa(lower, places, RoundingMode::Floor)));
        let upper = upper.map_or(T::LIMITS.1, |upper| T::saturating(mantissa(upper, places, RoundingMode::Ceiling)));
        self.index.next_outside((lows, highs), from, lower, upper)
    }

    /// Returns the lowest low of candles.
    pub(super) fn lowest(&self, rows: Range<usize>) -> Option<i128> {
        let [_, _, lows, _] = &self.prices;
        self.index.lowest(lows, rows).map(Into::into)
    }

    /// Returns the highest high of candles.
    pub(super) fn highest(&self, rows: Range<usize>) -> Option<i128> {
        let [_, highs, ..] = &self.prices;
        self.index.highest(highs, rows).map(Into::into)
    }

    /// Returns the bytes that the prices and their index take.
    pub(super) fn memory(&self) -> usize {
        self.prices.iter().map(|prices| size_of_val(&**prices)).sum::<usize>() + self.index.memory()
    }

    /// Returns the candles from a row on.
    fn rows(&self, from: usize) -> impl Iterator<Item = CandlePrices<T>> {
        let [open, high, low, close] = self.prices.each_ref().map(|prices| prices.get(from..).unwrap_or_default());
        let rows = open.iter().zip(high).zip(low).zip(close);
        rows.map(|(((open, high), low), close)| [*open, *high, *low, *close])
    }

    /// Returns what is wrong with a candle.
    fn problem(&self, row: usize, places: u8) -> Option<String> {
        let [open, high, low, close] = self.get(row)?.map(|price| Decimal::new(price, places).normalized());
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
}

/// Returns true if all prices are above 0, and no price is below the low or above the high.
#[inline]
fn is_candle<T: Mantissa>([open, high, low, close]: CandlePrices<T>) -> bool {
    low.into() > 0 && low <= open && low <= close && open <= high && close <= high
}

/// Returns a number × 10^places, rounded; one that is out of range becomes the nearest limit.
fn mantissa(number: &Decimal, places: u8, rounding: RoundingMode) -> i128 {
    if let Some(mantissa) = short_mantissa(number, places, rounding) {
        return mantissa;
    }
    let scaled = number.to_big() * Decimal::new(power(places).unwrap_or(i128::MAX), 0).to_big();
    let limit = if number.is_positive() { i128::MAX } else { i128::MIN };
    scaled.with_scale_round(0, rounding).to_i128().unwrap_or(limit)
}

fn short_mantissa(number: &Decimal, places: u8, rounding: RoundingMode) -> Option<i128> {
    let (mantissa, scale) = number.parts()?;
    if scale <= places {
        return mantissa.checked_mul(power(places - scale)?);
    }
    let unit = power(scale - places)?;
    let is_up = rounding == RoundingMode::Ceiling && mantissa.rem_euclid(unit) != 0;
    Some(mantissa.div_euclid(unit) + i128::from(is_up))
}

/// The columns, as narrow as the prices allow.
#[derive(Debug)]
pub(super) enum AnyColumns {
    /// Prices that all fit into 32 bits, as most do. They take half the memory, and are searched faster.
    Bits32(PriceColumns<i32>),
    /// Prices that all fit into 64 bits.
    Bits64(PriceColumns<i64>),
    /// Prices of which at least one needs 128 bits.
    Bits128(PriceColumns<i128>),
}

/// Calls a method of the columns of any width.
macro_rules! on_columns {
    ($columns:expr, $method:ident $arguments:tt) => {
        match $columns {
            $crate::candles::columns::AnyColumns::Bits32(columns) => columns.$method $arguments,
            $crate::candles::columns::AnyColumns::Bits64(columns) => columns.$method $arguments,
            $crate::candles::columns::AnyColumns::Bits128(columns) => columns.$method $arguments,
        }
    };
}
pub(super) use on_columns;

impl AnyColumns {
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
                    PriceColumns::new(prices.map(to_32_bits), places).map(Self::Bits32)
                } else {
                    PriceColumns::new(prices, places).map(Self::Bits64)
                }
            }
            wide => PriceColumns::new(wide.map(PriceValues::wide), places).map(Self::Bits128),
        }
    }
}

/// Returns true if all prices fit into 32 bits. The limits are never prices.
fn fit_32_bits(prices: &CandlePrices<Vec<i64>>) -> bool {
    let limit = u64::from(i32::MAX.unsigned_abs());
    prices.iter().all(|prices| prices.iter().fold(0, |largest, price| price.unsigned_abs().max(largest)) < limit)
}

/// Converts prices that fit. The ones in 64 bits are dropped, so that only one column is in memory twice.
fn to_32_bits(prices: Vec<i64>) -> Vec<i32> {
    prices.into_iter().map(|price| i32::try_from(price).unwrap_or(i32::MAX)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_bound_is_rounded_as_by_another_library(digits in any::<i128>(), scale in 0_u8..45, places in 0_u8..20) {
            let number = Decimal::new(digits, scale);
            for rounding in [RoundingMode::Floor, RoundingMode::Ceiling] {
                let scaled = number.to_big() * Decimal::new(power(places).unwrap(), 0).to_big();
                let limit = if digits > 0 { i128::MAX } else { i128::MIN };
                let expected = scaled.with_scale_round(0, rounding).to_i128().unwrap_or(limit);
                prop_assert_eq!(mantissa(&number, places, rounding), expected);
            }
        }
    }
}
