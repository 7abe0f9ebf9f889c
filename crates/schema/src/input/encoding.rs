//! Encodes inputs as a JSON body or as a query string.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::table::{DecimalType, Input, InputType};
use crate::decimal;
use crate::json::ascii;

/// Encodes a JSON body in ASCII. An input without a value is null.
pub(super) fn body<'a>(
    inputs: impl Iterator<Item = (&'static Input, Option<&'a Value>)>,
    decimals: DecimalType,
) -> String {
    let members = inputs.flat_map(|(input, value)| {
        let value = value.map_or(Value::Null, |value| encoded(input.input_type, decimals, value));
        let names = std::iter::once(input.wire).chain(input.second_wire_name);
        names.map(move |name| (name.to_owned(), value.clone()))
    });
    ascii(&Value::Object(members.collect()).to_string())
}

/// Returns a value as it is sent: decimals in the JSON type of the table that they are in.
fn encoded(input_type: InputType, decimals: DecimalType, value: &Value) -> Value {
    match (input_type, value) {
        (InputType::Decimal, Value::String(digits)) if decimals == DecimalType::Number => number(digits),
        (InputType::Groups(_), Value::Array(elements)) => {
            elements.iter().map(|element| encoded(input_type, decimals, element)).collect()
        }
        (InputType::Group(inputs) | InputType::Groups(inputs), Value::Object(members)) => {
            let member = |(name, given): (&String, &Value)| {
                let value = inputs.member(name).map(|row| encoded(row.input_type, inputs.decimals, given));
                (name.clone(), value.unwrap_or_else(|| given.clone()))
            };
            Value::Object(members.iter().map(member).collect())
        }
        (_, value) => value.clone(),
    }
}

/// Converts a decimal to a JSON number with the same digits. Any other string, which only an unchecked edit can contain, stays
/// a string.
fn number(digits: &str) -> Value {
    decimal::plain_number(digits).map_or_else(|| digits.into(), Value::Number)
}

/// Encodes a query string without the inputs that have no value; returns None if it would be empty.
pub(super) fn query<'a>(inputs: impl Iterator<Item = (&'static Input, Option<&'a Value>)>) -> Option<String> {
    encode_query(inputs.filter_map(|(input, value)| Some((input.wire, value?))))
}

/// Encodes parameters as a query string, percent-encoded; returns None if there are none.
pub fn encode_query<'a>(parameters: impl Iterator<Item = (&'a str, &'a Value)>) -> Option<String> {
    let pairs = parameters.map(|(name, value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        format!("{}={}", percent_encoded(name), percent_encoded(&text))
    });
    Some(pairs.collect::<Vec<_>>().join("&")).filter(|query| !query.is_empty())
}

/// Percent-encodes everything but letters, digits and `-._~`, so that no URL parser changes the string.
pub fn percent_encoded(text: &str) -> String {
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
    utf8_percent_encode(text, RESERVED).to_string()
}
