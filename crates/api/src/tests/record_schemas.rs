//! The JSON Schema of records.

use crate::dca_bots::DcaBot;
use botdesk_schema::field::Schema;
use botdesk_schema::json_schema::{described, in_json_terms, or_null, record, texts};
use botdesk_schema::record::{Record, RecordSpec};
use serde_json::{Map, Value};

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
    assert_eq!(described(Schema::Object.to_json(), "None ").to_string(), r#"{"type":"object","description":"None"}"#);
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
