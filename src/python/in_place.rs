//! The place of blocking calls: a runtime that runs on the thread that makes the call, while it waits.

use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;
use tokio::time::timeout;

use super::bridge::{SIGNALS, Work};
use super::runtime::ended;
use super::under_way::{is_ending, stand_still_if_left_behind};
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
    /// Does work, the GIL released; Ctrl-C drops it.
    pub(super) fn wait_for(self, py: Python<'_>, work: Work) -> PyResult<()> {
        if is_ending() {
            return Err(ended(py));
        }
        let runtime: &Runtime = &self.0;
        let outcome = drive(py, runtime, work);
        if outcome.is_err() {
            // What was given up is dropped by now, and its connection is closed.
            py.detach(|| runtime.block_on(catch_up()));
        }
        outcome
    }
}

fn drive(py: Python<'_>, runtime: &Runtime, mut work: Work) -> PyResult<()> {
    let mut done = py.detach(|| {
        runtime.block_on(async {
            catch_up().await;
            timeout(SIGNALS, work.as_mut()).await
        })
    });
    loop {
        stand_still_if_left_behind(py);
        if done.is_ok() {
            return Ok(());
        }
        py.check_signals()?;
        done = py.detach(|| runtime.block_on(async { timeout(SIGNALS, work.as_mut()).await }));
    }
}

/// Has the connections mind what came while nobody ran them, such as their end: a request on a connection that was closed long
/// ago would be lost. In the first round the runtime learns what came; in the second, the connections do.
async fn catch_up() {
    yield_now().await;
    yield_now().await;
}
