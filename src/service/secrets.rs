//! Keeping secrets out of what is shown.

use std::borrow::Cow;
use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::document;
use super::json::Scanner;
use super::text::one_line;

/// The shortest text that is taken for a secret; a shorter one may be a part of any word.
const SHORTEST: usize = 8;

/// Takes texts that are secrets out of a text, be it plain or JSON that escapes a slash.
pub fn without(text: &str, secrets: &[&str]) -> String {
    secrets
        .iter()
        .filter(|secret| secret.len() >= SHORTEST)
        .fold(text.to_owned(), |text, secret| text.replace(secret, HIDDEN).replace(&secret.replace('/', "\\/"), HIDDEN))
}

/// Takes the secrets out of a text that may be JSON, whole or cut, or hold JSON in its strings: the values of all
/// secret fields.
pub fn without_secrets(text: &str) -> String {
    with_values_replaced(text, names(), &mut |_, _| HIDDEN.to_owned())
}

/// A text that is not ours, as it is shown in a line: without secrets, and cut where it is longer than `longest` characters.
pub(crate) fn shown_line(text: &str, longest: usize) -> String {
    one_line(&without_secrets(text), longest)
}

/// A text that may be JSON, whole or cut, or hold JSON in its strings, with other texts in place of the values under
/// some names. `replace` is given the name and the value as it stands there, and null stays null.
pub fn with_values_replaced(
    text: &str,
    names: impl IntoIterator<Item = &'static str>,
    replace: &mut dyn FnMut(&str, &str) -> String,
) -> String {
    let quotes = ["\"", "\\\""];
    names.into_iter().fold(text.to_owned(), |text, name| {
        let mut replace = |value: &str| replace(name, value);
        quotes
            .into_iter()
            .fold(text, |text, quote| with_value_replaced(&text, &format!("{quote}{name}{quote}"), quote, &mut replace))
    })
}

/// Takes the secrets out of a query: the values of all secret fields, whether their names are percent-encoded or not.
pub fn without_parameters(query: &str) -> String {
    let names = names();
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if names.contains(percent_decode_str(name).decode_utf8_lossy().as_ref()) => {
            Cow::Owned(format!("{name}={HIDDEN}"))
        }
        _ => Cow::Borrowed(pair),
    });
    pairs.collect::<Vec<_>>().join("&")
}

/// The texts under the names of secret fields, wherever they stand in a value.
pub fn within(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(value, &names(), &mut found);
    found
}

fn collect(value: &Value, names: &BTreeSet<&str>, found: &mut Vec<String>) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, names, found)),
        Value::Object(members) => {
            for (name, member) in members {
                if names.contains(name.as_str()) {
                    collect_all(member, found);
                } else {
                    collect(member, names, found);
                }
            }
        }
        _ => {}
    }
}

/// All texts and numbers of a value, whatever they are called.
fn collect_all(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| collect_all(element, found)),
        Value::Object(members) => members.values().for_each(|member| collect_all(member, found)),
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Bool(_) | Value::Null => {}
    }
}

/// The names on the wire of all fields that hold secrets, in records and in what is sent.
pub fn names() -> BTreeSet<&'static str> {
    let held = document::records().flat_map(|shape| shape.rows).filter(|row| row.secret).map(|row| row.wire);
    let inputs = document::operations().filter_map(|endpoint| endpoint.takes.inputs());
    let given = inputs.flat_map(|inputs| inputs.rows).filter(|input| input.is_secret()).map(|input| input.wire);
    held.chain(given).collect()
}

/// What stands where a secret stood.
pub const HIDDEN: &str = "<hidden>";

