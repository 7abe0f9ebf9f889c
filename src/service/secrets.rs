//! Keeping secrets out of what is shown.

use std::collections::BTreeSet;

use super::account::{Account, AccountAdd, DepositData};
use super::dca_bot::DcaBot;
use super::json::Scanner;
use super::record::{Record, Row};

/// The records that hold secrets.
const RECORDS: &[&[Row]] = &[Account::ROWS, DcaBot::ROWS, DepositData::ROWS];

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
    let held = RECORDS.iter().copied().flatten().filter(|row| row.secret).map(|row| row.wire);
    let given = AccountAdd::INPUTS.rows.iter().filter(|input| input.is_secret()).map(|input| input.wire);
    let names: BTreeSet<_> = held.chain(given).collect();
    let quotes = ["\"", "\\\""];
    names.into_iter().fold(text.to_owned(), |text, name| {
        quotes.into_iter().fold(text, |text, quote| without_value(&text, &format!("{quote}{name}{quote}"), quote))
    })
}

/// What stands where a secret stood.
pub const HIDDEN: &str = "<hidden>";

/// A text without the values of a key, whose quotes are `quote`.
fn without_value(text: &str, key: &str, quote: &str) -> String {
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
            clean.push_str(&shown_for(value, quote));
        }
    }
    clean.push_str(rest);
    clean
}

/// What stands for a value: it tells no more than that null is null.
fn shown_for(value: &str, quote: &str) -> String {
    if value.starts_with("null") { "null".to_owned() } else { format!("{quote}{HIDDEN}{quote}") }
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
