//! Decimals, as Python's `decimal` has them.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;

use super::looked_up::LookedUp;
use super::recent::Recent;

/// What the stubs call a decimal.
pub(super) const DECIMAL: PyStaticExpr = type_hint_identifier!("decimal", "Decimal");

static DECIMAL_TYPE: LookedUp = LookedUp::new("decimal", &["Decimal"]);

/// A decimal with exactly the digits of the text.
pub(super) fn decimal<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    static DECIMALS: Recent = Recent::new();
    DECIMALS.get_or_make(py, text, || DECIMAL_TYPE.get(py)?.call1((text,)))
}

/// Whether an object is a decimal.
pub(super) fn is_decimal(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let decimal = DECIMAL_TYPE.get(given.py())?;
    Ok(given.get_type().is(decimal) || given.is_instance(decimal)?)
}
