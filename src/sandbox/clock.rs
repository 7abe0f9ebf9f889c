//! The Python class of the sandbox's clock.

use std::sync::Arc;

use crate::hints::input_type;
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use jiff::{SignedDuration, Timestamp};
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::datetimes::to_timestamp;
use crate::exceptions::{CatchException, RustResult, raise_or_keep, str_of};
use crate::protocols::{cast_timedelta, import_datetime};
use crate::sandbox::class::Sandbox;
use botdesk_client::error::Error;
use botdesk_sandbox::SandboxServer;
use botdesk_schema::input::Violation;

/// The clock of a sandbox: `sandbox.clock`.
///
/// All timestamps of the sandbox come from it. It also controls the timers of DCA bots: the cooldown, the start delay, and the
/// timeouts of deals and stop losses.
///
/// At first it is manual: only requests that change something advance it, by one second each. So the same requests always give
/// the same state.
///
/// Example:
///     >>> import botdesk
///     >>> with botdesk.Sandbox(seed=1) as sandbox:
///     ...     before = sandbox.clock.now
///     ...     sandbox.clock.advance(3600)
///     ...     print(sandbox.clock.now - before)
///     1:00:00
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Clock(pub(crate) Py<Sandbox>);

#[pymethods]
impl Clock {
    /// The current time of the sandbox, in UTC.
    #[getter]
    fn now(&self, py: Python<'_>) -> PyResult<Timestamp> {
        import_datetime(py)?;
        let running = self.running().or_py_err()?;
        Ok(py.detach(|| running.now()))
    }

    /// Advance the clock by a duration. Events that become due happen in order, each at its time.
    ///
    /// Args:
    ///     seconds: The duration in seconds or as a `timedelta`; 0 or more.
    ///
    /// Raises:
    ///     ValidationError: The duration is invalid or negative, or ends after 9999-12-30T22:00Z.
    ///
    /// Example:
    ///     >>> from datetime import timedelta
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.clock.advance(timedelta(days=1))
    ///     ...     sandbox.clock.advance(0.5)
    fn advance(&self, py: Python<'_>, seconds: DurationArgument) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        py.detach(|| running.advance(seconds.0)).or_py_err()
    }

    /// Advance the clock to a time. Events that become due happen in order, each at its time.
    ///
    /// Args:
    ///     time: A `datetime` with a timezone. The clock can't go back.
    ///
    /// Raises:
    ///     ValidationError: The time has no timezone, or it is in the past.
    ///
    /// Example:
    ///     >>> from datetime import datetime, timezone
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.clock.set(datetime(2030, 1, 1, tzinfo=timezone.utc))
    ///     ...     sandbox.clock.now.isoformat()
    ///     '2030-01-01T00:00:00+00:00'
    fn set(&self, py: Python<'_>, time: DateTimeArgument) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        let DateTimeArgument(time) = time;
        let past = |now| format!("{time} is in the past: the clock is at {now}, and can't go back");
        match py.detach(|| running.advance_to(time)) {
            Ok(()) => Ok(()),
            Err(now) => Err(Violation::new("time", past(now)).into_py_err()),
        }
    }

    /// Follow the wall clock from now on.
    ///
    /// The clock then has the time of this machine. If it is ahead already, it stays ahead. Events that become due happen at the
    /// next request or call.
    ///
    /// Example:
    ///     >>> from datetime import datetime, timezone
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.clock.real()
    ///     ...     sandbox.clock.now.date() == datetime.now(timezone.utc).date()
    ///     True
    fn real(&self, py: Python<'_>) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        py.detach(|| running.follow_wall_clock());
        Ok(())
    }

    /// Stop following the wall clock.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.clock.real()
    ///     ...     sandbox.clock.manual()
    ///     ...     sandbox.clock.now == sandbox.clock.now
    ///     True
    fn manual(&self, py: Python<'_>) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        py.detach(|| running.stop_clock());
        Ok(())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.running().rust_ok() {
            Some(running) => format!("<Clock {:.3}>", py.detach(|| running.now())),
            None => "<Clock of another process>".to_owned(),
        }
    }
}

impl Clock {
    fn running(&self) -> Result<&Arc<SandboxServer>, Error> {
        self.0.get().running()
    }
}

/// A duration argument: a number of seconds or a `timedelta`.
struct DurationArgument(SignedDuration);

impl<'py> FromPyObject<'_, 'py> for DurationArgument {
    type Error = PyErr;

    input_type!(type_hint_union!(FLOAT, type_hint_identifier!("datetime", "timedelta")));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(duration(&given)?))
    }
}

/// A time argument: a `datetime` with a timezone.
struct DateTimeArgument(Timestamp);

impl<'py> FromPyObject<'_, 'py> for DateTimeArgument {
    type Error = PyErr;

    input_type!(DATETIME);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(
            raise_or_keep(to_timestamp(&given))?.map_rust_err(|message| Violation::new("time", message)).or_py_err()?,
        ))
    }
}

fn duration(given: &Bound<'_, PyAny>) -> PyResult<SignedDuration> {
    let py = given.py();
    let duration = seconds(given).none_if_exception(py)?.flatten();
    let duration = duration.and_then(|seconds| SignedDuration::try_from_secs_f64(seconds).rust_ok());
    if let Some(duration) = duration.filter(|duration| !duration.is_negative()) {
        return Ok(duration);
    }
    let given = str_of(given).none_if_exception(py)?.unwrap_or_default();
    let message = format!("must be a number of seconds or a timedelta, 0 or more, not {given}");
    Err(Violation::new("seconds", message).into_py_err())
}

/// Returns the seconds of a number or of a timedelta; None for a bool.
fn seconds(given: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    if given.is_instance_of::<PyBool>() {
        return Ok(None);
    }
    match cast_timedelta(given)? {
        Some(delta) => delta.call_method0("total_seconds")?.extract().map(Some),
        None => given.extract().map(Some),
    }
}
