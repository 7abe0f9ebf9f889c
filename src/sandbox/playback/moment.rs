//! The Python class of a moment of a playback.

use jiff::Timestamp;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::MarketEvent;
use super::pairs::pairs_with;
use crate::pickles::{Pickle, pickle, unpickle};
use crate::planning::candles::timestamp;
use crate::protocols::import_datetime;
use crate::values::TradingDecimal;
use crate::values::typed_objects;
use botdesk_display::text_table::Table;

/// The end of a candle that `sandbox.play` played.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct Moment(pub(super) botdesk_sandbox::PlaybackMoment);

typed_objects! {
    /// Prices by their pairs.
    Prices(PyDict) => type_hint_subscript!(DICT, STR, DECIMAL);
}

#[pymethods]
impl Moment {
    /// The time of the close in the sandbox, in UTC: three quarters of the candle after its time.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<Timestamp> {
        import_datetime(py)?;
        Ok(timestamp(self.0.time))
    }

    /// The close of each pair of which a candle ended, by the pair.
    #[getter]
    fn prices<'py>(&self, py: Python<'py>) -> PyResult<Prices<'py>> {
        let prices = PyDict::new(py);
        for (pair, price) in &self.0.prices {
            prices.set_item(pair, TradingDecimal(price.clone()))?;
        }
        Ok(Prices(prices))
    }

    /// The events of bots since the moment before, in order, also those between the candles.
    #[getter]
    fn events(&self) -> Vec<MarketEvent> {
        self.0.events.iter().cloned().map(MarketEvent).collect()
    }

    fn __repr__(&self) -> String {
        format!("<Moment {}{} events={}>", timestamp(self.0.time), self.price_list(), self.0.events.len())
    }

    fn _repr_html_(&self) -> String {
        let row =
            |event: &botdesk_sandbox::MarketEvent| event.columns().map(|(_, value)| value.unwrap_or_default()).to_vec();
        Table {
            title: format!("Moment {}{}", timestamp(self.0.time), self.price_list()),
            heads: botdesk_sandbox::MarketEvent::default().columns().map(|(name, _)| name).to_vec(),
            rows: self.0.events.iter().map(row).collect(),
            ..Table::default()
        }
        .shortened()
        .html()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Pickle<'py>> {
        pickle::<Self>(py, &self.0)
    }

    #[staticmethod]
    fn _restore(moment: &str) -> PyResult<Self> {
        unpickle::<Self, _>(moment).map(Self)
    }
}

impl Moment {
    fn price_list(&self) -> String {
        pairs_with(&self.0.prices)
    }
}
