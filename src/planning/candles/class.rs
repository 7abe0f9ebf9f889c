//! The Python class of candles.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySlice, PyString};

use super::candle::{Candle, timestamp};
use super::export::batch;
use super::source;
use crate::arguments::FilePath;
use crate::display::tables::{Stream, capsule};
use crate::exceptions::RustResult as _;
use crate::hints::input_type;
use crate::protocols::{cast, import_datetime};
use crate::raise::OrPyErr as _;
use crate::runtime::fork_safe_lazy::ForkSafeLazy;
use crate::runtime::warnings::warn;
use crate::values::{TradingDecimal, typed_objects};
use botdesk_display::text_table::{Ellipsis, Table};
use botdesk_schema::input::Violation;
use botdesk_trading::candles;

/// The state of a pickle: the candles, and what was recognized in their file.
type State<'a, 'py> = (Bound<'py, PyBytes>, Option<&'a str>);

/// The candles at each end that the HTML shows.
const SHOWN: usize = 5;

/// Candles: a history of prices, checked, exact and ready for backtests.
///
/// Times in seconds instead of milliseconds raise a `UserWarning`: they would all be in the first months of 1970.
///
/// Candles can't be changed. `candles[0]` is the first `Candle`, `for candle in candles` iterates over all of them, and
/// `candles[:1440]` is a slice that shares the data. A slice keeps the interval and the tick of the whole history.
///
/// A float is taken by its shortest text: 0.1 is exactly 0.1. Numbers may have up to 38 digits. A candle takes about 17 bytes,
/// 33 if prices need more than 9 digits, and 65 if they need more than 18.
///
/// Args:
///     data: A table of polars, pyarrow, pandas or duckdb, or any other object that exports an Arrow stream; or rows of
///         `[milliseconds, open, high, low, close, …]`, as ccxt returns them; or other candles. A lazy table of polars is
///         collected. For a CSV file, see `Candles.read_csv`.
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
#[derive(Clone)]
pub(crate) struct Candles {
    pub(crate) candles: candles::Candles,
    /// The format that was recognized in the file of the candles.
    pub(super) file_format: Option<Arc<str>>,
}

impl PartialEq for Candles {
    fn eq(&self, other: &Self) -> bool {
        self.candles == other.candles
    }
}

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
fn candles(given: &Bound<'_, PyAny>, name: &str) -> PyResult<candles::Candles> {
    match cast::<Candles>(given) {
        Some(candles) => Ok(candles.get().candles.clone()),
        None => source::read(given, name),
    }
}

/// Reads candles, and warns if their times are probably in seconds; `of` names their pair in the warning.
pub(crate) fn candles_with_warning(given: &Bound<'_, PyAny>, name: &str, of: &str) -> PyResult<candles::Candles> {
    let candles = candles(given, name)?;
    if let Some(message) = candles.seconds_warning(of) {
        warn(given.py(), &message)?;
    }
    Ok(candles)
}

