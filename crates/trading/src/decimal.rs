//! Exact decimals that are fast as long as they are short.
//!
//! A number of up to 38 digits is an integer and a scale; a longer one is a [`BigDecimal`]. No operation rounds. Backtests calculate
//! with millions of short numbers, whereas ladders without a tick and records with 50 digits need long ones.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};
use std::str::FromStr;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, ParseBigDecimalError, RoundingMode, ToPrimitive, Zero};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::rounding::quotient;

/// The largest scale of a short number: 10^38 is the largest power of ten in an `i128`.
pub(crate) const MAX_SCALE: u8 = 38;

/// The powers of ten from 10^0 to 10^38.
const POWERS: [i128; MAX_SCALE as usize + 1] = powers();

const fn powers() -> [i128; MAX_SCALE as usize + 1] {
    let mut powers = [1; MAX_SCALE as usize + 1];
    let mut exponent = 1;
    while exponent < powers.len() {
        #[allow(clippy::indexing_slicing, reason = "it is evaluated at compile time")]
        {
            powers[exponent] = powers[exponent - 1] * 10;
        }
        exponent += 1;
    }
    powers
}

/// An exact decimal number.
#[derive(Clone)]
pub struct Decimal(Repr);

#[derive(Clone)]
enum Repr {
    /// `mantissa` ÷ 10^`scale`. The scale is at most [`MAX_SCALE`]; it has 64 bits because a smaller one would leave padding, which
    /// makes copies several times as slow.
    Short { mantissa: i128, scale: u64 },
    /// A number that is too long for the other variant.
    Long(Box<BigDecimal>),
}

impl Decimal {
    /// The number 0.
    pub const ZERO: Self = Self::integer(0);
    /// The number 1.
    pub const ONE: Self = Self::integer(1);
    /// The number 100.
    pub const HUNDRED: Self = Self::integer(100);

    /// Returns an integer.
    pub const fn integer(number: i64) -> Self {
        #[allow(clippy::cast_lossless, reason = "`From` can't be called in a constant")]
        Self::short(number as i128, 0)
    }

    /// Returns `mantissa` ÷ 10^`scale` for a scale of at most [`MAX_SCALE`].
    #[inline]
    const fn short(mantissa: i128, scale: u8) -> Self {
        #[allow(clippy::cast_lossless, reason = "`From` can't be called in a constant")]
        Self(Repr::Short { mantissa, scale: scale as u64 })
    }

    /// Returns `mantissa` ÷ 10^`scale`.
    #[inline]
    pub fn new(mantissa: i128, scale: u8) -> Self {
        if scale <= MAX_SCALE {
            return Self::short(mantissa, scale);
        }
        Self::long(mantissa, scale)
    }

    #[cold]
    fn long(mantissa: i128, scale: u8) -> Self {
        Self(Repr::Long(Box::new(BigDecimal::new(mantissa.into(), scale.into()))))
    }

    /// Returns the mantissa and the scale; None for a long number.
    #[inline]
    pub fn parts(&self) -> Option<(i128, u8)> {
        self.short_or_long().ok()
    }

    /// Returns the mantissa and the scale, or the long number.
    #[inline]
    #[allow(clippy::cast_possible_truncation, reason = "the scale of a short number is at most 38")]
    fn short_or_long(&self) -> Result<(i128, u8), &BigDecimal> {
        match &self.0 {
            Repr::Short { mantissa, scale } => Ok((*mantissa, *scale as u8)),
            Repr::Long(number) => Err(number),
        }
    }

    /// Returns the mantissa at a scale; None if that loses digits or overflows.
    pub fn mantissa_at(&self, scale: u8) -> Option<i128> {
        let (mantissa, own) = self.parts()?;
        if let Some(more) = scale.checked_sub(own) {
            return product(mantissa, power(more)?);
        }
        let unit = power(own - scale)?;
        (mantissa % unit == 0).then(|| mantissa / unit)
    }

