//! The Python class of one candle.

use std::fmt;

use jiff::Timestamp;
use pyo3::prelude::*;

use crate::exceptions::RustResult as _;
use crate::protocols::import_datetime;
use crate::values::TradingDecimal;
use botdesk_display::html;
use botdesk_trading::candles;
use botdesk_trading::decimal::Decimal;

/// One candle: the prices of an interval of time.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct Candle(pub(super) candles::Candle);

/// Returns the time that milliseconds since 1970 stand for; candles have none out of range.
pub(crate) fn timestamp(milliseconds: i64) -> Timestamp {
    Timestamp::from_millisecond(milliseconds).rust_ok().unwrap_or_default()
}

/// The state of a pickle: the time, the decimal places of the prices, and the prices without their decimal point.
type State = (i64, u8, [i128; 4]);

#[pymethods]
impl Candle {
    /// The time at which the candle opens, in UTC.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<Timestamp> {
        import_datetime(py)?;
        Ok(timestamp(self.0.time))
    }

    /// The first price.
    #[getter]
    fn open(&self) -> TradingDecimal {
        TradingDecimal(self.0.open.clone())
    }

    /// The highest price.
    #[getter]
    fn high(&self) -> TradingDecimal {
        TradingDecimal(self.0.high.clone())
    }

    /// The lowest price.
    #[getter]
    fn low(&self) -> TradingDecimal {
        TradingDecimal(self.0.low.clone())
    }

    /// The last price.
    #[getter]
    fn close(&self) -> TradingDecimal {
        TradingDecimal(self.0.close.clone())
    }

    fn __repr__(&self) -> String {
        self.to_string()
    }

    fn _repr_html_(&self) -> String {
        html::record("Candle", &self.fields().map(|(name, value)| (name.to_owned(), value)))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, State)> {
        let candles::Candle { time, open, high, low, close } = &self.0;
        let prices = [open, high, low, close].map(|price| price.mantissa_at(open.places()).unwrap_or_default());
        Ok((py.get_type::<Self>().getattr("_restore")?, (*time, open.places(), prices)))
    }

    #[staticmethod]
    fn _restore(time: i64, places: u8, prices: [i128; 4]) -> Self {
        let [open, high, low, close] = prices.map(|price| Decimal::new(price, places));
        Self(candles::Candle { time, open, high, low, close })
    }
}

impl Candle {
    /// Returns the time and the prices as text.
    pub(super) fn fields(&self) -> [(&'static str, String); 5] {
        let candles::Candle { time, open, high, low, close } = &self.0;
        let price = |price: &Decimal| price.to_string();
        [
            ("time", timestamp(*time).to_string()),
            ("open", price(open)),
            ("high", price(high)),
            ("low", price(low)),
            ("close", price(close)),
        ]
    }
}

impl fmt::Display for Candle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<Candle")?;
        self.fields().iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))?;
        f.write_str(">")
    }
}