#[pymethods]
impl Candles {
    #[new]
    #[pyo3(signature = (data: "object"))]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        match cast::<Self>(data) {
            Some(candles) => Ok(candles.get().clone()),
            None => candles_with_warning(data, "data", "").map(Self::of),
        }
    }

    /// Read candles from a CSV file, as exchanges and charts export it, with every digit of the prices.
    ///
    /// Times are dates in ISO 8601, in UTC if they have no timezone, or whole numbers of seconds, milliseconds, microseconds or
    /// nanoseconds since 1970. The unit follows from the years 2000 to 2099, or from the usual length of a candle. Rows may be in
    /// either order. `file_format` says what was recognized. A file that can be read in two ways is refused.
    ///
    /// Args:
    ///     path: The path of the file, in UTF-8, with values separated by commas: an export of Binance, which has no names of
    ///         columns; an export of CryptoDataDownload, which has a URL in its first line; an export of TradingView; or any other
    ///         file whose first line names the columns. The times are in `unix`, `unix timestamp`, `timestamp`, `time`,
    ///         `datetime`, `date`, `ts` or `open_time`, the prices in `open`, `high`, `low` and `close`, or `o`, `h`, `l` and `c`,
    ///         in any case. Other columns are ignored.
    ///
    /// Returns:
    ///     The candles, oldest first.
    ///
    /// Raises:
    ///     ConfigurationError: The file can't be read.
    ///     ValidationError: A column is missing, a row is wrong, times are of several units or may be of another one, rows are in
    ///         no order, or a time is there twice. The message names the row, which counts from 0, and the line of the file.
    ///
    /// Example:
    ///     >>> import botdesk, pathlib, tempfile
    ///     >>> with tempfile.TemporaryDirectory() as folder:
    ///     ...     path = pathlib.Path(folder, "btc.csv")
    ///     ...     header, row = "time,open,high,low,close", "1735689600,93576.1,93610.9,93537.5,93610.9"
    ///     ...     _ = path.write_text(f"{header}\n{row}")
    ///     ...     candles = botdesk.Candles.read_csv(path)
    ///     >>> candles.file_format
    ///     'TradingView export, times in seconds (column time)'
    ///     >>> candles[0].close
    ///     Decimal('93610.9')
    #[staticmethod]
    fn read_csv(py: Python<'_>, path: FilePath) -> PyResult<Self> {
        static READ: ForkSafeLazy = ForkSafeLazy::new("botdesk._candle_files", &["read_csv"]);
        let read = READ.get(py)?.call1((path.0,))?;
        Ok(read.cast::<Self>()?.get().clone())
    }

    /// Fetch the candles of the last days from an exchange, and keep them in a file.
    ///
    /// What the file of the pair has is not fetched again: it is extended to both sides. The candle that is not over yet is left
    /// out. ccxt sends the requests, within the rate limit of the exchange; no key is needed. Prices have the digits of ccxt.
    ///
    /// Args:
    ///     pair: The pair as `<QUOTE>_<BASE>`, such as `USDT_ETH`.
    ///     days: The length of the history, until now.
    ///     exchange: The name of the exchange in ccxt, such as `"kraken"`, `"binance"` by default; or an exchange of ccxt.
    ///     interval: The length of a candle, such as `"1m"`, `"5m"`, `"1h"` or `"1d"`.
    ///     folder: The folder of the files; by default `botdesk/candles` in the folder for caches of the platform.
    ///
    /// Returns:
    ///     The candles, oldest first.
    ///
    /// Raises:
    ///     ConfigurationError: ccxt or pyarrow is not installed, a file can't be used, or the exchange returned an error or nothing.
    ///     ValidationError: The exchange does not have the pair or the interval, or an argument is wrong.
    ///     ConnectionFailedError: The exchange was not reached. Candles before that are kept.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> try:
    ///     ...     candles = botdesk.Candles.fetch("ETH/USDT", days=90, exchange="binance")
    ///     ... except botdesk.ValidationError as error:
    ///     ...     print(error)
    ///     validation failed: pair: 'ETH/USDT' is not a pair; write it as 'USDT_ETH'
    #[staticmethod]
    #[pyo3(signature = (pair, *, days = 90.0, exchange: "object" = None, interval = "1h", folder = None))]
    fn fetch(
        py: Python<'_>,
        pair: &str,
        days: f64,
        exchange: Option<&Bound<'_, PyAny>>,
        interval: &str,
        folder: Option<FilePath>,
    ) -> PyResult<Self> {
        static FETCH: ForkSafeLazy = ForkSafeLazy::new("botdesk._candle_fetch", &["fetch"]);
        let exchange = exchange.cloned().unwrap_or_else(|| PyString::new(py, "binance").into_any());
        let fetched = FETCH.get(py)?.call1((pair, days, exchange, interval, folder.map(|folder| folder.0)))?;
        Ok(fetched.cast::<Self>()?.get().clone())
    }

    /// The format that `read_csv` recognized: the program that has written the file, the unit of the times, and the order of the rows.
    ///
    /// It is None for candles that are not from a file.
    #[getter]
    fn file_format(&self) -> Option<&str> {
        self.file_format.as_deref()
    }

    /// The length of a candle: the smallest distance between two times; None for a single candle.
    #[getter]
    fn interval(&self, py: Python<'_>) -> PyResult<Option<SignedDuration>> {
        import_datetime(py)?;
        Ok(self.candles.interval().map(SignedDuration::from_millis))
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
        self.candles.gaps()
    }

    /// The smallest decimal place of the prices.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> botdesk.Candles([[0, "1.50", 2, "1.25", 2]]).tick
    ///     Decimal('0.01')
    #[getter]
    fn tick(&self) -> TradingDecimal {
        TradingDecimal(self.candles.tick())
    }

    fn __len__(&self) -> usize {
        self.candles.len()
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
        let indices = builtins.getattr("range")?.call1((this.get().candles.len(),))?;
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
        let table = py.detach(|| batch(&self.candles));
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

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, State<'_, 'py>)> {
        let bytes = py.detach(|| self.candles.to_bytes());
        Ok((py.get_type::<Self>().getattr("_restore")?, (PyBytes::new(py, &bytes), self.file_format())))
    }

    #[staticmethod]
    #[pyo3(signature = (candles, file_format = None))]
    fn _restore(py: Python<'_>, candles: &[u8], file_format: Option<&str>) -> PyResult<Self> {
        let candles = py.detach(|| candles::Candles::from_bytes(candles));
        let candles = candles.ok_or_else(|| PyValueError::new_err("the pickle holds no candles"))?;
        Ok(Self { candles, file_format: file_format.map(Arc::from) })
    }
}

