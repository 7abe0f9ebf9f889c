//! Reads the arguments of methods, and collects all of their errors.

use std::path::PathBuf;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyDate, PyDateTime, PyDict, PyFloat, PyInt, PyList, PyString, PyTzInfo, PyTzInfoAccess};
use serde_json::Value;

use crate::datetimes::to_timestamp;
use crate::exceptions::{ArgumentError, CatchException as _, RustError, RustResult, raise_or_keep};
use crate::hints::input_type;
use crate::json;
use crate::protocols::{cast, cast_date, cast_datetime};
use crate::runtime::warnings::warn;
use botdesk_client::credentials::key_source::expanded;
use botdesk_client::error::Error;
use botdesk_client::request::spec::InputValues;
use botdesk_schema::id::{Id, IdSpec};
use botdesk_schema::input::{InputName, InputType, Inputs, RequestBuilder, Violation, identifier};
use botdesk_schema::values::Field;

/// The path of a file, from a string or a path object, with a leading `~` expanded.
pub(super) struct FilePath(pub(super) PathBuf);

impl<'py> FromPyObject<'_, 'py> for FilePath {
    type Error = PyErr;

    input_type!(type_hint_union!(STR, PATH));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let path: PathBuf = given.extract()?;
        Ok(Self(expanded(&path)))
    }
}

/// The value of an argument that was left out. It prints as `...`.
#[pyclass(frozen, name = "_Unset", module = "botdesk._native")]
pub(crate) struct Unset;

#[pymethods]
impl Unset {
    #[new]
    #[pyo3(text_signature = None)]
    fn new() -> Self {
        Self
    }

    #[allow(clippy::unused_self, reason = "Python calls it so")]
    fn __repr__(&self) -> &'static str {
        "..."
    }
}

/// Returns true if an argument was left out.
pub(super) fn is_unset(given: &Bound<'_, PyAny>) -> bool {
    given.is_exact_instance_of::<Unset>()
}

/// Reads a value for an input; the message says why a value can't be used.
pub(super) fn read_input(given: &Bound<'_, PyAny>, input_type: InputType) -> PyResult<Result<Field<Value>, String>> {
    let value = match input_type {
        InputType::Time => time_value(given),
        InputType::IsoTime => iso_time_value(given),
        _ => json::from_python(given),
    };
    raise_or_keep(value.map(|value| if value.is_null() { Field::Null } else { Field::Value(value) }))
}

/// Reads an argument of a method; absent for an empty cell of a sheet.
fn input(given: &Bound<'_, PyAny>, input_type: InputType) -> PyResult<Result<Field<Value>, String>> {
    if is_empty_cell(given, input_type)? { Ok(Ok(Field::Absent)) } else { read_input(given, input_type) }
}

/// Returns true for an empty cell of a sheet or a data frame: NaN, the missing values of pandas, and an empty string for an input
/// that is not a text.
fn is_empty_cell(given: &Bound<'_, PyAny>, input_type: InputType) -> PyResult<bool> {
    if let Some(float) = cast::<PyFloat>(given) {
        return Ok(float.value().is_nan());
    }
    if let Some(text) = cast::<PyString>(given) {
        let is_text = matches!(input_type, InputType::Text | InputType::Texts | InputType::IsoTime);
        return Ok(!is_text && text.is_empty()?);
    }
    // Most other arguments need no look at the name of their type.
    if given.is_none() || given.is_instance_of::<PyInt>() {
        return Ok(false);
    }
    let py = given.py();
    let Some(name) = given.get_type().name().none_if_exception(py)? else { return Ok(false) };
    match name.to_cow().none_if_exception(py)?.as_deref() {
        Some("NAType" | "NaTType") => Ok(true),
        // The short floats of numpy. NaN alone differs from itself.
        Some("float16" | "float32") => Ok(given.ne(given).none_if_exception(py)?.unwrap_or(false)),
        _ => Ok(false),
    }
}

fn time_value(given: &Bound<'_, PyAny>) -> Result<Value, ArgumentError> {
    let Some(datetime) = cast_datetime(given)? else {
        return match cast_date(given)? {
            // A date is its first second in UTC.
            Some(date) => Ok(midnight(date)?),
            None => json::from_python(given),
        };
    };
    if datetime.get_tzinfo().is_none() {
        return Err("a datetime needs a timezone, such as datetime.now(timezone.utc)".into());
    }
    Ok(Value::from(seconds(datetime)?))
}