    /// Returns true if the number is 0.
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.sign() == Ordering::Equal
    }

    /// Returns true if the number is above 0.
    #[inline]
    pub fn is_positive(&self) -> bool {
        self.sign() == Ordering::Greater
    }

    /// Returns how the number compares with 0.
    #[inline]
    pub fn sign(&self) -> Ordering {
        match self.short_or_long() {
            Ok((mantissa, _)) => mantissa.cmp(&0),
            Err(number) => number.cmp(&BigDecimal::zero()),
        }
    }

    /// Returns the number without its sign.
    #[must_use]
    pub fn abs(&self) -> Self {
        if self.sign() == Ordering::Less { -self } else { self.clone() }
    }

    /// Returns the number of decimal places.
    pub fn places(&self) -> u8 {
        match self.short_or_long() {
            Ok((_, scale)) => scale,
            Err(number) => u8::try_from(number.fractional_digit_count().max(0)).unwrap_or(u8::MAX),
        }
    }

    /// Returns the same number without trailing zeros after the decimal point.
    #[must_use]
    pub fn normalized(&self) -> Self {
        match self.short_or_long() {
            Ok((mantissa, scale)) => without_zeros(mantissa, scale),
            Err(number) => number.normalized().into(),
        }
    }

    /// Rounds to a number of decimal places; a tie goes to the even digit.
    #[must_use]
    pub fn round(&self, places: u8) -> Self {
        if self.places() <= places {
            return self.clone();
        }
        self.to_big().with_scale_round(places.into(), RoundingMode::HalfEven).into()
    }

    /// Returns the number as a `BigDecimal`.
    pub fn to_big(&self) -> BigDecimal {
        match self.short_or_long() {
            Ok((mantissa, scale)) => BigDecimal::new(BigInt::from(mantissa), scale.into()),
            Err(number) => number.clone(),
        }
    }

    /// Returns the nearest float.
    pub fn to_f64(&self) -> f64 {
        // Every number is written as digits that can be parsed.
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// Divides by a number, to 80 digits; None if the divisor is 0.
    pub fn checked_div(&self, divisor: &Self) -> Option<Self> {
        quotient(&self.to_big(), &divisor.to_big()).map(Self::from)
    }

    /// Divides by a number and rounds the quotient up to a multiple of `unit`; None if the divisor is 0.
    ///
    /// Without a unit, the quotient has 80 digits.
    pub fn div_round_up(&self, divisor: &Self, unit: Option<&Self>) -> Option<Self> {
        self.div_to_unit(divisor, unit, Rounding::Up)
    }

    /// Divides by a number and rounds the quotient down to a multiple of `unit`; None if the divisor is 0.
    ///
    /// Without a unit, the quotient has 80 digits.
    pub fn div_round_down(&self, divisor: &Self, unit: Option<&Self>) -> Option<Self> {
        self.div_to_unit(divisor, unit, Rounding::Down)
    }

    fn div_to_unit(&self, divisor: &Self, unit: Option<&Self>, rounding: Rounding) -> Option<Self> {
        let Some(unit) = unit.filter(|unit| unit.is_positive()) else {
            return self.checked_div(divisor);
        };
        let units = self.short_units(divisor, unit, rounding);
        units.or_else(|| Some(self.checked_div(divisor)?.round_to(Some(unit), rounding)))
    }

    /// Divides by a number and rounds to decimal places; a tie goes to the even digit. Returns None if the divisor is 0.
    pub fn div_round(&self, divisor: &Self, places: u8) -> Option<Self> {
        if let Some(rounded) = self.nearest_unit(divisor, places) {
            return Some(rounded);
        }
        Some(self.checked_div(divisor)?.round(places))
    }

    /// Returns the number ÷ 100, exactly.
    #[must_use]
    pub fn hundredth(&self) -> Self {
        match self.parts() {
            Some((mantissa, scale)) => Self::new(mantissa, scale + 2),
            None => self * Self::new(1, 2),
        }
    }

    /// Returns the number × 100 ÷ `whole`, rounded to two decimal places; 0 if `whole` is 0.
    #[must_use]
    pub fn percentage_of(&self, whole: &Self) -> Self {
        const PLACES: u8 = 2;
        (self * Self::HUNDRED).div_round(whole, PLACES).unwrap_or_default().normalized()
    }

    /// Calculates `div_round` with integers; None if they overflow or the divisor is not above 0.
    fn nearest_unit(&self, divisor: &Self, places: u8) -> Option<Self> {
        let (divisor, scale) = divisor.parts()?;
        let (dividend, divisor) = self.as_fraction(divisor, scale.checked_add(places)?)?;
        let whole = dividend.div_euclid(divisor);
        // The product may leave the range of an `i128`; the rest never does.
        let rest = dividend.wrapping_sub(whole.wrapping_mul(divisor));
        let is_up = match rest.cmp(&(divisor - rest)) {
            Ordering::Less => false,
            Ordering::Equal => whole % 2 != 0,
            Ordering::Greater => true,
        };
        Some(Self::new(whole + i128::from(is_up), places))
    }

    /// Calculates `div_to_unit` with integers; None if they overflow or the divisor is not above 0.
    fn short_units(&self, divisor: &Self, unit: &Self, rounding: Rounding) -> Option<Self> {
        let ((divisor, divisor_scale), (unit, unit_scale)) = (divisor.parts()?, unit.parts()?);
        let (dividend, divisor) = self.as_fraction(product(divisor, unit)?, divisor_scale + unit_scale)?;
        Some(Self::short(product(rounding.divide(dividend, divisor), unit)?, unit_scale))
    }

    /// Returns two integers with the quotient of the number and a divisor, which is given by its mantissa and its scale. Returns
    /// None if they overflow or the divisor is not above 0.
    fn as_fraction(&self, divisor: i128, divisor_scale: u8) -> Option<(i128, i128)> {
        let (dividend, scale) = self.parts()?;
        let (dividend, divisor) = match divisor_scale.checked_sub(scale) {
            Some(more) => (product(dividend, power(more)?)?, divisor),
            None => (dividend, product(divisor, power(scale - divisor_scale)?)?),
        };
        (divisor > 0).then_some((dividend, divisor))
    }

    /// Rounds up to a multiple of `unit`; without a unit, returns the number itself.
    #[must_use]
    pub fn round_up_to(&self, unit: Option<&Self>) -> Self {
        self.round_to(unit, Rounding::Up)
    }

    /// Rounds down to a multiple of `unit`; without a unit, returns the number itself.
    #[must_use]
    pub fn round_down_to(&self, unit: Option<&Self>) -> Self {
        self.round_to(unit, Rounding::Down)
    }

    fn round_to(&self, unit: Option<&Self>, rounding: Rounding) -> Self {
        let Some(unit) = unit.filter(|unit| unit.is_positive()) else {
            return self.clone();
        };
        self.short_units(&Self::ONE, unit, rounding).unwrap_or_else(|| self.round_long_to(unit, rounding))
    }

    #[cold]
    fn round_long_to(&self, unit: &Self, rounding: Rounding) -> Self {
        let (number, unit) = (self.to_big(), unit.to_big());
        let past = &number % &unit;
        let towards_zero = (number - &past).with_scale(unit.fractional_digit_count().max(0));
        match (rounding, past.cmp(&BigDecimal::zero())) {
            (Rounding::Up, Ordering::Greater) => (towards_zero + unit).into(),
            (Rounding::Down, Ordering::Less) => (towards_zero - unit).into(),
            _ => towards_zero.into(),
        }
    }

    // The operations on long numbers are functions of their own, so that those on short ones are inlined.

    #[cold]
    fn add_long(&self, other: &Self) -> Self {
        (self.to_big() + other.to_big()).into()
    }

    #[cold]
    fn mul_long(&self, other: &Self) -> Self {
        (self.to_big() * other.to_big()).into()
    }

    #[cold]
    fn neg_long(&self) -> Self {
        (-self.to_big()).into()
    }

    #[cold]
    fn cmp_long(&self, other: &Self) -> Ordering {
        self.to_big().cmp(&other.to_big())
    }

    /// Adds or subtracts two short numbers; None if one is long or the result overflows.
    #[inline]
    fn combine_short(&self, other: &Self, operation: impl Fn(i128, i128) -> Option<i128>) -> Option<Self> {
        let ((left, left_scale), (right, right_scale)) = (self.parts()?, other.parts()?);
        let (left, right, scale) = aligned(left, left_scale, right, right_scale)?;
        Some(Self::short(operation(left, right)?, scale))
    }

    fn mul_short(&self, other: &Self) -> Option<Self> {
        let ((left, left_scale), (right, right_scale)) = (self.parts()?, other.parts()?);
        let scale = left_scale + right_scale;
        (scale <= MAX_SCALE).then_some(())?;
        Some(Self::short(product(left, right)?, scale))
    }

    fn cmp_short(&self, other: &Self) -> Option<Ordering> {
        let ((left, left_scale), (right, right_scale)) = (self.parts()?, other.parts()?);
        if left_scale == right_scale {
            return Some(left.cmp(&right));
        }
        let (left, right, _) = aligned(left, left_scale, right, right_scale)?;
        Some(left.cmp(&right))
    }
}

