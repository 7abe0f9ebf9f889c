//! Sample data of tests.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "only tests use it")]

use serde_json::{Map, Value, json};

use super::dca_bot::DcaBot;
use super::record::Record;

/// Returns the required inputs of a DCA bot edit, with `changes`.
pub fn required_dca_bot_edit(changes: &Value) -> Map<String, Value> {
    let mut members: Map<String, Value> =
        serde_json::from_str(include_str!("../../../tests/fixtures/required_dca_bot_edit.json")).unwrap();
    members.extend(changes.as_object().unwrap().clone());
    members
}

/// Returns a DCA bot that has all fields required by an edit, with `fields`.
pub fn dca_bot(fields: &Value) -> DcaBot {
    let mut held = required_dca_bot_edit(&json!({"pairs": ["USDT_ETH"]}));
    held.extend(fields.as_object().unwrap().clone());
    DcaBot::from_json(&Value::Object(held).to_string()).unwrap()
}
