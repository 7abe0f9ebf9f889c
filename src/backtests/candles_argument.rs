//! The argument `candles`: candles, or a mapping from pair to candles.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;

use super::values::pairs_of;
use crate::candles::candles;
use crate::protocols::is_mapping;
use crate::values::ANY;
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

    const INPUT_TYPE: PyStaticExpr = ANY;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // A table may be a mapping too, but it exports an Arrow stream.
        if !given.hasattr("__arrow_c_stream__")? && is_mapping(&given)? {
            return pairs_of(&given, "candles", candles).map(Self::ByPair);
        }
        candles(&given, "candles").map(Self::Single)
    }
}
