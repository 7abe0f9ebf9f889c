//! One price of every candle, as integers at the smallest decimal place that occurs.

use std::fmt::LowerExp;

use super::error::CandlesError;
use super::number::{LARGEST, Number, TOO_LONG};
use crate::decimal::{Decimal, power};

/// The number of floats that are converted at once.
const CHUNK: usize = 1_024;

/// The largest power of ten that a float holds exactly.
const EXACT_POWER: u8 = 22;

/// Integers below this number have at most 15 digits. No two decimals of at most 15 digits are the same float.
const SHORT: f64 = 1e15;

/// 2^52. Adding it to a smaller float rounds that to an integer, which is then in the lowest 52 bits of the sum.
const ROUNDER: f64 = 4_503_599_627_370_496.0;

const MANTISSA_BITS: u64 = (1 << 52) - 1;

/// A column of prices, which is built value by value.
#[derive(Clone, Debug)]
pub struct PriceColumn {
    name: &'static str,
    places: u8,
    values: PriceValues,
}

/// The prices × 10^places.
#[derive(Clone, Debug)]
pub(super) enum PriceValues {
    /// Prices that all fit into 64 bits.
    Narrow(Vec<i64>),
    /// Prices of which at least one needs 128 bits.
    Wide(Vec<i128>),
}

impl PriceColumn {
    /// Returns an empty column with at least this number of decimal places.
    pub(super) fn new(name: &'static str, places: u8) -> Self {
        Self { name, places, values: PriceValues::Narrow(Vec::new()) }
    }

    /// Returns the name of the price, such as `open`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the number of prices.
    pub fn len(&self) -> usize {
        match &self.values {
            PriceValues::Narrow(values) => values.len(),
            PriceValues::Wide(values) => values.len(),
        }
    }

    /// Returns true if the column has no price yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn places(&self) -> u8 {
        self.places
    }

    /// Reserves room for this number of prices.
    pub fn reserve(&mut self, count: usize) {
        match &mut self.values {
            PriceValues::Narrow(values) => values.reserve(count),
            PriceValues::Wide(values) => values.reserve(count),
        }
    }

    /// Appends a number.
    pub fn push(&mut self, number: Number) -> Result<(), CandlesError> {
        let text = || Decimal::new(number.mantissa, number.scale).to_string();
        self.append(number).ok_or_else(|| self.error(&text(), TOO_LONG))
    }

    /// Parses a string and appends its number.
    pub fn push_text(&mut self, text: &str) -> Result<(), CandlesError> {
        let number = Number::parse(text).map_err(|error| self.error(&format!("'{text}'"), error.reason()))?;
        self.push(number)
    }

    /// Appends a float as the shortest decimal that reads back as that float: 0.1 becomes exactly 0.1.
    pub fn push_float(&mut self, float: f64) -> Result<(), CandlesError> {
        if self.extend_short(&[float]) { Ok(()) } else { self.push_shortest(float) }
    }

    /// Appends a float of any type as the shortest decimal that reads back as that float.
    pub fn push_shortest(&mut self, float: impl LowerExp) -> Result<(), CandlesError> {
        // The formatter writes the shortest digits that read back as the same float.
        let text = format!("{float:e}");
        let number = Number::parse(&text).map_err(|error| self.error(&text, error.reason()))?;
        self.push(number)
    }

    /// Appends floats, each as the shortest decimal that reads back as that float.
    pub fn extend_floats(&mut self, floats: &[f64]) -> Result<(), CandlesError> {
        for chunk in floats.chunks(CHUNK) {
            if !self.extend_short(chunk) {
                for float in chunk {
                    self.push_float(*float)?;
                }
            }
        }
        Ok(())
    }

    /// Appends floats if all of them have at most 15 digits and no more decimal places than the column; else returns false.
    fn extend_short(&mut self, floats: &[f64]) -> bool {
        let (Some(unit), PriceValues::Narrow(values)) = (exact_power(self.places), &mut self.values) else {
            return false;
        };
        let before = values.len();
        let mut are_short = true;
        values.extend(floats.iter().map(|float| {
            let (mantissa, is_short) = scaled(*float, unit);
            are_short &= is_short;
            mantissa
        }));
        if !are_short {
            values.truncate(before);
        }
        are_short
    }

    /// Appends a number; None if it does not fit.
    fn append(&mut self, number: Number) -> Option<()> {
        let Number { mantissa, scale } = reduced(number, self.places)?;
        if scale > self.places {
            self.set_places(scale).ok()?;
        }
        let mantissa = mantissa.checked_mul(power(self.places - scale)?)?;
        fits(mantissa).then(|| self.values.push(mantissa))
    }

    /// Changes the prices to a larger number of decimal places; returns the first row that does not fit.
    fn set_places(&mut self, places: u8) -> Result<(), usize> {
        let Some(unit) = places.checked_sub(self.places).and_then(power) else { return Ok(()) };
        if unit > 1 {
            self.values.multiply(unit)?;
        }
        self.places = places;
        Ok(())
    }

    /// Changes the prices to the decimal places of the other columns.
    pub(super) fn align(&mut self, places: u8) -> Result<(), CandlesError> {
        self.set_places(places).map_err(|row| CandlesError::at(row, format!("{} {TOO_LONG}", self.name)))
    }

    /// Reverses the order of the prices.
    pub(super) fn reverse(&mut self) {
        match &mut self.values {
            PriceValues::Narrow(values) => values.reverse(),
            PriceValues::Wide(values) => values.reverse(),
        }
    }

    /// Returns the prices.
    pub(super) fn into_values(self) -> PriceValues {
        self.values
    }

    /// Returns an error of the next row.
    fn error(&self, text: &str, reason: &str) -> CandlesError {
        CandlesError::at(self.len(), format!("{} {text} {reason}", self.name))
    }
}

