//! The levels of a grid bot: their distance, their prices, and the order at each of them.

use bigdecimal::{BigDecimal, FromPrimitive, RoundingMode, ToPrimitive, Zero};
use serde::{Deserialize, Serialize};

/// The spacing of the levels of a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Spacing {
    /// Each level is higher than the one before by the same difference.
    #[default]
    Arithmetic,
    /// Each level is higher than the one before by the same factor.
    Geometric,
}

/// A grid between two prices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// The price of the first level.
    pub lower: BigDecimal,
    /// The price of the last level.
    pub upper: BigDecimal,
    /// The number of levels, including both ends.
    pub levels: u32,
    /// The spacing of the levels.
    pub spacing: Spacing,
}

/// The side of the order at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum OrderSide {
    /// A buy order.
    Buy,
    /// A sell order.
    Sell,
}

impl OrderSide {
    /// Returns the side as the service names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Buy => "buy",
            Self::Sell => "sell",
        }
    }
}

/// A level of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The price.
    pub price: BigDecimal,
    /// The side of the order; None at the level closest to the market price.
    pub side: Option<OrderSide>,
}

/// The decimal places that services give a difference of two levels.
const DIFFERENCE_PLACES: i64 = 36;

/// The decimal places that services give a ratio of two levels.
const RATIO_PLACES: i64 = 53;

/// The digits of calculated ratios. They exceed those of the results, so that rounding does not show.
const DIGITS: u64 = 80;

/// The steps of Newton's method. Each doubles the correct digits; the initial float has fifteen.
const NEWTON_STEPS: usize = 5;

impl Grid {
    /// Returns the distance between two adjacent levels: a difference in an arithmetic grid, a ratio in a geometric one.
    ///
    /// Returns None for what is not a grid: fewer than two levels, prices in the wrong order, or a geometric grid from 0.
    pub fn step(&self) -> Option<BigDecimal> {
        let gaps = self.gaps()?;
        let (step, places) = match self.spacing {
            Spacing::Arithmetic => ((&self.upper - &self.lower) / BigDecimal::from(gaps), DIFFERENCE_PLACES),
            Spacing::Geometric => (self.ratio(gaps)?, RATIO_PLACES),
        };
        Some(step.with_scale_round(places, RoundingMode::HalfEven))
    }

    /// Returns the prices of the levels, the lowest first, each rounded to the nearest tick. Returns None for what is not a grid.
    pub fn prices(&self, tick: &BigDecimal) -> Option<Vec<BigDecimal>> {
        let gaps = self.gaps()?;
        let mut prices = match self.spacing {
            Spacing::Arithmetic => self.at_equal_differences(gaps),
            Spacing::Geometric => self.at_equal_ratios(gaps)?,
        };
        prices.push(self.upper.clone());
        Some(prices.into_iter().map(|price| to_nearest_tick(&price, tick)).collect())
    }

    /// Returns the levels at a market price: those above the closest one sell, those below it buy.
    pub fn levels(&self, tick: &BigDecimal, price: &BigDecimal) -> Option<Vec<Level>> {
        let prices = self.prices(tick)?;
        let distance = |at: &BigDecimal| (at - price).abs();
        let nearest = prices.iter().min_by_key(|at| distance(at)).cloned()?;
        let side = |at: &BigDecimal| match at.cmp(&nearest) {
            std::cmp::Ordering::Less => Some(OrderSide::Buy),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(OrderSide::Sell),
        };
        Some(prices.into_iter().map(|price| Level { side: side(&price), price }).collect())
    }

    /// Returns the number of gaps between the levels.
    fn gaps(&self) -> Option<u32> {
        self.levels.checked_sub(1).filter(|gaps| *gaps > 0 && self.lower < self.upper)
    }

    /// Returns the ratio of two levels, to many digits.
    fn ratio(&self, gaps: u32) -> Option<BigDecimal> {
        if self.lower <= BigDecimal::zero() {
            return None;
        }
        root(&(&self.upper / &self.lower), gaps)
    }

    fn at_equal_differences(&self, gaps: u32) -> Vec<BigDecimal> {
        let range = &self.upper - &self.lower;
        // The division comes last, so that rounding errors do not accumulate over the levels.
        (0..gaps).map(|gap| &self.lower + &range * BigDecimal::from(gap) / BigDecimal::from(gaps)).collect()
    }

    fn at_equal_ratios(&self, gaps: u32) -> Option<Vec<BigDecimal>> {
        let ratio = self.ratio(gaps)?;
        let next = |price: &BigDecimal| Some((price * &ratio).with_prec(DIGITS));
        Some(std::iter::successors(Some(self.lower.clone()), next).zip(0..gaps).map(|(price, _)| price).collect())
    }
}

/// Rounds a price to a multiple of the tick; a tie is rounded up.
fn to_nearest_tick(price: &BigDecimal, tick: &BigDecimal) -> BigDecimal {
    if *tick <= BigDecimal::zero() {
        return price.clone();
    }
    (price / tick).with_scale_round(0, RoundingMode::HalfUp) * tick
}

/// Returns the root of a positive number; None if it exceeds the range of a float.
pub(crate) fn root(number: &BigDecimal, degree: u32) -> Option<BigDecimal> {
    let float = number.to_f64().filter(|float| float.is_finite() && *float > 0.0)?;
    let mut guess = BigDecimal::from_f64(float.powf(f64::from(degree).recip()))?;
    for _ in 0..NEWTON_STEPS {
        let away = number / power(&guess, degree - 1) - &guess;
        guess = (guess + away / BigDecimal::from(degree)).with_prec(DIGITS);
    }
    Some(guess)
}