/// Returns 10^`exponent`; None if it does not fit into an `i128`.
pub(crate) fn power(exponent: u8) -> Option<i128> {
    POWERS.get(usize::from(exponent)).copied()
}

/// Multiplies two integers; None if the product overflows.
fn product(left: i128, right: i128) -> Option<i128> {
    // The product of two 64-bit integers can't overflow; a check for overflow takes several times as long.
    match (i64::try_from(left), i64::try_from(right)) {
        (Ok(left), Ok(right)) => Some(i128::from(left) * i128::from(right)),
        _ => left.checked_mul(right),
    }
}

/// Returns two mantissas at the larger one of their scales.
fn aligned(left: i128, left_scale: u8, right: i128, right_scale: u8) -> Option<(i128, i128, u8)> {
    match left_scale.cmp(&right_scale) {
        Ordering::Equal => Some((left, right, left_scale)),
        Ordering::Less => Some((product(left, power(right_scale - left_scale)?)?, right, right_scale)),
        Ordering::Greater => Some((left, product(right, power(left_scale - right_scale)?)?, left_scale)),
    }
}

/// The direction in which a number between two multiples of a unit is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    Up,
    Down,
}

impl Rounding {
    /// Divides by a number above 0 and rounds.
    fn divide(self, dividend: i128, divisor: i128) -> i128 {
        // 64-bit divisions are several times as fast.
        let (whole, is_exact) = if let (Ok(dividend), Ok(divisor)) = (i64::try_from(dividend), i64::try_from(divisor)) {
            (i128::from(dividend.div_euclid(divisor)), dividend.rem_euclid(divisor) == 0)
        } else {
            let whole = dividend.div_euclid(divisor);
            // The product may leave the range of an `i128`, but then it differs as well.
            (whole, whole.wrapping_mul(divisor) == dividend)
        };
        whole + i128::from(self == Self::Up && !is_exact)
    }
}