impl PriceValues {
    fn push(&mut self, mantissa: i128) {
        match (&mut *self, narrow(mantissa)) {
            (Self::Narrow(values), Some(mantissa)) => values.push(mantissa),
            (Self::Narrow(values), None) => {
                let mut wide = widened(values);
                wide.push(mantissa);
                *self = Self::Wide(wide);
            }
            (Self::Wide(values), _) => values.push(mantissa),
        }
    }

    /// Multiplies all values; returns the first row that does not fit.
    fn multiply(&mut self, unit: i128) -> Result<(), usize> {
        if let Self::Narrow(values) = self {
            let largest = values.iter().map(|value| value.unsigned_abs()).max().unwrap_or(0);
            let is_narrow = i128::from(largest).checked_mul(unit).and_then(narrow).is_some();
            match i64::try_from(unit) {
                Ok(unit) if is_narrow => {
                    for value in values {
                        *value *= unit;
                    }
                    return Ok(());
                }
                _ => *self = Self::Wide(widened(values)),
            }
        }
        let Self::Wide(values) = self else { return Ok(()) };
        let product = |value: i128| value.checked_mul(unit).filter(|product| fits(*product));
        if let Some(row) = values.iter().position(|value| product(*value).is_none()) {
            return Err(row);
        }
        for value in values {
            *value *= unit;
        }
        Ok(())
    }

    /// Returns the values in 128 bits.
    pub(super) fn wide(self) -> Vec<i128> {
        match self {
            Self::Narrow(values) => widened(&values),
            Self::Wide(values) => values,
        }
    }
}

fn widened(values: &[i64]) -> Vec<i128> {
    values.iter().copied().map(i128::from).collect()
}

/// Converts a mantissa to 64 bits; None if it does not fit. `i64::MIN` and `i64::MAX` are reserved for bounds that no price
/// reaches.
fn narrow(mantissa: i128) -> Option<i64> {
    i64::try_from(mantissa).ok().filter(|mantissa| *mantissa != i64::MAX && *mantissa != i64::MIN)
}

fn fits(mantissa: i128) -> bool {
    mantissa.unsigned_abs() <= LARGEST.unsigned_abs()
}

/// Drops trailing zeros after the decimal point until the number has no more places than the column.
fn reduced(number: Number, places: u8) -> Option<Number> {
    let Number { mut mantissa, mut scale } = number;
    if scale <= places {
        return Some(number);
    }
    // Columns of decimals usually have far more places than their prices, so one division drops all of the zeros.
    let unit = power(scale - places)?;
    if mantissa % unit == 0 {
        return Some(Number { mantissa: mantissa / unit, scale: places });
    }
    while scale > places && mantissa % 10 == 0 {
        mantissa /= 10;
        scale -= 1;
    }
    Some(Number { mantissa, scale })
}

/// Returns 10^places as a float; None if no float is exactly that.
#[allow(clippy::cast_precision_loss, reason = "up to this power, none is lost")]
fn exact_power(places: u8) -> Option<f64> {
    (places <= EXACT_POWER).then_some(places).and_then(power).map(|unit| unit as f64)
}

