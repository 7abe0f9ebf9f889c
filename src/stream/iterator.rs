//! The iterator of events, and the method that starts it.

use std::sync::Arc;

use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;

use super::event::StreamEvent;
use crate::arguments::FilePath;
use crate::client::Client;
use crate::datetimes::to_timestamp;
use crate::exceptions::{RustResult as _, raise_or_keep};
use crate::hints::input_type;
use crate::protocols::cast_datetime;
use crate::raise::OrPyErr as _;
use crate::runtime::bridge::{spawned, wait};
use crate::runtime::tokio_runtime::start;
use crate::runtime::warnings::warn_of;
use crate::values::typed_objects;
use crate::watch::{OnError, Since, report, save};
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::stream::{PricedPairs, StreamOptions, StreamStart, Streamer};

/// The seconds without any frame after which a connection counts as dead, as in the signature of `stream`.
const STALE_AFTER: f64 = 10.0;

typed_objects! {
    /// A coroutine that returns an event.
    NextEvent(PyAny) => type_hint_subscript!(COROUTINE, ANY, ANY, StreamEvent::TYPE_HINT);
}

/// Live events about records, for `for` and for `async for`: what `client.stream` returns.
///
/// It starts at once, and runs in the background until `close()`, the end of its `with` block, or until nothing refers to it.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Stream {
    streamer: Streamer,
    on_error: Option<Py<PyAny>>,
}

impl Stream {
    /// Starts a stream of one resource with changes of the connection.
    pub(crate) fn of_resource(
        py: Python<'_>,
        client: &Arc<HttpClient>,
        name: String,
        every: f64,
        on_error: OnError,
    ) -> PyResult<Self> {
        let options = StreamOptions::new(every, STALE_AFTER, true).or_py_err()?;
        let streamer = py.detach(|| Streamer::start(client, &[name], options, &StreamStart::Now, start));
        Ok(Self { streamer: streamer.or_py_err()?, on_error: on_error.0 })
    }

    /// Gives the warnings and reports the errors, and handles pending signals, which may raise: before an event is taken, so that the
    /// next call still returns it.
    fn before_taking(&self, py: Python<'_>) -> PyResult<()> {
        while let Some(warning) = self.streamer.take_warning().or_py_err()? {
            let class = py.import("botdesk.errors").and_then(|errors| errors.getattr("StreamWarning"));
            let class = class.inspect_err(|_| self.streamer.put_warning_back(warning.clone()))?;
            warn_of(py, &class, &warning)?;
        }
        while let Some(failure) = self.streamer.take_failure().or_py_err()? {
            match report(py, self.on_error.as_ref(), "the stream goes on", &failure) {
                Ok(reported) => reported?,
                Err(raised) => {
                    self.streamer.put_failure_back(failure);
                    return Err(raised);
                }
            }
        }
        py.check_signals()
    }

    fn taken(&self, py: Python<'_>) -> PyResult<Option<StreamEvent>> {
        self.before_taking(py)?;
        let event = self.streamer.take_event().or_py_err()?;
        Ok(event.map(|event| StreamEvent { event, client: Arc::clone(self.streamer.client()) }))
    }
}

