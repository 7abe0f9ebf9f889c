//! JSON as Python objects and back, with every digit kept.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PySequence, PyString};
use serde_json::{Map, Number, Value};

use super::records::{Strategy, TakeProfitStep, records_type};
use super::values::{self, is_decimal};
use crate::client::error::{Error, kept};
use crate::service::decimal;
use crate::service::endpoint::Method;
use crate::service::json::{Json, Scanner};
use crate::service::secrets::without_secrets;
use crate::service::values::is_amount;

/// The most digits that Python makes an int of.
const LONGEST_INT: usize = 4_300;

/// How deep a caller's lists and dicts may nest.
const MAX_DEPTH: usize = 100;

/// The Python object that a JSON value stands for: whole numbers as int, others as Decimal.
pub(super) fn to_python<'py>(py: Python<'py>, json: Json<'_>) -> PyResult<Bound<'py, PyAny>> {
    match json.to_value() {
        Some(value) => object(py, &value),
        None => not_unicode(py, json),
    }
}

/// The Python object of a value in which a string holds half of a surrogate pair, as Python's own `json` makes it.
fn not_unicode<'py>(py: Python<'py>, json: Json<'_>) -> PyResult<Bound<'py, PyAny>> {
    if let Some(members) = json.members() {
        let dict = PyDict::new(py);
        for (key, member) in members {
            dict.set_item(to_python(py, key)?, to_python(py, member)?)?;
        }
        return Ok(dict.into_any());
    }
    if let Some(elements) = json.elements() {
        let elements = elements.into_iter().map(|element| to_python(py, element)).collect::<PyResult<Vec<_>>>()?;
        return Ok(PyList::new(py, elements)?.into_any());
    }
    let bytes = PyBytes::new(py, &json.wtf8_string().unwrap_or_default());
    Ok(PyString::from_encoded_object(&bytes, Some(c"utf-8"), Some(c"surrogatepass"))?.into_any())
}

/// The Python object of the JSON in the response to a request with that method.
pub(super) fn from_response<'py>(py: Python<'py>, text: &str, method: Method) -> PyResult<Bound<'py, PyAny>> {
    let span = Scanner::whole(text).map_err(|error| Error::Decode {
        message: format!("the text is not JSON: {error}"),
        body: kept(&without_secrets(text)),
        method: Some(method),
    })?;
    to_python(py, Json::new(&Arc::from(text), span))
}

pub(super) fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => PyBool::new(py, *flag).to_owned().into_any(),
        Value::Number(number) => self::number(py, &number.to_string())?,
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(elements) => {
            let elements = elements.iter().map(|element| object(py, element)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, elements)?.into_any()
        }
        Value::Object(members) => {
            let dict = PyDict::new(py);
            for (key, member) in members {
                dict.set_item(key, object(py, member)?)?;
            }
            dict.into_any()
        }
    })
}

fn number<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(number) = text.parse::<i64>() {
        return Ok(number.into_pyobject(py)?.into_any());
    }
    if text.len() < LONGEST_INT && !text.contains(['.', 'e', 'E']) {
        return py.get_type::<PyInt>().call1((text,));
    }
    // What no decimal holds stays the text that it came as.
    if is_amount(text) { values::decimal(py, text) } else { Ok(PyString::new(py, text).into_any()) }
}

/// The JSON value that a caller's object stands for, or why it can't be sent.
pub(super) fn from_python(given: &Bound<'_, PyAny>) -> Result<Value, String> {
    value(given, MAX_DEPTH)
}

fn value(given: &Bound<'_, PyAny>, depth: usize) -> Result<Value, String> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(format!("lists and dicts may nest {MAX_DEPTH} deep"));
    };
    if given.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(flag) = given.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return text.extract().map(Value::String).map_err(|_| "the text holds half of a surrogate pair".to_owned());
    }
    if let Ok(float) = given.cast::<PyFloat>() {
        // The shortest text that stands for the float: 0.1 is sent as 0.1.
        return Number::from_f64(float.value()).map(plain).ok_or_else(|| not_finite(given));
    }
    if is_decimal(given) {
        return exact_number(given);
    }
    if let Ok(dict) = given.cast::<PyDict>() {
        return members(dict, depth);
    }
    if (given.cast::<PySequence>().is_ok() || is_records(given)) && !given.is_instance_of::<PyBytes>() {
        let elements = given.try_iter().map_err(|error| error.to_string())?;
        let element = |element: PyResult<Bound<'_, PyAny>>| value(&element.map_err(|error| error.to_string())?, depth);
        return elements.map(element).collect::<Result<_, _>>().map(Value::Array);
    }
    if let Some(scalar) = numpy_scalar(given) {
        return value(&scalar, depth);
    }
    match record(given) {
        Some(text) => serde_json::from_str(&text).map_err(|error| error.to_string()),
        // What calls itself an integer, of whatever library, but prints as it likes.
        None => exact_number(&given.call_method0("__index__").map_err(|_| unsendable(given))?),
    }
}

fn exact_number(given: &Bound<'_, PyAny>) -> Result<Value, String> {
    let text = given.str().map_err(|error| error.to_string())?.to_string();
    text.parse().map(plain).map_err(|_| not_finite(given))
}

/// A number without an exponent, as edits send it; one that would be thousands of digits long keeps its exponent.
fn plain(number: Number) -> Value {
    Value::Number(decimal::plain_number(&number.to_string()).unwrap_or(number))
}

fn members(dict: &Bound<'_, PyDict>, depth: usize) -> Result<Value, String> {
    let mut members = Map::new();
    for (key, member) in dict {
        let key: String = key.extract().map_err(|_| "the keys of a dict must be texts".to_owned())?;
        members.insert(key, value(&member, depth)?);
    }
    Ok(Value::Object(members))
}

/// The Python object that a scalar of numpy stands for: a bool, an int, or a float's shortest text as a decimal. None for
/// any other object.
fn numpy_scalar<'py>(given: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let is_numpy = given.get_type().module().is_ok_and(|module| module == "numpy");
    let has_no_shape = || given.getattr("shape").and_then(|shape| shape.len()).is_ok_and(|dimensions| dimensions == 0);
    if !is_numpy || !has_no_shape() {
        return None;
    }
    let kind: String = given.getattr("dtype").and_then(|dtype| dtype.getattr("kind")?.extract()).ok()?;
    match kind.as_str() {
        "b" | "i" | "u" => given.call_method0("item").ok(),
        // A float32 made longer would show digits that nobody gave: 0.1 is not 0.10000000149011612.
        "f" => values::decimal(given.py(), given.str().ok()?.to_str().ok()?).ok(),
        _ => None,
    }
}

/// Whether an object is a list of records.
fn is_records(given: &Bound<'_, PyAny>) -> bool {
    records_type(given.py()).is_ok_and(|records| given.is_instance(records).unwrap_or(false))
}

/// The text of a record that was read before.
fn record(given: &Bound<'_, PyAny>) -> Option<String> {
    let strategy = given.cast::<Strategy>().ok().map(|strategy| strategy.get().text().to_owned());
    strategy.or_else(|| given.cast::<TakeProfitStep>().ok().map(|step| step.get().text().to_owned()))
}

fn not_finite(given: &Bound<'_, PyAny>) -> String {
    let text = given.str().map(|text| text.to_string()).unwrap_or_default();
    format!("{text} is no number that can be sent")
}

fn unsendable(given: &Bound<'_, PyAny>) -> String {
    let name = given.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    format!("a value of type {name} can't be sent")
}
