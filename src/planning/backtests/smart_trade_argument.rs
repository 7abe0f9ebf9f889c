//! The argument `smart_trade`: a SmartTrade, or the arguments of a new one.

use pyo3::prelude::*;

use crate::exceptions::RustResult as _;
use crate::hints::input_type;
use crate::raise::OrPyErr as _;
use botdesk_client::error::Error;
use botdesk_schema::json_record::JsonRecord;

/// The record of a SmartTrade, or the body of a request that creates one.
#[derive(Clone)]
pub(crate) struct SmartTradeArgument(pub(super) JsonRecord);

impl<'py> FromPyObject<'_, 'py> for SmartTradeArgument {
    type Error = PyErr;

    input_type!(type_hint_union!(type_hint_identifier!("botdesk", "SmartTrade"), JSON_OBJECT));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // The short forms of a new SmartTrade are Python.
        let settings = given.py().import("botdesk._smart_backtests")?.getattr("settings")?;
        let json: String = settings.call1((given,))?.extract()?;
        let record = serde_json::from_str(&json).map_rust_err(|error| Error::Configuration(error.to_string()));
        record.or_py_err().map(Self)
    }
}
