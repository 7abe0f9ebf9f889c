//! Divisions without visible rounding errors.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_a_number_taken_three_times_is_no_more_than_the_number() {
        let third = quotient(&1.into(), &3.into()).unwrap();
        let whole = quotient(&1.into(), &third).unwrap();
        assert_eq!(whole, BigDecimal::from(3));
        assert_eq!(quotient(&1.into(), &0.into()), None);
    }
}