/// Returns `mantissa` ÷ 10^`scale` without trailing zeros after the decimal point.
fn without_zeros(mut mantissa: i128, mut scale: u8) -> Decimal {
    while scale > 0 {
        // 64-bit divisions are several times as fast.
        let shorter = match i64::try_from(mantissa) {
            Ok(mantissa) => (mantissa % 10 == 0).then_some(i128::from(mantissa / 10)),
            Err(_) => Some(mantissa / 10).filter(|shorter| shorter * 10 == mantissa),
        };
        let Some(shorter) = shorter else { break };
        mantissa = shorter;
        scale -= 1;
    }
    Decimal::short(mantissa, scale)
}

impl From<BigDecimal> for Decimal {
    fn from(number: BigDecimal) -> Self {
        let number = if number.fractional_digit_count() < 0 { number.with_scale(0) } else { number };
        let (mantissa, scale) = number.as_bigint_and_scale();
        match (mantissa.to_i128(), u8::try_from(scale)) {
            (Some(mantissa), Ok(scale)) if scale <= MAX_SCALE => Self::short(mantissa, scale),
            _ => Self(Repr::Long(Box::new(number))),
        }
    }
}

impl From<&BigDecimal> for Decimal {
    fn from(number: &BigDecimal) -> Self {
        number.clone().into()
    }
}

