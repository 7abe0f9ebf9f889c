//! The arguments `start` and `end`.

use pyo3::prelude::*;

use crate::exceptions::{RustResult as _, raise_or_keep};
use crate::hints::input_type;
use crate::planning::candles::read_time;
use botdesk_schema::input::Violation;

/// A datetime, or milliseconds since 1970.
#[derive(Clone)]
pub(crate) struct TimeArgument(Result<i64, String>);

impl<'py> FromPyObject<'_, 'py> for TimeArgument {
    type Error = PyErr;

    input_type!(type_hint_union!(INT, DATETIME));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        raise_or_keep(read_time(&given)).map(Self)
    }
}

impl TimeArgument {
    /// Returns the milliseconds, or the violation of the argument with this name.
    pub(super) fn of(&self, name: &str) -> Result<i64, Violation> {
        self.0.clone().map_rust_err(|message| Violation::new(name, message))
    }
}
