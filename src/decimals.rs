//! Python's `decimal.Decimal`.

use pyo3::prelude::*;

use crate::object_cache::ObjectCache;
use crate::runtime::fork_safe_lazy::ForkSafeLazy;

static DECIMAL_TYPE: ForkSafeLazy = ForkSafeLazy::new("decimal", &["Decimal"]);

/// Returns a decimal with exactly these digits.
pub(super) fn decimal<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    static DECIMALS: ObjectCache = ObjectCache::new();
    DECIMALS.get_or_try_init(py, text, || DECIMAL_TYPE.get(py)?.call1((text,)))
}

/// Returns true if an object is a decimal.
pub(super) fn is_decimal(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let decimal = DECIMAL_TYPE.get(given.py())?;
    Ok(given.get_type().is(decimal) || given.is_instance(decimal)?)
}