impl From<Decimal> for BigDecimal {
    fn from(number: Decimal) -> Self {
        number.to_big()
    }
}

/// Implements the conversion from integers that always fit.
macro_rules! from_integer {
    ($($integer:ty),*) => {$(
        impl From<$integer> for Decimal {
            fn from(number: $integer) -> Self {
                Self::short(number.into(), 0)
            }
        }
    )*};
}

from_integer!(i32, u32, i64, u64);

impl FromStr for Decimal {
    type Err = ParseBigDecimalError;

    fn from_str(string: &str) -> Result<Self, Self::Err> {
        string.parse::<BigDecimal>().map(Self::from)
    }
}

impl Default for Decimal {
    fn default() -> Self {
        Self::ZERO
    }
}

impl fmt::Display for Decimal {
    /// Writes all digits, without an exponent.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_big().to_plain_string())
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.cmp_short(other).unwrap_or_else(|| self.cmp_long(other))
    }
}

impl Add for &Decimal {
    type Output = Decimal;

    #[inline]
    fn add(self, other: Self) -> Decimal {
        self.combine_short(other, i128::checked_add).unwrap_or_else(|| self.add_long(other))
    }
}

impl Mul for &Decimal {
    type Output = Decimal;

    #[inline]
    fn mul(self, other: Self) -> Decimal {
        self.mul_short(other).unwrap_or_else(|| self.mul_long(other))
    }
}

impl Neg for &Decimal {
    type Output = Decimal;

    #[inline]
    fn neg(self) -> Decimal {
        match self.parts() {
            Some((mantissa, scale)) if mantissa != i128::MIN => Decimal::short(-mantissa, scale),
            _ => self.neg_long(),
        }
    }
}

impl Neg for Decimal {
    type Output = Self;

    fn neg(self) -> Self {
        -&self
    }
}

impl Sub for &Decimal {
    type Output = Decimal;

    #[inline]
    fn sub(self, other: Self) -> Decimal {
        self.combine_short(other, i128::checked_sub).unwrap_or_else(|| self.add_long(&-other))
    }
}

/// Implements an operator for values and for a mix of values and references.
macro_rules! forward {
    ($($operator:ident $method:ident),*) => {$(
        impl $operator for Decimal {
            type Output = Decimal;
            fn $method(self, other: Self) -> Decimal {
                (&self).$method(&other)
            }
        }
        impl $operator<&Decimal> for Decimal {
            type Output = Decimal;
            fn $method(self, other: &Decimal) -> Decimal {
                (&self).$method(other)
            }
        }
        impl $operator<Decimal> for &Decimal {
            type Output = Decimal;
            fn $method(self, other: Decimal) -> Decimal {
                self.$method(&other)
            }
        }
    )*};
}

forward!(Add add, Sub sub, Mul mul);

// A short result is assigned in place: the processor stalls when it copies a value that was just written.

impl AddAssign<&Decimal> for Decimal {
    #[inline]
    fn add_assign(&mut self, other: &Decimal) {
        match self.combine_short(other, i128::checked_add) {
            Some(sum) => *self = sum,
            None => *self = self.add_long(other),
        }
    }
}

impl AddAssign for Decimal {
    fn add_assign(&mut self, other: Self) {
        *self += &other;
    }
}

