//! Numbers as arguments: exact ones, which floats are not.

use bigdecimal::BigDecimal;
use pyo3::prelude::*;
use pyo3::types::PyFloat;

use super::exceptions::{CatchException, RustResult, raise_or_keep, repr_of};
use super::json;
use crate::hints::input_type;
use botdesk_api::decimal;
use botdesk_api::input::Violation;
use botdesk_client::error::Error;
use botdesk_planning::fraction;
use botdesk_trading::decimal::Decimal;

/// A number argument: a str, a Decimal or an int. Floats are rejected, because they are not exact.
pub(super) struct ExactNumber(Result<BigDecimal, String>);

impl<'py> FromPyObject<'_, 'py> for ExactNumber {
    type Error = PyErr;

    input_type!(type_hint_union!(STR, DECIMAL, INT));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(number(&given)?))
    }
}

fn number(given: &Bound<'_, PyAny>) -> PyResult<Result<BigDecimal, String>> {
    if !given.is_instance_of::<PyFloat>() {
        let value = raise_or_keep(json::from_python(given))?.rust_ok();
        if let Some(number) = value.and_then(|value| decimal::of(&value)) {
            return Ok(Ok(number));
        }
    }
    let given = repr_of(given).none_if_exception(given.py())?.unwrap_or_default();
    Ok(Err(format!("must be a str, a Decimal or an int, not {given}")))
}

impl ExactNumber {
    /// Returns the number, or the problem of the argument of this name.
    pub(super) fn of(self, name: &str) -> Result<BigDecimal, Violation> {
        self.0.map_rust_err(|message| Violation::new(name, message))
    }

    /// Returns the number as an option that is a fraction, such as a fee.
    pub(super) fn fraction(self, name: &str) -> Result<Decimal, Error> {
        let number = self.0.map_rust_err(|problem| Error::Configuration(format!("{name} {problem}")))?;
        if fraction::is_fraction(&number) {
            return Ok(number.into());
        }
        let given = decimal::shown(&number);
        Err(Error::Configuration(format!("{name} {}, not {given}", fraction::PROBLEM)))
    }
}
