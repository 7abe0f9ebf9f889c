//! The Python class of candles.

use jiff::{SignedDuration, Timestamp};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice};

use super::candle::{Candle, timestamp};
use super::export::batch;
use super::source;
use crate::exceptions::RustResult as _;
use crate::hints::input_type;
use crate::protocols::{cast, import_datetime};
use crate::raise::OrPyErr as _;
use crate::tables::{Stream, capsule};
use crate::values::{TradingDecimal, typed_objects};
use botdesk_api::input::Violation;
use botdesk_api::table::{Ellipsis, Table};
use botdesk_trading::candles;

/// The candles at each end that the HTML shows.
const SHOWN: usize = 5;

/// Candles: a history of prices, checked, exact and ready for backtests.
///
/// Candles can't be changed. `candles[0]` is the first `Candle`, `for candle in candles` iterates over all of them, and
/// `candles[:1440]` is a slice that shares the data. A slice keeps the interval and the tick of the whole history.
///
/// A float is taken by its shortest text: 0.1 is exactly 0.1. Numbers may have up to 38 digits. A candle takes about 17 bytes,
/// 33 if prices need more than 9 digits, and 65 if they need more than 18.
///
/// Args:
///     data: A table of polars, pyarrow, pandas or duckdb, or any other object that exports an Arrow stream; or rows of
///         `[milliseconds, open, high, low, close, …]`, as ccxt returns them; or other candles.
///
///         In a table, the times are in the column `timestamp`, `time`, `datetime`, `date`, `ts` or `open_time`, in any case; the
///         first of these that there is counts. They are timestamps, dates, or milliseconds since 1970. Without a timezone, they
///         are in UTC. The prices are in `open`, `high`, `low` and `close`, or `o`, `h`, `l` and `c`. They are decimals, floats,
///         integers or strings. The index of a pandas table may hold the times. Other columns are ignored.
///
/// Raises:
///     ValidationError: `data` has no candle, a column is missing, or a row is wrong, which the message names. Rows count
///         from 0. A row is wrong if a price is not a number above 0, if the high is below the low, if the open or close is
///         outside of them, or if its time is not after that of the row before. Missing candles are not an error; `gaps`
///         counts them.
///
/// Example:
///     >>> import botdesk
///     >>> candles = botdesk.Candles([
///     ...     [1704067200000, 42283.58, 42298.62, 42261.02, 42298.61, 35.92],
///     ...     [1704067260000, 42298.62, 42320.00, 42298.61, 42320.00, 21.16],
///     ... ])
///     >>> candles
///     <Candles rows=2 start=2024-01-01T00:00:00Z end=2024-01-01T00:01:00Z interval=1m gaps=0>
///     >>> candles[1].high
///     Decimal('42320.00')
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct Candles(pub(crate) candles::Candles);

typed_objects! {
    /// An iterator over candles.
    CandleIterator(PyAny) => type_hint_subscript!(ITERATOR, Candle::TYPE_HINT);
    /// A candle, or candles: the stubs can't say which argument returns which.
    CandleOrCandles(PyAny) => ANY;
}

/// The index or slice in `candles[…]`.
enum IndexOrSlice<'py> {
    Index(isize),
    Slice(Bound<'py, PySlice>),
}

impl<'py> FromPyObject<'_, 'py> for IndexOrSlice<'py> {
    type Error = PyErr;

    input_type!(type_hint_union!(INT, type_hint_identifier!("builtins", "slice")));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match cast::<PySlice>(&given) {
            Some(slice) => Ok(Self::Slice(slice.clone())),
            None => given.extract().map(Self::Index),
        }
    }
}

/// Reads candles from a `Candles` or from all that it takes; `name` is the argument that errors name.
pub(crate) fn candles(given: &Bound<'_, PyAny>, name: &str) -> PyResult<candles::Candles> {
    match cast::<Candles>(given) {
        Some(candles) => Ok(candles.get().0.clone()),
        None => source::read(given, name),
    }
}

