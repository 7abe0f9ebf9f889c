//! The Python classes of the live streams of a sandbox.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::arguments::{fit_integer, read_integer, read_optional_integer};
use crate::display::displayed_list::DisplayedList;
use crate::exceptions::RustResult as _;
use crate::hints::input_type;
use crate::protocols::cast;
use crate::raise::OrPyErr as _;
use crate::sandbox::class::Sandbox;
use botdesk_sandbox::StreamHub;
use botdesk_schema::input::{Violation, nearest};

/// The live streams of a sandbox: `sandbox.streams`.
///
/// They are WebSockets at `/websocket`, on the port of the sandbox, and send the deals that were created or changed, and the
/// SmartTrades whose status changed. A ping comes every 3 seconds of this machine, and when the clock of the sandbox is advanced
/// by 3 seconds or more.
///
/// The controls let them fail as the service may. They concern all connections, until `clear()` or `sandbox.reset()`.
///
/// Example:
///     >>> import botdesk
///     >>> with botdesk.Sandbox() as sandbox:
///     ...     with sandbox.client().stream("deals"):
///     ...         [(attempt.channel, attempt.result) for attempt in sandbox.streams.attempts]
///     [(None, 'connected'), ('DealsChannel', 'confirmed')]
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct SandboxStreams {
    sandbox: Py<Sandbox>,
}

#[pymethods]
impl Sandbox {
    /// The live streams of this sandbox.
    #[getter]
    fn streams(this: Py<Self>) -> SandboxStreams {
        SandboxStreams { sandbox: this }
    }
}

impl SandboxStreams {
    fn hub(&self) -> PyResult<&StreamHub> {
        Ok(self.sandbox.get().running().or_py_err()?.streams())
    }
}

/// The reasons of an announced end.
const REASONS: [&str; 4] = ["unauthorized", "invalid_request", "server_restart", "remote"];

/// What can be withheld.
const WITHHELD: [&str; 2] = ["welcome", "confirmation"];

#[pymethods]
impl SandboxStreams {
    /// The handshakes and commands, oldest first, each with its outcome and the cause: the newest 10 000.
    #[getter]
    fn attempts(&self) -> PyResult<DisplayedList<StreamAttempt>> {
        Ok(DisplayedList(self.hub()?.attempts().into_iter().map(StreamAttempt).collect()))
    }

    /// The number of open connections.
    #[getter]
    fn connections(&self) -> PyResult<usize> {
        Ok(self.hub()?.connections())
    }

    /// Drop all connections.
    ///
    /// Args:
    ///     code: The code of the close frame, 1000 to 4999; None to send no close frame, which clients see as 1006.
    ///
    /// Raises:
    ///     ValidationError: The code is out of range.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     client = sandbox.client()
    ///     ...     with client.stream("deals", states=True) as stream:
    ///     ...         sandbox.streams.drop()
    ///     ...         next(stream).kind, next(stream).kind
    ///     ('connected', 'disconnected')
    #[pyo3(signature = (code: "int | None" = None))]
    fn drop(&self, #[pyo3(from_py_with = read_optional_integer)] code: Option<i128>) -> PyResult<()> {
        let code = code.map(|code| number("code", code, 1000, 4999)).transpose().or_py_err()?;
        self.hub()?.drop_connections(code);
        Ok(())
    }

    /// Announce the end of all connections, and close them.
    ///
    /// Args:
    ///     reason: `unauthorized`, `invalid_request`, `server_restart` or `remote`.
    ///     reconnect: True if the client may connect again.
    ///
    /// Raises:
    ///     ValidationError: The reason is unknown.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.disconnect("server_restart")
    ///     ...     sandbox.streams.connections
    ///     0
    #[pyo3(signature = (reason = "server_restart", reconnect: "bool" = true))]
    fn disconnect(&self, reason: &str, reconnect: bool) -> PyResult<()> {
        check("reason", reason, REASONS).or_py_err()?;
        self.hub()?.disconnect(reason, reconnect);
        Ok(())
    }

