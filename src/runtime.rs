//! One tokio runtime per process. Nothing of Python runs on it.

use std::convert::Infallible;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use super::carrier;
use super::under_way::{begin_end, is_ending, stand_still_if_left_behind, wait_for_others};
use botdesk_client::process::PerProcess;
use botdesk_system::lock::locked;

const THREADS: usize = 2;

/// How long the end of the process waits for requests in flight, and then for the threads that made them.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// The runtime; None once the process ends.
static RUNTIME: PerProcess<Mutex<Option<Runtime>>> = PerProcess::new();

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

/// What a call raises whose task ended without a result, or could not begin; not to threads that are left behind.
pub(super) fn ended(py: Python<'_>) -> PyErr {
    stand_still_if_left_behind(py);
    PyRuntimeError::new_err(if is_ending() {
        "botdesk is shutting down: the interpreter is exiting"
    } else {
        "the request ended without a result, which is a defect of botdesk; a write may have been carried out"
    })
}

/// End the runtime of this process; requests in flight are dropped.
///
/// The package calls it when the interpreter exits.
#[pyfunction]
pub(super) fn _shutdown(py: Python<'_>) -> PyResult<()> {
    begin_end();
    // Where there is no runtime yet, its place is taken, so that none is made from now on.
    let Ok(runtime) = RUNTIME.get_or_try_init(|| Ok::<_, Infallible>(Mutex::new(None)));
    let taken = locked(runtime).take();
    py.detach(|| {
        if let Some(runtime) = taken {
            // It wakes those who wait for a request on it. Others look up from their requests by themselves.
            runtime.shutdown_timeout(SHUTDOWN);
        }
        let begun = Instant::now();
        carrier::end(SHUTDOWN / 2);
        wait_for_others(SHUTDOWN.saturating_sub(begun.elapsed()));
    });
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    super::thread_exit::hang_other_threads(py)?;
    Ok(())
}
