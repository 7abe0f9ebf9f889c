//! The argument `signals`: times or a column of booleans, or a mapping from pair to those.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyString};

use super::values::pairs_of;
use crate::exceptions::{CatchException as _, RustResult as _, raise_or_keep, repr_of, type_name};
use crate::hints::input_type;
use crate::json::numpy_scalar;
use crate::planning::candles::read_time;
use crate::protocols::{cast, is_mapping};
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use botdesk_schema::input::Violation;
use botdesk_trading::candles::Candles;

/// Signals for one pair.
#[derive(Clone)]
pub(crate) enum Signals {
    /// True for each candle at whose close a deal is asked for.
    Flags(Vec<bool>),
    /// The times in milliseconds.
    Times(Vec<i64>),
}

/// Signals for one pair, or for several.
#[derive(Clone)]
pub(crate) enum SignalsArgument {
    /// Signals for the only pair.
    Single(Signals),
    /// Signals by the code of their pair.
    ByPair(Vec<(String, Signals)>),
}

impl<'py> FromPyObject<'_, 'py> for SignalsArgument {
    type Error = PyErr;

    input_type!(ANY);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if is_mapping(&given)? {
            return pairs_of(&given, "signals", read).map(Self::ByPair);
        }
        read(&given, "signals").map(Self::Single)
    }
}

fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Signals> {
    let (mut flags, mut times) = (Vec::new(), Vec::new());
    for element in elements(given, name)?.try_iter()? {
        let (index, element) = (flags.len() + times.len(), element?);
        match boolean(&element)? {
            Some(flag) if times.is_empty() => flags.push(flag),
            None if flags.is_empty() => times.push(time(&element, index, name)?),
            _ => return Err(Violation::new(name, format!("index {index}: times and booleans are mixed")).into_py_err()),
        }
    }
    Ok(if flags.is_empty() { Signals::Times(times) } else { Signals::Flags(flags) })
}

/// Returns what iterates over Python objects: the scalars of pyarrow are none, so its columns become lists.
fn elements<'py>(given: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    if let Some(to_list) = given.getattr("to_pylist").none_if_exception(py)? {
        return to_list.call0();
    }
    let is_other = given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>();
    if is_other || given.try_iter().none_if_exception(py)?.is_none() {
        let message = format!("expected times, or a boolean for each candle, not {}", type_name(given)?);
        return Err(Violation::new(name, message).into_py_err());
    }
    Ok(given.clone())
}

fn boolean(element: &Bound<'_, PyAny>) -> PyResult<Option<bool>> {
    let py = element.py();
    if let Some(flag) = cast::<PyBool>(element) {
        return Ok(Some(flag.is_true()));
    }
    let scalar = numpy_scalar(element).none_if_exception(py)?.flatten();
    Ok(scalar.as_ref().and_then(|scalar| cast::<PyBool>(scalar)).map(PyBoolMethods::is_true))
}

fn time(element: &Bound<'_, PyAny>, index: usize, name: &str) -> PyResult<i64> {
    if element.is_none() {
        let message = format!("index {index}: {} is neither a time nor a boolean", repr_of(element)?);
        return Err(Violation::new(name, message).into_py_err());
    }
    let read = raise_or_keep(read_time(element))?;
    read.map_rust_err(|message| Violation::new(name, format!("index {index}: {message}"))).or_py_err()
}

impl Signals {
    /// Returns the times of the signals in order, or the violation of one that is outside of the candles.
    ///
    /// A boolean is known at the close of its candle, so it acts at the open of the next one. That of the last candle never acts.
    pub(super) fn times(&self, candles: &Candles, name: &str) -> Result<Vec<i64>, Violation> {
        match self {
            Self::Flags(flags) if flags.len() == candles.len() => {
                let marked = flags.iter().enumerate().filter(|(_, flag)| **flag);
                Ok(marked.filter_map(|(index, _)| candles.time(index + 1)).collect())
            }
            Self::Flags(flags) => {
                let message =
                    format!("{} booleans do not match {} candles; pass one for each", flags.len(), candles.len());
                Err(Violation::new(name, message))
            }
            Self::Times(times) => {
                let mut times = checked(times, candles, name)?;
                times.sort_unstable();
                Ok(times)
            }
        }
    }
}

fn checked(times: &[i64], candles: &Candles, name: &str) -> Result<Vec<i64>, Violation> {
    let last = candles.len().saturating_sub(1);
    let (Some(start), Some(points)) =
        (candles.time(0), candles.points(last, botdesk_trading::candles::ExtremeOrder::Nearest))
    else {
        return Ok(Vec::new());
    };
    let [.., (end, _)] = points;
    match times.iter().position(|time| !(start..=end).contains(time)) {
        None => Ok(times.to_vec()),
        Some(index) => {
            let shown = |time: i64| crate::planning::candles::timestamp(time);
            let time = times.get(index).copied().unwrap_or_default();
            let time =
                jiff::Timestamp::from_millisecond(time).rust_ok().map_or(time.to_string(), |time| time.to_string());
            let message = format!(
                "index {index}: {time} is outside of the candles, which are from {} to {}",
                shown(start),
                shown(candles.time(last).unwrap_or(end))
            );
            Err(Violation::new(name, message))
        }
    }
}
