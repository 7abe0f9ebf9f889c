//! Numbers as arguments: exact ones, which floats are not.

use bigdecimal::BigDecimal;
use pyo3::prelude::*;
use pyo3::types::PyFloat;
use serde_json::Value;

use crate::exceptions::{CatchException, RustResult, raise_or_keep, repr_of};
use crate::hints::input_type;
use crate::json;
use crate::raise::OrPyErr as _;
use crate::runtime::warnings::warn;
use botdesk_client::error::Error;
use botdesk_planning::fraction;
use botdesk_schema::decimal;
use botdesk_schema::input::Violation;
use botdesk_trading::decimal::Decimal;

/// A number argument: a str, a Decimal or an int. Floats are rejected, because they are not exact. A str may also be a percentage.
pub(super) struct ExactNumber(Result<String, String>);

impl<'py> FromPyObject<'_, 'py> for ExactNumber {
    type Error = PyErr;

    input_type!(type_hint_union!(STR, DECIMAL, INT));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(number(&given)?))
    }
}

fn number(given: &Bound<'_, PyAny>) -> PyResult<Result<String, String>> {
    if !given.is_instance_of::<PyFloat>() {
        let text = match raise_or_keep(json::from_python(given))?.rust_ok() {
            Some(Value::String(text)) => Some(text),
            Some(Value::Number(number)) => Some(number.to_string()),
            _ => None,
        };
        if let Some(text) = text.filter(|text| decimal::fraction(text).is_some()) {
            return Ok(Ok(text));
        }
    }
    let given = repr_of(given).none_if_exception(given.py())?.unwrap_or_default();
    Ok(Err(format!("must be a str, a Decimal or an int, not {given}")))
}

impl ExactNumber {
    /// Returns the number, or the problem of the argument of this name.
    pub(super) fn of(self, name: &str) -> Result<BigDecimal, Violation> {
        let text = self.0.map_rust_err(|message| Violation::new(name, message))?;
        decimal::parse(&text).ok_or_else(|| Violation::new(name, format!("must be a number, not {text:?}")))
    }

    /// Returns the number as an option that is a fraction, such as a fee. Warns about one that may be meant as a percentage.
    pub(super) fn fraction(self, py: Python<'_>, name: &str) -> PyResult<Decimal> {
        let configuration = |problem| Error::Configuration(format!("{name} {problem}"));
        let text = self.0.map_rust_err(configuration).or_py_err()?;
        let number = fraction::parse(&text).map_rust_err(configuration).or_py_err()?;
        if let Some(warning) = fraction::warning(name, &text) {
            warn(py, &warning)?;
        }
        Ok(number.into())
    }
}
