//! The JSON Schema of each type of value.

use serde_json::{Map, Value};

use super::field::{FieldSpec, RecordSpec, Schema};

/// The pattern of decimals: with or without an exponent, infinite, or not a number.
const AMOUNT: &str = "^[-+]?(Infinity|NaN|[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?)$";

/// The pattern of whole numbers.
const INTEGER: &str = "^[-+]?[0-9]+$";

/// The path of record schemas in an OpenAPI document.
const RECORDS: &str = "#/components/schemas/";

/// Builds an object of these members. `json!` can't be used, because the lints reject its expansion as a possible panic.
#[macro_export]
macro_rules! json_schema {
    ($($name:literal: $value:expr),* $(,)?) => {
        ::serde_json::Value::Object(::serde_json::Map::from_iter([
            $(($name.to_owned(), ::serde_json::Value::from($value))),*
        ]))
    };
}

/// Returns an array of strings.
pub fn texts(texts: &[&str]) -> Value {
    texts.iter().copied().map(Value::from).collect()
}

impl Schema {
    /// Returns the JSON Schema of the type, with references to records by name.
    pub fn to_json(self) -> Value {
        match self {
            Self::Decimal => json_schema! { "type": texts(&["string", "number"]), "pattern": AMOUNT },
            Self::Integer => json_schema! { "type": texts(&["integer", "string"]), "pattern": INTEGER },
            Self::Bool => json_schema! {
                "type": texts(&["boolean", "string"]),
                "enum": [Value::from(true), Value::from(false), Value::from("true"), Value::from("false")].to_vec(),
            },
            Self::Text => json_schema! { "type": "string" },
            Self::Timestamp => json_schema! { "type": "string", "format": "date-time" },
            Self::UnixTime => {
                json_schema! { "anyOf": vec![json_schema! { "type": "integer" }, Self::Timestamp.to_json()] }
            }
            Self::OneOf(values) => json_schema! { "type": "string", "enum": texts(values) },
            Self::List(of) => json_schema! { "type": "array", "items": of.to_json() },
            Self::Map(of) => json_schema! { "type": "object", "additionalProperties": of.to_json() },
            Self::Object => json_schema! { "type": "object" },
            Self::Any | Self::Nothing => json_schema! {},
            Self::Record(spec) => json_schema! { "$ref": format!("{RECORDS}{}", spec.name) },
        }
    }

    /// Collects the records in the type, each with its fields.
    pub fn records(self, found: &mut Vec<(&'static str, &'static [FieldSpec])>) {
        match self {
            Self::List(of) | Self::Map(of) => of.records(found),
            Self::Record(&RecordSpec { name, rows, .. }) if !found.iter().any(|(known, _)| *known == name) => {
                found.push((name, rows));
                for row in rows {
                    row.schema.records(found);
                }
            }
            _ => {}
        }
    }
}

impl FieldSpec {
    /// Returns the JSON Schema of the field.
    fn to_json(self) -> Value {
        let mut schema = if self.may_be_null() { or_null(self.schema.to_json()) } else { self.schema.to_json() };
        if let Ok(none) = serde_json::from_str::<Value>(self.none) {
            schema = json_schema! { "anyOf": vec![schema, json_schema! { "const": none }] };
        }
        if let (Value::Object(members), true) = (&mut schema, self.secret) {
            members.insert("format".to_owned(), Value::from("password"));
        }
        described(schema, self.about)
    }
}

/// Returns the JSON Schema of a record with these fields. If `required`, the fields that every response has are required.
pub fn record(rows: &[FieldSpec], required: bool) -> Value {
    let properties: Map<_, _> = rows.iter().map(|row| (row.wire.to_owned(), row.to_json())).collect();
    let mut record = json_schema! { "type": "object", "properties": properties };
    let listed: Vec<_> = rows.iter().filter(|row| row.listed).map(|row| row.wire).collect();
    if let Value::Object(record) = &mut record
        && required
    {
        record.insert("required".to_owned(), texts(&listed));
    }
    record
}

/// The terms of Python in the descriptions, which are also docstrings of the package, and the terms of JSON that replace them.
const JSON_TERMS: [(&str, &str); 7] = [
    ("True if ", "true if "),
    ("True to ", "true to "),
    ("\": True", "\": true"),
    ("None ", "null "),
    ("a list of ", "an array of "),
    (", ISO 8601, a datetime with a timezone, or a date (00:00 UTC)", " or ISO 8601"),
    ("ISO 8601, a datetime with a timezone, or a date (00:00 UTC)", "ISO 8601"),
];

/// Returns a description in the terms of JSON.
pub fn in_json_terms(about: &str) -> String {
    JSON_TERMS.iter().fold(about.trim().to_owned(), |text, (python, json)| text.replace(python, json))
}

/// Returns the schema with a description.
pub fn described(mut schema: Value, about: &str) -> Value {
    if let Value::Object(members) = &mut schema {
        members.insert("description".to_owned(), Value::from(in_json_terms(about)));
    }
    schema
}

/// Returns a schema that allows null as well.
pub fn or_null(mut schema: Value) -> Value {
    let Value::Object(members) = &mut schema else {
        return schema;
    };
    if members.is_empty() {
        return schema;
    }
    match members.get_mut("type") {
        Some(Value::Array(types)) => types.push(Value::from("null")),
        Some(one) => *one = Value::Array(vec![one.take(), Value::from("null")]),
        None => return json_schema! { "anyOf": vec![schema, json_schema! { "type": "null" }] },
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}
