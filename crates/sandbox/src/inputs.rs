//! The inputs of a request, parsed and validated by the rows of the operation.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::parameters::{self, Parameter};
use super::record::JsonRecord;
use super::route::RequestParams;
use botdesk_schema::input::{Audience, Input, InputName, InputType, Inputs, RequestBuilder, Rule, excerpt};
use botdesk_schema::values::Field;
use botdesk_server::api_error::ApiError;

/// The values of a request by the names of the inputs. Unknown inputs are dropped.
pub(super) type ParsedInputs = Vec<(InputName, Field<Value>)>;

/// The message of the service for a value that is not one of the choices.
pub(super) const NOT_INCLUDED: &str = "is not included in the list";

/// The names that older programs give a parameter, each with the one of the API reference.
const OLD_NAMES: &[(&str, &str)] = &[("account_ids", "account_id")];

/// A value as the request contains it.
enum RequestValue {
    /// A parameter in the query string or in a form.
    Parameter(String),
    /// Several of them, whose names have brackets.
    Nested(Value),
    /// A member of a JSON body.
    Json(Value),
}

impl RequestValue {
    fn parse(&self, input_type: InputType) -> Field<Value> {
        match self {
            Self::Parameter(string) => Field::Value(parse_string(input_type, string)),
            Self::Nested(value) => Field::Value(parse_nested(input_type, value)),
            Self::Json(Value::Null) => Field::Null,
            Self::Json(value) => Field::Value(with_types(input_type, value.clone())),
        }
    }
}

/// The values of a request by name.
type RequestValues = HashMap<String, RequestValue>;

/// Returns the inputs of a request; fails with a 400 if one breaks a rule.
pub(super) fn validated(inputs: &'static Inputs, params: &RequestParams<'_>) -> Result<RequestBuilder, ApiError> {
    let given = parse(inputs, params)?;
    let request = RequestBuilder::for_http(inputs, given.clone());
    ValidationErrors::check(inputs, &given, &request).into_result()?;
    Ok(request)
}

/// Returns the inputs of a request, from its query string and its body: a form or a JSON object.
pub(super) fn parse(inputs: &'static Inputs, params: &RequestParams<'_>) -> Result<ParsedInputs, ApiError> {
    let values = request_values(params)?;
    let mut errors = ValidationErrors::default();
    for row in inputs.rows {
        errors.check_names(row, &values);
    }
    errors.into_result()?;
    let value = |row: &Input| values.get(row.wire).or_else(|| values.get(row.second_wire_name?));
    Ok(inputs.rows.iter().filter_map(|row| Some((row.key(), value(row)?.parse(row.input_type)))).collect())
}

/// Returns the values of a request by name. A value in the body replaces one in the query string, and a later
/// one replaces an earlier one.
fn request_values(params: &RequestParams<'_>) -> Result<RequestValues, ApiError> {
    let mut values: RequestValues = request_parameters(params.query.unwrap_or_default().as_bytes())?.collect();
    if params.is_form {
        values.extend(request_parameters(params.body)?);
    } else if !params.body.is_empty() {
        let body = json_object(params.body)?.into_iter();
        values.extend(body.map(|(name, value)| (name, RequestValue::Json(value))));
    }
    Ok(values)
}

fn json_object(body: &[u8]) -> Result<Map<String, Value>, ApiError> {
    serde_json::from_slice(body).map_err(|_| ApiError::invalid_field("base", "the body must be a JSON object"))
}

/// Returns the parameters of a query string or of a form, in order.
fn request_parameters(encoded: &[u8]) -> Result<impl Iterator<Item = (String, RequestValue)>, ApiError> {
    Ok(parameters::parse(encoded)?.into_iter().map(|(name, parameter)| {
        let known = OLD_NAMES.iter().find(|(old, _)| *old == name).map(|(_, name)| (*name).to_owned());
        let value = match parameter {
            Parameter::Text(text) => RequestValue::Parameter(text),
            Parameter::Nested(value) => RequestValue::Nested(value),
        };
        (known.unwrap_or(name), value)
    }))
}

/// Parses a parameter. One that can't be parsed stays a string, which the rows reject.
fn parse_string(input_type: InputType, string: &str) -> Value {
    // In one place the API reference writes the choices in brackets.
    let bare = string.strip_prefix('[').and_then(|string| string.strip_suffix(']'));
    match (input_type, bare) {
        (InputType::OneOf(_), Some(bare)) => Value::from(bare),
        (InputType::Integer, _) => whole(string).map_or_else(|| with_types(input_type, string.into()), Value::from),
        _ => with_types(input_type, Value::from(string)),
    }
}

