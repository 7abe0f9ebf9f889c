//! Default records, from the samples in the rows of the API reference.

use serde_json::Value;

use super::record::JsonRecord;
use botdesk_schema::field::FieldSpec;

/// Creates a JSON object. `json!` recurses for every token, which is too deep for a whole record.
macro_rules! object {
    ($($name:literal: $value:expr),* $(,)?) => {
        ::serde_json::Map::from_iter([$(($name.to_owned(), ::serde_json::Value::from($value))),*])
    };
}
pub(super) use object;

/// Returns a record as lists contain it, each field with its sample.
pub(super) fn sample<R: botdesk_schema::record::Record>() -> JsonRecord {
    of_rows(R::ROWS.iter().filter(|row| row.listed))
}

/// Returns a record of these rows, each field with its sample.
pub(super) fn of_rows<'a>(rows: impl Iterator<Item = &'a FieldSpec>) -> JsonRecord {
    rows.map(|row| (row.wire.to_owned(), value(row))).collect()
}

/// Returns the sample of a row.
pub(super) fn value(row: &FieldSpec) -> Value {
    serde_json::from_str(row.sample).unwrap_or_default()
}

/// Converts a value to a string if the sample is a string.
pub(super) fn in_type_of(sample: &Value, value: &Value) -> Value {
    match (sample, value) {
        (Value::String(_), Value::Number(_) | Value::Bool(_)) => Value::from(value.to_string()),
        _ => value.clone(),
    }
}
