//! Conversion of JSON values to Python objects.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyList, PyString};
use serde_json::Value;

use crate::decimals::decimal;
use crate::exceptions::RustResult;
use botdesk_schema::input::InputType;
use botdesk_schema::json::Json;
use botdesk_schema::values::is_decimal;

/// The highest number of digits that Python converts to an int.
const MAX_INT_LENGTH: usize = 4_300;

/// Returns the Python object for a JSON value: int for integers, Decimal for other numbers.
pub(super) fn to_python<'py>(py: Python<'py>, json: Json<'_>) -> PyResult<Bound<'py, PyAny>> {
    match json.to_value() {
        Some(value) => object(py, &value),
        None => not_unicode(py, json),
    }
}

/// Returns the same Python object as `json.loads` for a value with half of a surrogate pair in a string.
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

/// Returns the Python object for a value.
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
    if let Some(number) = text.parse::<i64>().rust_ok() {
        return Ok(number.into_pyobject(py)?.into_any());
    }
    if text.len() < MAX_INT_LENGTH && !text.contains(['.', 'e', 'E']) {
        return py.get_type::<PyInt>().call1((text,));
    }
    // A number that no decimal can represent stays a string.
    if is_decimal(text) { decimal(py, text) } else { Ok(PyString::new(py, text).into_any()) }
}

/// Returns the Python object for the value of an input: Decimal for a decimal.
pub(super) fn input_value<'py>(
    py: Python<'py>,
    input_type: InputType,
    value: Option<&Value>,
) -> PyResult<Bound<'py, PyAny>> {
    match (input_type, value) {
        (_, None) => Ok(py.None().into_bound(py)),
        (InputType::Decimal, Some(Value::String(text))) if is_decimal(text) => decimal(py, text),
        (_, Some(value)) => object(py, value),
    }
}