impl SubAssign<&Decimal> for Decimal {
    #[inline]
    fn sub_assign(&mut self, other: &Decimal) {
        match self.combine_short(other, i128::checked_sub) {
            Some(difference) => *self = difference,
            None => *self = self.add_long(&-other),
        }
    }
}

impl Sum for Decimal {
    fn sum<I: Iterator<Item = Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, |sum, number| sum + number)
    }
}

impl<'a> Sum<&'a Decimal> for Decimal {
    fn sum<I: Iterator<Item = &'a Self>>(numbers: I) -> Self {
        numbers.fold(Self::ZERO, |sum, number| sum + number)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let string = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        string.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(string: &str) -> Decimal {
        string.parse().unwrap()
    }

    fn rounded(text: &str, unit: &str) -> (String, String) {
        let unit = number(unit);
        let both = [number(text).round_down_to(Some(&unit)), number(text).round_up_to(Some(&unit))];
        let [down, up] = both.map(|number| number.to_string());
        (down, up)
    }

    #[test]
    fn the_smallest_mantissa_is_divided_without_overflow() {
        let smallest = Decimal::new(i128::MIN, 0);
        for divisor in ["3", "7", "1000000007"].map(number) {
            let expected = smallest.checked_div(&divisor).unwrap();
            assert_eq!(smallest.div_round(&divisor, 0).unwrap(), expected.round(0));
            assert_eq!(
                smallest.div_round_up(&divisor, Some(&Decimal::ONE)).unwrap(),
                expected.round_up_to(Some(&Decimal::ONE))
            );
            assert_eq!(
                smallest.div_round_down(&divisor, Some(&Decimal::ONE)).unwrap(),
                expected.round_down_to(Some(&Decimal::ONE))
            );
        }
    }

    #[test]
    fn the_nearest_float_is_the_one_that_rust_parses() {
        for text in [
            "0.1",
            "-12345678901234567890.125",
            "0.00000000000000000000000000000000000000000000001",
            "9007199254740993",
        ] {
            assert_eq!(number(text).to_f64().to_bits(), text.parse::<f64>().unwrap().to_bits());
        }
        assert!(number("1e400").to_f64().is_infinite());
    }

    #[test]
    fn a_number_is_between_two_ticks() {
        assert_eq!(rounded("2023.7185", "0.01"), ("2023.71".into(), "2023.72".into()));
        assert_eq!(rounded("-2023.7185", "0.01"), ("-2023.72".into(), "-2023.71".into()));
        assert_eq!(rounded("57.3", "2.5"), ("55.0".into(), "57.5".into()));
        assert_eq!(rounded("12345", "1e2"), ("12300".into(), "12400".into()));
    }

    #[test]
    fn a_multiple_of_the_tick_stays_and_has_its_places() {
        assert_eq!(rounded("2544", "0.10"), ("2544.00".into(), "2544.00".into()));
        assert_eq!(rounded("0.000", "0.5"), ("0.0".into(), "0.0".into()));
    }

    #[test]
    fn without_a_tick_nothing_is_rounded() {
        let price = number("2561.66911");
        assert_eq!((price.round_down_to(None), price.round_up_to(None)), (price.clone(), price.clone()));
        assert_eq!(price.round_up_to(Some(&Decimal::ZERO)), price);
    }

    #[test]
    fn three_thirds_are_not_more_than_the_whole() {
        let third = Decimal::ONE.checked_div(&3_i64.into()).unwrap();
        assert_eq!(Decimal::ONE.checked_div(&third).unwrap(), Decimal::from(3_i64));
        assert_eq!(Decimal::ONE.checked_div(&Decimal::ZERO), None);
    }

    #[test]
    fn a_number_of_any_length_keeps_its_digits() {
        for string in [
            "0.1234567890123456789012345678901234567890123456789",
            "170141183460469231731687303715884105728",
            "-170141183460469231731687303715884105728",
            "99999999999999999999999999999999999999999999999999.5",
            "0.00",
            "-3.30980633289966e-05",
        ] {
            let expected = string.parse::<BigDecimal>().unwrap();
            assert_eq!(number(string).to_big(), expected, "{string}");
            assert_eq!((-number(string)).to_big(), -expected, "{string}");
        }
    }

