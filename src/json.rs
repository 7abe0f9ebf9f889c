//! Conversion of JSON to Python objects and back, which keeps every digit.

use std::sync::Arc;

use crate::raise::OrPyErr as _;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde_json::{Map, Number, Value};

use crate::decimals::{decimal, is_decimal};
use crate::display::displayed_list::records_type;
use crate::exceptions::{ArgumentError, CatchException, RustResult, str_of, type_name};
use crate::protocols::{cast, is_sequence, items};
use crate::records::Record;
use crate::to_python::to_python;
use botdesk_api::reference::is_listed_in_inputs;
use botdesk_client::error::{Error, redact_and_truncate};
use botdesk_schema::decimal;
use botdesk_schema::json::{Json, Scanner};
use botdesk_schema::method::Method;

/// The maximum nesting depth of a caller's lists and dicts.
const MAX_DEPTH: usize = 100;

/// Returns the Python object for the JSON in a response; `method` is the method of the request.
pub(super) fn from_response<'py>(py: Python<'py>, text: &str, method: Method) -> PyResult<Bound<'py, PyAny>> {
    let span = Scanner::whole(text)
        .map_rust_err(|error| Error::Decode {
            message: format!("the JSON is invalid: {error}"),
            body: redact_and_truncate(text),
            method: Some(method),
            request_id: None,
        })
        .or_py_err()?;
    to_python(py, Json::new(&Arc::from(text), span))
}

/// Returns the JSON value of a Python object, or the reason why it can't be sent.
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

/// Returns the JSON value of an object of a builtin type without running Python code; None for any other object.
fn builtin(given: &Bound<'_, PyAny>, depth: usize) -> Result<Option<Value>, ArgumentError> {
    let py = given.py();
    if given.is_none() {
        return Ok(Some(Value::Null));
    }
    if let Some(flag) = cast::<PyBool>(given) {
        return Ok(Some(Value::Bool(flag.is_true())));
    }
    // A subclass may print anything, such as the name of an enum member.
    if given.is_exact_instance_of::<PyInt>() {
        return exact_number(given).map(Some);
    }
    if let Some(text) = cast::<PyString>(given) {
        let text = text.extract().or_invalid(py, || "the string has half of a surrogate pair".to_owned())?;
        return Ok(Some(Value::String(text)));
    }
    if let Some(float) = cast::<PyFloat>(given) {
        // The shortest decimal that is this float: 0.1 is sent as 0.1.
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

/// Returns the JSON value of an object of any other type.
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
    if is_uuid(given).none_if_exception(py)?.unwrap_or(false) {
        return Ok(Value::String(str_of(given)?));
    }
    // The integer type of any library, whose `str()` may be anything.
    match given.call_method0("__index__").none_if_exception(py)? {
        Some(integer) => exact_number(&integer),
        None => Err(unsendable(given)),
    }
}

/// Returns true for a sequence and for a list of records.
fn is_listed(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_other = given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyInt>();
    Ok(!is_other && (given.is_instance(records_type(given.py())?)? || is_sequence(given)?))
}

/// Returns true for a UUID of the standard library.
fn is_uuid(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let class = given.get_type();
    Ok(class.module()? == "uuid" && class.name()? == "UUID")
}

fn elements(given: &Bound<'_, PyAny>, depth: usize) -> Result<Value, ArgumentError> {
    let mut elements = Vec::new();
    // A loop, because iterator adapters ask Python for a length, and only print its exceptions.
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

/// Returns a number without an exponent, as edits send it. One that would have thousands of digits keeps its exponent.
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

/// Returns the key of a dict as the name of a JSON member.
fn member_name(key: &Bound<'_, PyAny>) -> Result<String, ArgumentError> {
    key.extract().or_invalid(key.py(), || "the keys of a dict must be strings".to_owned())
}

/// Returns a numpy scalar as a bool, an int, or the shortest decimal that is the same float; None for any other object.
pub(super) fn numpy_scalar<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if given.get_type().module()? != "numpy" || given.getattr("shape")?.len()? != 0 {
        return Ok(None);
    }
    let kind: String = given.getattr("dtype")?.getattr("kind")?.extract()?;
    Ok(match kind.as_str() {
        "b" | "i" | "u" => Some(given.call_method0("item")?),
        // A conversion of a float32 would add digits: 0.1 would become 0.10000000149011612.
        "f" => Some(decimal(given.py(), &str_of(given)?)?),
        _ => None,
    })
}

/// Returns the JSON of a record that is the value of a field, such as a strategy.
fn record(given: &Bound<'_, PyAny>) -> Option<String> {
    let fields = cast::<Record>(given)?.get().fields();
    is_listed_in_inputs(fields.spec()).then(|| fields.text().to_owned())
}

fn not_finite(given: &Bound<'_, PyAny>) -> ArgumentError {
    described(str_of(given), given.py(), |text| format!("{text} is not a number that can be sent"))
}

fn unsendable(given: &Bound<'_, PyAny>) -> ArgumentError {
    described(type_name(given), given.py(), |name| format!("a value of type {name} can't be sent"))
}

/// Returns an error whose message contains a string from Python, or nothing in its place if Python fails to make it.
fn described(text: PyResult<String>, py: Python<'_>, message: impl FnOnce(&str) -> String) -> ArgumentError {
    match text.none_if_exception(py) {
        Ok(text) => message(&text.unwrap_or_default()).into(),
        Err(raised) => ArgumentError::Raised(raised),
    }
}