#[pymethods]
impl Stream {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<StreamEvent>> {
        while wait(py, self.streamer.ready())? {
            if let Some(event) = self.taken(py)? {
                return Ok(Some(event));
            }
        }
        Ok(None)
    }

    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    // A slot can't be an `async fn`; an ordinary method can.
    fn __anext__<'py>(this: &Bound<'py, Self>) -> PyResult<NextEvent<'py>> {
        this.call_method0("_next").map(NextEvent)
    }

    async fn _next(&self) -> PyResult<StreamEvent> {
        while spawned(self.streamer.ready()).await? {
            if let Some(event) = Python::attach(|py| self.taken(py))? {
                return Ok(event);
            }
        }
        Err(PyStopAsyncIteration::new_err(()))
    }

    fn __enter__(this: Py<Self>, py: Python<'_>) -> PyResult<Py<Self>> {
        wait(py, this.get().streamer.settled())?;
        Ok(this)
    }

    #[pyo3(signature = (_class: "object", _error: "object", _traceback: "object") -> "None")]
    fn __exit__(&self, _class: &Bound<'_, PyAny>, _error: &Bound<'_, PyAny>, _traceback: &Bound<'_, PyAny>) {
        self.streamer.close();
    }

    async fn __aenter__(this: Py<Self>) -> PyResult<Py<Self>> {
        spawned(this.get().streamer.settled()).await?;
        Ok(this)
    }

    #[pyo3(signature = (_class: "object", _error: "object", _traceback: "object") -> "None")]
    #[allow(clippy::unused_async, reason = "Python awaits it")]
    async fn __aexit__(&self, _class: Py<PyAny>, _error: Py<PyAny>, _traceback: Py<PyAny>) {
        self.streamer.close();
    }

    /// The state of the connection: `connecting`, `live`, `waiting` (for the next attempt; meanwhile it is polled), `polling`
    /// (there is no stream), or `closed`.
    #[getter]
    fn status(&self) -> &'static str {
        self.streamer.status()
    }

    /// The names of the resources, in their order.
    #[getter]
    fn resources(&self) -> Vec<&'static str> {
        self.streamer.resources().to_vec()
    }

    /// The number of events that newer ones of the same record have replaced, because more than 1 000 were waiting.
    #[getter]
    fn merged(&self) -> PyResult<u64> {
        self.streamer.merged().or_py_err()
    }

    /// The state of the stream as a string for `since`: a later stream continues from it, also in another process.
    ///
    /// What was not returned yet is returned again. It has the records that changed last, and no secrets.
    #[getter]
    fn state(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.streamer.state()).or_py_err()
    }

    /// Write the state to a file for `since`, atomically and readable only by its owner.
    ///
    /// Args:
    ///     path: The path of the file; an existing file is replaced.
    ///
    /// Raises:
    ///     ConfigurationError: The file can't be written.
    ///
    /// Example:
    ///     >>> import botdesk, pathlib, tempfile
    ///     >>> with botdesk.Sandbox() as sandbox, tempfile.TemporaryDirectory() as folder:
    ///     ...     client = sandbox.client()
    ///     ...     path = pathlib.Path(folder, "stream.json")
    ///     ...     with client.stream("deals") as stream:
    ///     ...         stream.save(path)
    ///     ...     _ = client.deals.close(client.deals.list()[0].id)
    ///     ...     with client.stream("deals", since=path) as stream:
    ///     ...         next(stream).origin
    ///     'list'
    fn save(&self, py: Python<'_>, path: FilePath) -> PyResult<()> {
        py.detach(|| save(&self.streamer.state()?, "stream", &path)).or_py_err()
    }

    /// End the stream: iterations over it end, and the state stays readable.
    ///
    /// It may be called from another thread and from a signal handler.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     stream = sandbox.client().stream("deals")
    ///     ...     stream.close()
    ///     ...     list(stream), stream.status
    ///     ([], 'closed')
    fn close(&self) {
        self.streamer.close();
    }

    fn __repr__(&self) -> String {
        format!("<Stream {} {}>", self.streamer.resources().join(" "), self.streamer.status())
    }
}

