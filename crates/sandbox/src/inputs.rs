//! What a caller gave, judged by the rows of the endpoint.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use super::route::Asked;
use botdesk_api::input::{Audience, Input, InputType, Inputs, RequestBuilder, Rule, excerpt};
use botdesk_api::values::Field;
use botdesk_server::answer::Refusal;

/// What a caller gave, by the index of each input. What the rows do not name is not in it.
pub(super) type Given = Vec<(usize, Field<Value>)>;

/// What the service says where a value is none of an enumeration's.
const NOT_INCLUDED: &str = "is not included in the list";

/// What the service says where a parameter is not text.
const NOT_UTF_8: &str = "must be percent-encoded UTF-8";

/// A value as the request carries it.
enum Member {
    /// A parameter of the query string or of a form.
    Text(String),
    /// A member of a JSON body.
    Json(Value),
}

impl Member {
    fn to_field(&self, form: InputType) -> Field<Value> {
        match self {
            Self::Text(text) => Field::Value(from_text(form, text)),
            Self::Json(value) => from_json(form, value),
        }
    }
}

/// The values of a request by their names.
type Members = HashMap<String, Member>;

/// Returns the inputs of a request; fails with a 400 if one breaks a rule.
pub(super) fn validated(inputs: &'static Inputs, asked: &Asked<'_>) -> Result<RequestBuilder, Refusal> {
    let given = parse(inputs, asked)?;
    let draft = RequestBuilder::for_http(inputs, given.clone());
    Complaints::about(inputs, &given, &draft).refuse()?;
    Ok(draft)
}

/// Returns the inputs of a request, from its query string and its body: a form or a JSON object.
pub(super) fn parse(inputs: &'static Inputs, asked: &Asked<'_>) -> Result<Given, Refusal> {
    let members = members(asked)?;
    let mut complaints = Complaints::default();
    for row in inputs.rows {
        complaints.check_names(row, &members);
    }
    complaints.refuse()?;
    let member = |row: &Input| members.get(row.wire).or_else(|| members.get(row.also?));
    let given = inputs.rows.iter().enumerate();
    Ok(given.filter_map(|(index, row)| Some((index, member(row)?.to_field(row.form)))).collect())
}

/// Returns the values of a request by their names. A value in the body replaces one in the query string, and a later
/// one replaces an earlier one.
fn members(asked: &Asked<'_>) -> Result<Members, Refusal> {
    let mut members: Members = parameters(asked.query.unwrap_or_default().as_bytes())?.collect();
    if asked.is_form {
        members.extend(parameters(asked.body)?);
    } else if !asked.body.is_empty() {
        let body = object(asked.body)?.into_iter();
        members.extend(body.map(|(name, value)| (name, Member::Json(value))));
    }
    Ok(members)
}

fn object(body: &[u8]) -> Result<Map<String, Value>, Refusal> {
    serde_json::from_slice(body).map_err(|_| Refusal::of_field("base", "the body must be a JSON object"))
}

/// Returns the parameters of a query string or of a form, in order.
fn parameters(encoded: &[u8]) -> Result<impl Iterator<Item = (String, Member)>, Refusal> {
    let pairs = encoded.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| {
        let end = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
        let (name, value) = pair.split_at(end);
        let name = decoded(name).ok_or_else(|| Refusal::of_field("base", NOT_UTF_8))?;
        let value = decoded(value.strip_prefix(b"=").unwrap_or(value));
        let value = value.ok_or_else(|| Refusal::of_field(&name, NOT_UTF_8))?;
        Ok((name, Member::Text(value)))
    });
    Ok(pairs.collect::<Result<Vec<_>, Refusal>>()?.into_iter())
}

/// A part of a parameter without its encoding; None if it is not UTF-8.
fn decoded(part: &[u8]) -> Option<String> {
    let spaced: Vec<u8> = part.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    percent_encoding::percent_decode(&spaced).decode_utf8().ok().map(Cow::into_owned)
}

/// A parameter's value. One that is not of its form stays a text, which the rows refuse.
fn from_text(form: InputType, text: &str) -> Value {
    match form {
        InputType::Integer | InputType::Time => text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from),
        InputType::Bool => text.parse::<bool>().map_or_else(|_| Value::from(text), Value::from),
        // The document writes the values of an enumeration in brackets in one place.
        InputType::OneOf(_) => {
            let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
            Value::from(bare.unwrap_or(text))
        }
        _ => Value::from(text),
    }
}

/// A member's value: numbers and flags may come as strings, as the records of grid bots have them.
fn from_json(form: InputType, value: &Value) -> Field<Value> {
    match (form, value) {
        (_, Value::Null) => Field::Null,
        (InputType::Integer | InputType::Bool, Value::String(text)) => Field::Value(from_text(form, text)),
        (_, value) => Field::Value(value.clone()),
    }
}

/// What is wrong with what was given, by the name of the field on the wire.
#[derive(Default)]
pub(super) struct Complaints(Map<String, Value>);

