//! The secret fields of the API, and the redaction of their values.

use serde_json::Value;

use super::key_text::without_pem;
pub use super::redaction::HIDDEN;
use super::redaction::{SecretNames, redact_fields, replace_parameters};
use super::text::one_line;

/// The JSON names of all fields that hold secrets, in records and in requests. A field is secret if its name is listed here.
pub const NAMES: SecretNames = SecretNames::new(&[
    "address",
    "address_tag",
    "api_key",
    "api_secret",
    "customer_id",
    "passphrase",
    "secret",
    "url_secret",
]);

/// Returns the secret field with this name, ignoring case and escapes.
pub fn secret_name(name: &str) -> Option<&'static str> {
    NAMES.find(name)
}

/// Replaces the values of all secret fields in text that may be JSON, whole or cut off, or contain JSON.
pub fn redact_secrets(text: &str) -> String {
    redact_fields(text, NAMES)
}

/// Returns foreign text in one line: without secrets and PEM blocks, and cut after `longest` characters.
pub fn shown_line(text: &str, longest: usize) -> String {
    one_line(&without_pem(&redact_secrets(text)), longest)
}

/// Returns the beginning of a value for a message, without secrets and with an ellipsis if it is cut.
pub fn shown_value(text: &str) -> String {
    shown_line(text, MAX_VALUE_LENGTH)
}

/// The maximum number of characters of a value in a message.
pub const MAX_VALUE_LENGTH: usize = 80;

/// Replaces the values of all secret fields in a query string, whose names may be percent-encoded.
pub fn redact_parameters(query: &str) -> String {
    replace_parameters(query, &secret_name, HIDDEN)
}

/// Returns the values of all secret fields, however deep they are nested.
pub fn collect_secrets(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, found)),
        Value::Object(members) => {
            for (name, member) in members {
                if secret_name(name).is_some() {
                    collect_all(member, found);
                } else {
                    collect(member, found);
                }
            }
        }
        _ => {}
    }
}

/// Collects all strings and numbers in a value.
fn collect_all(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| collect_all(element, found)),
        Value::Object(members) => members.values().for_each(|member| collect_all(member, found)),
        Value::String(text) => found.push(text.clone()),
        Value::Number(number) => found.push(number.to_string()),
        Value::Bool(_) | Value::Null => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_redacted_in_json() {
        let text = r#"[{"id":1,"url_secret": "a\"b","name":"x"},{"url_secret":null},{"url_secret":"cut"#;
        let clean = r#"[{"id":1,"url_secret": "<hidden>","name":"x"},{"url_secret":null},{"url_secret":"<hidden>""#;
        assert_eq!(redact_secrets(text), clean);
    }

    #[test]
    fn secrets_are_found_at_any_depth() {
        let value = serde_json::json!([{"secret": "deep", "name": "x", "keys": {"api_key": ["deeper"], "secret": 5}}]);
        assert_eq!(collect_secrets(&value), ["deep", "deeper", "5"]);
    }

    #[test]
    fn secrets_are_redacted_in_a_query_in_any_spelling() {
        let query = "name=x&secret=a%2Fb&api_key=1&api_key=2&secret&secretive=kept&page=1";
        let clean = "name=x&secret=<hidden>&api_key=<hidden>&api_key=<hidden>&secret&secretive=kept&page=1";
        assert_eq!(redact_parameters(query), clean);
        assert_eq!(redact_parameters("api%5Fkey=1"), "api%5Fkey=<hidden>");
        assert_eq!(redact_parameters(""), "");
    }

    #[test]
    fn a_secret_of_any_type_is_redacted() {
        for (text, clean) in [
            (r#"{"url_secret":12345678,"id":1}"#, r#"{"url_secret":"<hidden>","id":1}"#),
            (r#"{"url_secret":{"a":["top"]},"id":1}"#, r#"{"url_secret":"<hidden>","id":1}"#),
            (r#"{"url_secret":{"a":["top"#, r#"{"url_secret":"<hidden>""#),
            (r#"{"log":"{\"url_secret\":\"top\",\"id\":1}"}"#, r#"{"log":"{\"url_secret\":\"<hidden>\",\"id\":1}"}"#),
            (r#"{"url_secret" : true}"#, r#"{"url_secret" : "<hidden>"}"#),
            (r#"no "url_secret" at all"#, r#"no "url_secret" at all"#),
        ] {
            assert_eq!(redact_secrets(text), clean);
        }
    }
}
