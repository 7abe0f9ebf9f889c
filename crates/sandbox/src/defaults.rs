//! Records as the service makes them where nothing else is said, from the rows of the document.

use serde_json::{Map, Value};

use super::record::Record;
use botdesk_api::row::FieldSpec;
use botdesk_api::{self, dca_bot::DcaBot, grid_bot::GridBot};

/// An object of these members. `json!` recurses once for every token, which is too deep for a record.
macro_rules! object {
    ($($name:literal: $value:expr),* $(,)?) => {
        ::serde_json::Map::from_iter([$(($name.to_owned(), ::serde_json::Value::from($value))),*])
    };
}
pub(super) use object;

/// A record as a list holds it, each field with its sample.
pub(super) fn sample<R: botdesk_api::record::Record>() -> Record {
    of_rows(R::ROWS.iter().filter(|row| row.listed))
}

/// A record of such rows, each field with its sample.
pub(super) fn of_rows<'a>(rows: impl Iterator<Item = &'a FieldSpec>) -> Record {
    rows.map(|row| (row.wire.to_owned(), value(row))).collect()
}

/// The sample of a row.
pub(super) fn value(row: &FieldSpec) -> Value {
    serde_json::from_str(row.sample).unwrap_or_default()
}

/// A DCA bot without deals, with fields that are not the document's: live services send such ones.
pub(super) fn dca_bot() -> Record {
    let mut record = sample::<DcaBot>();
    record.extend(object! {
        "sl_to_breakeven_enabled": false,
        "sl_to_breakeven_data": Value::Null,
        "custom_safety_steps": Value::Null,
        "safety_order_calculation_mode": "legacy",
    });
    record
}

/// A strategy object.
pub(super) fn strategy(name: &str, options: Map<String, Value>) -> Value {
    Value::Object(object! { "strategy": name, "options": options })
}

/// A grid bot without levels, with a field that is not the document's: live services send it.
pub(super) fn grid_bot() -> Record {
    let mut record = sample::<GridBot>();
    record.extend(object! { "mode": "long" });
    record
}

/// A value in the form that a sample has: as text where the sample is one.
pub(super) fn in_form_of(sample: &Value, value: &Value) -> Value {
    match (sample, value) {
        (Value::String(_), Value::Number(_) | Value::Bool(_)) => Value::from(value.to_string()),
        _ => value.clone(),
    }
}