/// A text with other texts in place of the values of a key, whose quotes are `quote`.
fn with_value_replaced(text: &str, key: &str, quote: &str, replace: &mut dyn FnMut(&str) -> String) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(key) {
        clean.extend([before, key]);
        rest = after;
        // Under the name of a field, an array holds the messages about it.
        let value = after.trim_start().strip_prefix(':').map(str::trim_start);
        if let Some(value) = value.filter(|value| !value.starts_with('[')) {
            clean.extend(after.get(..after.len() - value.len()));
            rest = past_value(value, quote);
            let value = value.get(..value.len() - rest.len()).unwrap_or_default();
            clean.push_str(&shown_for(value, quote, replace));
        }
    }
    clean.push_str(rest);
    clean
}

/// What stands for a value: it tells no more than that null is null.
fn shown_for(value: &str, quote: &str, replace: &mut dyn FnMut(&str) -> String) -> String {
    if value.starts_with("null") { "null".to_owned() } else { format!("{quote}{}{quote}", replace(value)) }
}

/// What follows the JSON value at the beginning of a text; nothing where the value is cut.
fn past_value<'a>(text: &'a str, quote: &str) -> &'a str {
    if let Some(inner) = text.strip_prefix(quote) {
        return past_string(inner, quote);
    }
    match text.as_bytes().first() {
        Some(b'{') => past_nested(text),
        _ => text.trim_start_matches(|character: char| !matches!(character, ',' | '}' | ']')),
    }
}

/// What follows the object at the beginning of a text.
fn past_nested(text: &str) -> &str {
    let span = Scanner::new(text).and_then(|mut scanner| scanner.value());
    span.map_or("", |span| text.get(span.of(text).len()..).unwrap_or_default())
}

/// What follows a string, from behind its first quote on.
fn past_string<'a>(inner: &'a str, quote: &str) -> &'a str {
    if quote.len() > 1 {
        // Inside of another string, where what it escapes itself is escaped twice.
        return inner.split_once(quote).map_or("", |(_, after)| after);
    }
    let mut escaped = false;
    for (at, character) in inner.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return inner.get(at + 1..).unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_leave_the_text() {
        let text = r#"[{"id":1,"url_secret": "a\"b","name":"x"},{"url_secret":null},{"url_secret":"cut"#;
        let clean = r#"[{"id":1,"url_secret": "<hidden>","name":"x"},{"url_secret":null},{"url_secret":"<hidden>""#;
        assert_eq!(without_secrets(text), clean);
    }

    #[test]
    fn secrets_are_found_wherever_they_stand() {
        let value = serde_json::json!([{"secret": "deep", "name": "x", "keys": {"api_key": ["deeper"], "secret": 5}}]);
        assert_eq!(within(&value), ["deep", "deeper", "5"]);
    }

    #[test]
    fn secrets_leave_a_query_however_they_are_written() {
        let query = "name=x&secret=a%2Fb&api_key=1&api_key=2&secret&secretive=kept&page=1";
        let clean = "name=x&secret=<hidden>&api_key=<hidden>&api_key=<hidden>&secret&secretive=kept&page=1";
        assert_eq!(without_parameters(query), clean);
        assert_eq!(without_parameters("api%5Fkey=1"), "api%5Fkey=<hidden>");
        assert_eq!(without_parameters(""), "");
    }

    #[test]
    fn a_secret_of_any_type_leaves_the_text() {
        for (text, clean) in [
            (r#"{"url_secret":12345678,"id":1}"#, r#"{"url_secret":"<hidden>","id":1}"#),
            (r#"{"url_secret":{"a":["top"]},"id":1}"#, r#"{"url_secret":"<hidden>","id":1}"#),
            (r#"{"url_secret":{"a":["top"#, r#"{"url_secret":"<hidden>""#),
            (r#"{"log":"{\"url_secret\":\"top\",\"id\":1}"}"#, r#"{"log":"{\"url_secret\":\"<hidden>\",\"id\":1}"}"#),
            (r#"{"url_secret" : true}"#, r#"{"url_secret" : "<hidden>"}"#),
            (r#"no "url_secret" at all"#, r#"no "url_secret" at all"#),
        ] {
            assert_eq!(without_secrets(text), clean);
        }
    }
}
