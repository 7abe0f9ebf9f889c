//! The JSON Schema of each type of value.

use serde_json::{Map, Value};

use super::row::{FieldSpec, RecordSpec, Schema};

/// The pattern of decimals: with or without an exponent, infinite, or not a number.
const AMOUNT: &str = "^[-+]?(Infinity|NaN|[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?)$";

/// The pattern of whole numbers.
const INTEGER: &str = "^[-+]?[0-9]+$";

/// The path of record schemas in an OpenAPI document.
const RECORDS: &str = "#/components/schemas/";

/// Builds an object of these members. `json!` can't be used, because the lints reject its expansion as a possible panic.
#[macro_export]
macro_rules! schema {
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
            Self::Decimal => schema! { "type": texts(&["string", "number"]), "pattern": AMOUNT },
            Self::Integer => schema! { "type": texts(&["integer", "string"]), "pattern": INTEGER },
            Self::Bool => schema! {
                "type": texts(&["boolean", "string"]),
                "enum": [Value::from(true), Value::from(false), Value::from("true"), Value::from("false")].to_vec(),
            },
            Self::Text => schema! { "type": "string" },
            Self::Timestamp => schema! { "type": "string", "format": "date-time" },
            Self::OneOf(values) => schema! { "type": "string", "enum": texts(values) },
            Self::List(of) => schema! { "type": "array", "items": of.to_json() },
            Self::Object => schema! { "type": "object" },
            Self::Any => schema! {},
            Self::Record(spec) => schema! { "$ref": format!("{RECORDS}{}", spec.name) },
        }
    }

    /// Collects the records in the type, each with its fields.
    pub fn records(self, found: &mut Vec<(&'static str, &'static [FieldSpec])>) {
        match self {
            Self::List(of) => of.records(found),
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
        if let (Value::Object(members), true) = (&mut schema, self.secret) {
            members.insert("format".to_owned(), Value::from("password"));
        }
        described(schema, self.about)
    }
}

/// Returns the JSON Schema of a record with these fields. If `required`, the fields that every response has are required.
pub fn record(rows: &[FieldSpec], required: bool) -> Value {
    let properties: Map<_, _> = rows.iter().map(|row| (row.wire.to_owned(), row.to_json())).collect();
    let mut record = schema! { "type": "object", "properties": properties };
    let listed: Vec<_> = rows.iter().filter(|row| row.listed).map(|row| row.wire).collect();
    if let Value::Object(record) = &mut record
        && required
    {
        record.insert("required".to_owned(), texts(&listed));
    }
    record
}

/// The terms of Python in the descriptions, which are also docstrings of the package, and the terms of JSON that replace them.
const JSON_TERMS: [(&str, &str); 5] = [
    ("True if ", "true if "),
    ("True to ", "true to "),
    ("None ", "null "),
    ("a list of ", "an array of "),
    (", ISO 8601, a datetime with a timezone, or a date (00:00 UTC)", " or ISO 8601"),
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
        None => return schema! { "anyOf": vec![schema, schema! { "type": "null" }] },
    }
    if let Some(Value::Array(values)) = members.get_mut("enum") {
        values.push(Value::Null);
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dca_bots::DcaBot;
    use crate::record::{Record, RecordSpec};

    const STEPS: Schema = Schema::Record(&RecordSpec { name: "Step", about: "", file: "", rows: &[] });

    #[test]
    fn each_type_has_its_json_schema() {
        assert_eq!(texts(&["a", "b"]).to_string(), r#"["a","b"]"#);
        assert_eq!(Schema::List(&Schema::Text).to_json().to_string(), r#"{"type":"array","items":{"type":"string"}}"#);
        assert_eq!(STEPS.to_json().to_string(), r##"{"$ref":"#/components/schemas/Step"}"##);
    }

    #[test]
    fn null_is_one_more_type_value_or_choice() {
        assert_eq!(or_null(Schema::Text.to_json()).to_string(), r#"{"type":["string","null"]}"#);
        let choice = or_null(Schema::OneOf(&["a"]).to_json());
        assert_eq!(choice.to_string(), r#"{"type":["string","null"],"enum":["a",null]}"#);
        let reference = or_null(STEPS.to_json());
        assert_eq!(reference.to_string(), r##"{"anyOf":[{"$ref":"#/components/schemas/Step"},{"type":"null"}]}"##);
        assert_eq!(or_null(Schema::Any.to_json()).to_string(), "{}");
    }

    #[test]
    fn descriptions_use_the_terms_of_json() {
        assert_eq!(in_json_terms(" None or True if a list of names "), "null or true if an array of names");
        assert_eq!(
            described(Schema::Object.to_json(), "None ").to_string(),
            r#"{"type":"object","description":"None"}"#
        );
    }

    #[test]
    fn a_record_describes_each_field_and_names_each_record_once() {
        let rows = DcaBot::ROWS;
        let described = record(rows, true);
        assert_eq!(described["properties"].as_object().map(Map::len), Some(rows.len()));
        assert_eq!(described["properties"]["id"]["type"][0], "integer");
        assert!(described["properties"]["id"]["description"].is_string());
        assert!(described["required"].as_array().is_some_and(|names| names.contains(&Value::from("id"))));
        assert_eq!(record(rows, false)["required"], Value::Null);
        let mut found = Vec::new();
        for row in rows {
            row.schema.records(&mut found);
        }
        let names: Vec<_> = found.iter().map(|(name, _)| *name).collect();
        assert!(names.contains(&"TakeProfitStep") && names.contains(&"Deal"), "{names:?}");
        assert!((1..names.len()).all(|end| !names[..end].contains(&names[end])), "{names:?}");
    }
}
