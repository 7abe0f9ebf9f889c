//! The core's values as Python objects, with the types that the stubs show.

use std::borrow::Cow;

use bigdecimal::BigDecimal;
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyDateTime, PyDict, PyString, PyTzInfo};
use serde::{Deserialize, Serialize};

use crate::decimals::decimal;
use crate::exceptions::CatchException;
use crate::hints::{hint, output_type};
use crate::object_cache::ObjectCache;
use crate::runtime::fork_safe_lazy::ForkSafeLazy;
use crate::to_python::to_python;
use botdesk_schema::values::{AnyObject, AnyValue, Choice, Choices, DecimalText, TimeText};
use botdesk_trading::decimal::Decimal;

/// Defines wrappers of Python objects with a more exact type in the stubs.
macro_rules! typed_objects {
    ($($(#[$about:meta])* $name:ident($kind:ty) => $hint:expr;)*) => {$(
        $(#[$about])*
        pub(crate) struct $name<'py>(pub(crate) Bound<'py, $kind>);

        impl<'py> IntoPyObject<'py> for $name<'py> {
            type Target = $kind;
            type Output = Bound<'py, $kind>;
            type Error = std::convert::Infallible;

            $crate::hints::output_type!($hint);

            fn into_pyobject(self, _: Python<'py>) -> Result<Self::Output, Self::Error> {
                Ok(self.0)
            }
        }
    )*};
}
pub(super) use typed_objects;

typed_objects! {
    /// Values by name.
    NamedValues(PyDict) => JSON_OBJECT;
    /// An iterator over values of several types.
    AnyIterator(PyAny) => type_hint_subscript!(ITERATOR, ANY);
}

/// A value of the core that becomes a Python object, with the type that the stubs show.
pub(super) trait ToPython {
    /// The type that the stubs show.
    #[cfg(feature = "stubs")]
    const HINT: pyo3::inspect::PyStaticExpr;

    /// Returns the object.
    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>>;
}

/// A value of the core as a Python method returns it.
pub(super) struct AsPython<V>(pub(super) V);

impl<'py, V: ToPython> IntoPyObject<'py> for AsPython<V> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(V::HINT);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.0.to_python(py)
    }
}

/// Implements `ToPython` for types that pyo3 converts.
macro_rules! python_values {
    ($($value:ty),*) => {$(
        impl ToPython for $value {
            hint!(<Self as IntoPyObject<'static>>::OUTPUT_TYPE);

            fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
                self.into_bound_py_any(py)
            }
        }
    )*};
}

python_values! { bool, i64, Cow<'_, str> }

/// The fastest parser for timestamps in the format of the API reference.
static TIME_FROM_TEXT: ForkSafeLazy = ForkSafeLazy::new("datetime", &["datetime", "fromisoformat"]);

impl ToPython for DecimalText<'_> {
    hint!(DECIMAL);

    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        decimal(py, self.as_str())
    }
}

/// A calculated number with all its digits.
pub(super) struct Exact<'a>(pub(super) &'a BigDecimal);

impl Exact<'_> {
    /// The limit of zeros and decimal places without an exponent, because they could fill the memory.
    const MAX_DIGITS: i64 = 5_000;

    /// Returns the number as a string.
    pub(super) fn text(&self) -> String {
        let is_short = self.0.fractional_digit_count().abs() <= Self::MAX_DIGITS;
        if is_short { self.0.to_plain_string() } else { self.0.to_scientific_notation() }
    }
}

impl<'py> IntoPyObject<'py> for Exact<'_> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(DECIMAL);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        decimal(py, &self.text())
    }
}

/// A number of the trading engine, with as many decimal places as it has there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct TradingDecimal(pub(super) Decimal);

impl<'py> IntoPyObject<'py> for TradingDecimal {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    output_type!(DECIMAL);

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        decimal(py, &self.0.to_string())
    }
}

impl ToPython for TimeText<'_> {
    hint!(DATETIME);

    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        if self.as_str().len() == "1970-01-01T00:00:00.000Z".len()
            && self.as_str().ends_with('Z')
            && let Some(time) = TIME_FROM_TEXT.get(py)?.call1((self.as_str(),)).none_if_exception(py)?
        {
            return Ok(time);
        }
        let Some(utc) = self.utc() else { return Ok(py.None().into_bound(py)) };
        let [month, day, hour, minute, second] =
            [utc.month(), utc.day(), utc.hour(), utc.minute(), utc.second()].map(i8::unsigned_abs);
        let microsecond = utc.subsec_nanosecond().unsigned_abs() / 1_000;
        let zone = PyTzInfo::utc(py)?.to_owned();
        let time = PyDateTime::new(py, utc.year().into(), month, day, hour, minute, second, microsecond, Some(&zone))?;
        Ok(time.into_any())
    }
}

impl<C: Choices> ToPython for Choice<'_, C> {
    hint!(type_hint_union!(Literal::<C>::HINT, STR));

    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        static CHOICES: ObjectCache = ObjectCache::new();
        CHOICES.get_or_try_init(py, self.as_str(), || Ok(PyString::new(py, self.as_str()).into_any()))
    }
}

impl ToPython for AnyObject<'_> {
    hint!(JSON_OBJECT);

    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        to_python(py, self.0)
    }
}

impl ToPython for AnyValue<'_> {
    hint!(ANY);

    fn to_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Self::Decimal(amount) => amount.to_python(py),
            Self::Json(json) => to_python(py, json),
        }
    }
}
