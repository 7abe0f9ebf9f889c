//! Long computations: without the GIL, and stopped by Ctrl-C or by the end of a coroutine.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::exceptions::RustResult as _;
use crate::raise::IntoPyErr;
use crate::runtime::active_calls::{ActiveCall, park_if_finalizing};
use crate::runtime::bridge::spawned;
use crate::runtime::tokio_runtime::no_result_error;
use botdesk_trading::backtest::Interrupted;

/// The interval at which a computation checks for Ctrl-C.
const INTERVAL: Duration = Duration::from_millis(20);

/// The interval of pauses: less than half of that of a computation, because other threads wait for Python between them.
const INTERVAL_OF_PAUSES: Duration = Duration::from_millis(8);

impl IntoPyErr for Interrupted {
    fn into_py_err(self) -> PyErr {
        Python::attach(no_result_error)
    }
}

/// Runs a computation on this thread. It calls its argument often, and stops if that returns true.
pub(crate) fn compute<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T, Interrupted> + Send,
) -> PyResult<T> {
    let _call = ActiveCall::start(py);
    let (result, raised) = py.detach(|| {
        let raised = RefCell::new(None);
        let checked = Cell::new(Instant::now());
        let result = work(&|| {
            if checked.get().elapsed() < INTERVAL {
                return false;
            }
            let found = Python::attach(|py| {
                park_if_finalizing(py);
                py.check_signals()
            });
            checked.set(Instant::now());
            if let Err(error) = found {
                raised.replace(Some(error));
            }
            raised.borrow().is_some()
        });
        (result, raised.into_inner())
    });
    park_if_finalizing(py);
    match (result, raised) {
        (_, Some(raised)) => Err(raised),
        (Ok(value), None) => Ok(value),
        (Err(interrupted), None) => Err(interrupted.into_py_err()),
    }
}

/// The pauses of a long work that needs the GIL: other threads run in them, and Ctrl-C ends the work.
pub(crate) struct Pauses(Instant);

impl Default for Pauses {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Pauses {
    /// Pauses if the last pause was long ago. Raises what a signal handler raised.
    pub(crate) fn step(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.0.elapsed() < INTERVAL_OF_PAUSES {
            return Ok(());
        }
        // Threads that wait for the GIL get it here.
        py.detach(|| ());
        park_if_finalizing(py);
        py.check_signals()?;
        self.0 = Instant::now();
        Ok(())
    }
}

/// Runs a computation on a thread of the shared runtime; cancelling the coroutine stops it.
pub(crate) async fn compute_async<T: Send + 'static>(
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T, Interrupted> + Send + 'static,
) -> PyResult<T> {
    spawned(async move {
        let stop = StopOnDrop(Arc::default());
        let is_stopped = Arc::clone(&stop.0);
        let task = tokio::task::spawn_blocking(move || work(&|| is_stopped.load(Ordering::Relaxed)));
        task.await.rust_ok().unwrap_or(Err(Interrupted))
    })
    .await
}

/// Stops a computation whose result nobody awaits any more.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