#[pymethods]
impl Candles {
    #[new]
    #[pyo3(signature = (data: "object"))]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        candles(data, "data").map(Self)
    }

    /// The length of a candle: the smallest distance between two times; None for a single candle.
    #[getter]
    fn interval(&self, py: Python<'_>) -> PyResult<Option<SignedDuration>> {
        import_datetime(py)?;
        Ok(self.0.interval().map(SignedDuration::from_millis))
    }

    /// The time of the first candle, in UTC.
    #[getter]
    fn start(&self, py: Python<'_>) -> PyResult<Timestamp> {
        import_datetime(py)?;
        Ok(timestamp(self.ends().0))
    }

    /// The time of the last candle, in UTC.
    #[getter]
    fn end(&self, py: Python<'_>) -> PyResult<Timestamp> {
        import_datetime(py)?;
        Ok(timestamp(self.ends().1))
    }

    /// The number of places where candles are missing.
    #[getter]
    fn gaps(&self) -> usize {
        self.0.gaps()
    }

    /// The smallest decimal place of the prices.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> botdesk.Candles([[0, "1.50", 2, "1.25", 2]]).tick
    ///     Decimal('0.01')
    #[getter]
    fn tick(&self) -> TradingDecimal {
        TradingDecimal(self.0.tick())
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: IndexOrSlice<'py>) -> PyResult<CandleOrCandles<'py>> {
        let found = match index {
            IndexOrSlice::Slice(slice) => Bound::new(py, self.slice(&slice)?)?.into_any(),
            IndexOrSlice::Index(index) => Bound::new(py, self.candle(index)?)?.into_any(),
        };
        Ok(CandleOrCandles(found))
    }

    fn __iter__<'py>(this: &Bound<'py, Self>) -> PyResult<CandleIterator<'py>> {
        let builtins = this.py().import("builtins")?;
        let indices = builtins.getattr("range")?.call1((this.get().0.len(),))?;
        builtins.getattr("map")?.call1((this.getattr("__getitem__")?, indices)).map(CandleIterator)
    }

    fn __repr__(&self) -> String {
        let (start, end) = self.ends();
        let [rows, interval, gaps] = self.summary();
        format!(
            "<Candles rows={rows} start={} end={} interval={interval} gaps={gaps}>",
            timestamp(start),
            timestamp(end)
        )
    }

    fn _repr_html_(&self) -> String {
        self.table().html()
    }

    /// Return the candles as an Arrow stream, for libraries that ask for one.
    ///
    /// The columns are `timestamp`, in UTC, and the decimals `open`, `high`, `low` and `close`, which have 38 digits, 18 of
    /// them after the point. If a price does not fit, they have as many digits after the point as the prices.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> import polars
    ///     >>> print(*polars.DataFrame(botdesk.Candles([[0, 1, 2, 1, 2]])).columns)
    ///     timestamp open high low close
    #[pyo3(signature = (requested_schema: "object" = None))]
    #[allow(unused_variables, reason = "a producer may ignore the schema that is requested")]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Stream<'py>> {
        let table = py.detach(|| batch(&self.0));
        capsule(py, table.map_rust_err(|error| PyRuntimeError::new_err(error.to_string()))?)
    }

    #[pyo3(signature = (dtype: "object" = None, copy: "object" = None))]
    #[allow(unused_variables, clippy::unused_self, reason = "it only raises")]
    fn __array__<'py>(
        &self,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Err(PyTypeError::new_err(
            "pandas.DataFrame(…) and numpy would turn candles into one column of objects; \
             use pandas.DataFrame.from_arrow(…) for a table, or list(…) for the objects",
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = py.detach(|| self.0.to_bytes());
        Ok((py.get_type::<Self>().getattr("_restore")?, (PyBytes::new(py, &bytes),)))
    }

    #[staticmethod]
    fn _restore(py: Python<'_>, candles: &[u8]) -> PyResult<Self> {
        let candles = py.detach(|| candles::Candles::from_bytes(candles));
        candles.map(Self).ok_or_else(|| PyValueError::new_err("the pickle holds no candles"))
    }
}

impl Candles {
    /// Returns the candle at an index, which counts from the end if it is negative.
    fn candle(&self, index: isize) -> PyResult<Candle> {
        let counted = if index < 0 { self.0.len().checked_add_signed(index) } else { Some(index.unsigned_abs()) };
        let candle = counted.and_then(|index| self.0.candle(index)).map(Candle);
        candle.ok_or_else(|| PyIndexError::new_err(format!("there are {} candles, and none at {index}", self.0.len())))
    }

    fn slice(&self, slice: &Bound<'_, PySlice>) -> PyResult<Self> {
        let indices = slice.indices(isize::try_from(self.0.len())?)?;
        let violation = |message: &str| Err(Violation::new("index", message)).or_py_err();
        if indices.step != 1 {
            return violation("a slice of candles has no step; only candles that follow each other are a history");
        }
        if indices.slicelength == 0 {
            return violation("the slice has no candle; take at least one");
        }
        let start = indices.start.unsigned_abs();
        Ok(Self(self.0.slice(start..start + indices.slicelength)))
    }

    /// Returns the times of the first and of the last candle.
    fn ends(&self) -> (i64, i64) {
        let time = |index| self.0.time(index).unwrap_or_default();
        (time(0), time(self.0.len().saturating_sub(1)))
    }

    /// Returns the number of candles, the interval and the number of gaps, for people.
    fn summary(&self) -> [String; 3] {
        let interval = self.0.interval().map(|interval| format!("{:#}", SignedDuration::from_millis(interval)));
        [self.0.len().to_string(), interval.unwrap_or_else(|| "None".to_owned()), self.0.gaps().to_string()]
    }

    /// Returns the first and the last candles as a table.
    fn table(&self) -> Table {
        let count = self.0.len();
        let (first, last) = (count.min(SHOWN), count.saturating_sub(SHOWN).max(SHOWN));
        let shown = (0..first).chain(last..count).filter_map(|index| self.0.candle(index)).map(Candle);
        let hidden = last.min(count) - first;
        let [_, interval, gaps] = self.summary();
        Table {
            title: format!("Candles ({count})"),
            heads: vec!["time", "open", "high", "low", "close"],
            rows: shown.map(|candle| candle.fields().map(|(_, value)| value).to_vec()).collect(),
            ellipsis: (hidden > 0).then(|| Ellipsis { after: first, label: format!("… {hidden} more …") }),
            notes: vec![format!("Interval {interval}, gaps {gaps}, tick {}.", self.0.tick())],
        }
    }
}
