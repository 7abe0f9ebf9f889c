//! One tokio runtime per process. Nothing of Python runs on it.

use std::convert::Infallible;
use std::sync::Mutex;
use std::thread::ThreadId;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::client::process::PerProcess;
use crate::lock::locked;

const THREADS: usize = 2;

/// How long the end of the process waits for requests in flight.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// The runtime; None once the process ends.
static RUNTIME: PerProcess<Mutex<Option<Runtime>>> = PerProcess::new();

/// The thread that ended the runtime; None while there is no end.
static ENDED_BY: PerProcess<ThreadId> = PerProcess::new();

/// Starts a task on the runtime of this process.
pub(super) fn spawn<F>(py: Python<'_>, future: F) -> PyResult<JoinHandle<F::Output>>
where
    F: Future<Output: Send> + Send + 'static,
{
    let runtime = RUNTIME.get_or_try_init(|| {
        let runtime =
            Builder::new_multi_thread().worker_threads(THREADS).thread_name("botdesk").enable_all().build()?;
        Ok::<_, PyErr>(Mutex::new(Some(runtime)))
    })?;
    let task = {
        let runtime = locked(runtime);
        runtime.as_ref().map(|runtime| runtime.spawn(future))
    };
    task.ok_or_else(|| ended(py))
}

/// Whether the interpreter is exiting, as seen from another thread than the one that exits.
pub(super) fn is_left_behind() -> bool {
    ENDED_BY.get().is_some_and(|thread| *thread != std::thread::current().id())
}

/// What a call raises whose task ended without a result, or could not begin.
///
/// A daemon thread that is left behind when the interpreter exits stands still instead, as it would at its next
/// attempt to run Python: an error of its own, written while the interpreter takes itself apart, crashes the process.
pub(super) fn ended(py: Python<'_>) -> PyErr {
    if is_left_behind() {
        py.detach(|| {
            loop {
                std::thread::park();
            }
        });
    }
    PyRuntimeError::new_err(match ENDED_BY.get() {
        Some(_) => "botdesk is shutting down: the interpreter is exiting",
        None => "the request ended without a result, which is a defect of botdesk; a write may have been carried out",
    })
}

/// End the runtime of this process; requests in flight are dropped.
///
/// The package calls it when the interpreter exits.
#[pyfunction]
pub(super) fn _shutdown(py: Python<'_>) {
    let Ok(_) = ENDED_BY.get_or_try_init(|| Ok::<_, Infallible>(std::thread::current().id()));
    // Where there is no runtime yet, its place is taken, so that none is made from now on.
    let Ok(runtime) = RUNTIME.get_or_try_init(|| Ok::<_, Infallible>(Mutex::new(None)));
    let taken = locked(runtime).take();
    if let Some(runtime) = taken {
        py.detach(|| runtime.shutdown_timeout(SHUTDOWN));
    }
}
