use std::sync::Arc;

use proptest::prelude::*;
use serde_json::Value;

use super::*;

fn accepts(text: &str) -> bool {
    Scanner::new(text).and_then(|mut scanner| scanner.value().and_then(|_| scanner.finish())).is_ok()
}

fn judge(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}

#[test]
fn accepts_and_refuses_what_serde_json_does() {
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
        assert_eq!(accepts(text), judge(text), "{text:?}");
    }
}

#[test]
fn refuses_the_depth_that_serde_json_refuses() {
    for depth in [1, 126, 127, 128, 129, 10_000] {
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(accepts(&text), judge(&text), "{depth}");
    }
}

#[test]
fn an_object_is_not_taken_for_a_number() {
    let source: Arc<str> = "{\"$serde_json::private::Number\":\"5\"}".into();
    let span = Scanner::new(&source).unwrap().value().unwrap();
    assert!(Json::new(&source, span).to_value().is_object());
}

#[test]
fn ascii_text_reads_as_the_same_value() {
    let json = "{\"name\":\"Грид 😀 é\"}";
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    assert!(ascii(json).is_ascii());
    assert_eq!(serde_json::from_str::<serde_json::Value>(&ascii(json)).unwrap(), value);
}

proptest! {
    #[test]
    fn agrees_with_serde_json_on_scrambled_json(text in r#"([\[\]{},:"\\ue01dD9.\- ]|true|null|"a"){0,24}"#) {
        prop_assert_eq!(accepts(&text), judge(&text));
    }

    #[test]
    fn a_value_is_the_tree_that_serde_json_makes(text in r#"[\[\{]([\[\]{},:"9.\- ]|true|null|"a":){0,24}"#) {
        let source: Arc<str> = text.as_str().into();
        if let Ok(span) = Scanner::new(&source).unwrap().value() {
            let value = Json::new(&source, span).to_value();
            prop_assert_eq!(serde_json::from_str::<Value>(span.of(&source)).unwrap(), value);
        }
    }

    #[test]
    fn a_string_reads_as_serde_json_reads_it(text in any::<String>()) {
        let source: Arc<str> = serde_json::to_string(&text).unwrap().into();
        let span = Scanner::new(&source).unwrap().value().unwrap();
        prop_assert_eq!(Json::new(&source, span).string().unwrap(), text);
    }
}