    /// Send nothing at all any more, with the connections open: no ping, and no record.
    ///
    /// Args:
    ///     silent: False to send again.
    ///
    /// Raises:
    ///     ConfigurationError: The sandbox runs in the process that started it, not in this fork.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.silence()
    ///     ...     sandbox.streams.silence(False)
    #[pyo3(signature = (silent: "bool" = true))]
    fn silence(&self, silent: bool) -> PyResult<()> {
        self.hub()?.set_silent(silent);
        Ok(())
    }

    /// Send a ping to all connections.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.ping()
    fn ping(&self, py: Python<'_>) -> PyResult<()> {
        let running = self.sandbox.get().running().or_py_err()?;
        py.detach(|| running.ping_streams());
        Ok(())
    }

    /// Send a frame to all connections, as it is: garbage, an unknown type, a record that never was.
    ///
    /// Args:
    ///     frame: A str for a text frame, bytes for a binary one.
    ///
    /// Raises:
    ///     ConfigurationError: The sandbox runs in the process that started it, not in this fork.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.send('{"type": "news"}')
    ///     ...     sandbox.streams.send(b"binary")
    fn send(&self, frame: FrameArgument) -> PyResult<()> {
        let hub = self.hub()?;
        match frame {
            FrameArgument::Text(text) => hub.send_text(&text),
            FrameArgument::Binary(bytes) => hub.send_binary(&bytes),
        }
        Ok(())
    }

    /// Send each record more than once.
    ///
    /// Args:
    ///     times: How many times more, 0 to 100.
    ///
    /// Raises:
    ///     ValidationError: The number is out of range.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.repeat(2)
    #[pyo3(signature = (times: "int" = 1))]
    fn repeat(&self, #[pyo3(from_py_with = read_integer)] times: i128) -> PyResult<()> {
        let times = number("times", times, 0, 100).or_py_err()?;
        self.hub()?.repeat(times.into());
        Ok(())
    }

    /// Keep records back until `release`.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.hold()
    ///     ...     sandbox.streams.release(reverse=True)
    fn hold(&self) -> PyResult<()> {
        self.hub()?.hold();
        Ok(())
    }

    /// Send the records that were kept back, and keep none back any more.
    ///
    /// Args:
    ///     reverse: True to send the newest first.
    ///
    /// Raises:
    ///     ConfigurationError: The sandbox runs in the process that started it, not in this fork.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.hold()
    ///     ...     sandbox.streams.release()
    #[pyo3(signature = (reverse: "bool" = false))]
    fn release(&self, reverse: bool) -> PyResult<()> {
        self.hub()?.release(reverse);
        Ok(())
    }

    /// Reject the next subscriptions.
    ///
    /// Args:
    ///     times: How many, 0 to 1000.
    ///
    /// Raises:
    ///     ValidationError: The number is out of range.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.reject()
    #[pyo3(signature = (times: "int" = 1))]
    fn reject(&self, #[pyo3(from_py_with = read_integer)] times: i128) -> PyResult<()> {
        let times = number("times", times, 0, 1000).or_py_err()?;
        self.hub()?.reject_next(times.into());
        Ok(())
    }

    /// Refuse handshakes with a status.
    ///
    /// Args:
    ///     status: The status, 400 to 599.
    ///     times: How many handshakes, at least 1; None for all.
    ///
    /// Raises:
    ///     ValidationError: A number is out of range.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.refuse(404, times=None)
    #[pyo3(signature = (status: "int" = 403, *, times: "int | None" = Some(1)))]
    fn refuse(
        &self,
        #[pyo3(from_py_with = read_integer)] status: i128,
        #[pyo3(from_py_with = read_optional_integer)] times: Option<i128>,
    ) -> PyResult<()> {
        let status = number("status", status, 400, 599).or_py_err()?;
        let times = times.map(|times| number("times", times, 1, 1000)).transpose().or_py_err()?;
        self.hub()?.refuse(status, times.map(Into::into));
        Ok(())
    }

    /// Withhold the `welcome` of new connections, or the `confirmation` of subscriptions.
    ///
    /// Args:
    ///     frame: `"welcome"` or `"confirmation"`.
    ///
    /// Raises:
    ///     ValidationError: The frame is neither.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.withhold("welcome")
    fn withhold(&self, frame: &str) -> PyResult<()> {
        check("frame", frame, WITHHELD).or_py_err()?;
        self.hub()?.withhold(frame == "welcome", frame == "confirmation");
        Ok(())
    }

