//! The faults of a sandbox.

use std::time::Duration;

use crate::raise::{IntoPyErr as _, OrPyErr as _};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{type_hint_identifier, type_hint_union};

use super::arguments::{STR, option, real, real_if_any, whole, whole_if_any, within};
use super::bridge::wait;
use super::exceptions::{RustError, RustResult, str_of};
use super::sandbox::Sandbox;
use botdesk_api::input::Violation;
use botdesk_client::error::Error;
use botdesk_sandbox::{ANY, Details, Fault, Happened};

/// What goes wrong at a sandbox on purpose: `sandbox.faults`.
///
/// Each request, or connection, uses up the first fault that fits. A request with a bad API key or signature gets 401 or 403 and
/// uses up no fault; nor does one that the sandbox's own rate limit refuses with 429 or 418. Connections are counted whoever makes
/// them. What a fault does to a request stands in `Sandbox.requests` as well. The kinds:
///
/// - `status`: an error answer in the words of the API reference; nothing is carried out. Options: `status`, 400 to 599;
///   `retry_after`, the `Retry-After` header, which is left out otherwise; `plan=True`, the 429 of a plan that does not include the
///   request. 502 and 504 have bodies in HTML.
/// - `refuse`: nobody listens any more, so callers find no connection, whatever the operation. What the system refuses the sandbox
///   never sees, so it can't be counted: it ends with `clear()`, or after `seconds`. Connections that are open end first.
/// - `reset`: a connection is made and reset before a byte is read, whatever the operation; counted by connections. Those that are
///   open end first. A caller may see it as a connection that failed or as one that broke.
/// - `close_before`: the request is read, not carried out, and the connection closed.
/// - `close_after`: the request is carried out, and the connection closed without an answer.
/// - `stall`: the request is read, not carried out, and never answered; the connection stays until the caller or the sandbox ends it.
/// - `redirect`: 302 in place of the request. Option: `location`.
/// - `trickle`: carried out; the answer comes a byte at a time. Option: `interval`, seconds between two bytes, 0 unless given.
/// - `cut_body`: carried out; the connection closes after half of the body.
/// - `wrong_length`: carried out; `Content-Length` is a byte too small.
/// - `wrong_json`, `bad_utf8`, `deep_json`: carried out; a body that breaks off, is not UTF-8, or is nested 10 000 deep.
/// - `huge_body`, `gzip_bomb`: carried out; a body of 40 MiB, or one of 128 MiB in a small gzip.
/// - `header_flood`: carried out; 2 000 headers.
///
/// Example:
///     >>> import botdesk
///     >>> with botdesk.Sandbox() as sandbox:
///     ...     client = sandbox.client()
///     ...     sandbox.faults.add("dca_bots.get", kind="status", status=500)
///     ...     try:
///     ...         client.dca_bots.get(41)
///     ...     except botdesk.ServerError as error:
///     ...         error.status
///     ...     client.dca_bots.get(41).id
///     500
///     41
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Faults {
    sandbox: Py<Sandbox>,
}

#[pymethods]
impl Sandbox {
    /// What goes wrong on purpose.
    #[getter]
    fn faults(this: Py<Self>) -> Faults {
        Faults { sandbox: this }
    }
}

