//! Exact arithmetic on decimals. Limits keep a malicious exponent from exhausting the memory.

use std::str::FromStr;

use bigdecimal::BigDecimal;
use serde_json::{Number, Value};

/// The maximum number of digits, and the largest exponent, of a decimal to calculate with.
const MAX_DIGITS: usize = 1_000;

/// Parses a number in JSON's syntax.
pub fn parse(text: &str) -> Option<BigDecimal> {
    let exponent = text.split_once(['e', 'E']).map_or("0", |(_, exponent)| exponent);
    let bounded = i64::from_str(exponent).is_ok_and(|exponent| exponent.unsigned_abs() <= MAX_DIGITS as u64);
    if text.len() > MAX_DIGITS || !bounded || !is_json_number(text) {
        return None;
    }
    BigDecimal::from_str(text).ok()
}

/// Parses a fraction: a number, or a percentage such as `0.1%`.
pub fn fraction(text: &str) -> Option<BigDecimal> {
    match text.strip_suffix('%') {
        Some(percent) => parse(percent.trim_end()).map(|number| number * BigDecimal::new(1.into(), 2)),
        None => parse(text),
    }
}

/// Returns the number in a JSON value, which may be a number or a string.
pub fn of(value: &Value) -> Option<BigDecimal> {
    match value {
        Value::String(text) => parse(text),
        Value::Number(number) => parse(&number.to_string()),
        _ => None,
    }
}

/// Returns the number without an exponent. A number that has none keeps every character.
pub fn plain(text: &str) -> Option<String> {
    let number = parse(text)?;
    if !text.contains(['e', 'E']) {
        return Some(text.to_owned());
    }
    // A scale below 0 would write a zero such as `0e1` as `00`.
    let scale = number.fractional_digit_count().max(0);
    Some(number.with_scale(scale).to_plain_string())
}

/// Returns the number as a JSON number without an exponent.
pub fn plain_number(text: &str) -> Option<Number> {
    plain(text)?.parse().ok()
}

/// Formats a number for a message: without trailing zeros, and cut if it is long.
pub fn shown(number: &BigDecimal) -> String {
    const MAX_CHARS: usize = 80;
    number.normalized().to_plain_string().chars().take(MAX_CHARS).collect()
}

/// Returns the next number with few decimals, away from zero.
pub fn rounded_up(number: &BigDecimal) -> BigDecimal {
    const PLACES: i64 = 8;
    if number.fractional_digit_count() <= PLACES {
        return number.clone();
    }
    number.with_scale_round(PLACES, bigdecimal::RoundingMode::Up)
}

/// Parses a constant of this crate.
pub fn constant(text: &'static str) -> BigDecimal {
    BigDecimal::from_str(text).unwrap_or_default()
}

fn is_json_number(text: &str) -> bool {
    serde_json::from_str::<serde_json::Number>(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_digits_are_kept_and_an_exponent_is_expanded() {
        assert_eq!(plain("1.50").as_deref(), Some("1.50"));
        assert_eq!(plain("-1.5e-7").as_deref(), Some("-0.00000015"));
        assert_eq!(plain("1E+3").as_deref(), Some("1000"));
        assert_eq!(plain("0e1").as_deref(), Some("0"));
    }

    #[test]
    fn a_fraction_may_be_a_percentage() {
        for (text, number) in
            [("0.1%", "0.001"), ("0.1 %", "0.001"), ("7%", "0.07"), ("0.02", "0.02"), ("1e-3", "0.001")]
        {
            assert_eq!(fraction(text), parse(number), "{text}");
        }
        for text in ["%", "1%%", "% 1", "1 percent", ""] {
            assert_eq!(fraction(text), None, "{text}");
        }
    }

    #[test]
    fn a_message_shows_a_number_in_few_digits() {
        assert_eq!(shown(&parse("7.000").unwrap()), "7");
        assert_eq!(shown(&parse("100").unwrap()), "100");
        assert_eq!(shown(&parse(&"9".repeat(300)).unwrap()).len(), 80);
    }

    #[test]
    fn a_number_is_rounded_away_from_zero() {
        assert_eq!(rounded_up(&parse("1.123456781").unwrap()), parse("1.12345679").unwrap());
        assert_eq!(rounded_up(&parse("1.5").unwrap()), parse("1.5").unwrap());
    }

    #[test]
    fn other_strings_are_not_decimals() {
        for text in ["", " 1", "1,5", "NaN", "Infinity", "+1", "0x10", "1_000", "1e9999999", "1e99999999999999999999"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
