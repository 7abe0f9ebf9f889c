//! Numbers in the cells of tables.

/// The mark of digits that are not shown.
pub(crate) const CUT: char = '…';

/// Returns true if a string is a number, which may be a percentage, or cut.
pub(crate) fn is_number(text: &str) -> bool {
    let text = text.strip_suffix('%').unwrap_or(text);
    text.strip_suffix(CUT).unwrap_or(text).parse::<f64>().is_ok()
}

/// Returns true if a string is a number as people write it: with commas between thousands, or a space before the percent sign.
pub(crate) fn is_written_number(text: &str) -> bool {
    is_number(&text.replace(',', "").replace(" %", "%"))
}

/// Returns true if a string is a number below zero, and no percentage.
pub(crate) fn is_below_zero(text: &str) -> bool {
    text.starts_with('-') && !text.ends_with('%') && is_written_number(text)
}

/// Returns true if a number is cut.
pub(crate) fn is_cut(text: &str) -> bool {
    text.strip_suffix('%').unwrap_or(text).ends_with(CUT) && is_number(text)
}

/// Cuts a number after some decimal places and marks it; returns None if it is not longer. No digit is rounded, and a number close
/// to zero keeps its first digit that is not zero.
pub(crate) fn cut(text: &str, places: usize) -> Option<String> {
    let (number, percent) = text.strip_suffix('%').map_or((text, ""), |number| (number, "%"));
    let (whole, fraction) = number.split_once('.')?;
    let digits = fraction.strip_suffix(CUT).unwrap_or(fraction);
    let integer = whole.strip_prefix('-').unwrap_or(whole);
    if !are_digits(integer) || !are_digits(digits) {
        return None;
    }
    let is_zero = integer.bytes().all(|digit| digit == b'0');
    let first = digits.bytes().position(|digit| digit != b'0').filter(|_| is_zero).map_or(0, |zeros| zeros + 1);
    let kept = digits.get(..places.max(first)).filter(|kept| kept.len() < digits.len())?;
    let point = if kept.is_empty() { "" } else { "." };
    Some(format!("{whole}{point}{kept}{CUT}{percent}"))
}

fn are_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_long_fraction_is_cut_and_marked() {
        for (text, places, expected) in [
            ("14.69866435849902205507", 6, "14.698664…"),
            ("-14.5", 0, "-14…"),
            ("2.1234%", 2, "2.12…%"),
            ("0.999…", 2, "0.99…"),
            ("5.0001", 2, "5.00…"),
        ] {
            assert_eq!(cut(text, places).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_number_close_to_zero_does_not_look_like_zero() {
        assert_eq!(cut("-0.0000330980633289966", 2).as_deref(), Some("-0.00003…"));
        assert_eq!(cut("0.00001", 2), None);
        assert_eq!(cut("0.0000", 2).as_deref(), Some("0.00…"));
    }

    #[test]
    fn other_strings_are_not_cut() {
        for text in ["", "14", "1.25", "1E-30", "10.0.0.1", "v1.2345678", "1.2345x78", ".123456", "1.", "١.٢٣٤٥"] {
            assert_eq!(cut(text, 2), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_shown_are_the_first_digits(number in "-?[0-9]{1,9}\\.[0-9]{1,30}", places in 0_usize..40) {
            if let Some(shown) = cut(&number, places) {
                prop_assert!(number.starts_with(shown.trim_end_matches(CUT)));
                prop_assert!(is_number(&shown));
            }
        }
    }
}