#[pymethods]
impl Client {
    /// Follow records live: an iterator of events, for `for` and for `async for`.
    ///
    /// Deals and SmartTrades come from the streams of the service, which are unpublished: it may end them at any time. Everything
    /// else is polled, and so is what the service refuses to stream; a `StreamWarning` says so once. After each gap, lists fill
    /// in what was not sent. Each change comes at least once, in the order of the record's `updated_at`, and a state that is
    /// known is not repeated. Changes between two states that were not sent are lost if a newer one was seen.
    ///
    /// The stream starts at once, in the background. A `with` block begins when no change is missed any more. Errors that do not end
    /// it are passed to `on_error`; it raises the last one if no resource can be followed any more. A stream of SmartTrades has
    /// changes of their status only. Requests in the background count for the rate limit, and call no hooks.
    ///
    /// API reference: none; the streams are unpublished. Permission BOTS_READ for deals, SMART_TRADES_READ for SmartTrades, and
    /// what the list of a resource needs if it is polled.
    ///
    /// Args:
    ///     resources: What to follow: `"deals"`, `"smart_trades"`, `"dca_bots"`, `"grid_bots"`, `"accounts"`, `"prices"`.
    ///     every: The seconds between two polls of what is not streamed, 1 to 31 536 000; 15 by default.
    ///     since: Where to begin: a `datetime` with a timezone, from which on changed deals and SmartTrades are returned; or the
    ///         `state` of an earlier stream, or the path to which it was saved. By default, changes from now on.
    ///     on_error: A function that is called with each error that does not end the stream; by default they are logged.
    ///     stale_after: The seconds without any frame after which a connection counts as dead, at least 6; 10 by default, 0 to
    ///         switch the check off. The service sends a frame every 3 seconds.
    ///     states: True to return changes of the connection as events too.
    ///     targets: True to poll active SmartTrades too, whose stream does not send a target that is hit without a change of the
    ///         status.
    ///     pairs: The pairs of `"prices"`, each as `<QUOTE>_<BASE>`. Each poll takes a request for each of them.
    ///     market_code: The code of the exchange of `"prices"`, as `client.markets.list()` has it.
    ///
    /// Returns:
    ///     The stream. Close it, or use it in a `with` block.
    ///
    /// Raises:
    ///     ConfigurationError: A resource is unknown, a number is out of range, `since` can't be used, or the client has no key.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     client = sandbox.client()
    ///     ...     with client.stream("deals", "smart_trades") as stream:
    ///     ...         sandbox.set_price("USDT_DOGE", 5)
    ///     ...         event = next(stream)
    ///     ...     event.kind, event.record.pair, event.origin
    ///     ('closed', 'USDT_DOGE', 'stream')
    #[pyo3(signature = (
        *resources: "str", every: "float" = 15.0, since = None, on_error = OnError(None), stale_after: "float" = 10.0,
        states: "bool" = false, targets: "bool" = false, pairs = None,
        market_code = None
    ))]
    #[allow(clippy::too_many_arguments, reason = "they are keyword arguments of a Python method")]
    fn stream(
        &self,
        py: Python<'_>,
        resources: Vec<String>,
        every: f64,
        since: Option<StreamSince>,
        on_error: OnError,
        stale_after: f64,
        states: bool,
        targets: bool,
        pairs: Option<Pairs>,
        market_code: Option<String>,
    ) -> PyResult<Stream> {
        let is_priced = pairs.is_some() || market_code.is_some();
        let of = PricedPairs {
            market_code: market_code.unwrap_or_default(),
            pairs: pairs.map(|pairs| pairs.0).unwrap_or_default(),
        };
        let prices = is_priced.then_some(of);
        let options = StreamOptions::new(every, stale_after, states).or_py_err()?;
        let options = StreamOptions { targets, prices, ..options };
        let http = Arc::clone(self.http());
        let streamer = py.detach(move || {
            let begin = since.map_or(Ok(StreamStart::Now), StreamSince::into_start)?;
            Streamer::start(&http, &resources, options, &begin, start)
        });
        Ok(Stream { streamer: streamer.or_py_err()?, on_error: on_error.0 })
    }
}

/// The pairs whose prices are followed.
struct Pairs(Vec<String>);

impl<'py> FromPyObject<'_, 'py> for Pairs {
    type Error = PyErr;

    input_type!(sequence(&STR));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        given.extract().map(Self)
    }
}

/// Where a stream begins: a time, or the state of an earlier one.
enum StreamSince {
    Time(i64),
    Saved(Since),
}

impl<'py> FromPyObject<'_, 'py> for StreamSince {
    type Error = PyErr;

    input_type!(type_hint_union!(DATETIME, STR, PATH));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if cast_datetime(&given)?.is_none() {
            return given.extract().map(Self::Saved);
        }
        let time = raise_or_keep(to_timestamp(&given))?;
        let time = time.map_rust_err(|message| Error::Configuration(format!("since {message}"))).or_py_err()?;
        Ok(Self::Time(time.as_microsecond()))
    }
}

impl StreamSince {
    fn into_start(self) -> Result<StreamStart, Error> {
        match self {
            Self::Time(time) => Ok(StreamStart::Time(time)),
            Self::Saved(saved) => saved.text().map(StreamStart::State),
        }
    }
}