/// Returns a datetime or a date in ISO 8601, in UTC.
fn iso_time_value(given: &Bound<'_, PyAny>) -> Result<Value, ArgumentError> {
    if cast_datetime(given)?.is_some() {
        return Ok(Value::from(format!("{:.3}", to_timestamp(given)?)));
    }
    match cast_date(given)? {
        Some(date) => {
            let day: String = date.call_method0("isoformat")?.extract()?;
            Ok(Value::from(format!("{day}T00:00:00.000Z")))
        }
        None => json::from_python(given),
    }
}

/// Returns the whole seconds from 1970 to a datetime. A float would round the last second of the year 9999 up.
fn seconds(datetime: &Bound<'_, PyDateTime>) -> PyResult<i64> {
    let py = datetime.py();
    let epoch = PyDateTime::new(py, 1970, 1, 1, 0, 0, 0, 0, Some(&*PyTzInfo::utc(py)?))?;
    let since = datetime.sub(epoch)?;
    let days: i64 = since.getattr("days")?.extract()?;
    let seconds: i64 = since.getattr("seconds")?.extract()?;
    Ok(days * DAY + seconds)
}

/// The seconds of a day.
const DAY: i64 = 86_400;

fn midnight(date: &Bound<'_, PyDate>) -> PyResult<Value> {
    const EPOCH: i64 = 719_163;
    let ordinal: i64 = date.call_method0("toordinal")?.extract()?;
    Ok(Value::from((ordinal - EPOCH) * DAY))
}

/// The unknown keyword arguments of a call. Their type in the stubs is None, so that type checkers reject them.
pub(super) struct UnknownKeywords(Vec<String>);

impl<'py> FromPyObject<'_, 'py> for UnknownKeywords {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let names = given.cast::<PyDict>()?.keys();
        names.iter().map(|name| name.extract()).collect::<PyResult<_>>().map(Self)
    }
}

/// The arguments for the inputs of a table, in the order of its rows. The list is emptied: the frame of a traceback that has it
/// must not show secrets.
pub(crate) struct GivenInputs(Vec<Py<PyAny>>);

impl<'py> FromPyObject<'_, 'py> for GivenInputs {
    type Error = PyErr;

    input_type!(type_hint_subscript!(LIST, ANY));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let list = given.cast::<PyList>()?;
        let inputs = list.iter().map(Bound::unbind).collect();
        list.del_slice(0, list.len())?;
        Ok(Self(inputs))
    }
}

/// The arguments of a method, which become the inputs of a request.
pub(super) struct Arguments {
    table: &'static Inputs,
    inputs: InputValues,
}

impl Arguments {
    /// Reads the arguments for the inputs of a table, in the order of its rows.
    pub(super) fn new(py: Python<'_>, table: &'static Inputs, given: GivenInputs) -> PyResult<Self> {
        let mut all = InputValues { inputs: Vec::with_capacity(given.0.len()), unsendable: Vec::new(), validate: true };
        for (row, given) in table.rows.iter().zip(given.0) {
            let given = given.bind(py);
            if is_unset(given) {
                continue;
            }
            match input(given, row.input_type)? {
                Ok(Field::Absent) => warn_of_empty_cell(row.name)?,
                Ok(value) => all.inputs.push((row.key(), value)),
                Err(message) => all.unsendable.push(Violation::new(row.name, message)),
            }
        }
        Ok(Self { table, inputs: all })
    }

    /// Returns the values that are not None by their names, or all violations.
    pub(super) fn into_settings(self) -> Result<Vec<(String, Option<Value>)>, Vec<Violation>> {
        if !self.inputs.unsendable.is_empty() {
            return Err(self.inputs.unsendable);
        }
        let setting = |(name, value): (InputName, Field<Value>)| match value {
            Field::Value(value) => Some((name.as_str().to_owned(), Some(value))),
            Field::Absent | Field::Null => None,
        };
        Ok(self.inputs.inputs.into_iter().filter_map(setting).collect())
    }

    /// Sets whether the rules are checked before anything is sent.
    pub(super) fn validate(mut self, validate: bool) -> Self {
        self.inputs.validate = validate;
        self
    }

    /// Leaves out the arguments that are None.
    pub(super) fn none_is_absent(mut self) -> Self {
        self.inputs.inputs.retain(|(_, value)| *value != Field::Null);
        self
    }

    /// Returns the inputs, with an error for each keyword that is unknown.
    pub(super) fn into_inputs(mut self, unknown: Option<UnknownKeywords>) -> InputValues {
        let names = unknown.into_iter().flat_map(|unknown| unknown.0);
        for name in names {
            if let Err(violation) = self.table.named(&name) {
                self.inputs.unsendable.push(violation);
            }
        }
        self.inputs
    }

