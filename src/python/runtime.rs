//! One tokio runtime per process. Nothing of Python runs on it.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::client::process::PerProcess;

const THREADS: usize = 2;

/// How long the end of the process waits for requests in flight.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// The runtime; None once the process ends.
static RUNTIME: PerProcess<Mutex<Option<Runtime>>> = PerProcess::new();

/// Starts a task on the runtime of this process.
pub(super) fn spawn<F>(future: F) -> PyResult<JoinHandle<F::Output>>
where
    F: Future<Output: Send> + Send + 'static,
{
    let runtime = RUNTIME.get_or_try_init(|| {
        let runtime =
            Builder::new_multi_thread().worker_threads(THREADS).thread_name("botdesk").enable_all().build()?;
        Ok::<_, PyErr>(Mutex::new(Some(runtime)))
    })?;
    let runtime = runtime.lock().unwrap_or_else(PoisonError::into_inner);
    runtime.as_ref().map(|runtime| runtime.spawn(future)).ok_or_else(shutting_down)
}

/// What a call raises once the process ends.
pub(super) fn shutting_down() -> PyErr {
    PyRuntimeError::new_err("botdesk is shutting down: the interpreter is exiting")
}

/// End the runtime of this process; requests in flight are dropped.
///
/// The package calls it when the interpreter exits.
#[pyfunction]
pub(super) fn _shutdown(py: Python<'_>) {
    // Where there is no runtime yet, its place is taken, so that none is made from now on.
    let Ok(runtime) = RUNTIME.get_or_try_init(|| Ok::<_, Infallible>(Mutex::new(None)));
    let taken = runtime.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(runtime) = taken {
        py.detach(|| runtime.shutdown_timeout(SHUTDOWN));
    }
}
