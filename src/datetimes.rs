//! Conversion of `datetime` arguments.

use jiff::Timestamp;
use pyo3::prelude::*;
use pyo3::types::PyTzInfoAccess;

use crate::exceptions::{ArgumentError, RustResult};
use crate::protocols::cast_datetime;

/// Converts a datetime with a timezone, rounded to milliseconds.
pub(super) fn to_timestamp(given: &Bound<'_, PyAny>) -> Result<Timestamp, ArgumentError> {
    let datetime = cast_datetime(given)?.filter(|datetime| datetime.get_tzinfo().is_some());
    let datetime = datetime.ok_or("must be a datetime with a timezone, such as datetime.now(timezone.utc)")?;
    let seconds: f64 = datetime.call_method0("timestamp")?.extract()?;
    // The range of datetime ends in the year 9999, far below the limit of i64.
    #[allow(clippy::cast_possible_truncation)]
    let milliseconds = (seconds * 1_000.0).round() as i64;
    Ok(Timestamp::from_millisecond(milliseconds).map_rust_err(|error| error.to_string())?)
}
