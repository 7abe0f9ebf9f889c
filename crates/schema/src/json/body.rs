//! Decodes the body of a response with any bytes.

/// The byte order mark that some servers send before a UTF-8 body.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The maximum number of bytes of a body that become escapes. A body with more of them is not JSON with a few corrupted strings.
const MAX_ESCAPES: usize = 64 * 1024;

/// Decodes a body, without a byte order mark.
///
/// In a body that starts like JSON, a byte that is not UTF-8 becomes an escaped half of a surrogate pair, `\udc80` to `\udcff`,
/// as in Python's error handler `surrogateescape`. Only the string with that byte is then unreadable, and its bytes can be
/// restored. In any other body the byte becomes U+FFFD.
pub fn text_of(mut body: Vec<u8>) -> String {
    let mark = body.len() - without_byte_order_mark(&body).len();
    body.drain(..mark);
    String::from_utf8(body).unwrap_or_else(|error| {
        let is_json = matches!(error.as_bytes().trim_ascii_start().first(), Some(b'{' | b'[' | b'"'));
        if is_json { escaped(error.as_bytes()) } else { replaced(error.into_bytes()) }
    })
}

/// Replaces what is not UTF-8 with U+FFFD. In a body with many such bytes, every byte becomes one character, so that the body
/// does not grow.
fn replaced(mut body: Vec<u8>) -> String {
    if body.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count() <= MAX_ESCAPES {
        return String::from_utf8_lossy(&body).into_owned();
    }
    body.iter_mut().filter(|byte| !byte.is_ascii()).for_each(|byte| *byte = b'?');
    String::from_utf8(body).unwrap_or_default()
}

/// Returns a body without its byte order mark.
pub fn without_byte_order_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix(BYTE_ORDER_MARK).unwrap_or(body)
}

fn escaped(body: &[u8]) -> String {
    use std::fmt::Write as _;

    let mut text = String::with_capacity(body.len());
    let mut escapes = 0;
    for chunk in body.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            escapes += 1;
            if escapes > MAX_ESCAPES {
                // An incomplete body is not JSON.
                return text;
            }
            if takes_an_escape(&text) {
                // Writing to a string can't fail.
                let _ = write!(text, "\\udc{byte:02x}");
            } else {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
    }
    text
}

/// Returns true if an escape can follow this text: no backslash before it changes its first character, and no half of a pair
/// before it combines with it.
fn takes_an_escape(text: &str) -> bool {
    let is_escaped = |text: &str| text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
    let first_half = text.len().checked_sub("\\ud800".len()).and_then(|at| text.split_at_checked(at));
    let joins = first_half.is_some_and(|(before, escape)| {
        let unit = escape.strip_prefix("\\u").and_then(|digits| u16::from_str_radix(digits, 16).ok());
        unit.is_some_and(|unit| (0xD800..0xDC00).contains(&unit)) && !is_escaped(before)
    });
    !is_escaped(text) && !joins
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn text(body: &[u8]) -> String {
        text_of(body.to_vec())
    }

    #[test]
    fn a_byte_order_mark_is_removed() {
        assert_eq!(text(b"\xEF\xBB\xBF[1]"), "[1]");
        assert_eq!(text(b"[\"\xEF\xBB\xBF\"]"), "[\"\u{feff}\"]");
    }

    #[test]
    fn a_byte_that_is_not_utf_8_becomes_an_escape() {
        assert_eq!(text(b"[\"caf\xE9\"]"), r#"["caf\udce9"]"#);
        assert_eq!(text(b"[\"\xF0\x9F\"]"), r#"["\udcf0\udc9f"]"#);
        assert_eq!(text(b"[\"\\\\\xE9\"]"), r#"["\\\udce9"]"#);
    }

    #[test]
    fn a_body_that_is_not_json_loses_its_invalid_utf_8() {
        assert_eq!(text(b"caf\xE9"), "caf\u{fffd}");
        assert_eq!(text(&vec![0xFF; MAX_ESCAPES + 1]), "?".repeat(MAX_ESCAPES + 1));
    }

    #[test]
    fn a_body_with_too_much_invalid_utf_8_is_truncated() {
        let body = [b"[\"".as_slice(), &vec![0xFF; MAX_ESCAPES + 1], b"\"]"].concat();
        assert!(serde_json::from_str::<serde::de::IgnoredAny>(&text(&body)).is_err());
    }

    #[test]
    fn an_escaped_byte_never_joins_the_bytes_before_it() {
        assert_eq!(text(b"[\"\\ud83d\xE9\"]"), "[\"\\ud83d\u{fffd}\"]");
        assert_eq!(text(b"[\"\\\xE9\"]"), "[\"\\\u{fffd}\"]");
        assert_eq!(text(b"[\"\\\\ud83d\xE9\"]"), r#"["\\ud83d\udce9"]"#);
    }

    proptest! {
        #[test]
        fn utf_8_is_unchanged(body in any::<String>()) {
            let unmarked = body.strip_prefix('\u{feff}').unwrap_or(&body);
            prop_assert_eq!(text(body.as_bytes()), unmarked);
        }

        #[test]
        fn a_body_with_invalid_utf_8_is_not_valid_json(head in r"[a\\ud83]{0,12}", byte in 0x80_u8..) {
            let body = [b"\"", head.as_bytes(), &[byte], b"\""].concat();
            prop_assert!(serde_json::from_str::<Value>(&text(&body)).is_err());
        }
    }
}