    /// Returns a request builder with the arguments that are not None, and an error for each keyword that is unknown.
    pub(super) fn into_builder(self, unknown: Option<UnknownKeywords>) -> RequestBuilder {
        let table = self.table;
        self.none_is_absent().into_inputs(unknown).into_builder(table)
    }
}

/// Warns that an argument is left out because it is an empty cell: a calculation may have failed.
fn warn_of_empty_cell(name: &str) -> PyResult<()> {
    let message = format!("{name} is empty (NaN, a missing value or an empty string), so it is left out");
    Python::attach(|py| warn(py, &message))
}

/// Reads an integer argument. One that is too large becomes the largest one, so that the error can name the argument.
pub(super) fn read_integer(given: &Bound<'_, PyAny>) -> PyResult<i128> {
    // Unlike that of i128, this conversion takes every object with `__index__`.
    if let Some(number) = given.extract::<i64>().none_if_exception(given.py())? {
        return Ok(number.into());
    }
    match given.extract::<i128>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
            Ok(if given.lt(0)? { i128::MIN } else { i128::MAX })
        }
        other => other,
    }
}

/// Reads an integer argument that may be None.
pub(super) fn read_optional_integer(given: &Bound<'_, PyAny>) -> PyResult<Option<i128>> {
    if given.is_none() { Ok(None) } else { read_integer(given).map(Some) }
}

/// An integer argument of any size.
pub(crate) struct AnyInteger(pub(crate) i128);

impl<'py> FromPyObject<'_, 'py> for AnyInteger {
    type Error = PyErr;

    input_type!(SUPPORTS_INDEX);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        read_integer(&given).map(Self)
    }
}

impl AnyInteger {
    /// Returns the integer, or the error of the argument `name` if it is below `min` or out of range.
    pub(crate) fn at_least(&self, min: u8, name: &str) -> Result<usize, Violation> {
        if (i128::MIN + 1..min.into()).contains(&self.0) {
            return Err(Violation::new(name, format!("must be at least {min}, not {}", self.0)));
        }
        fit_integer(self.0).map_rust_err(|why| Violation::new(name, why))
    }
}

/// Converts an integer to its type, or returns the message that it is out of range.
pub(super) fn fit_integer<T: TryFrom<i64, Error: RustError>>(number: i128) -> Result<T, String> {
    let fitting = i64::try_from(number).rust_ok().and_then(|number| T::try_from(number).rust_ok());
    fitting.ok_or_else(|| match number {
        i128::MIN | i128::MAX => "… is out of range".to_owned(),
        _ => format!("{number} is out of range"),
    })
}

/// Converts the integer of an option to its type.
pub(super) fn integer_option<T: TryFrom<i64, Error: RustError>>(name: &str, value: i128) -> Result<T, Error> {
    fit_integer(value).map_rust_err(|why| Error::Configuration(format!("{name}={why}")))
}

/// Reads a number argument. One that is too large becomes infinite, so that the error can name the argument.
pub(super) fn read_float(given: &Bound<'_, PyAny>) -> PyResult<f64> {
    match given.extract::<f64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
            Ok(if given.lt(0)? { f64::NEG_INFINITY } else { f64::INFINITY })
        }
        other => other,
    }
}

/// Reads a number argument that may be None.
pub(super) fn read_optional_float(given: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    if given.is_none() { Ok(None) } else { read_float(given).map(Some) }
}

/// The first float that several integers are rounded to.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The id of a record, as an argument.
pub(super) struct Identifier(Result<Value, String>);

impl Identifier {
    /// Returns the argument None, which is no id.
    pub(super) fn none() -> Self {
        Self(Ok(Value::Null))
    }

    /// Returns the id that a path takes, or the error of the argument.
    pub(super) fn parse(self, spec: IdSpec, takes_summary: bool) -> Result<Id, Violation> {
        let value = self.0.map_rust_err(|message| Violation::new(spec.name, message))?;
        spec.parse(&value, takes_summary)
    }

    /// Returns the id, or the error of the argument `name`.
    pub(super) fn of(self, name: &str) -> Result<u64, Violation> {
        self.0.map_rust_err(|message| Violation::new(name, message)).and_then(|value| identifier(name, &value))
    }
}

impl<'py> FromPyObject<'_, 'py> for Identifier {
    type Error = PyErr;

    input_type!(INT);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // The next float may be the id of another record.
        if cast::<PyFloat>(&given).is_some_and(|float| float.value() >= LARGEST_EXACT) {
            return Ok(Self(Err("is a float, which does not have all digits of such an id; pass an int".to_owned())));
        }
        Ok(Self(raise_or_keep(json::from_python(&given))?))
    }
}