/// Returns a power, to many digits. Squaring makes hundreds of levels cost only a few multiplications.
fn power(base: &BigDecimal, exponent: u32) -> BigDecimal {
    let mut result = BigDecimal::from(1);
    for bit in (0..u32::BITS - exponent.leading_zeros()).rev() {
        result = (&result * &result).with_prec(DIGITS);
        if exponent >> bit & 1 == 1 {
            result = (result * base).with_prec(DIGITS);
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> BigDecimal {
        text.parse().unwrap()
    }

    fn grid(lower: &str, upper: &str, levels: u32, spacing: Spacing) -> Grid {
        Grid { lower: number(lower), upper: number(upper), levels, spacing }
    }

    fn published_arithmetic() -> Grid {
        grid("56000", "70000", 40, Spacing::Arithmetic)
    }

    fn published_geometric() -> Grid {
        grid("0.016352", "0.022503", 81, Spacing::Geometric)
    }

    #[test]
    fn the_published_difference() {
        let step = published_arithmetic().step().unwrap();
        assert_eq!(step.to_plain_string(), "358.974358974358974358974358974358974359");
    }

    #[test]
    fn the_published_levels() {
        let prices = published_arithmetic().prices(&number("0.1")).unwrap();
        let texts: Vec<_> = prices.iter().map(BigDecimal::to_plain_string).collect();
        assert_eq!(texts.len(), 40);
        assert_eq!(texts[..5], ["56000.0", "56359.0", "56717.9", "57076.9", "57435.9"]);
        assert_eq!(texts[39], "70000.0");
    }

    /// The published figure has 53 places, of which the first 38 are those of the exact root.
    #[test]
    fn the_published_ratio() {
        let step = published_geometric().step().unwrap().to_plain_string();
        let published = "1.00399920581210916146041542739112586575949572812639182";
        assert_eq!(step.len(), published.len());
        assert_eq!(step.get(..40), published.get(..40));
        // Worked out with another implementation of decimals.
        assert_eq!(step, "1.00399920581210916146041542739112586575667598187889925");
    }

    #[test]
    fn a_geometric_grid_ends_where_it_should() {
        let prices = published_geometric().prices(&number("0.000001")).unwrap();
        let texts: Vec<_> = prices.iter().map(BigDecimal::to_plain_string).collect();
        assert_eq!((texts.len(), texts[0].as_str(), texts[1].as_str()), (81, "0.016352", "0.016417"));
        assert_eq!(texts[80], "0.022503");
        assert!(prices.is_sorted_by(|left, right| left < right));
    }

    #[test]
    fn a_price_between_two_ticks_goes_to_the_nearest() {
        for (price, rounded) in
            [("57435.897", "57435.9"), ("57435.94", "57435.9"), ("57435.95", "57436.0"), ("57436", "57436.0")]
        {
            assert_eq!(to_nearest_tick(&number(price), &number("0.1")).to_plain_string(), rounded);
        }
        assert_eq!(to_nearest_tick(&number("57435.897"), &number("2.5")), number("57435"));
        assert_eq!(to_nearest_tick(&number("57435.897"), &number("0")), number("57435.897"));
    }

    #[test]
    fn the_nearest_level_has_no_side() {
        let grid = grid("100", "140", 5, Spacing::Arithmetic);
        let sides = |price: &str| {
            let levels = grid.levels(&number("1"), &number(price)).unwrap();
            levels.into_iter().map(|level| level.side).collect::<Vec<_>>()
        };
        let (buy, sell) = (Some(OrderSide::Buy), Some(OrderSide::Sell));
        assert_eq!(sides("121"), [buy, buy, None, sell, sell]);
        assert_eq!(sides("125"), [buy, buy, None, sell, sell]);
        assert_eq!(sides("126"), [buy, buy, buy, None, sell]);
        assert_eq!(sides("1"), [None, sell, sell, sell, sell]);
        assert_eq!(sides("1000"), [buy, buy, buy, buy, None]);
    }

    #[test]
    fn what_is_no_grid_has_no_step_and_no_levels() {
        let wrong = [
            grid("1", "2", 0, Spacing::Arithmetic),
            grid("1", "2", 1, Spacing::Geometric),
            grid("2", "2", 5, Spacing::Arithmetic),
            grid("3", "2", 5, Spacing::Geometric),
            grid("0", "2", 5, Spacing::Geometric),
            grid("-1", "2", 5, Spacing::Geometric),
            grid("1e-200", "1e200", 5, Spacing::Geometric),
        ];
        for grid in wrong {
            assert_eq!((grid.step(), grid.prices(&number("0.1"))), (None, None), "{grid:?}");
        }
    }

    #[test]
    fn two_levels_are_the_ends() {
        for spacing in [Spacing::Arithmetic, Spacing::Geometric] {
            let grid = grid("100.5", "201", 2, spacing);
            assert_eq!(grid.prices(&number("0.5")).unwrap(), [number("100.5"), number("201")]);
        }
        assert_eq!(grid("100.5", "201", 2, Spacing::Geometric).step(), Some(number("2")));
    }

    proptest! {
        #[test]
        fn a_root_to_its_power_is_the_number(number in 1_u64..1_000_000_000_000, degree in 1_u32..1_000) {
            let number = BigDecimal::from(number);
            let again = power(&root(&number, degree).unwrap(), degree);
            let error = ((again - &number) / number).abs();
            prop_assert!(error < BigDecimal::new(1.into(), 70), "{}", error);
        }
    }
}
