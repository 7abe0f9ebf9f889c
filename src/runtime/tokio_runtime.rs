//! The shared tokio runtime of the process. No Python code runs on it.

use std::convert::Infallible;
use std::io;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::exceptions::RustResult as _;
use crate::runtime::active_calls::{is_shutting_down, park_if_finalizing, start_shutdown, wait_for_other_threads};
use crate::runtime::waker_thread;
use crate::runtime::work::Work;
use botdesk_client::process::PerProcess;
use botdesk_client::rate_limit::leased::give_back_leases;
use botdesk_system::lock::locked;

const THREADS: usize = 2;

/// Time limit of the shutdown for requests in flight, and then for the threads that made them.
const SHUTDOWN: Duration = Duration::from_secs(2);

/// Time limit for giving back the requests that this process has leased from a server and will not send.
const GIVE_BACK: Duration = Duration::from_millis(500);

/// The runtime; None after the shutdown.
static RUNTIME: PerProcess<Mutex<Option<Runtime>>> = PerProcess::new();

/// Starts a task on the runtime of this process.
pub(crate) fn spawn<F>(py: Python<'_>, future: F) -> PyResult<JoinHandle<F::Output>>
where
    F: Future<Output: Send> + Send + 'static,
{
    try_spawn(future)?.ok_or_else(|| no_result_error(py))
}

/// Starts work that no call waits for; returns None if it can't run, such as at the exit of the process.
pub(crate) fn start(work: Work) -> Option<JoinHandle<()>> {
    try_spawn(work).rust_ok().flatten()
}

/// Starts a task on the runtime of this process; returns None after the shutdown.
fn try_spawn<F>(future: F) -> io::Result<Option<JoinHandle<F::Output>>>
where
    F: Future<Output: Send> + Send + 'static,
{
    let runtime = RUNTIME.get_or_try_init(|| {
        let runtime =
            Builder::new_multi_thread().worker_threads(THREADS).thread_name("botdesk").enable_all().build()?;
        Ok::<_, io::Error>(Mutex::new(Some(runtime)))
    })?;
    let runtime = locked(runtime);
    Ok(runtime.as_ref().map(|runtime| runtime.spawn(future)))
}

/// Returns the error of a call whose task ended without a result or could not start. Parks the thread if the interpreter is
/// finalizing.
pub(crate) fn no_result_error(py: Python<'_>) -> PyErr {
    park_if_finalizing(py);
    PyRuntimeError::new_err(if is_shutting_down() {
        "botdesk is shutting down: the interpreter is exiting"
    } else {
        "the request ended without a result, which is a defect of botdesk; a write may have been carried out"
    })
}

/// Shut down the runtime of this process; requests in flight are dropped.
///
/// The package calls it when the interpreter exits.
#[pyfunction]
pub(crate) fn _shutdown(py: Python<'_>) -> PyResult<()> {
    start_shutdown();
    // If no runtime exists yet, store None, so that none is created later.
    let Ok(runtime) = RUNTIME.get_or_try_init(|| Ok::<_, Infallible>(Mutex::new(None)));
    let taken = locked(runtime).take();
    py.detach(|| {
        if let Some(runtime) = taken {
            // This wakes the threads that wait for its requests. Threads that use the inline runtime check by themselves.
            runtime.shutdown_timeout(SHUTDOWN);
        }
        give_back_leases(GIVE_BACK);
        let start = Instant::now();
        waker_thread::stop(SHUTDOWN / 2);
        wait_for_other_threads(SHUTDOWN.saturating_sub(start.elapsed()));
    });
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    crate::runtime::thread_exit::hang_other_threads(py)?;
    Ok(())
}
