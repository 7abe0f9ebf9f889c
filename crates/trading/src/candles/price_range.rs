//! A range of prices, as integers that compare fast.

use std::cmp::Ordering;

use bigdecimal::{RoundingMode, ToPrimitive};

use super::mantissa::Mantissa;
use crate::decimal::{Decimal, power};

/// The prices between two bounds, which are not in the range. The bounds are stored × 10^places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PriceRange {
    lower: i128,
    upper: i128,
}

impl PriceRange {
    /// Returns the range between two prices. Without a bound, no price is too low, or too high.
    pub(super) fn new(lower: Option<&Decimal>, upper: Option<&Decimal>, places: u8) -> Self {
        let (lowest, highest) = i128::LIMITS;
        Self {
            lower: lower.map_or(lowest, |lower| mantissa(lower, places, RoundingMode::Floor)),
            upper: upper.map_or(highest, |upper| mantissa(upper, places, RoundingMode::Ceiling)),
        }
    }

    /// Returns true if a price × 10^places is in the range.
    #[inline]
    pub fn contains(self, price: i128) -> bool {
        self.lower < price && price < self.upper
    }

    /// Returns the bounds as integers of any width.
    #[inline]
    pub(super) fn bounds<T: Mantissa>(self) -> (T, T) {
        (T::saturating(self.lower), T::saturating(self.upper))
    }
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
    match scale.cmp(&places) {
        Ordering::Less => mantissa.checked_mul(power(places - scale)?),
        Ordering::Equal => Some(mantissa),
        Ordering::Greater => {
            let unit = power(scale - places)?;
            let is_up = rounding == RoundingMode::Ceiling && mantissa.rem_euclid(unit) != 0;
            Some(mantissa.div_euclid(unit) + i128::from(is_up))
        }
    }
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

        #[test]
        fn a_range_contains_the_prices_between_its_bounds(
            lower in -2_000_i128..2_000, upper in -2_000_i128..2_000, scale in 0_u8..6, price in -300_i128..300,
            places in 0_u8..4,
        ) {
            let [lower, upper] = [lower, upper].map(|bound| Decimal::new(bound, scale));
            let range = PriceRange::new(Some(&lower), Some(&upper), places);
            let is_between = lower < Decimal::new(price, places) && Decimal::new(price, places) < upper;
            prop_assert_eq!(range.contains(price), is_between);
        }
    }
}
