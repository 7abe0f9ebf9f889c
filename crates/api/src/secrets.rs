//! The secrets that the API knows: which fields hold them, and how text is shown without them.

use serde_json::Value;

pub use super::redaction::HIDDEN;
use super::redaction::{SecretNames, replace_parameters, without_fields};
use super::text::one_line;

/// The names on the wire of all fields that hold secrets, in records and in what is sent. A row is secret if its name is here.
pub const NAMES: SecretNames =
    SecretNames::new(&["address", "address_tag", "api_key", "customer_id", "passphrase", "secret", "url_secret"]);

/// Returns the secret field of this name, in whatever case and escapes.
pub fn secret_name(name: &str) -> Option<&'static str> {
    NAMES.find(name)
}

/// Returns text that may be JSON, whole or cut, or hold JSON, without the values of all secret fields.
pub fn without_secrets(text: &str) -> String {
    without_fields(text, NAMES)
}

/// A text that is not ours, as it is shown in a line: without secrets, and cut where it is longer than `longest` characters.
pub fn shown_line(text: &str, longest: usize) -> String {
    one_line(&without_secrets(text), longest)
}

/// Returns the beginning of a value as a message shows it, without secrets and with an ellipsis if it is cut.
pub fn shown_value(text: &str) -> String {
    shown_line(text, LONGEST_VALUE)
}

/// The most characters of a value that a message shows.
pub(super) const LONGEST_VALUE: usize = 80;

/// Takes the secrets out of a query: the values of all secret fields, whether their names are percent-encoded or not.
pub fn without_parameters(query: &str) -> String {
    replace_parameters(query, &secret_name, HIDDEN)
}

/// The texts under the names of secret fields, wherever they stand in a value.
pub fn within(value: &Value) -> Vec<String> {
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