#[pymethods]
impl Faults {
    /// Have something go wrong, from the next request on.
    ///
    /// Args:
    ///     operation: The operation, such as `"dca_bots.edit"`; `"*"` for every request.
    ///     kind: What goes wrong; the kinds stand in the description of the class.
    ///     times: How often; None for always.
    ///     status: The status of an error answer, 400 to 599.
    ///     retry_after: What its `Retry-After` says: seconds, or a date as HTTP writes it.
    ///     plan: Whether it is the 429 of a subscription plan.
    ///     interval: How many seconds pass between two bytes of an answer that trickles.
    ///     seconds: For how many seconds connections are refused; until `clear()` unless given.
    ///     location: Where a redirect leads.
    ///
    /// Raises:
    ///     ValidationError: There is no such operation, kind or option; the message names the nearest.
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
        #[pyo3(from_py_with = whole_if_any)] times: Option<i128>,
        #[pyo3(from_py_with = whole_if_any)] status: Option<i128>,
        retry_after: Option<RetryAfter>,
        plan: bool,
        #[pyo3(from_py_with = real_if_any)] interval: Option<f64>,
        #[pyo3(from_py_with = real_if_any)] seconds: Option<f64>,
        location: Option<String>,
    ) -> PyResult<()> {
        let details = Details {
            status: number("status", status).or_py_err()?,
            retry_after: retry_after.map(|when| when.0),
            plan,
            interval: duration("interval", interval).or_py_err()?,
            seconds: duration("seconds", seconds).or_py_err()?,
            location,
        };
        let fault = Fault::described(operation, kind, number("times", times).or_py_err()?, details)
            .map_rust_err(Error::Validation)
            .or_py_err()?;
        let running = self.sandbox.get().running().or_py_err()?.clone();
        wait(py, async move {
            running.add_fault(fault).await;
            Ok::<_, Error>(())
        })
    }

    /// Have something go wrong with a share of all requests, by a chance that is the same for the same seed.
    ///
    /// A request that its API key, its signature or the rate limit does not let in is not counted.
    ///
    /// What goes wrong is one of the statuses 429, 500, 502, 503 and 504, `close_before`, `close_after`, `cut_body` and
    /// `wrong_length`: nothing that hangs. Faults that were added go first.
    ///
    /// Args:
    ///     share: The share of requests, 0 to 1.
    ///     seed: From which the chance is made.
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
        #[pyo3(from_py_with = real)] share: f64,
        #[pyo3(from_py_with = whole)] seed: i128,
    ) -> PyResult<()> {
        if !(0.0..=1.0).contains(&share) {
            return Err(Violation::new("share", format!("must be between 0 and 1, not {share}")).into_py_err());
        }
        self.sandbox.get().running().or_py_err()?.add_random_faults(share, option("seed", seed).or_py_err()?);
        Ok(())
    }

    /// Forget all that is still to go wrong, and listen again where connections were refused.
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
        let url = running.url();
        let cleared = running.clear_faults();
        cleared
            .map_rust_err(|error| Error::Configuration(format!("the sandbox can't listen on {url} again: {error}")))
            .or_py_err()
    }

    /// What is still to go wrong, the next first.
    #[getter]
    fn pending(&self) -> PyResult<Vec<PendingFault>> {
        let running = self.sandbox.get().running().or_py_err()?;
        let added = running.pending_faults().into_iter().map(|fault| PendingFault {
            operation: fault.operation,
            kind: fault.kind.as_str(),
            times: fault.times,
        });
        let by_chance = running.random_faults().map(|_| PendingFault { operation: ANY, kind: "random", times: None });
        Ok(added.chain(by_chance).collect())
    }

    /// What went wrong, the oldest first; the newest 10 000 are kept. Of `refuse` it holds the beginning alone.
    #[getter]
    fn happened(&self) -> PyResult<Vec<HappenedFault>> {
        Ok(self.sandbox.get().running().or_py_err()?.happened_faults().into_iter().map(HappenedFault).collect())
    }

    fn __repr__(&self) -> PyResult<String> {
        let pending: Vec<_> = self.pending()?.iter().map(PendingFault::__repr__).collect();
        Ok(format!("<Faults pending=[{}] happened={}>", pending.join(", "), self.happened()?.len()))
    }
}

fn number<T: TryFrom<i64, Error: RustError>>(name: &str, given: Option<i128>) -> Result<Option<T>, Violation> {
    given.map(within).transpose().map_rust_err(|why| Violation::new(name, why))
}

fn duration(name: &str, seconds: Option<f64>) -> Result<Option<Duration>, Violation> {
    let duration = |seconds| {
        Duration::try_from_secs_f64(seconds)
            .map_rust_err(|_| Violation::new(name, format!("must be a number of seconds, 0 or more, not {seconds}")))
    };
    seconds.map(duration).transpose()
}

/// When to ask again: seconds, or a text.
struct RetryAfter(String);

impl<'py> FromPyObject<'_, 'py> for RetryAfter {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(STR, type_hint_identifier!("builtins", "float"));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        str_of(&given).map(Self)
    }
}

/// A fault that is still to happen.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct PendingFault {
    operation: &'static str,
    kind: &'static str,
    times: Option<u32>,
}

#[pymethods]
impl PendingFault {
    /// The operation, such as `dca_bots.edit`; `*` for every one.
    #[getter]
    fn operation(&self) -> &str {
        self.operation
    }

    /// What goes wrong; `random` for what chance chooses.
    #[getter]
    fn kind(&self) -> &str {
        self.kind
    }

    /// How often it is still to happen; None for always.
    #[getter]
    fn times(&self) -> Option<u32> {
        self.times
    }

    fn __repr__(&self) -> String {
        let times = self.times.map_or_else(|| "always".to_owned(), |times| format!("times={times}"));
        format!("<PendingFault {} {} {times}>", self.operation, self.kind)
    }
}

/// A fault that happened.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct HappenedFault(Happened);

#[pymethods]
impl HappenedFault {
    /// What went wrong.
    #[getter]
    fn kind(&self) -> &str {
        self.0.kind.as_str()
    }

    /// With which operation; None where that is not known.
    #[getter]
    fn operation(&self) -> Option<&str> {
        self.0.operation
    }

    /// The method of the request; None where none was read.
    #[getter]
    fn method(&self) -> Option<&str> {
        self.0.request.as_ref().map(|(method, _)| method.as_str())
    }

    /// The path of the request; None where none was read.
    #[getter]
    fn path(&self) -> Option<&str> {
        self.0.request.as_ref().map(|(_, path)| path.as_str())
    }

    fn __repr__(&self) -> String {
        let request = self.0.request.as_ref().map(|(method, path)| format!(" {method} {path}")).unwrap_or_default();
        format!("<HappenedFault {}{request}>", self.kind())
    }
}
