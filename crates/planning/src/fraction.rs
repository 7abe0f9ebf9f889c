//! Fees and other fractions of one.

use bigdecimal::{BigDecimal, One, Zero};

/// The problem of a number that is not a fraction.
pub const PROBLEM: &str = "must be a fraction below 1, such as 0.001 for 0.1 %";

/// Returns true if a number is at least 0 and below 1.
pub fn is_fraction(number: &BigDecimal) -> bool {
    *number >= BigDecimal::zero() && *number < BigDecimal::one()
}