/// Returns a float × `unit` rounded to an integer, and true if integer ÷ `unit` is the shortest decimal that reads back as the
/// float.
///
/// It is if the integer is below [`SHORT`] and the division gives the same float again: no other decimal of at most 15 digits reads
/// back as that float.
#[inline]
#[allow(clippy::float_cmp, reason = "it is to be the same float")]
fn scaled(float: f64, unit: f64) -> (i64, bool) {
    let sum = float * unit + ROUNDER;
    let mantissa = sum - ROUNDER;
    let is_short = mantissa > 0.0 && mantissa < SHORT && mantissa / unit == float;
    ((sum.to_bits() & MANTISSA_BITS).cast_signed(), is_short)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn column() -> PriceColumn {
        PriceColumn::new("close", 0)
    }

    /// Returns the prices as strings, all at the scale of the column.
    fn texts(column: PriceColumn) -> Vec<String> {
        let places = column.places();
        column.into_values().wide().into_iter().map(|value| Decimal::new(value, places).to_string()).collect()
    }

    fn of_floats(floats: &[f64]) -> PriceColumn {
        let mut column = column();
        column.extend_floats(floats).unwrap();
        column
    }

    #[test]
    fn a_float_is_its_shortest_text() {
        assert_eq!(texts(of_floats(&[0.1, 60_000.0, 0.3])), ["0.1", "60000.0", "0.3"]);
        assert_eq!(texts(of_floats(&[0.1 + 0.2])), ["0.30000000000000004"]);
        assert_eq!(texts(of_floats(&[1e-8, 12_345_678.123_456_78])), ["0.00000001", "12345678.12345678"]);
        let mut column = column();
        column.push_shortest(0.1_f32).unwrap();
        assert_eq!(texts(column), ["0.1"]);
    }

    #[test]
    fn the_places_are_the_smallest_that_hold_every_price() {
        let mut column = column();
        for text in ["100.500", "7", "1E-4"] {
            column.push_text(text).unwrap();
        }
        column.push(Number { mantissa: 1_500_000_000_000_000_000, scale: 18 }).unwrap();
        assert_eq!(texts(column), ["100.5000", "7.0000", "0.0001", "1.5000"]);
    }

    #[test]
    fn a_price_that_does_not_fit_into_64_bits_makes_the_column_wide() {
        let mut column = column();
        for text in ["12345678.123456789012", "0.000000000001", "9223372036854775807"] {
            column.push_text(text).unwrap();
        }
        assert_eq!(texts(column), ["12345678.123456789012", "0.000000000001", "9223372036854775807.000000000000"]);
    }

    #[test]
    fn a_price_that_needs_more_than_38_digits_is_refused() {
        let mut column = column();
        column.push_text("12345678901234567890").unwrap();
        let error = column.push_text("0.12345678901234567891").unwrap_err();
        assert_eq!(
            (error.row, error.message.contains("close 0.12345678901234567891 has too many digits")),
            (Some(1), true)
        );
        let error = column.push_float(f64::NAN).unwrap_err();
        assert_eq!(error.to_string(), "row 1: close NaN is not a number");
        assert_eq!(column.push_float(-f64::INFINITY).unwrap_err().to_string(), "row 1: close -inf is not a number");
        assert_eq!(texts(column), ["12345678901234567890"]);
    }

    /// Prices as exchanges have them, and floats of any size.
    fn floats() -> impl Strategy<Value = f64> {
        let prices =
            (1_u64..10_u64.pow(17), 0..16).prop_map(|(digits, places)| format!("{digits}e-{places}").parse().unwrap());
        prop_oneof![4 => prices, 1 => 1e-12_f64..1e12]
    }

    proptest! {
        #[test]
        fn any_float_is_its_shortest_text(floats in prop::collection::vec(floats(), 1..40)) {
            let expected: Result<Vec<Number>, _> = floats.iter().map(|float| Number::parse(&format!("{float}"))).collect();
            let mut column = column();
            match column.extend_floats(&floats) {
                Ok(()) => {
                    let exact: Vec<Decimal> = expected.unwrap().iter().map(|number| Decimal::new(number.mantissa, number.scale)).collect();
                    let most = exact.iter().map(Decimal::places).max();
                    prop_assert_eq!(Some(column.places()), most);
                    let places = column.places();
                    let converted: Vec<_> = column.into_values().wide().into_iter().map(|value| Decimal::new(value, places)).collect();
                    prop_assert_eq!(converted, exact);
                }
                Err(error) => prop_assert!(error.message.contains("has too many digits")),
            }
        }
    }
}
