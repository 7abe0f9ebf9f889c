//! The parameters of a query string or of a form, with the spellings of nested values that programs use.

use std::borrow::Cow;

use serde_json::{Map, Value};

use botdesk_server::api_error::ApiError;

/// The message for a parameter that is not valid UTF-8.
const NOT_UTF_8: &str = "must be percent-encoded UTF-8";

/// A parameter.
pub(super) enum Parameter {
    /// The text of a plain name.
    Text(String),
    /// The value that names with brackets make: `a[b]` an object, `a[]` an array of texts, `a[][b]` an array of objects.
    Nested(Value),
}

/// Returns the parameters by name. A later one replaces an earlier one with the same name.
pub(super) fn parse(encoded: &[u8]) -> Result<Vec<(String, Parameter)>, ApiError> {
    let mut parameters: Vec<(String, Parameter)> = Vec::new();
    for pair in encoded.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
        let (name, text) = decode(pair)?;
        let Some((root, path)) = brackets(&name) else {
            parameters.push((name, Parameter::Text(text)));
            continue;
        };
        let known =
            parameters.iter_mut().find(|(known, parameter)| known == root && matches!(parameter, Parameter::Nested(_)));
        if let Some((_, Parameter::Nested(value))) = known {
            insert(value, root, &path, text)?;
        } else {
            let mut value = Value::Null;
            insert(&mut value, root, &path, text)?;
            parameters.push((root.to_owned(), Parameter::Nested(value)));
        }
    }
    Ok(parameters)
}

fn decode(pair: &[u8]) -> Result<(String, String), ApiError> {
    let end = pair.iter().position(|byte| *byte == b'=').unwrap_or(pair.len());
    let (name, value) = pair.split_at(end);
    let name = percent_decode(name).ok_or_else(|| ApiError::invalid_field("base", NOT_UTF_8))?;
    let value = percent_decode(value.strip_prefix(b"=").unwrap_or(value));
    let value = value.ok_or_else(|| ApiError::invalid_field(&name, NOT_UTF_8))?;
    Ok((name, value))
}

/// Decodes a name or a value; None if it is not UTF-8.
fn percent_decode(part: &[u8]) -> Option<String> {
    let spaced: Vec<u8> = part.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    percent_encoding::percent_decode(&spaced).decode_utf8().ok().map(Cow::into_owned)
}

/// Splits a name such as `a[b][]` into `a` and the texts in its brackets; returns None for a plain name.
fn brackets(name: &str) -> Option<(&str, Vec<&str>)> {
    let (root, rest) = name.strip_suffix(']')?.split_once('[')?;
    (!root.is_empty()).then(|| (root, rest.split("][").collect()))
}

/// Puts a text into the value of `name`. The error is that of the service for a list with numbered elements.
fn insert(value: &mut Value, name: &str, path: &[&str], text: String) -> Result<(), ApiError> {
    match path {
        [] => *value = Value::String(text),
        ["", rest @ ..] => {
            let mut elements = match value.take() {
                Value::Array(elements) => elements,
                _ => Vec::new(),
            };
            // An element begins when a name repeats.
            let last = elements.pop_if(|last| !rest.is_empty() && !has(last, rest));
            let mut element = last.unwrap_or_default();
            insert(&mut element, name, rest, text)?;
            elements.push(element);
            *value = Value::Array(elements);
        }
        [index, ..] if index.bytes().all(|byte| byte.is_ascii_digit()) => {
            return Err(ApiError::invalid_field(name, "is invalid"));
        }
        [key, rest @ ..] => {
            let mut members = match value.take() {
                Value::Object(members) => members,
                _ => Map::new(),
            };
            let inner = members.entry(*key).or_insert(Value::Null);
            insert(inner, &format!("{name}[{key}]"), rest, text)?;
            *value = Value::Object(members);
        }
    }
    Ok(())
}

/// Returns true if a value has something at a path of keys.
fn has(value: &Value, path: &[&str]) -> bool {
    match path {
        [] => true,
        ["", ..] => false,
        [key, rest @ ..] => value.get(key).is_some_and(|inner| has(inner, rest)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the only value of a form whose names have brackets.
    fn nested(form: &str) -> Value {
        match parse(form.as_bytes()).unwrap().pop() {
            Some((name, Parameter::Nested(value))) => json!({ name: value }),
            _ => Value::Null,
        }
    }

    #[test]
    fn names_with_brackets_make_objects_and_arrays() {
        for (form, value) in [
            ("units[value]=5", json!({ "units": { "value": "5" } })),
            ("a[b][c]=1&a[b][d]=2", json!({ "a": { "b": { "c": "1", "d": "2" } } })),
            ("ids[]=1&ids%5B%5D=2", json!({ "ids": ["1", "2"] })),
            (
                "s[][p][v]=1&s[][w]=2&s[][p][v]=3",
                json!({ "s": [{ "p": { "v": "1" }, "w": "2" }, { "p": { "v": "3" } }] }),
            ),
            ("a[b]=1&a[b]=2", json!({ "a": { "b": "2" } })),
        ] {
            assert_eq!(nested(form), value, "{form}");
        }
    }

    #[test]
    fn numbered_elements_are_invalid() {
        for (form, field) in [("s[0][v]=1", "s"), ("take_profit[steps][0][price][value]=1", "take_profit[steps]")] {
            let error = parse(form.as_bytes()).err();
            assert_eq!(error, Some(ApiError::invalid_field(field, "is invalid")), "{form}");
        }
    }

    #[test]
    fn other_brackets_are_part_of_a_plain_name() {
        for form in ["[a]=1", "a[b=1", "a]=1"] {
            assert!(matches!(parse(form.as_bytes()).unwrap()[..], [(_, Parameter::Text(_))]), "{form}");
        }
    }
}
