//! Amounts and percentages as a trader expects them: with two decimal places.

use bigdecimal::{BigDecimal, RoundingMode};

use botdesk_trading::rounding::quotient;

/// Rounds an amount to cents.
pub(super) fn cents(amount: &BigDecimal) -> BigDecimal {
    amount.with_scale_round(2, RoundingMode::HalfEven)
}

/// Returns a part of an amount, in hundredths, in cents.
pub(super) fn part_of(amount: &BigDecimal, hundredths: i64) -> BigDecimal {
    cents(&(amount * BigDecimal::new(hundredths.into(), 2)))
}

/// Returns the percentage that a part is of a whole, with two decimal places.
pub(super) fn percent(part: &BigDecimal, whole: &BigDecimal) -> String {
    cents(&quotient(&(part * BigDecimal::from(100)), whole).unwrap_or_default()).to_plain_string()
}
