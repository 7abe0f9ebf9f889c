//! The Python classes of injected faults.

use std::time::Duration;

use crate::display::displayed_list::DisplayedList;
use crate::hints::input_type;
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use pyo3::prelude::*;

use crate::arguments::{
    fit_integer, integer_option, read_float, read_integer, read_optional_float, read_optional_integer,
};
use crate::exceptions::{RustError, RustResult, str_of};
use crate::runtime::bridge::wait;
use crate::sandbox::class::Sandbox;
use crate::sandbox::state::port_lost;
use botdesk_client::error::Error;
use botdesk_sandbox::{ANY, Fault, FaultOptions, InjectedFault};
use botdesk_schema::input::Violation;

/// Fault injection for a sandbox: `sandbox.faults`.
///
/// Each request or connection triggers the first pending fault that matches it. A request with an invalid API key or signature
/// gets 401 or 403 and triggers none. The same is true for a request that the sandbox's own rate limit rejects with 429 or 418.
/// For faults of connections, every connection counts. `Sandbox.requests` shows the fault of each request. The kinds:
///
/// - `status`: an error response as in the API reference; the request is not executed. Options: `status`, 400 to 599;
///   `retry_after`, the `Retry-After` header, none by default; `plan=True`, the 429 for a request that the subscription plan does
///   not include. 502, 504 and 520 to 524 have HTML bodies.
/// - `refuse`: connections are refused, for any operation. The operating system refuses them, so they can't be counted: the fault
///   ends with `clear()`, or after `seconds`. Open connections are closed first.
/// - `reset`: connections are reset before a byte is read, for any operation. `times` counts connections. Open connections are
///   closed first. A client may see a failed connection or a broken one.
/// - `close_before`: the request is read but not executed, and the connection closes.
/// - `close_after`: the request is executed, and the connection closes without a response.
/// - `stall`: the request is read but not executed, and no response is sent. The connection stays open until the client or the
///   sandbox closes it.
/// - `redirect`: a 302; the request is not executed. Option: `location`.
/// - `trickle`: the request is executed; the response is sent one byte at a time. Option: `interval`, the seconds between two
///   bytes, 0 by default.
/// - `cut_body`: the request is executed; the connection closes after half of the body.
/// - `wrong_length`: the request is executed; `Content-Length` is one byte too small.
/// - `wrong_json`, `bad_utf8`, `deep_json`: the request is executed; the body is truncated, is not UTF-8, or is nested 10 000 levels
///   deep.
/// - `huge_body`, `gzip_bomb`: the request is executed; the body is 40 MiB large, or 128 MiB when decompressed.
/// - `header_flood`: the request is executed; the response has 2 000 headers.
/// - `ban`: the request is not executed, and the IP address is banned: it and all later requests get 418. Options: `seconds`,
///   120 by default, and twice as long each further time; advancing the clock of the sandbox passes them; `retry_after`.
///
/// Example:
///     >>> import botdesk
///     >>> with botdesk.Sandbox() as sandbox:
///     ...     client = sandbox.client()
///     ...     sandbox.faults.add("dca_bots.get", kind="status", status=501)
///     ...     try:
///     ...         client.dca_bots.get(41)
///     ...     except botdesk.ServerError as error:
///     ...         error.status
///     ...     client.dca_bots.get(41).id
///     501
///     41
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Faults {
    sandbox: Py<Sandbox>,
}

#[pymethods]
impl Sandbox {
    /// The fault injection of this sandbox.
    #[getter]
    fn faults(this: Py<Self>) -> Faults {
        Faults { sandbox: this }
    }
}