/// Parses the value of several parameters. For an input that is a text, `name[]` means texts with commas between them.
fn parse_nested(input_type: InputType, value: &Value) -> Value {
    match (input_type, value) {
        (InputType::Text, Value::Array(texts)) => {
            texts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",").into()
        }
        _ => with_types(input_type, value.clone()),
    }
}

/// Converts a value to the type of an input, if a program writes that type otherwise: whole numbers as floats, numbers and
/// booleans as text, arrays and objects as JSON text. Any other value stays as it is.
fn with_types(input_type: InputType, value: Value) -> Value {
    match (input_type, value) {
        (InputType::Integer | InputType::Time | InputType::IsoTime, Value::String(text)) => {
            text.parse::<i64>().map_or_else(|_| Value::String(text), Value::from)
        }
        (InputType::Integer, Value::Number(number)) => {
            whole(&number.to_string()).map_or(Value::Number(number), Value::from)
        }
        (InputType::Bool, Value::String(text)) => match text.as_str() {
            "true" | "True" | "1" => Value::Bool(true),
            "false" | "False" | "0" => Value::Bool(false),
            _ => Value::String(text),
        },
        (InputType::Pairs | InputType::Texts | InputType::Objects(_) | InputType::Groups(_), Value::String(text)) => {
            json_text(&text).filter(Value::is_array).map_or(Value::String(text), |value| with_types(input_type, value))
        }
        (InputType::Group(_) | InputType::Object, Value::String(text)) => {
            json_text(&text).filter(Value::is_object).map_or(Value::String(text), |value| with_types(input_type, value))
        }
        (InputType::Groups(_), Value::Array(elements)) => {
            elements.into_iter().map(|element| with_types(input_type, element)).collect()
        }
        (InputType::Group(inputs) | InputType::Groups(inputs), Value::Object(members)) => {
            let member = |(name, value): (String, Value)| {
                let row = inputs.rows.iter().find(|row| row.wire == name);
                let value = row.map_or_else(|| value.clone(), |row| with_types(row.input_type, value.clone()));
                (name, value)
            };
            Value::Object(members.into_iter().map(member).collect())
        }
        (_, value) => value,
    }
}

/// Reads a whole number that is written with a decimal point, such as `2.0`.
fn whole(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.')?;
    let is_zero = !fraction.is_empty() && fraction.bytes().all(|digit| digit == b'0');
    whole.parse().ok().filter(|_| is_zero)
}

