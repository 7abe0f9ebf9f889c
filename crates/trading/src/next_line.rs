//! The line that joins a grid when the price leaves its range.

use std::cmp::Ordering;

use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, FromPrimitive as _};

use crate::decimal::Decimal;
use crate::grid::{Spacing, root};
use crate::rounding::quotient;

/// The bounds of a grid, and the distance of its lines.
pub(crate) struct GridBounds<'a> {
    pub(crate) lower: &'a Decimal,
    pub(crate) upper: &'a Decimal,
    /// The number of gaps between the lines.
    pub(crate) gaps: u32,
    pub(crate) spacing: Spacing,
}

/// The numbers of ticks in a price that a float still represents to the tick.
const MOST_TICKS_OF_FLOAT: f64 = 1e12;

/// The most ticks by which an estimate may be off.
const MOST_CORRECTIONS: u32 = 16;

impl GridBounds<'_> {
    /// Returns the price one step above the highest line, rounded down to the tick; None if there is none above it.
    pub(crate) fn above(&self, highest: &Decimal, tick: &Decimal) -> Option<Decimal> {
        let price = match self.spacing {
            Spacing::Arithmetic => (highest * Decimal::from(self.gaps) + self.range())
                .div_round_down(&Decimal::from(self.gaps), Some(tick))?,
            Spacing::Geometric => self.geometric(highest, tick, true)?,
        };
        (tick.is_positive() && price > *highest).then_some(price)
    }

    /// Returns the price one step below the lowest line, rounded up to the tick; None if there is none below it.
    pub(crate) fn below(&self, lowest: &Decimal, tick: &Decimal) -> Option<Decimal> {
        let price = match self.spacing {
            Spacing::Arithmetic => (lowest * Decimal::from(self.gaps) - self.range())
                .div_round_up(&Decimal::from(self.gaps), Some(tick))?,
            Spacing::Geometric => self.geometric(lowest, tick, false)?,
        };
        (tick.is_positive() && price.is_positive() && price < *lowest).then_some(price)
    }

    fn range(&self) -> Decimal {
        self.upper - self.lower
    }

    /// Returns the highest multiple of the tick that is not above a line times the ratio of the grid, or the lowest one that is not
    /// below the line divided by it. The estimate may be off by some ticks; the comparison with it is exact.
    fn geometric(&self, line: &Decimal, tick: &Decimal, is_up: bool) -> Option<Decimal> {
        if !(tick.is_positive() && self.lower.is_positive() && self.lower < self.upper && self.gaps > 0) {
            return None;
        }
        let towards_grid = if is_up { -tick } else { tick.clone() };
        let mut price = self.estimate(line, tick, is_up)?;
        for _ in 0..MOST_CORRECTIONS {
            let outside = &price - &towards_grid;
            if self.is_beyond(&price, line, is_up) {
                price += towards_grid.clone();
            } else if self.is_beyond(&outside, line, is_up) {
                return Some(price);
            } else {
                price = outside;
            }
        }
        None
    }

    fn estimate(&self, line: &Decimal, tick: &Decimal, is_up: bool) -> Option<Decimal> {
        let ratio = self.upper.to_f64() / self.lower.to_f64();
        let exponent = f64::from(self.gaps).recip();
        let ticks = line.to_f64() * ratio.powf(if is_up { exponent } else { -exponent }) / tick.to_f64();
        if ticks < MOST_TICKS_OF_FLOAT {
            return Some(Decimal::from(BigDecimal::from_f64(ticks.floor())?) * tick);
        }
        let ratio = root(&quotient(&self.upper.to_big(), &self.lower.to_big())?, self.gaps)?;
        let next = if is_up { line.to_big() * ratio } else { quotient(&line.to_big(), &ratio)? };
        Some(Decimal::from(next).round_down_to(Some(tick)))
    }

    /// Returns true if a price is further from the grid than one step beyond a line.
    ///
    /// With the ratio `(upper / lower)^(1 / gaps)`, that is `price^gaps * lower > line^gaps * upper` above the grid.
    fn is_beyond(&self, price: &Decimal, line: &Decimal, is_up: bool) -> bool {
        let scale = [price, line, self.lower, self.upper].map(|number| i64::from(number.places())).into_iter().max();
        let integer =
            |number: &Decimal| number.to_big().with_scale(scale.unwrap_or_default()).into_bigint_and_exponent().0;
        let [price, line, lower, upper] = [price, line, self.lower, self.upper].map(integer);
        let product = |base: BigInt, factor: BigInt| base.pow(self.gaps) * factor;
        if is_up {
            product(price, lower).cmp(&product(line, upper)) == Ordering::Greater
        } else {
            product(price, upper).cmp(&product(line, lower)) == Ordering::Less
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    fn next(lower: &str, upper: &str, gaps: u32, spacing: Spacing, tick: &str) -> [Option<String>; 2] {
        let (lower, upper, tick) = (number(lower), number(upper), number(tick));
        let bounds = GridBounds { lower: &lower, upper: &upper, gaps, spacing };
        [bounds.above(&upper, &tick), bounds.below(&lower, &tick)]
            .map(|price| price.map(|price| price.normalized().to_string()))
    }

    #[test]
    fn a_line_joins_one_step_beyond_the_end_rounded_towards_the_grid() {
        let some = |[above, below]: [&str; 2]| [Some(above.to_owned()), Some(below.to_owned())];
        assert_eq!(next("0.016287", "0.022414", 80, Spacing::Geometric, "0.000001")[0], Some("0.022503".to_owned()));
        assert_eq!(next("100", "400", 2, Spacing::Geometric, "0.01"), some(["800", "50"]));
        assert_eq!(next("100", "200", 3, Spacing::Arithmetic, "0.1"), some(["233.3", "66.7"]));
    }

    #[test]
    fn no_line_joins_within_a_tick_or_at_zero() {
        assert_eq!(next("100", "101", 4, Spacing::Arithmetic, "0.5"), [None, None]);
        assert_eq!(next("100", "200", 1, Spacing::Arithmetic, "1"), [Some("300".to_owned()), None]);
        assert_eq!(next("100", "200", 1, Spacing::Geometric, "0"), [None, None]);
    }

    #[test]
    fn a_price_of_more_digits_than_a_float_has_is_exact() {
        let [above, below] =
            next("100000000000000000000.01", "400000000000000000000.04", 2, Spacing::Geometric, "0.01");
        assert_eq!(
            (above.as_deref(), below.as_deref()),
            (Some("800000000000000000000.08"), Some("50000000000000000000.01"))
        );
    }

    proptest! {
        #[test]
        fn an_exact_power_is_reached(lower in 1_u32..1_000, ratio in 2_u32..5, gaps in 1_u32..20) {
            let upper = BigDecimal::from(lower) * BigDecimal::from(BigInt::from(ratio).pow(gaps));
            let (lower, upper) = (Decimal::from(i64::from(lower)), Decimal::from(upper));
            let bounds = GridBounds { lower: &lower, upper: &upper, gaps, spacing: Spacing::Geometric };
            prop_assert_eq!(bounds.above(&upper, &Decimal::ONE), Some(&upper * Decimal::from(ratio)));
        }
    }
}