#[pymethods]
impl Faults {
    /// Add a fault, which takes effect with the next request.
    ///
    /// Args:
    ///     operation: The operation, such as `"dca_bots.edit"`; `"*"` for every request.
    ///     kind: The kind of fault; the class documents the kinds.
    ///     times: How many times to inject it; None for no limit.
    ///     status: The status of an error response, 400 to 599.
    ///     retry_after: The `Retry-After` header of an error response: seconds, or an HTTP date.
    ///     plan: True for the 429 of a request that the subscription plan does not include.
    ///     interval: The seconds between two bytes of a trickled response.
    ///     seconds: How many seconds connections are refused, until `clear()` by default; or the IP address is banned.
    ///     location: The target of a redirect.
    ///
    /// Raises:
    ///     ValidationError: The operation, the kind or an option is invalid; the message suggests the nearest name.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.faults.add("dca_bots.disable", kind="close_after")
    ///     ...     try:
    ///     ...         sandbox.client().dca_bots.disable(41)
    ///     ...     except botdesk.OutcomeUnknownError:
    ///     ...         print(sandbox.requests[-1].carried_out)
    ///     True
    #[pyo3(signature = (
        operation, kind, *, times: "int | None" = Some(1), status: "int | None" = None, retry_after = None,
        plan = false, interval: "float | None" = None, seconds: "float | None" = None, location = None
    ))]
    fn add(
        &self,
        py: Python<'_>,
        operation: &str,
        kind: &str,
        #[pyo3(from_py_with = read_optional_integer)] times: Option<i128>,
        #[pyo3(from_py_with = read_optional_integer)] status: Option<i128>,
        retry_after: Option<RetryAfterArgument>,
        plan: bool,
        #[pyo3(from_py_with = read_optional_float)] interval: Option<f64>,
        #[pyo3(from_py_with = read_optional_float)] seconds: Option<f64>,
        location: Option<String>,
    ) -> PyResult<()> {
        let options = FaultOptions {
            status: number("status", status).or_py_err()?,
            retry_after: retry_after.map(|value| value.0),
            plan,
            interval: duration("interval", interval).or_py_err()?,
            seconds: duration("seconds", seconds).or_py_err()?,
            location,
        };
        let fault = Fault::new(operation, kind, number("times", times).or_py_err()?, options)
            .map_rust_err(Error::Validation)
            .or_py_err()?;
        let running = self.sandbox.get().running().or_py_err()?.clone();
        wait(py, async move {
            running.add_fault(fault).await;
            Ok::<_, Error>(())
        })
    }

    /// Inject random faults into a share of the requests. The same seed gives the same faults.
    ///
    /// Requests that fail authentication or the rate limit don't count.
    ///
    /// The faults are the statuses 429, 500, 502, 503 and 504, `close_before`, `close_after`, `cut_body` and `wrong_length`: none that
    /// hangs. Faults from `add` take precedence.
    ///
    /// Args:
    ///     share: The share of requests, 0 to 1.
    ///     seed: The seed of the random numbers.
    ///
    /// Raises:
    ///     ValidationError: The share is not between 0 and 1.
    ///     ConfigurationError: The seed is out of range.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.faults.random(share=0.02, seed=1)
    ///     ...     sandbox.faults
    ///     <Faults pending=[<PendingFault * random always>] happened=0>
    #[pyo3(signature = (share: "float" = 0.02, seed: "int" = 1))]
    fn random(
        &self,
        #[pyo3(from_py_with = read_float)] share: f64,
        #[pyo3(from_py_with = read_integer)] seed: i128,
    ) -> PyResult<()> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Violation::new("share", format!("must be between 0 and 1, not {share}")).into_py_err());
        }
        self.sandbox.get().running().or_py_err()?.add_random_faults(share, integer_option("seed", seed).or_py_err()?);
        Ok(())
    }

    /// Remove all pending faults, and listen again if connections were refused.
    ///
    /// Raises:
    ///     ConfigurationError: Another process took the port while connections were refused.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.faults.add("*", kind="refuse")
    ///     ...     sandbox.faults.clear()
    ///     ...     sandbox.client().dca_bots.get(41).id
    ///     41
    fn clear(&self) -> PyResult<()> {
        let running = self.sandbox.get().running().or_py_err()?;
        running.clear_faults().map_rust_err(|error| port_lost(running, &error)).or_py_err()
    }

    /// The pending faults, the next one first.
    #[getter]
    fn pending(&self) -> PyResult<DisplayedList<PendingFault>> {
        let running = self.sandbox.get().running().or_py_err()?;
        let added = running.pending_faults().into_iter().map(|fault| PendingFault {
            operation: fault.operation,
            kind: fault.kind.as_str(),
            times: fault.times,
        });
        let random = running.random_faults().map(|_| PendingFault { operation: ANY, kind: "random", times: None });
        Ok(DisplayedList(added.chain(random).collect()))
    }

    /// The injected faults, oldest first: the newest 10 000. A `refuse` is listed once, at its start.
    #[getter]
    fn happened(&self) -> PyResult<DisplayedList<HappenedFault>> {
        let faults = self.sandbox.get().running().or_py_err()?.injected_faults();
        Ok(DisplayedList(faults.into_iter().map(HappenedFault).collect()))
    }

    fn __repr__(&self) -> PyResult<String> {
        let pending: Vec<_> = self.pending()?.0.iter().map(PendingFault::__repr__).collect();
        Ok(format!("<Faults pending=[{}] happened={}>", pending.join(", "), self.happened()?.0.len()))
    }
}

