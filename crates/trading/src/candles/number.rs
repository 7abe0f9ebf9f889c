//! Numbers as an integer and a scale, read from their text.

use crate::decimal::{MAX_SCALE, power};

/// The largest mantissa: 38 digits, as many as a decimal of Arrow has.
pub(super) const LARGEST: i128 = 10_i128.pow(MAX_SCALE as u32) - 1;

/// A decimal number: `mantissa` ÷ 10^`scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The digits.
    pub mantissa: i128,
    /// The number of digits after the decimal point; at most 38.
    pub scale: u8,
}

/// The reason why a text is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// The text is not a finite decimal.
    Invalid,
    /// The number has more than 38 digits before or after the decimal point.
    TooLong,
}

impl NumberError {
    /// Returns the reason, to follow the text.
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::Invalid => "is not a number",
            Self::TooLong => TOO_LONG,
        }
    }
}

/// The reason why a number is refused that is too long, alone or at the scale of the others.
pub(super) const TOO_LONG: &str =
    "has too many digits: all prices need to fit into 38, at their smallest decimal place";

impl Number {
    /// Reads a decimal such as `"61000.5"` or `"1E-8"`. Trailing zeros after the decimal point are dropped.
    pub fn parse(text: &str) -> Result<Self, NumberError> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text).as_bytes();
        let (digits, exponent) = split_once(unsigned, |byte| matches!(byte, b'e' | b'E'));
        let (whole, fraction) = split_once(digits, |byte| byte == b'.');
        let fraction = fraction.unwrap_or_default();
        if whole.is_empty() && fraction.is_empty() {
            return Err(NumberError::Invalid);
        }
        let exponent = exponent.map_or(Ok(0), parse_exponent)?;
        let magnitude = unsigned_number(whole.iter().chain(fraction), exponent - signed(fraction.len()))?;
        Ok(if text.starts_with('-') { Self { mantissa: -magnitude.mantissa, ..magnitude } } else { magnitude })
    }
}

/// Returns the number of these digits × 10^`exponent`.
fn unsigned_number<'a>(digits: impl Iterator<Item = &'a u8>, exponent: i64) -> Result<Number, NumberError> {
    let (mut mantissa, mut zeros, mut is_too_long) = (0_i128, 0_u32, false);
    for digit in digits {
        match digit {
            // Zeros count only once a digit follows them.
            b'0' => zeros += 1,
            b'1'..=b'9' => {
                let unit = u8::try_from(zeros + 1).ok().and_then(power);
                let shifted = unit.and_then(|unit| mantissa.checked_mul(unit));
                let appended = if mantissa == 0 { Some(0) } else { shifted };
                let appended = appended.and_then(|shifted| shifted.checked_add(i128::from(digit - b'0')));
                is_too_long |= appended.is_none();
                (mantissa, zeros) = (appended.unwrap_or(0), 0);
            }
            _ => return Err(NumberError::Invalid),
        }
    }
    if is_too_long {
        return Err(NumberError::TooLong);
    }
    at_exponent(mantissa, exponent + i64::from(zeros)).ok_or(NumberError::TooLong)
}

fn at_exponent(mantissa: i128, exponent: i64) -> Option<Number> {
    if mantissa == 0 {
        return Some(Number { mantissa, scale: 0 });
    }
    let (mantissa, scale) = match u8::try_from(exponent) {
        Ok(exponent) => (mantissa.checked_mul(power(exponent)?)?, 0),
        Err(_) => (mantissa, u8::try_from(exponent.checked_neg()?).ok()?),
    };
    (mantissa <= LARGEST && scale <= MAX_SCALE).then_some(Number { mantissa, scale })
}

/// Splits at the first byte that matches.
fn split_once(bytes: &[u8], matches: impl Fn(u8) -> bool) -> (&[u8], Option<&[u8]>) {
    let mut parts = bytes.splitn(2, |byte| matches(*byte));
    (parts.next().unwrap_or_default(), parts.next())
}

/// Reads an exponent; one that is too long for an `i32` stands for any other that is too large.
fn parse_exponent(bytes: &[u8]) -> Result<i64, NumberError> {
    let digits = bytes.strip_prefix(b"-").or_else(|| bytes.strip_prefix(b"+")).unwrap_or(bytes);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NumberError::Invalid);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| NumberError::Invalid)?;
    let largest = if bytes.starts_with(b"-") { i32::MIN } else { i32::MAX };
    Ok(text.parse().unwrap_or(largest).into())
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use bigdecimal::BigDecimal;
    use proptest::prelude::*;

    use super::*;

    fn parsed(text: &str) -> (i128, u8) {
        let number = Number::parse(text).unwrap();
        (number.mantissa, number.scale)
    }

    #[test]
    fn a_number_has_the_digits_of_its_text() {
        for (text, expected) in [
            ("61000.5", (610_005, 1)),
            ("0.00000001", (1, 8)),
            ("1E-8", (1, 8)),
            ("1.50", (15, 1)),
            ("100", (100, 0)),
            ("1e2", (100, 0)),
            ("-1.25", (-125, 2)),
            ("+.5", (5, 1)),
            ("5.", (5, 0)),
            ("0", (0, 0)),
            ("-0.000e999999999999", (0, 0)),
            ("99999999999999999999.999999999999999999", (LARGEST, 18)),
            ("00000000000000000000000000000000000000000000000012", (12, 0)),
        ] {
            assert_eq!(parsed(text), expected, "{text}");
        }
    }

    #[test]
    fn a_text_that_is_not_a_number_is_refused() {
        for text in [
            "", "-", ".", "e5", "1e", "1e+", "NaN", "inf", "Infinity", "1 ", "1_000", "1,5", "0x1", "1.2.3", "1e5.0",
            "٣",
        ] {
            assert_eq!(Number::parse(text), Err(NumberError::Invalid), "{text}");
        }
    }

    #[test]
    fn a_number_that_is_too_long_is_refused() {
        for text in ["1e38", "1e-39", "1e999999999999", "1e-99999999999", "123456789012345678901234567890123456789.1"] {
            assert_eq!(Number::parse(text), Err(NumberError::TooLong), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_what_another_library_reads(text in r"[-+]?[0-9]{1,18}(\.[0-9]{1,12})?([eE][-+]?[0-7])?") {
            let number = Number::parse(&text).unwrap();
            prop_assert_eq!(BigDecimal::new(number.mantissa.into(), number.scale.into()), text.parse::<BigDecimal>().unwrap());
            prop_assert!(number.scale == 0 || number.mantissa % 10 != 0);
        }
    }
}
