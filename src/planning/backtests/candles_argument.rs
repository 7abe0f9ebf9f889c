//! The argument `candles`: candles, or a mapping from pair to candles.

use pyo3::prelude::*;

use super::values::pairs_of;
use crate::exceptions::CatchException as _;
use crate::hints::input_type;
use crate::planning::candles::{self, Candles};
use crate::protocols::{cast, is_mapping};
use botdesk_trading::candles::Candles as History;

/// Candles of one pair, or of several.
#[derive(Clone)]
pub(crate) enum CandlesArgument {
    /// Candles of the only pair.
    Single(History),
    /// Candles by the code of their pair.
    ByPair(Vec<(String, History)>),
}

impl<'py> FromPyObject<'_, 'py> for CandlesArgument {
    type Error = PyErr;

    input_type!(ANY);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // A table may be a mapping too, but it exports an Arrow stream.
        let export = given.getattr("__arrow_c_stream__").none_if_exception(given.py())?;
        if export.is_none() && is_mapping(&given)? {
            return pairs_of(&given, "candles", read).map(Self::ByPair);
        }
        read(&given, "candles").map(Self::Single)
    }
}

fn read(given: &Bound<'_, PyAny>, name: &str) -> PyResult<History> {
    match cast::<Candles>(given) {
        Some(candles) => Ok(candles.get().candles.clone()),
        None => candles::read(given, name),
    }
}
