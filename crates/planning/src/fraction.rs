//! Fees and other fractions of one.

use bigdecimal::{BigDecimal, One, Zero};

use botdesk_schema::input::Fraction;
use botdesk_schema::{decimal, inputs};

inputs! {
    /// The fee of the orders of a plan.
    PlannedFee of "a plan" {
        /// Fee of the exchange as a fraction such as 0.001, or in percent such as `"0.1%"`; the default is none.
        fee: Fraction;
    }
}

/// The highest fraction that is not taken for a percentage without its sign, as a number of decimal places: 0.01.
const PLAUSIBLE_PLACES: i64 = 2;

/// Returns a fraction, at least 0 and below 1, given as a number or as a percentage such as `0.1%`; or the problem of the text.
pub fn parse(text: &str) -> Result<BigDecimal, String> {
    let number = decimal::fraction(text).filter(|number| *number >= BigDecimal::zero() && *number < BigDecimal::one());
    number.ok_or_else(|| {
        let shown = decimal::parse(text).map_or_else(|| text.to_owned(), |number| decimal::shown(&number));
        format!("must be a fraction below 1, such as 0.001 or \"0.1%\", not {shown}")
    })
}

/// Returns the warning about a fraction that may be meant as a percentage, such as a fee of 0.1; None for a text with its sign.
pub fn warning(name: &str, text: &str) -> Option<String> {
    let number = decimal::parse(text).filter(|number| *number > BigDecimal::new(One::one(), PLAUSIBLE_PLACES))?;
    let [given, percent] = [number.clone(), number * 100].map(|number| decimal::shown(&number.normalized()));
    Some(format!("{name}={given} is {percent} %; for {given} %, pass {name}=\"{given}%\""))
}

/// Names the fee of a result, for its title: figures without one are too good.
pub fn fee_text(fee: &BigDecimal) -> String {
    if fee.is_zero() {
        return "without a fee".to_owned();
    }
    format!("fee {} %", decimal::shown(&(fee * 100)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_may_be_a_percentage_is_read_both_ways() {
        assert_eq!(warning("fee", "0.10").as_deref(), Some("fee=0.1 is 10 %; for 0.1 %, pass fee=\"0.1%\""));
        for plain in ["0.01", "0.001", "0", "10%", "0.1 %"] {
            assert_eq!(warning("fee", plain), None, "{plain}");
        }
    }

    #[test]
    fn a_fraction_is_at_least_zero_and_below_one() {
        assert_eq!(parse("0.1%"), parse("0.001"));
        for text in ["1", "100%", "-0.1%", "-1", "0.1 percent"] {
            let problem = parse(text).unwrap_err();
            assert!(problem.starts_with("must be a fraction below 1"), "{problem}");
        }
    }

    #[test]
    fn a_title_names_the_fee() {
        assert_eq!(fee_text(&parse("0.1%").unwrap()), "fee 0.1 %");
        assert_eq!(fee_text(&parse("0.000").unwrap()), "without a fee");
    }
}
