//! The ladder of a DCA bot: where its safety orders lie.

use bigdecimal::{BigDecimal, Zero};

/// How far safety order `number` (1, 2, …) lies from the base order's price, in percent.
///
/// Each step is `coefficient` times as long as the one before: `step × (1 + c + c² + … + c^(number - 1))`.
pub fn deviation(number: u32, step: &BigDecimal, coefficient: &BigDecimal) -> BigDecimal {
    // Horner's scheme.
    (0..number).fold(BigDecimal::zero(), |sum, _| sum * coefficient + step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deviations(step: i64, coefficient: i64) -> Vec<BigDecimal> {
        (1..=3).map(|number| deviation(number, &step.into(), &coefficient.into())).collect()
    }

    #[test]
    fn published_samples() {
        assert_eq!(deviations(1, 4), [1, 5, 21].map(BigDecimal::from));
        assert_eq!(deviations(1, 2), [1, 3, 7].map(BigDecimal::from));
    }

    #[test]
    fn a_bot_without_safety_orders_has_no_deviation() {
        assert_eq!(deviation(0, &1.into(), &2.into()), BigDecimal::zero());
    }
}
