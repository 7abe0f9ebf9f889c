//! Records as the sandbox holds them.

use bigdecimal::BigDecimal;
use serde_json::{Map, Value};

use botdesk_api::decimal;

/// A record in the document's forms.
pub(crate) type Record = Map<String, Value>;

/// The text of a field; empty where it holds none.
pub(crate) fn text<'a>(record: &'a Record, field: &str) -> &'a str {
    record.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The decimal that a field holds, as text or bare; 0 where it holds none.
pub(crate) fn number(record: &Record, field: &str) -> BigDecimal {
    record.get(field).and_then(decimal::of).unwrap_or_default()
}

/// The whole number that a field holds, as a number or as text.
pub(crate) fn whole(record: &Record, field: &str) -> Option<i64> {
    match record.get(field)? {
        Value::String(text) => text.parse().ok(),
        value => value.as_i64(),
    }
}

/// Whether a field holds true, as a flag or as text.
pub(crate) fn is_true(record: &Record, field: &str) -> bool {
    record.get(field).is_some_and(|value| *value == Value::Bool(true) || value == "true")
}

/// The elements of a field that holds a list.
pub(crate) fn list<'a>(record: &'a Record, field: &str) -> &'a [Value] {
    record.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