fn number<T: TryFrom<i64, Error: RustError>>(name: &str, given: Option<i128>) -> Result<Option<T>, Violation> {
    given.map(fit_integer).transpose().map_rust_err(|why| Violation::new(name, why))
}

fn duration(name: &str, seconds: Option<f64>) -> Result<Option<Duration>, Violation> {
    seconds.map(|seconds| FaultOptions::duration(name, seconds)).transpose()
}

/// The value of a `Retry-After` header: seconds, or a string.
struct RetryAfterArgument(String);

impl<'py> FromPyObject<'_, 'py> for RetryAfterArgument {
    type Error = PyErr;

    input_type!(type_hint_union!(STR, FLOAT));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        str_of(&given).map(Self)
    }
}

/// A pending fault.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct PendingFault {
    operation: &'static str,
    kind: &'static str,
    times: Option<u32>,
}

#[pymethods]
impl PendingFault {
    /// The operation, such as `dca_bots.edit`; `*` for every operation.
    #[getter]
    fn operation(&self) -> &str {
        self.operation
    }

    /// The kind of fault; `random` for random faults.
    #[getter]
    fn kind(&self) -> &str {
        self.kind
    }

    /// The number of remaining injections; None for no limit.
    #[getter]
    fn times(&self) -> Option<u32> {
        self.times
    }

    fn __repr__(&self) -> String {
        let times = self.times.map_or_else(|| "always".to_owned(), |times| format!("times={times}"));
        format!("<PendingFault {} {} {times}>", self.operation, self.kind)
    }
}

/// A fault that was injected.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct HappenedFault(InjectedFault);

#[pymethods]
impl HappenedFault {
    /// The kind of fault.
    #[getter]
    fn kind(&self) -> &str {
        self.0.kind.as_str()
    }

    /// The operation; None if it is unknown.
    #[getter]
    fn operation(&self) -> Option<&str> {
        self.0.operation
    }

    /// The method of the request; None if no request was read.
    #[getter]
    fn method(&self) -> Option<&str> {
        self.0.request.as_ref().map(|(method, _)| method.as_str())
    }

    /// The path of the request; None if no request was read.
    #[getter]
    fn path(&self) -> Option<&str> {
        self.0.request.as_ref().map(|(_, path)| path.as_str())
    }

    fn __repr__(&self) -> String {
        let request = self.0.request.as_ref().map(|(method, path)| format!(" {method} {path}")).unwrap_or_default();
        format!("<HappenedFault {}{request}>", self.kind())
    }
}
