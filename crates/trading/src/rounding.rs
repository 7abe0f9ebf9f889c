//! Rounding to a pair's tick and lot, and divisions without visible rounding errors.

use bigdecimal::{BigDecimal, Zero};

/// The correct digits of a quotient. A division returns more, and the last of them have its rounding error.
const DIGITS: u64 = 80;

/// Divides two numbers, to many digits; returns None if the divisor is 0.
pub fn quotient(dividend: &BigDecimal, divisor: &BigDecimal) -> Option<BigDecimal> {
    // Without its last digits, a multiple of a tick is not mistaken for slightly more than that.
    (!divisor.is_zero()).then(|| to_digits(&(dividend / divisor), DIGITS))
}

/// Rounds a number to this many digits, without trailing zeros.
pub fn to_digits(number: &BigDecimal, digits: u64) -> BigDecimal {
    if number.digits() > digits { number.with_prec(digits).normalized() } else { number.normalized() }
}

/// Returns the largest multiple of `unit` up to the number; without a unit the number itself.
pub fn down(number: &BigDecimal, unit: Option<&BigDecimal>) -> BigDecimal {
    -up(&-number, unit)
}

/// Returns the smallest multiple of `unit` from the number on; without a unit the number itself.
pub fn up(number: &BigDecimal, unit: Option<&BigDecimal>) -> BigDecimal {
    let Some(unit) = unit.filter(|unit| **unit > BigDecimal::zero()) else {
        return number.clone();
    };
    let past = number % unit;
    let towards_zero = (number - &past).with_scale(unit.fractional_digit_count().max(0));
    if past > BigDecimal::zero() { towards_zero + unit } else { towards_zero }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> BigDecimal {
        text.parse().unwrap()
    }

    fn rounded(text: &str, unit: &str) -> (String, String) {
        let unit = number(unit);
        let both = [down(&number(text), Some(&unit)), up(&number(text), Some(&unit))];
        let [down, up] = both.map(|number| number.to_plain_string());
        (down, up)
    }

    #[test]
    fn a_number_lies_between_two_ticks() {
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
        assert_eq!((down(&price, None), up(&price, None)), (price.clone(), price.clone()));
        assert_eq!(up(&price, Some(&BigDecimal::zero())), price);
    }

    #[test]
    fn a_third_of_a_number_taken_three_times_is_no_more_than_the_number() {
        let third = quotient(&1.into(), &3.into()).unwrap();
        let whole = quotient(&1.into(), &third).unwrap();
        assert_eq!(whole, BigDecimal::from(3));
        assert_eq!(quotient(&1.into(), &0.into()), None);
    }

    proptest! {
        #[test]
        fn a_rounded_number_is_a_multiple_less_than_a_unit_away(
            units in -1_000_000_i64..1_000_000, scale in 0_i64..9, unit in 1_i64..1_000, unit_scale in 0_i64..6,
        ) {
            let (number, unit) = (BigDecimal::new(units.into(), scale), BigDecimal::new(unit.into(), unit_scale));
            let (down, up) = (down(&number, Some(&unit)), up(&number, Some(&unit)));
            prop_assert!((&down % &unit).is_zero() && (&up % &unit).is_zero());
            prop_assert!(down <= number && number <= up);
            prop_assert!(&number - &down < unit && &up - &number < unit);
        }
    }
}
