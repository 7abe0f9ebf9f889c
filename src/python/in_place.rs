//! The place of blocking calls: a runtime that runs on the thread that makes the call, while it waits.

use std::pin::pin;
use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::bridge::SIGNALS;
use super::runtime::ended;
use super::under_way::{UnderWay, is_ending, stand_still_if_left_behind};
use crate::client::process::PerProcess;

static RUNTIME: PerProcess<Mutex<Runtime>> = PerProcess::new();

/// The runtime, for the one call at a time that has it.
pub(super) struct Place(MutexGuard<'static, Runtime>);

/// Takes the place; None where another call has it, be it of another thread or one that this thread interrupted.
pub(super) fn take() -> PyResult<Option<Place>> {
    let runtime =
        RUNTIME.get_or_try_init(|| Ok::<_, PyErr>(Mutex::new(Builder::new_current_thread().enable_all().build()?)))?;
    Ok(match runtime.try_lock() {
        Ok(runtime) => Some(Place(runtime)),
        // A call that came to a bad end has left nothing of its own in the runtime.
        Err(TryLockError::Poisoned(poisoned)) => Some(Place(poisoned.into_inner())),
        Err(TryLockError::WouldBlock) => None,
    })
}

impl Place {
    /// Waits for a future, the GIL released; Ctrl-C drops it.
    pub(super) fn wait<T, E, F>(self, py: Python<'_>, future: F) -> PyResult<T>
    where
        T: Send,
        E: Send + Into<PyErr>,
        F: Future<Output = Result<T, E>> + Send,
    {
        let _under_way = UnderWay::begin(py);
        if is_ending() {
            return Err(ended(py));
        }
        let runtime: &Runtime = &self.0;
        let outcome = drive(py, runtime, async {
            catch_up().await;
            future.await
        });
        if outcome.is_err() {
            // Where the future was given up, its connection is closed by now.
            py.detach(|| runtime.block_on(catch_up()));
        }
        outcome
    }
}

fn drive<T, E, F>(py: Python<'_>, runtime: &Runtime, future: F) -> PyResult<T>
where
    T: Send,
    E: Send + Into<PyErr>,
    F: Future<Output = Result<T, E>> + Send,
{
    let mut future = pin!(future);
    loop {
        let outcome = py.detach(|| runtime.block_on(async { timeout(SIGNALS, future.as_mut()).await }));
        stand_still_if_left_behind(py);
        match outcome {
            Ok(result) => return result.map_err(Into::into),
            Err(_) => py.check_signals()?,
        }
    }
}

/// Has the connections mind what came while nobody ran them, such as their end: a request on a connection that was closed long
/// ago would be lost. In the first round the runtime learns what came; in the second, the connections do.
async fn catch_up() {
    yield_now().await;
    yield_now().await;
}
