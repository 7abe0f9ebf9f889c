//! The arguments of a sweep.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde_json::Value;

use crate::arguments::{AnyInteger, read_input};
use crate::exceptions::{CatchException as _, type_name};
use crate::hints::input_type;
use crate::protocols::{cast, is_mapping};
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use crate::records::Record;
use botdesk_planning::sweep::{Combinations, MAX_COMBINATIONS, Setting, SweepBot, SweepParameter};
use botdesk_schema::input::Violation;
use botdesk_schema::values::Field;

/// The bot of a sweep: a record, or a mapping with the fields of an edit.
pub(crate) struct SweepBotArgument(pub(super) SweepBot);

/// The names of settings, each with the values to try.
pub(crate) struct SweepParameters(Vec<(String, Py<PyAny>)>);

/// An executor of `concurrent.futures`.
pub(crate) struct SweepExecutor(pub(super) Py<PyAny>);

/// The arguments of a sweep that are not about the bot or the candles.
pub(crate) struct SweepOptions {
    /// The name of the figure by which combinations are compared.
    pub(crate) objective: Option<String>,
    /// The executor; None for the threads of this process.
    pub(crate) executor: Option<SweepExecutor>,
    /// True for a progress bar, None for one that appears if the sweep takes long.
    pub(crate) progress: Option<bool>,
    /// The number of stretches.
    pub(crate) folds: Option<AnyInteger>,
}

impl<'py> FromPyObject<'_, 'py> for SweepBotArgument {
    type Error = PyErr;

    input_type!(type_hint_union!(
        type_hint_identifier!("botdesk", "DcaBot"),
        type_hint_identifier!("botdesk", "GridBot"),
        type_hint_subscript!(MAPPING, STR, ANY)
    ));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let record = cast::<Record>(&given).map(Bound::get);
        if let Some(bot) = record.and_then(Record::core) {
            return Ok(Self(SweepBot::Dca(bot)));
        }
        if let Some(bot) = record.and_then(Record::core) {
            return Ok(Self(SweepBot::Grid(bot)));
        }
        if !is_mapping(&given)? {
            let message =
                format!("expected a DcaBot, a GridBot or a dict with fields of an edit, not {}", type_name(&given)?);
            return Err(Violation::new("bot", message).into_py_err());
        }
        let unset = SweepBot::Inputs(Vec::new());
        let settings = items(&given, "bot")?.into_iter().filter_map(|(name, value)| {
            let value = setting(&unset, &name, value.bind(given.py())).transpose()?;
            Some(value.map(|value| (name, Some(value))))
        });
        Ok(Self(SweepBot::Inputs(settings.collect::<PyResult<Vec<Setting>>>()?)))
    }
}

impl<'py> FromPyObject<'_, 'py> for SweepParameters {
    type Error = PyErr;

    input_type!(type_hint_subscript!(MAPPING, STR, type_hint_subscript!(ITERABLE, ANY)));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if is_mapping(&given)? {
            return items(&given, "parameters").map(Self);
        }
        let message = format!("expected a dict from the name of a setting to its values, not {}", type_name(&given)?);
        Err(Violation::new("parameters", message).into_py_err())
    }
}

impl<'py> FromPyObject<'_, 'py> for SweepExecutor {
    type Error = PyErr;

    input_type!(type_hint_identifier!("concurrent.futures", "Executor"));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.getattr("submit").none_if_exception(given.py())?.is_some() {
            return Ok(Self(given.to_owned().unbind()));
        }
        let message = format!("expected an executor of concurrent.futures, not {}", type_name(&given)?);
        Err(Violation::new("executor", message).into_py_err())
    }
}

impl SweepParameters {
    /// Returns the combinations of the values.
    pub(super) fn combinations(self, py: Python<'_>, bot: &SweepBot) -> PyResult<Combinations> {
        let parameters = self.0.into_iter().map(|(name, values)| {
            let values = elements(&name, values.bind(py))?;
            let values = values.iter().map(|value| setting(bot, &name, value)).collect::<PyResult<_>>()?;
            SweepParameter::new(bot, &name, values).or_py_err()
        });
        Combinations::new(parameters.collect::<PyResult<_>>()?).or_py_err()
    }
}

/// Returns the value of a setting; None for null. Raises the violation by an unknown name or a value that can't be sent.
fn setting(bot: &SweepBot, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Value>> {
    let (_, input) = bot.input(name).or_py_err()?;
    match read_input(value, input.input_type)? {
        Ok(Field::Value(value)) => Ok(Some(value)),
        Ok(Field::Null | Field::Absent) => Ok(None),
        Err(message) => Err(Violation::new(name, message).into_py_err()),
    }
}

fn items(mapping: &Bound<'_, PyAny>, argument: &str) -> PyResult<Vec<(String, Py<PyAny>)>> {
    let mut items = Vec::new();
    for item in mapping.call_method0("items")?.try_iter()? {
        let (key, value): (Bound<'_, PyAny>, Py<PyAny>) = item?.extract()?;
        let Some(name) = key.extract::<String>().none_if_exception(key.py())? else {
            let message = format!("the names of settings must be strings, not {}", type_name(&key)?);
            return Err(Violation::new(argument, message).into_py_err());
        };
        items.push((name, value));
    }
    Ok(items)
}

/// Returns the values of a parameter. A string is one value, and not a sequence of characters.
fn elements<'py>(name: &str, values: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let is_single = values.is_instance_of::<PyString>() || values.is_instance_of::<PyBytes>() || is_mapping(values)?;
    let iterator = if is_single { None } else { values.try_iter().none_if_exception(values.py())? };
    if let Some(iterator) = iterator {
        // A generator may have no end.
        let values = iterator.take(MAX_COMBINATIONS + 1).collect::<PyResult<Vec<_>>>()?;
        if values.len() > MAX_COMBINATIONS {
            let message = format!("has more than {MAX_COMBINATIONS} values; pass fewer");
            return Err(Violation::new(name, message).into_py_err());
        }
        return Ok(values);
    }
    let message = format!("expected a list of values, not {}", type_name(values)?);
    Err(Violation::new(name, message).into_py_err())
}
