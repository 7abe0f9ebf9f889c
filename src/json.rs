//! JSON as Python objects and back, with every digit kept.

use std::sync::Arc;

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

use super::decimals::{decimal, is_decimal};
use super::exceptions::{ArgumentError, CatchException, RustResult, str_of, type_name};
use super::generated::records::strategy::Strategy;
use super::generated::records::take_profit_step::TakeProfitStep;
use super::protocols::{cast, is_sequence, items};
use super::records::records_type;
use super::to_python::to_python;
use botdesk_api::decimal;
use botdesk_api::endpoint::Method;
use botdesk_api::json::{Json, Scanner};
use botdesk_client::error::{Error, kept_without_secrets};

/// How deep a caller's lists and dicts may nest.
const MAX_DEPTH: usize = 100;

/// The Python object of the JSON in the response to a request with that method.
pub(super) fn from_response<'py>(py: Python<'py>, text: &str, method: Method) -> PyResult<Bound<'py, PyAny>> {
    let span = Scanner::whole(text)
        .map_rust_err(|error| Error::Decode {
            message: format!("the text is not JSON: {error}"),
            body: kept_without_secrets(text),
            method: Some(method),
        })
        .or_py_err()?;
    to_python(py, Json::new(&Arc::from(text), span))
}

/// The JSON value that a caller's object stands for, or why it can't be sent.
pub(super) fn from_python(given: &Bound<'_, PyAny>) -> Result<Value, ArgumentError> {
    value(given, MAX_DEPTH)
}

fn value(given: &Bound<'_, PyAny>, depth: usize) -> Result<Value, ArgumentError> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(format!("lists and dicts may nest {MAX_DEPTH} deep").into());
    };
    match builtin(given, depth)? {
        Some(value) => Ok(value),
        None => other(given, depth),
    }
}

/// The JSON value of an object of a builtin type, found without running Python code; None for any other object.
fn builtin(given: &Bound<'_, PyAny>, depth: usize) -> Result<Option<Value>, ArgumentError> {
    let py = given.py();
    if given.is_none() {
        return Ok(Some(Value::Null));
    }
    if let Some(flag) = cast::<PyBool>(given) {
        return Ok(Some(Value::Bool(flag.is_true())));
    }
    // What a subclass prints may be anything, such as the name of an enumeration's member.
    if given.is_exact_instance_of::<PyInt>() {
        return exact_number(given).map(Some);
    }
    if let Some(text) = cast::<PyString>(given) {
        let text = text.extract().or_invalid(py, || "the text holds half of a surrogate pair".to_owned())?;
        return Ok(Some(Value::String(text)));
    }
    if let Some(float) = cast::<PyFloat>(given) {
        // The shortest text that stands for the float: 0.1 is sent as 0.1.
        let number = Number::from_f64(float.value()).map(plain);
        return if number.is_some() { Ok(number) } else { Err(not_finite(given)) };
    }
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        return elements(given, depth).map(Some);
    }
    if let Some(dict) = cast::<PyDict>(given) {
        return members(dict, |member| value(member, depth)).map(Some);
    }
    Ok(None)
}

/// The JSON value of an object of any other type.
fn other(given: &Bound<'_, PyAny>, depth: usize) -> Result<Value, ArgumentError> {
    let py = given.py();
    if is_decimal(given).none_if_exception(py)?.unwrap_or(false) {
        return exact_number(given);
    }
    if let Some(text) = record(given) {
        return Ok(serde_json::from_str(&text).map_rust_err(|error| error.to_string())?);
    }
    if is_listed(given).none_if_exception(py)?.unwrap_or(false) {
        return elements(given, depth);
    }
    if let Some(scalar) = numpy_scalar(given).none_if_exception(py)?.flatten() {
        return value(&scalar, depth);
    }
    // What calls itself an integer, of whatever library, but prints as it likes.
    match given.call_method0("__index__").none_if_exception(py)? {
        Some(integer) => exact_number(&integer),
        None => Err(unsendable(given)),
    }
}

/// Whether an object is a sequence or a list of records.
fn is_listed(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_other = given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyInt>();
    Ok(!is_other && (given.is_instance(records_type(given.py())?)? || is_sequence(given)?))
}

fn elements(given: &Bound<'_, PyAny>, depth: usize) -> Result<Value, ArgumentError> {
    let mut elements = Vec::new();
    // In a loop, because the adapters of iterators ask Python for a length, and only write out what that raises.
    for element in given.try_iter()? {
        elements.push(value(&element?, depth)?);
    }
    Ok(Value::Array(elements))
}

fn exact_number(given: &Bound<'_, PyAny>) -> Result<Value, ArgumentError> {
    match str_of(given)?.parse().rust_ok() {
        Some(number) => Ok(plain(number)),
        None => Err(not_finite(given)),
    }
}

/// A number without an exponent, as edits send it; one that would be thousands of digits long keeps its exponent.
fn plain(number: Number) -> Value {
    Value::Number(decimal::plain_number(&number.to_string()).unwrap_or(number))
}

/// Returns the JSON object of a dict, whose values `read` turns into JSON.
pub(super) fn members<'py>(
    dict: &Bound<'py, PyDict>,
    read: impl Fn(&Bound<'py, PyAny>) -> Result<Value, ArgumentError>,
) -> Result<Value, ArgumentError> {
    let mut members = Map::new();
    for (key, member) in items(dict)? {
        members.insert(member_name(&key)?, read(&member)?);
    }
    Ok(Value::Object(members))
}

/// Returns the key of a dict as the name of a member.
fn member_name(key: &Bound<'_, PyAny>) -> Result<String, ArgumentError> {
    key.extract().or_invalid(key.py(), || "the keys of a dict must be texts".to_owned())
}

/// The Python object that a scalar of numpy stands for: a bool, an int, or a float's shortest text as a decimal. None for
/// any other object.
pub(super) fn numpy_scalar<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if given.get_type().module()? != "numpy" || given.getattr("shape")?.len()? != 0 {
        return Ok(None);
    }
    let kind: String = given.getattr("dtype")?.getattr("kind")?.extract()?;
    Ok(match kind.as_str() {
        "b" | "i" | "u" => Some(given.call_method0("item")?),
        // A float32 made longer would show digits that nobody gave: 0.1 is not 0.10000000149011612.
        "f" => Some(decimal(given.py(), &str_of(given)?)?),
        _ => None,
    })
}

/// The text of a record that was read before.
fn record(given: &Bound<'_, PyAny>) -> Option<String> {
    let strategy = cast::<Strategy>(given).map(|strategy| strategy.get().text().to_owned());
    strategy.or_else(|| cast::<TakeProfitStep>(given).map(|step| step.get().text().to_owned()))
}

fn not_finite(given: &Bound<'_, PyAny>) -> ArgumentError {
    described(str_of(given), given.py(), |text| format!("{text} is no number that can be sent"))
}

fn unsendable(given: &Bound<'_, PyAny>) -> ArgumentError {
    described(type_name(given), given.py(), |name| format!("a value of type {name} can't be sent"))
}

/// The message that a text of Python's is for; without the text if it can't be had.
fn described(text: PyResult<String>, py: Python<'_>, message: impl FnOnce(&str) -> String) -> ArgumentError {
    match text.none_if_exception(py) {
        Ok(text) => message(&text.unwrap_or_default()).into(),
        Err(raised) => ArgumentError::Raised(raised),
    }
}