    fn any_number() -> impl Strategy<Value = Decimal> {
        prop_oneof![
            4 => (any::<i64>(), 0_u8..20).prop_map(|(mantissa, scale)| Decimal::new(mantissa.into(), scale)),
            2 => (any::<i128>(), 0_u8..45).prop_map(|(mantissa, scale)| Decimal::new(mantissa, scale)),
            1 => (any::<i128>(), any::<i128>(), 0_u8..45)
                .prop_map(|(left, right, scale)| &Decimal::new(left, scale) * &Decimal::new(right, scale)),
            1 => Just(Decimal::ZERO),
        ]
    }

    fn any_divisor() -> impl Strategy<Value = Decimal> {
        any_number().prop_map(|number| if number.is_zero() { Decimal::ONE } else { number.abs() })
    }

    #[test]
    fn a_quotient_of_more_than_38_places_is_long() {
        let smallest = Decimal::new(1, 38);
        let same = smallest.div_round(&Decimal::ONE, 40).unwrap();
        assert_eq!((same.parts(), same), (None, smallest));
    }

    proptest! {
        #[test]
        fn operations_agree_with_those_of_long_numbers(left in any_number(), right in any_number()) {
            let (long_left, long_right) = (left.to_big(), right.to_big());
            prop_assert_eq!((&left + &right).to_big(), &long_left + &long_right);
            prop_assert_eq!((&left - &right).to_big(), &long_left - &long_right);
            let (mut sum, mut difference) = (left.clone(), left.clone());
            sum += &right;
            difference -= &right;
            prop_assert_eq!((sum, difference), (&left + &right, &left - &right));
            prop_assert_eq!((&left * &right).to_big(), &long_left * &long_right);
            prop_assert_eq!((-&left).to_big(), -&long_left);
            prop_assert_eq!(left.cmp(&right), long_left.cmp(&long_right));
            prop_assert_eq!(left.hundredth().to_big(), &long_left * BigDecimal::new(1.into(), 2));
            prop_assert_eq!(left.normalized().to_big(), long_left);
        }

        #[test]
        fn a_rounded_number_is_the_nearest_multiple_on_its_side(
            number in any_number(), unit in 1_i64..1_000, scale in 0_u8..10,
        ) {
            let unit = Decimal::new(unit.into(), scale);
            let (down, up) = (number.round_down_to(Some(&unit)), number.round_up_to(Some(&unit)));
            prop_assert!((down.to_big() % unit.to_big()).is_zero() && (up.to_big() % unit.to_big()).is_zero());
            prop_assert!(down <= number && number <= up);
            prop_assert!(&number - &down < unit && &up - &number < unit);
        }

        #[test]
        fn a_rounded_quotient_is_that_of_the_exact_quotient(
            dividend in any_number(), divisor in any_divisor(), unit in 1_i64..1_000, scale in 0_u8..10,
        ) {
            // A quotient with as many digits before its point has no exact multiples of a unit.
            prop_assume!((&dividend - &divisor * Decimal::new(i128::MAX, 0)).sign() != Ordering::Greater);
            prop_assume!((&dividend + &divisor * Decimal::new(i128::MAX, 0)).sign() != Ordering::Less);
            let unit = Decimal::new(unit.into(), scale);
            let up = dividend.div_round_up(&divisor, Some(&unit)).unwrap();
            let down = dividend.div_round_down(&divisor, Some(&unit)).unwrap();
            let exact = dividend.checked_div(&divisor).unwrap();
            prop_assert_eq!(up, exact.round_up_to(Some(&unit)));
            prop_assert_eq!(down, exact.round_down_to(Some(&unit)));
            let rounded = dividend.div_round(&divisor, scale).unwrap();
            prop_assert_eq!(rounded, exact.round(scale));
        }
    }
}
