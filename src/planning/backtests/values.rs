//! Values of the engine as Python objects, as columns of tables, and as strings.

use std::marker::PhantomData;

use jiff::SignedDuration;
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::display::columns::Column;
use crate::exceptions::{CatchException as _, RustResult as _, type_name};
use crate::hints::output_type;
use crate::planning::candles::timestamp;
use crate::protocols::import_datetime;
use crate::raise::IntoPyErr as _;
use crate::values::TradingDecimal;
use botdesk_display::arrow::Calculated;
use botdesk_display::figures::duration_text;
use botdesk_schema::input::Violation;
use botdesk_schema::values::Choices;

/// The placeholder for a missing value.
const NOTHING: &str = "-";

/// A value of a row, for people.
pub(super) trait Shown {
    /// Returns the value as a string.
    fn shown(&self) -> String;
}

impl<T: Shown> Shown for Option<T> {
    fn shown(&self) -> String {
        self.as_ref().map_or_else(|| NOTHING.to_owned(), Shown::shown)
    }
}

/// A time in milliseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Time(pub(super) i64);

/// A duration in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Duration(pub(super) i64);

/// One of some strings.
pub(super) struct Name<C>(&'static str, PhantomData<C>);

impl<C> Name<C> {
    pub(super) fn new(name: &'static str) -> Self {
        Self(name, PhantomData)
    }
}

impl<'py> IntoPyObject<'py> for Time {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(<jiff::Timestamp as IntoPyObject<'static>>::OUTPUT_TYPE);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        import_datetime(py)?;
        timestamp(self.0).into_bound_py_any(py)
    }
}

impl<'py> IntoPyObject<'py> for Duration {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(<SignedDuration as IntoPyObject<'static>>::OUTPUT_TYPE);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        import_datetime(py)?;
        SignedDuration::from_millis(self.0).into_bound_py_any(py)
    }
}

impl<'py, C: Choices> IntoPyObject<'py> for Name<C> {
    type Target = pyo3::types::PyString;
    type Output = Bound<'py, pyo3::types::PyString>;
    type Error = std::convert::Infallible;

    output_type!(Literal::<C>::HINT);

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(pyo3::types::PyString::intern(py, self.0))
    }
}

impl Shown for Time {
    fn shown(&self) -> String {
        timestamp(self.0).to_string()
    }
}

impl Shown for Duration {
    fn shown(&self) -> String {
        duration_text(SignedDuration::from_millis(self.0))
    }
}

impl<C> Shown for Name<C> {
    fn shown(&self) -> String {
        self.0.to_owned()
    }
}

impl Shown for TradingDecimal {
    fn shown(&self) -> String {
        self.0.to_string()
    }
}

macro_rules! shown_by_display {
    ($($kind:ty),*) => {$(
        impl Shown for $kind {
            fn shown(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

shown_by_display! { u32, u64, i64, &str }

/// Defines the columns of types, and of the same types with missing values.
macro_rules! columns {
    ($($kind:ty => $column:ident, |$value:ident| $cell:expr $(, <$generic:ident>)?;)*) => {$(
        impl $(<$generic>)? Column for $kind {
            fn column(values: impl Iterator<Item = Self>) -> Calculated {
                Option::column(values.map(Some))
            }
        }

        impl $(<$generic>)? Column for Option<$kind> {
            fn column(values: impl Iterator<Item = Self>) -> Calculated {
                Calculated::$column(values.map(|value| value.map(|$value| $cell)).collect())
            }
        }
    )*};
}

columns! {
    i64 => Integers, |value| value;
    u64 => Integers, |value| i64::try_from(value).rust_ok().unwrap_or(i64::MAX);
    Time => Times, |time| time.0;
    Duration => Durations, |duration| duration.0;
    Name<C> => Texts, |name| name.0.into(), <C>;
    &str => Texts, |string| string.to_owned().into();
    TradingDecimal => Decimals, |number| number.0.to_string();
}

/// Returns the items of a mapping from pair, each read by `read`, which takes the name for errors.
pub(super) fn pairs_of<'py, T>(
    mapping: &Bound<'py, PyAny>,
    argument: &str,
    read: impl Fn(&Bound<'py, PyAny>, &str) -> PyResult<T>,
) -> PyResult<Vec<(String, T)>> {
    let mut pairs = Vec::new();
    for item in mapping.call_method0("items")?.try_iter()? {
        let (key, value): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item?.extract()?;
        let Some(pair) = key.extract::<String>().none_if_exception(key.py())? else {
            let message = format!("the pairs must be strings, not {}", type_name(&key)?);
            return Err(Violation::new(argument, message).into_py_err());
        };
        let value = read(&value, &format!("{argument}[{pair:?}]"))?;
        pairs.push((pair, value));
    }
    Ok(pairs)
}
