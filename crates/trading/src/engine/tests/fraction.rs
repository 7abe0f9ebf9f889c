//! Exact fractions for the reference implementation, which shares no arithmetic with the engine.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

use bigdecimal::ToPrimitive;

use crate::decimal::Decimal;

/// A fraction in lowest terms. It panics if a number overflows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Fraction {
    numerator: i128,
    /// Above 0.
    denominator: i128,
}

impl Fraction {
    pub(super) const ZERO: Self = Self { numerator: 0, denominator: 1 };
    pub(super) const ONE: Self = Self { numerator: 1, denominator: 1 };

    pub(super) fn new(numerator: i128, denominator: i128) -> Self {
        let sign = denominator.signum();
        let divisor = divisor(numerator.abs(), denominator.abs()) * sign;
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    pub(super) fn percent(self) -> Self {
        self / Self::from(100)
    }

    pub(super) fn is_positive(self) -> bool {
        self.numerator > 0
    }

    pub(super) fn floor_to(self, unit: Self) -> Self {
        let units = self / unit;
        Self::from(units.numerator.div_euclid(units.denominator)) * unit
    }

    pub(super) fn ceil_to(self, unit: Self) -> Self {
        -(-self).floor_to(unit)
    }
}

fn divisor(left: i128, right: i128) -> i128 {
    if right == 0 { left } else { divisor(right, left % right) }
}

fn product(left: i128, right: i128) -> i128 {
    left.checked_mul(right).expect("the fraction is too long")
}

impl From<i128> for Fraction {
    fn from(number: i128) -> Self {
        Self { numerator: number, denominator: 1 }
    }
}

impl From<&Decimal> for Fraction {
    fn from(number: &Decimal) -> Self {
        let number = number.to_big().normalized();
        let (mantissa, scale) = number.as_bigint_and_scale();
        let mantissa = mantissa.to_i128().unwrap();
        let power = 10_i128.checked_pow(scale.unsigned_abs().try_into().unwrap()).unwrap();
        if scale < 0 { Self::from(product(mantissa, power)) } else { Self::new(mantissa, power) }
    }
}

impl Add for Fraction {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let shared = divisor(self.denominator, other.denominator);
        let (left, right) = (other.denominator / shared, self.denominator / shared);
        let sum = product(self.numerator, left) + product(other.numerator, right);
        Self::new(sum, product(self.denominator, left))
    }
}

impl Neg for Fraction {
    type Output = Self;

    fn neg(self) -> Self {
        Self { numerator: -self.numerator, ..self }
    }
}

impl Sub for Fraction {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Fraction {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        // Reduced crosswise, the product of the numerators is the shortest one.
        let left = Self::new(self.numerator, other.denominator);
        let right = Self::new(other.numerator, self.denominator);
        Self {
            numerator: product(left.numerator, right.numerator),
            denominator: product(left.denominator, right.denominator),
        }
    }
}

impl Div for Fraction {
    type Output = Self;

    #[allow(clippy::suspicious_arithmetic_impl, reason = "a division multiplies by the reciprocal")]
    fn div(self, other: Self) -> Self {
        self * Self::new(other.denominator, other.numerator)
    }
}

impl std::iter::Sum for Fraction {
    fn sum<I: Iterator<Item = Self>>(fractions: I) -> Self {
        fractions.fold(Self::ZERO, |sum, fraction| sum + fraction)
    }
}

impl PartialOrd for Fraction {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fraction {
    fn cmp(&self, other: &Self) -> Ordering {
        (*self - *other).numerator.cmp(&0)
    }
}

impl fmt::Debug for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { numerator, denominator } = self;
        let mut places = 0;
        let mut power = 1;
        while power % denominator != 0 && places < 30 {
            (places, power) = (places + 1, power * 10);
        }
        if power % denominator != 0 {
            return write!(f, "{numerator}/{denominator}");
        }
        write!(f, "{}", Decimal::new(product(*numerator, power / denominator), places))
    }
}
