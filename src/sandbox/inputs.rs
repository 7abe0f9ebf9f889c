//! What a caller gave, judged by the rows of the endpoint.

use serde_json::{Map, Value};

use super::answer::Refusal;
use crate::service::input::{Draft, Form, Input, Inputs, Rule};
use crate::service::values::Field;

/// What a caller gave, by the index of each input. What the rows do not name is not in it.
pub(super) type Given = Vec<(usize, Field<Value>)>;

/// What the service says where a value is none of an enumeration's.
const NOT_INCLUDED: &str = "is not included in the list";

/// The draft of a query that breaks no rule.
pub(super) fn query(inputs: &'static Inputs, parameters: &str) -> Result<Draft, Refusal> {
    let parameters = decoded(parameters);
    let given = given(inputs, |row| {
        let (_, text) = parameters.iter().rfind(|(name, _)| name == row.wire)?;
        Some(Field::Value(from_text(row.form, text)))
    });
    let draft = Draft::new(inputs, given.clone());
    Complaints::about(inputs, &given, &draft).refuse()?;
    Ok(draft)
}

/// What a JSON body gives.
pub(super) fn body(inputs: &'static Inputs, body: &[u8]) -> Result<Given, Refusal> {
    let Ok(Value::Object(members)) = serde_json::from_slice(body) else {
        let message = vec![Value::from("the body must be a JSON object")];
        return Err(Refusal::record_invalid(Map::from_iter([("base".to_owned(), Value::Array(message))])));
    };
    let member = |row: &Input| members.get(row.wire).or_else(|| members.get(row.also?));
    Ok(given(inputs, |row| member(row).map(|value| from_json(row.form, value))))
}

fn given(inputs: &Inputs, value: impl Fn(&Input) -> Option<Field<Value>>) -> Given {
    inputs.rows.iter().enumerate().filter_map(|(index, row)| Some((index, value(row)?))).collect()
}

/// The parameters of a query or a form, in order.
fn decoded(parameters: &str) -> Vec<(String, String)> {
    let text = |part: &str| {
        let part = part.replace('+', " ");
        percent_encoding::percent_decode_str(&part).decode_utf8_lossy().into_owned()
    };
    let pairs = parameters.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| (text(name), text(value))).collect()
}

/// A parameter's value. One that is not of its form stays a text, which the rows refuse.
fn from_text(form: Form, text: &str) -> Value {
    match form {
        Form::Integer | Form::Moment => text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
        Form::Flag => text.parse::<bool>().map_or_else(|_| Value::from(text), Value::from),
        // The document writes the values of an enumeration in brackets in one place.
        Form::OneOf(_) => {
            let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
            Value::from(bare.unwrap_or(text))
        }
        _ => Value::from(text),
    }
}

/// A member's value: numbers may come as decimal texts.
fn from_json(form: Form, value: &Value) -> Field<Value> {
    match (form, value) {
        (_, Value::Null) => Field::Null,
        (Form::Integer, Value::String(text)) => Field::Value(from_text(form, text)),
        (_, value) => Field::Value(value.clone()),
    }
}

/// What is wrong with what was given, by the name of the field on the wire.
#[derive(Default)]
pub(super) struct Complaints(Map<String, Value>);

impl Complaints {
    /// All that breaks a rule.
    pub(super) fn about(inputs: &Inputs, given: &Given, draft: &Draft) -> Self {
        let mut complaints = Self::default();
        for (index, row) in inputs.rows.iter().enumerate() {
            let value = given.iter().find(|(given, _)| *given == index).map(|(_, value)| value);
            if let Some(message) = absence(inputs, given, row, value) {
                complaints.add(row.wire, &message);
            }
        }
        for violation in draft.violations() {
            let found = inputs.rows.iter().enumerate().find(|(_, row)| row.name == violation.field);
            let Some((index, row)) = found else {
                complaints.add(&violation.field, &violation.message);
                continue;
            };
            let of_a_list = match given.iter().find(|(given, _)| *given == index) {
                Some((_, Field::Null)) => is_of_a_list(row.form),
                Some(_) => matches!(row.form, Form::OneOf(_)),
                None => false,
            };
            complaints.add(row.wire, if of_a_list { NOT_INCLUDED } else { &violation.message });
        }
        complaints
    }

    /// Whether there is something wrong with a field.
    pub(super) fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// Says something else of a field.
    pub(super) fn replace(&mut self, field: &str, message: &str) {
        self.0.insert(field.to_owned(), Value::Array(vec![message.into()]));
    }

    /// The refusal, if anything is wrong.
    pub(super) fn refuse(self) -> Result<(), Refusal> {
        if self.0.is_empty() { Ok(()) } else { Err(Refusal::record_invalid(self.0)) }
    }

    /// Says that something is wrong with a field.
    pub(super) fn add(&mut self, field: &str, message: &str) {
        let messages = self.0.entry(field).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(messages) = messages
            && !messages.iter().any(|known| known == message)
        {
            messages.push(message.into());
        }
    }
}

/// Whether the service looks for a value in a list, in which null is not.
fn is_of_a_list(form: Form) -> bool {
    matches!(form, Form::OneOf(_) | Form::Flag)
}

/// What is wrong with a value that is null or not there. What the record holds does not stand in for it.
fn absence(inputs: &Inputs, given: &Given, row: &Input, value: Option<&Field<Value>>) -> Option<String> {
    let null = matches!(value, Some(Field::Null));
    if null && is_of_a_list(row.form) {
        return Some(NOT_INCLUDED.to_owned());
    }
    if !null && value.is_some() {
        return None;
    }
    row.rules.iter().find_map(|rule| match rule {
        Rule::Required | Rule::RequiredUnless(_) => Some("is required".to_owned()),
        Rule::RequiredWhen(flag) if given.contains(&(*flag, Field::Value(Value::Bool(true)))) => {
            let flag = inputs.rows.get(*flag).map_or("", |row| row.wire);
            Some(format!("is required when {flag} is true"))
        }
        _ => None,
    })
}
