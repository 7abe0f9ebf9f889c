//! Sample data of tests.

#![allow(clippy::unwrap_used, clippy::missing_panics_doc, reason = "only tests use it")]

use serde_json::{Map, Value, json};

use super::dca_bots::{DcaBot, DcaBotEdit};
use super::reference;
use botdesk_schema::input::RequestBuilder;
use botdesk_schema::operation::Operation;
use botdesk_schema::record::Record;
use botdesk_schema::values::Field;

/// Returns the operation with this name.
pub fn operation(name: &str) -> &'static Operation {
    reference::operation(name).unwrap()
}

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

/// Returns an edit of a bot with all required fields and `fields`; a change to null sends null.
pub fn dca_bot_edit(fields: &Value, changes: &Value) -> RequestBuilder {
    let given = changes.as_object().unwrap().iter().map(|(name, value)| {
        let value = if value.is_null() { Field::Null } else { Field::Value(value.clone()) };
        (DcaBotEdit::INPUTS.named(name).unwrap().key(), value)
    });
    RequestBuilder::new(DcaBotEdit::INPUTS, given).carry_over(dca_bot(fields).fields())
}
