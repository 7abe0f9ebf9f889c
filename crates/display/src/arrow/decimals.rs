//! Decimals in a table: as fixed-point numbers, as text or as floats.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::builder::{Decimal128Builder, Float64Builder};
use arrow_array::{ArrayRef, StringArray};
use arrow_schema::DataType;

use botdesk_schema::values::Choices;

/// The representation of decimals in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decimals {
    /// As decimals with 38 digits, 18 of them after the point.
    #[default]
    Decimal,
    /// As text, with every digit.
    Text,
    /// As floats, with about fifteen digits.
    Float,
}

impl Decimals {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Decimal, Self::Text, Self::Float];

    /// Returns the name in Python.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decimal => "decimal",
            Self::Text => "text",
            Self::Float => "float",
        }
    }

    /// Returns the representation with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decimals| decimals.name() == name)
    }
}

impl Choices for Decimals {
    const VALUES: &'static [&'static str] = &[Self::Decimal.name(), Self::Text.name(), Self::Float.name()];
    const SAMPLE: &'static str = r#""decimal""#;
}

/// The reason why a table does not hold a value exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Issue {
    /// The value is not of its documented type; the table holds null.
    FieldError,
    /// The value has more digits after the point than the column; the table holds it rounded half to even.
    Rounded,
    /// The value has more digits before the point than the column; the table holds null.
    TooLarge,
    /// The value is infinite or not a number; the table holds null.
    NotFinite,
}

impl Issue {
    /// Returns the name of the issue in Python and in the metadata of a column.
    pub fn name(self) -> &'static str {
        match self {
            Self::FieldError => "unreadable",
            Self::Rounded => "rounded",
            Self::TooLarge => "too_large",
            Self::NotFinite => "not_finite",
        }
    }
}

/// The rows of a column that have an issue.
pub type Issues = BTreeMap<Issue, Vec<usize>>;

/// The digits of a decimal column.
const PRECISION: u8 = 38;

/// The digits of a decimal column after the point.
const SCALE: u8 = 18;

/// The largest value of a decimal column, in units of its last digit.
const LARGEST: i128 = 10_i128.pow(PRECISION as u32) - 1;

/// A value of a column, and the issue that it has.
type Converted<T> = (Option<T>, Option<Issue>);

/// Builds a column of decimals, each in a form that [`is_decimal`](botdesk_schema::values::is_decimal) accepts.
pub(super) fn column<S: AsRef<str>>(values: impl Iterator<Item = Option<S>>, decimals: Decimals) -> (ArrayRef, Issues) {
    let mut issues = Issues::new();
    let array: ArrayRef = match decimals {
        Decimals::Text => Arc::new(values.collect::<StringArray>()),
        Decimals::Decimal => {
            let mut builder =
                Decimal128Builder::new().with_data_type(DataType::Decimal128(PRECISION, SCALE.cast_signed()));
            convert(values, fixed_point, &mut issues, |value| builder.append_option(value));
            Arc::new(builder.finish())
        }
        Decimals::Float => {
            let mut builder = Float64Builder::new();
            convert(values, float, &mut issues, |value| builder.append_option(value));
            Arc::new(builder.finish())
        }
    };
    (array, issues)
}

fn convert<S: AsRef<str>, T>(
    values: impl Iterator<Item = Option<S>>,
    convert: impl Fn(&str) -> Converted<T>,
    issues: &mut Issues,
    mut append: impl FnMut(Option<T>),
) {
    for (row, value) in values.enumerate() {
        let (value, issue) = value.map_or((None, None), |value| convert(value.as_ref()));
        if let Some(issue) = issue {
            issues.entry(issue).or_default().push(row);
        }
        append(value);
    }
}

/// Converts a decimal to a float. A finite decimal never becomes infinite.
fn float(text: &str) -> Converted<f64> {
    match text.parse::<f64>() {
        Ok(value) if value.is_infinite() && !text.ends_with("Infinity") => (None, Some(Issue::TooLarge)),
        Ok(value) => (Some(value), None),
        Err(_) => (None, Some(Issue::FieldError)),
    }
}

/// Converts a decimal to units of a column's last digit, rounded half to even.
fn fixed_point(text: &str) -> Converted<i128> {
    let unsigned = text.trim_start_matches(['-', '+']);
    if matches!(unsigned, "Infinity" | "NaN") {
        return (None, Some(Issue::NotFinite));
    }
    let Some((digits, kept)) = digits(unsigned) else {
        return (None, Some(Issue::FieldError));
    };
    let Some((magnitude, is_exact)) = round(digits, kept) else {
        return (None, Some(Issue::TooLarge));
    };
    let value = if text.starts_with('-') { -magnitude } else { magnitude };
    (Some(value), (!is_exact).then_some(Issue::Rounded))
}

/// Splits an unsigned decimal into its digits and the number of them that the column keeps, which may be negative.
fn digits(unsigned: &str) -> Option<(impl Iterator<Item = u8>, i64)> {
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.parse().ok()?;
    let kept = i64::try_from(whole.len()).ok()?.checked_add(exponent)?.checked_add(SCALE.into())?;
    Some((whole.bytes().chain(fraction.bytes()).map(|digit| digit & 0xF), kept))
}