    /// Send a deal at a mere change of its price too.
    ///
    /// Args:
    ///     ticks: False to send none again.
    ///
    /// Raises:
    ///     ConfigurationError: The sandbox runs in the process that started it, not in this fork.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.price_ticks()
    #[pyo3(signature = (ticks: "bool" = true))]
    fn price_ticks(&self, ticks: bool) -> PyResult<()> {
        self.hub()?.publish_ticks(ticks);
        Ok(())
    }

    /// End the effects of all controls, and send what was kept back.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.streams.refuse(404, times=None)
    ///     ...     sandbox.streams.clear()
    fn clear(&self) -> PyResult<()> {
        self.hub()?.clear();
        Ok(())
    }

    fn __repr__(&self) -> PyResult<String> {
        let hub = self.hub()?;
        Ok(format!("<SandboxStreams connections={} attempts={}>", hub.connections(), hub.attempts().len()))
    }
}

fn number(name: &str, given: i128, least: u16, most: u16) -> Result<u16, Violation> {
    let number = fit_integer::<u16>(given).rust_ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| Violation::new(name, format!("must be {least} to {most}, not {given}")))
}

fn check<const N: usize>(name: &str, given: &str, known: [&'static str; N]) -> Result<(), Violation> {
    if known.contains(&given) {
        return Ok(());
    }
    let near = nearest(known, given).map(|near| format!("; did you mean {near}?")).unwrap_or_default();
    Err(Violation::new(name, format!("must be one of {}, not {given:?}{near}", known.join(", "))))
}

/// A frame as an argument.
enum FrameArgument {
    Text(String),
    Binary(Vec<u8>),
}

impl<'py> FromPyObject<'_, 'py> for FrameArgument {
    type Error = PyErr;

    input_type!(type_hint_union!(STR, BYTES));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Some(bytes) = cast::<PyBytes>(&given) {
            return Ok(Self::Binary(bytes.as_bytes().to_vec()));
        }
        match cast::<PyString>(&given) {
            Some(text) => text.extract().map(Self::Text),
            None => Err(PyTypeError::new_err("a frame is a str or bytes")),
        }
    }
}

/// A handshake or a command that the streams of a sandbox received, without its API key and its signature.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct StreamAttempt(botdesk_sandbox::StreamAttempt);

#[pymethods]
impl StreamAttempt {
    /// The path of the connection.
    #[getter]
    fn path(&self) -> &str {
        &self.0.path
    }

    /// The subprotocols that the client offered; None if it offered none.
    #[getter]
    fn subprotocol(&self) -> Option<&str> {
        self.0.subprotocol.as_deref()
    }

    /// The channel; None for a handshake.
    #[getter]
    fn channel(&self) -> Option<&str> {
        self.0.channel.as_deref()
    }

    /// The last four characters of the API key; None if there is none.
    #[getter]
    fn key(&self) -> Option<&str> {
        self.0.key.as_deref()
    }

    /// The text whose signature was checked; None if none was.
    #[getter]
    fn signed_text(&self) -> Option<&'static str> {
        self.0.signed_text
    }

    /// The algorithm of the key: `RSA` or `HMAC`; None if the key is unknown.
    #[getter]
    fn algorithm(&self) -> Option<&'static str> {
        self.0.algorithm
    }

    /// The outcome: `connected`, `refused`, `confirmed`, `rejected`, `unsubscribed` or `ignored`.
    #[getter]
    fn result(&self) -> &'static str {
        self.0.result
    }

    /// The reason of the outcome, which the client does not see; empty for a success.
    #[getter]
    fn cause(&self) -> &'static str {
        self.0.cause
    }

    fn __repr__(&self) -> String {
        let channel = self.0.channel.as_deref().map(|channel| format!(" {channel:?}")).unwrap_or_default();
        let cause = if self.0.cause.is_empty() { String::new() } else { format!(": {}", self.0.cause) };
        format!("<StreamAttempt{channel} {}{cause}>", self.0.result)
    }
}