fn json_text(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// The messages of invalid inputs, by the name of the field in the API.
#[derive(Default)]
pub(super) struct ValidationErrors(Map<String, Value>);

impl ValidationErrors {
    /// Validates the inputs of a request.
    pub(super) fn check(inputs: &Inputs, given: &ParsedInputs, request: &RequestBuilder) -> Self {
        let mut errors = Self::default();
        for row in inputs.rows {
            let value = given.iter().find(|(name, _)| *name == row.key()).map(|(_, value)| value);
            if is_rejected_null(row, value) && !request.is_unchanged(row.key()) {
                errors.add(row.documented_name(), NOT_INCLUDED);
            } else if let Some(message) = missing_message(inputs, given, row, value) {
                errors.add(row.documented_name(), &message);
            }
        }
        // The live service does not have botdesk's own rules.
        for violation in request.violations().into_iter().filter(|violation| !violation.is_own) {
            let Some(row) = inputs.rows.iter().find(|row| row.name == violation.field) else {
                errors.add(&violation.field, &violation.message);
                continue;
            };
            let has_no_such_choice = match given.iter().find(|(name, _)| *name == row.key()) {
                Some((_, Field::Null)) => has_choices(row.input_type),
                Some(_) => matches!(row.input_type, InputType::OneOf(_)),
                None => false,
            };
            errors.add(row.documented_name(), if has_no_such_choice { NOT_INCLUDED } else { &violation.message });
        }
        errors
    }

    /// Rejects an input whose two names have different values, because only the caller knows which one is meant.
    fn check_names(&mut self, row: &Input, values: &RequestValues) {
        let Some(second) = row.second_wire_name else { return };
        let (Some(one), Some(other)) = (values.get(row.wire), values.get(second)) else { return };
        let (one, other) = (one.parse(row.input_type), other.parse(row.input_type));
        if one != other {
            let (one, other) = (excerpt_or_null(&one), excerpt_or_null(&other));
            self.add(second, &format!("is {other}, but {} is {one}; send one of the two, or the same value", row.wire));
        }
    }

    /// Returns true if a field is invalid.
    pub(super) fn has(&self, field: &str) -> bool {
        self.0.contains_key(field)
    }

    /// Replaces the messages of a field.
    pub(super) fn replace(&mut self, field: &str, message: &str) {
        self.0.insert(field.to_owned(), Value::Array(vec![message.into()]));
    }

    /// Returns an error if any field is invalid.
    pub(super) fn into_result(self) -> Result<(), ApiError> {
        if self.0.is_empty() { Ok(()) } else { Err(ApiError::record_invalid(self.0)) }
    }

    /// Adds a message to a field.
    pub(super) fn add(&mut self, field: &str, message: &str) {
        let messages = self.0.entry(field).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(messages) = messages
            && !messages.iter().any(|known| known == message)
        {
            messages.push(message.into());
        }
    }
}

fn excerpt_or_null(value: &Field<Value>) -> String {
    match value {
        Field::Value(value) => excerpt(value, Audience::Http),
        Field::Absent | Field::Null => "null".to_owned(),
    }
}

/// Returns true if the input has a fixed set of choices, which never includes null.
fn has_choices(input_type: InputType) -> bool {
    matches!(input_type, InputType::OneOf(_) | InputType::Bool)
}

fn is_rejected_null(row: &Input, value: Option<&Field<Value>>) -> bool {
    matches!(value, Some(Field::Null)) && has_choices(row.input_type)
}

/// Returns the message for a required value that is null or missing. The current value of the record does not replace it.
fn missing_message(inputs: &Inputs, given: &ParsedInputs, row: &Input, value: Option<&Field<Value>>) -> Option<String> {
    if matches!(value, Some(Field::Absent | Field::Value(_))) {
        return None;
    }
    row.rules.iter().find_map(|rule| match rule {
        Rule::Required | Rule::RequiredUnless(_) => Some("is required".to_owned()),
        Rule::RequiredIfTrue(condition) if given.contains(&(*condition, Field::Value(Value::Bool(true)))) => {
            let condition = inputs.get(*condition).map_or("", |row| row.wire);
            Some(format!("is required when {condition} is true"))
        }
        _ => None,
    })
}

/// Returns the inputs that a request has.
pub(super) fn given(request: &RequestBuilder) -> JsonRecord {
    let value = |row: &Input| Some((row.wire.to_owned(), request.value(row.key())?.clone()));
    request.inputs().rows.iter().filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use botdesk_api::accounts::AccountRename;
    use botdesk_api::samples::operation;
    use botdesk_schema::input::encode_query;

    fn parse_rename(query: Option<&str>, body: &[u8], is_form: bool) -> Result<ParsedInputs, ApiError> {
        parse(
            AccountRename::INPUTS,
            &RequestParams {
                operation: operation("accounts.rename"),
                ids: Vec::new(),
                query,
                body,
                is_form,
                key: None,
            },
        )
    }

    fn named(name: &str) -> ParsedInputs {
        vec![(AccountRename::name, Field::Value(name.into()))]
    }

    #[test]
    fn a_later_parameter_replaces_an_earlier_one() {
        assert_eq!(parse_rename(Some("name=a&name=b"), b"", false), Ok(named("b")));
        assert_eq!(parse_rename(Some("name=a"), b"name=b", true), Ok(named("b")));
    }

    #[test]
    fn a_parameter_without_a_value_is_empty() {
        for query in ["name", "name=", "&name&"] {
            assert_eq!(parse_rename(Some(query), b"", false), Ok(named("")), "{query}");
        }
    }

    proptest! {
        #[test]
        fn a_string_is_the_same_in_every_encoding(string in any::<String>()) {
            let value = Value::from(string.as_str());
            let encoded = encode_query([("name", &value)].into_iter()).unwrap();
            let json = serde_json::json!({"name": string}).to_string();
            prop_assert_eq!(parse_rename(Some(&encoded), b"", false), Ok(named(&string)));
            prop_assert_eq!(parse_rename(None, encoded.as_bytes(), true), Ok(named(&string)));
            prop_assert_eq!(parse_rename(None, json.as_bytes(), false), Ok(named(&string)));
        }

        #[test]
        fn a_form_of_any_bytes_is_parsed_or_rejected(body in proptest::collection::vec(any::<u8>(), 0..64)) {
            let status = parse_rename(None, &body, true).err().map(|error| error.status);
            prop_assert!(status.is_none_or(|status| status == 400));
        }
    }
}