/// Rounds a number to the digits that are kept, and returns it with true if nothing was lost; None if the column has no room
/// for it.
fn round(mut digits: impl Iterator<Item = u8>, kept: i64) -> Option<(i128, bool)> {
    let mut value = 0;
    let mut missing = kept;
    while missing > 0 {
        // Zeros past the last digit, which the exponent stands for, do not change a zero.
        let digit = digits.next();
        if digit.is_none() && value == 0 {
            break;
        }
        value = append_digit(value, digit.unwrap_or(0))?;
        missing -= 1;
    }
    // A number far below the last digit that is kept begins with zeros that are not among its digits.
    let first = if kept < 0 { 0 } else { digits.next().unwrap_or(0) };
    let has_rest = digits.any(|digit| digit != 0);
    let is_above_half = first > 5 || (first == 5 && (has_rest || value % 2 == 1));
    let value = if is_above_half { value + 1 } else { value };
    (value <= LARGEST).then_some((value, first == 0 && !has_rest))
}

fn append_digit(value: i128, digit: u8) -> Option<i128> {
    let value = value.checked_mul(10)?.checked_add(digit.into())?;
    (value <= LARGEST).then_some(value)
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use bigdecimal::{BigDecimal, RoundingMode};
    use proptest::prelude::*;

    use super::*;
    use botdesk_schema::values::is_decimal;

    const LARGEST_TEXT: &str = "99999999999999999999.999999999999999999";

    #[test]
    fn a_decimal_that_fits_is_kept_exactly() {
        for (text, units) in [
            ("0", 0),
            ("-0.0", 0),
            ("+1", 1_000_000_000_000_000_000),
            ("363.58", 363_580_000_000_000_000_000),
            ("-1e-18", -1),
            ("1.5E+3", 1_500_000_000_000_000_000_000),
            ("0.1000000000000000000000000", 100_000_000_000_000_000),
            ("000000000000000000000000000000000000000000000001", 1_000_000_000_000_000_000),
            ("0e99999999999999999", 0),
            ("0.00e-99999999999999999", 0),
            (LARGEST_TEXT, LARGEST),
        ] {
            assert_eq!(fixed_point(text), (Some(units), None), "{text}");
        }
    }

    #[test]
    fn a_decimal_with_more_places_is_rounded_half_to_even() {
        for (text, units) in [
            ("1.0000000000000000005", 1_000_000_000_000_000_000),
            ("1.0000000000000000015", 1_000_000_000_000_000_002),
            ("-1.0000000000000000015", -1_000_000_000_000_000_002),
            ("1.00000000000000000050001", 1_000_000_000_000_000_001),
            ("5e-19", 0),
            ("15e-19", 2),
            ("0.6e-18", 1),
            ("9e-20", 0),
            ("-1e-400", 0),
            ("1e-99999999999999999", 0),
        ] {
            assert_eq!(fixed_point(text), (Some(units), Some(Issue::Rounded)), "{text}");
        }
    }

    #[test]
    fn a_decimal_that_is_too_large_is_null() {
        for text in ["1e20", "-100000000000000000000", "1e400", "1e99999999999999999", "1.0e99999999999999999"] {
            assert_eq!(fixed_point(text), (None, Some(Issue::TooLarge)), "{text}");
        }
        assert_eq!(fixed_point(&format!("{LARGEST_TEXT}5")), (None, Some(Issue::TooLarge)));
    }

    #[test]
    fn a_value_that_is_not_finite_is_null() {
        for text in ["Infinity", "-Infinity", "+Infinity", "NaN", "-NaN"] {
            assert_eq!(fixed_point(text), (None, Some(Issue::NotFinite)), "{text}");
        }
    }

    #[test]
    fn a_finite_decimal_never_becomes_an_infinite_float() {
        assert_eq!(float("1e400"), (None, Some(Issue::TooLarge)));
        assert_eq!(float("-Infinity"), (Some(f64::NEG_INFINITY), None));
        assert_eq!(float("0.1"), (Some(0.1), None));
    }

    proptest! {
        #[test]
        fn decimals_are_rounded_like_an_arbitrary_precision_library_does(
            text in r"[-+]?[0-9]{1,30}(\.[0-9]{1,40})?([eE][-+]?[0-9]{1,2})?"
        ) {
            prop_assert!(is_decimal(&text));
            let exact = BigDecimal::from_str(&text).unwrap();
            let rounded = exact.with_scale_round(SCALE.into(), RoundingMode::HalfEven);
            let units = i128::from_str(&(rounded.clone() * BigDecimal::new(1.into(), -i64::from(SCALE))).with_scale(0).to_string());
            let expected = match units {
                Ok(units) if units.abs() <= LARGEST => (Some(units), (rounded != exact).then_some(Issue::Rounded)),
                _ => (None, Some(Issue::TooLarge)),
            };
            prop_assert_eq!(fixed_point(&text), expected);
        }
    }
}