impl Complaints {
    /// All that breaks a rule.
    pub(super) fn about(inputs: &Inputs, given: &Given, draft: &RequestBuilder) -> Self {
        let mut complaints = Self::default();
        for (index, row) in inputs.rows.iter().enumerate() {
            let value = given.iter().find(|(given, _)| *given == index).map(|(_, value)| value);
            if is_refused_null(row, value) && !draft.is_unchanged(index) {
                complaints.add(row.documented_name(), NOT_INCLUDED);
            } else if let Some(message) = absence(inputs, given, row, value) {
                complaints.add(row.documented_name(), &message);
            }
        }
        // The service does not know botdesk's own checks.
        for violation in draft.violations().into_iter().filter(|violation| !violation.is_own) {
            let found = inputs.rows.iter().enumerate().find(|(_, row)| row.name == violation.field);
            let Some((index, row)) = found else {
                complaints.add(&violation.field, &violation.message);
                continue;
            };
            let of_a_list = match given.iter().find(|(given, _)| *given == index) {
                Some((_, Field::Null)) => is_of_a_list(row.form),
                Some(_) => matches!(row.form, InputType::OneOf(_)),
                None => false,
            };
            complaints.add(row.documented_name(), if of_a_list { NOT_INCLUDED } else { &violation.message });
        }
        complaints
    }

    /// Complains of an input whose two names carry different values: only the caller knows which one is meant.
    fn check_names(&mut self, row: &Input, members: &Members) {
        let Some(also) = row.also else { return };
        let (Some(one), Some(other)) = (members.get(row.wire), members.get(also)) else { return };
        let (one, other) = (one.to_field(row.form), other.to_field(row.form));
        if one != other {
            let (one, other) = (shown(&one), shown(&other));
            self.add(also, &format!("is {other}, but {} is {one}; send one of the two, or the same value", row.wire));
        }
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

fn shown(value: &Field<Value>) -> String {
    match value {
        Field::Value(value) => excerpt(value, Audience::Http),
        Field::Absent | Field::Null => "null".to_owned(),
    }
}

/// Whether the service looks for a value in a list, in which null is not.
fn is_of_a_list(form: InputType) -> bool {
    matches!(form, InputType::OneOf(_) | InputType::Bool)
}

fn is_refused_null(row: &Input, value: Option<&Field<Value>>) -> bool {
    matches!(value, Some(Field::Null)) && is_of_a_list(row.form)
}

/// What is wrong with a value that is null or not there. What the record holds does not stand in for it.
fn absence(inputs: &Inputs, given: &Given, row: &Input, value: Option<&Field<Value>>) -> Option<String> {
    if matches!(value, Some(Field::Absent | Field::Value(_))) {
        return None;
    }
    row.rules.iter().find_map(|rule| match rule {
        Rule::Required | Rule::RequiredUnless(_) => Some("is required".to_owned()),
        Rule::RequiredIfTrue(flag) if given.contains(&(*flag, Field::Value(Value::Bool(true)))) => {
            let flag = inputs.rows.get(*flag).map_or("", |row| row.wire);
            Some(format!("is required when {flag} is true"))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use botdesk_api::account::AccountRename;
    use botdesk_api::input::encode_query;

    fn renaming(query: Option<&str>, body: &[u8], is_form: bool) -> Result<Given, Refusal> {
        parse(AccountRename::INPUTS, &Asked { id: None, query, body, is_form })
    }

    fn named(name: &str) -> Given {
        vec![(AccountRename::name as usize, Field::Value(name.into()))]
    }

    #[test]
    fn a_later_parameter_replaces_an_earlier_one() {
        assert_eq!(renaming(Some("name=a&name=b"), b"", false), Ok(named("b")));
        assert_eq!(renaming(Some("name=a"), b"name=b", true), Ok(named("b")));
    }

    #[test]
    fn a_parameter_without_a_value_is_empty() {
        for query in ["name", "name=", "&name&"] {
            assert_eq!(renaming(Some(query), b"", false), Ok(named("")), "{query}");
        }
    }

    proptest! {
        #[test]
        fn a_text_arrives_as_it_was_sent_whichever_way(text in any::<String>()) {
            let value = Value::from(text.as_str());
            let encoded = encode_query([("name", &value)].into_iter()).unwrap();
            let json = serde_json::json!({"name": text}).to_string();
            prop_assert_eq!(renaming(Some(&encoded), b"", false), Ok(named(&text)));
            prop_assert_eq!(renaming(None, encoded.as_bytes(), true), Ok(named(&text)));
            prop_assert_eq!(renaming(None, json.as_bytes(), false), Ok(named(&text)));
        }

        #[test]
        fn a_form_of_any_bytes_is_read_or_refused(body in proptest::collection::vec(any::<u8>(), 0..64)) {
            let refused = renaming(None, &body, true).err().map(|refusal| refusal.status);
            prop_assert!(refused.is_none_or(|status| status == 400));
        }
    }
}
