use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn accepts(text: &str) -> bool {
    Scanner::new(text).and_then(|mut scanner| scanner.value().and_then(|_| scanner.finish())).is_ok()
}

/// Returns true if `serde_json` accepts a string, with other characters in place of surrogates.
fn serde_json_accepts(text: &str) -> bool {
    let text = text.replace("\\ud", "\\ue").replace("\\uD", "\\uE");
    serde_json::from_str::<Value>(&text).is_ok()
}

#[test]
fn accepts_the_same_strings_as_serde_json() {
    let texts = [
        "",
        " ",
        "null",
        "nul",
        "nulll",
        "true",
        "false",
        "0",
        "-0",
        "00",
        "-",
        "1.",
        "1.5",
        ".5",
        "1e5",
        "1e",
        "1E+5",
        "-1.5e-10",
        "01",
        "\"\"",
        "\"",
        "\"\\",
        "\"\\u00e9\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\ude00\"",
        "\"\\ud83dx\"",
        "\"\\ud83d\\n\"",
        "\"\\u12\"",
        "\"\\x\"",
        "\"\n\"",
        "[]",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{}",
        "{\"a\":1}",
        "{\"a\" 1}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "[1]x",
        "  [ 1 , {\"a\" : [ ] } ]  ",
        "[",
        "{\"a\"",
        "\u{feff}1",
        "NaN",
        "Infinity",
        "1e999999",
        "\"é\"",
        "+1",
        "\u{a0}1",
    ];
    for text in texts {
        assert_eq!(accepts(text), serde_json_accepts(text), "{text:?}");
    }
}

#[test]
fn limits_the_depth_like_serde_json() {
    for depth in [1, 126, 127, 128, 129, 10_000] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(accepts(&text), serde_json_accepts(&text), "{depth}");
    }
}

#[test]
fn an_object_is_not_read_as_a_number() {
    let source: Arc<str> = "{\"$serde_json::private::Number\":\"5\"}".into();
    let span = Scanner::new(&source).unwrap().value().unwrap();
    assert!(Json::new(&source, span).to_value().is_some_and(|value| value.is_object()));
}

#[test]
fn json_escaped_to_ascii_has_the_same_value() {
    let json = "{\"name\":\"Грид 😀 é\"}";
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    assert!(ascii(json).is_ascii());
    assert_eq!(serde_json::from_str::<serde_json::Value>(&ascii(json)).unwrap(), value);
}

#[test]
fn half_of_a_surrogate_pair_affects_only_its_own_string() {
    let source: Arc<str> = r#"["\ud83d", "\ud83d\ude00", "a"]"#.into();
    let json = Json::new(&source, Scanner::whole(&source).unwrap());
    let strings: Vec<_> = json.elements().unwrap().into_iter().map(Json::string).collect();
    assert_eq!(strings, [None, Some("😀".into()), Some("a".into())]);
    assert!(!json.is_unicode() && json.to_value().is_none());
    let bytes = json.elements().unwrap().first().and_then(|half| half.wtf8_string());
    assert_eq!(bytes.as_deref(), Some(b"\xED\xA0\xBD".as_slice()));
}

proptest! {
    #[test]
    fn agrees_with_serde_json_on_scrambled_json(text in r#"([\[\]{},:"\\ue01dD9.\- ]|true|null|"a"){0,24}"#) {
        prop_assert_eq!(accepts(&text), serde_json_accepts(&text));
    }

    #[test]
    fn a_value_becomes_the_same_tree_as_with_serde_json(text in r#"[\[\{]([\[\]{},:"9.\- ]|true|null|"a":){0,24}"#) {
        let source: Arc<str> = text.as_str().into();
        if let Ok(span) = Scanner::new(&source).unwrap().value() {
            let value = Json::new(&source, span).to_value();
            prop_assert_eq!(serde_json::from_str::<Value>(span.of(&source)).ok(), value);
        }
    }

    #[test]
    fn a_string_is_decoded_like_serde_json_does(text in any::<String>()) {
        let source: Arc<str> = serde_json::to_string(&text).unwrap().into();
        let span = Scanner::new(&source).unwrap().value().unwrap();
        prop_assert_eq!(Json::new(&source, span).string().unwrap(), text);
    }
}