impl Candles {
    /// Returns candles that are not from a file.
    pub(crate) fn of(candles: candles::Candles) -> Self {
        Self { candles, file_format: None }
    }

    /// Returns the candle at an index, which counts from the end if it is negative.
    fn candle(&self, index: isize) -> PyResult<Candle> {
        let counted = if index < 0 { self.candles.len().checked_add_signed(index) } else { Some(index.unsigned_abs()) };
        let candle = counted.and_then(|index| self.candles.candle(index)).map(Candle);
        candle.ok_or_else(|| {
            PyIndexError::new_err(format!("there are {} candles, and none at {index}", self.candles.len()))
        })
    }

    fn slice(&self, slice: &Bound<'_, PySlice>) -> PyResult<Self> {
        let indices = slice.indices(isize::try_from(self.candles.len())?)?;
        let violation = |message: &str| Err(Violation::new("index", message)).or_py_err();
        if indices.step != 1 {
            return violation("a slice of candles has no step; only candles that follow each other are a history");
        }
        if indices.slicelength == 0 {
            return violation("the slice has no candle; take at least one");
        }
        let start = indices.start.unsigned_abs();
        let candles = self.candles.slice(start..start + indices.slicelength);
        Ok(Self { candles, file_format: self.file_format.clone() })
    }

    /// Returns the times of the first and of the last candle.
    fn ends(&self) -> (i64, i64) {
        let time = |index| self.candles.time(index).unwrap_or_default();
        (time(0), time(self.candles.len().saturating_sub(1)))
    }

    /// Returns the number of candles, the interval and the number of gaps, for people.
    fn summary(&self) -> [String; 3] {
        let interval = self.candles.interval().map(|interval| format!("{:#}", SignedDuration::from_millis(interval)));
        [self.candles.len().to_string(), interval.unwrap_or_else(|| "None".to_owned()), self.candles.gaps().to_string()]
    }

    /// Returns the first and the last candles as a table.
    fn table(&self) -> Table {
        let count = self.candles.len();
        let (first, last) = (count.min(SHOWN), count.saturating_sub(SHOWN).max(SHOWN));
        let shown = (0..first).chain(last..count).filter_map(|index| self.candles.candle(index)).map(Candle);
        let hidden = last.min(count) - first;
        let [_, interval, gaps] = self.summary();
        Table {
            title: format!("Candles ({count})"),
            heads: vec!["time", "open", "high", "low", "close"],
            rows: shown.map(|candle| candle.fields().map(|(_, value)| value).to_vec()).collect(),
            ellipsis: (hidden > 0).then(|| Ellipsis { after: first, label: format!("… {hidden} more …") }),
            notes: [format!("Interval {interval}, gaps {gaps}, tick {}.", self.candles.tick())]
                .into_iter()
                .chain(self.file_format().map(|format| format!("{format}.")))
                .collect(),
            ..Table::default()
        }
    }
}
