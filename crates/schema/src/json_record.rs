//! Lenient access to the fields of a JSON record by their API names.

use bigdecimal::BigDecimal;
use serde_json::{Map, Value};

use crate::decimal;

/// A record as the JSON of the API represents it.
pub type JsonRecord = Map<String, Value>;

/// Returns the string in a field; empty if the field has another type or is missing.
pub fn string<'a>(record: &'a JsonRecord, field: &str) -> &'a str {
    record.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the decimal in a field, which may be a string or a number; 0 if the field holds no decimal.
pub fn number(record: &JsonRecord, field: &str) -> BigDecimal {
    record.get(field).and_then(decimal::of).unwrap_or_default()
}

/// Returns the integer in a field, which may be a string or a number.
pub fn integer(record: &JsonRecord, field: &str) -> Option<i64> {
    match record.get(field)? {
        Value::String(string) => string.parse().ok(),
        value => value.as_i64(),
    }
}

/// Returns true if a field is the boolean true or the string "true".
pub fn is_true(record: &JsonRecord, field: &str) -> bool {
    record.get(field).is_some_and(|value| *value == Value::Bool(true) || value == "true")
}

/// Returns a value within a record by its path, such as `data.entered_amount`.
pub fn nested<'a>(record: &'a JsonRecord, path: &str) -> Option<&'a Value> {
    let mut names = path.split('.');
    let first = record.get(names.next()?)?;
    names.try_fold(first, |value, name| value.get(name))
}

/// Returns a decimal within a record; 0 if there is none.
pub fn nested_number(record: &JsonRecord, path: &str) -> BigDecimal {
    nested(record, path).and_then(decimal::of).unwrap_or_default()
}

/// Returns a string within a record; empty if there is none.
pub fn nested_string<'a>(record: &'a JsonRecord, path: &str) -> &'a str {
    nested(record, path).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the elements of the list in a field; empty if the field holds no list.
pub fn list<'a>(record: &'a JsonRecord, field: &str) -> &'a [Value] {
    record.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
