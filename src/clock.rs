//! The clock of a sandbox.

use std::sync::Arc;

use crate::raise::{IntoPyErr as _, OrPyErr as _};
use jiff::{SignedDuration, Timestamp};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTzInfoAccess};
use pyo3::{type_hint_identifier, type_hint_union};

use super::exceptions::{ArgumentError, CatchException, RustResult, raise_or_keep, str_of};
use super::protocols::{cast_datetime, cast_timedelta, import_datetime};
use super::sandbox::Sandbox;
use botdesk_api::input::Violation;
use botdesk_client::error::Error;

/// The clock of a sandbox: `sandbox.clock`.
///
/// All timestamps that the sandbox writes come from it, and all that waits for a time follows it: the cooldown and the
/// start delay of DCA bots, the time after which a deal is closed, and the one that a stop loss waits.
///
/// At first it is manual: it stands, but for a second that passes with each request that changes something, so that
/// the same requests make the same world.
///
/// Example:
///     >>> import botdesk
///     >>> with botdesk.Sandbox(seed=1) as sandbox:
///     ...     before = sandbox.clock.now
///     ...     sandbox.clock.advance(3600)
///     ...     print(sandbox.clock.now - before)
///     1:00:00
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Clock(pub(super) Py<Sandbox>);

#[pymethods]
impl Clock {
    /// The time of the sandbox, in UTC.
    #[getter]
    fn now(&self, py: Python<'_>) -> PyResult<Timestamp> {
        import_datetime(py)?;
        let running = self.running().or_py_err()?;
        Ok(py.detach(|| running.now()))
    }

    /// Let time pass. All that is due meanwhile happens, each at its time.
    ///
    /// Args:
    ///     seconds: How much time, in seconds or as a `timedelta`; 0 or more.
    ///
    /// Raises:
    ///     ValidationError: It is no length of time, or less than 0.
    ///
    /// Example:
    ///     >>> from datetime import timedelta
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.clock.advance(timedelta(days=1))
    ///     ...     sandbox.clock.advance(0.5)
    fn advance(&self, py: Python<'_>, seconds: Duration) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        py.detach(|| running.advance(seconds.0));
        Ok(())
    }

    /// Let time pass until then. All that is due meanwhile happens, each at its time.
    ///
    /// Args:
    ///     time: When; a `datetime` with a timezone. The clock does not go back.
    ///
    /// Raises:
    ///     ValidationError: It is no such time, or it is past.
    ///
    /// Example:
    ///     >>> from datetime import datetime, timezone
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     sandbox.clock.set(datetime(2030, 1, 1, tzinfo=timezone.utc))
    ///     ...     sandbox.clock.now.isoformat()
    ///     '2030-01-01T00:00:00+00:00'
    fn set(&self, py: Python<'_>, time: Moment) -> PyResult<()> {
        let running = self.running().or_py_err()?;
        let Moment(time) = time;
        let past = |now| format!("{time} is past: the clock shows {now}, and it does not go back");
        match py.detach(|| running.advance_to(time)) {
            Ok(()) => Ok(()),
            Err(now) => Err(Violation::new("time", past(now)).into_py_err()),
        }
    }

    /// Follow the wall clock from now on.
    ///
    /// The clock shows the time of this machine; if it is ahead of that already, it goes on from where it is. What is
    /// due meanwhile happens at the next request or call.
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

    /// Stand still from now on, as at first.
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
    fn running(&self) -> Result<&Arc<botdesk_sandbox::Sandbox>, Error> {
        self.0.get().running()
    }
}

/// A length of time as a caller gives it.
struct Duration(SignedDuration);

impl<'py> FromPyObject<'_, 'py> for Duration {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr =
        type_hint_union!(type_hint_identifier!("builtins", "float"), type_hint_identifier!("datetime", "timedelta"));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(duration(&given)?))
    }
}

/// A point in time as a caller gives it.
struct Moment(Timestamp);

impl<'py> FromPyObject<'_, 'py> for Moment {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("datetime", "datetime");

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(raise_or_keep(moment(&given))?.map_rust_err(|message| Violation::new("time", message)).or_py_err()?))
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
    let message = format!("a number of seconds or a timedelta is needed, 0 or more, not {given}");
    Err(Violation::new("seconds", message).into_py_err())
}

/// The seconds of a number or of a timedelta; None for a bool.
fn seconds(given: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    if given.is_instance_of::<PyBool>() {
        return Ok(None);
    }
    match cast_timedelta(given)? {
        Some(delta) => delta.call_method0("total_seconds")?.extract().map(Some),
        None => given.extract().map(Some),
    }
}

/// The time of a datetime with a timezone, to the millisecond.
pub(super) fn moment(given: &Bound<'_, PyAny>) -> Result<Timestamp, ArgumentError> {
    let datetime = cast_datetime(given)?.filter(|datetime| datetime.get_tzinfo().is_some());
    let datetime = datetime.ok_or("a datetime with a timezone is needed, such as datetime.now(timezone.utc)")?;
    let seconds: f64 = datetime.call_method0("timestamp")?.extract()?;
    // A datetime ends with the year 9999, far inside of the range.
    #[allow(clippy::cast_possible_truncation)]
    let milliseconds = (seconds * 1_000.0).round() as i64;
    Ok(Timestamp::from_millisecond(milliseconds).map_rust_err(|error| error.to_string())?)
}
