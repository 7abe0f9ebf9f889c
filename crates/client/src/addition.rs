//! Additions to a list of the service: what the list has is sent along, because the service might replace it.

use serde_json::Value;

use crate::request::spec::InputValues;
use botdesk_schema::input::Inputs;
use botdesk_schema::json::Json;
use botdesk_schema::record::Fields;
use botdesk_schema::values::Field;

/// Returns the values with the elements that the list has before them, each once.
#[must_use]
pub fn united(inputs: &'static Inputs, given: InputValues, list: &Fields) -> InputValues {
    let united = |(name, value)| {
        let known = inputs.get(name).and_then(|input| list.value(input.wire)).and_then(Json::to_value);
        let united = match (known, value) {
            (Some(Value::Array(known)), Field::Value(added)) => Field::Value(union(known, added)),
            (_, value) => value,
        };
        (name, united)
    };
    InputValues { inputs: given.inputs.into_iter().map(united).collect(), ..given }
}

/// Returns the elements of the values that no list has, as texts.
#[must_use]
pub fn unconfirmed(inputs: &'static Inputs, values: &InputValues, lists: &[&Fields]) -> Vec<String> {
    let mut unconfirmed = Vec::new();
    for (name, value) in &values.inputs {
        let (Some(input), Field::Value(Value::Array(wanted))) = (inputs.get(*name), value) else { continue };
        let found = lists.iter().filter_map(|list| list.value(input.wire).and_then(Json::to_value));
        let found: Vec<_> = found.filter_map(|found| found.as_array().cloned()).flatten().collect();
        let missing = wanted.iter().filter(|element| !found.contains(element));
        unconfirmed.extend(missing.map(|element| element.as_str().map_or_else(|| element.to_string(), str::to_owned)));
    }
    unconfirmed
}

fn union(mut known: Vec<Value>, added: Value) -> Value {
    let added = if let Value::Array(added) = added { added } else { vec![added] };
    for element in added {
        if !known.contains(&element) {
            known.push(element);
        }
    }
    Value::Array(known)
}
