//! The inline runtime: it runs a blocking call on the calling thread.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::task::Poll;

use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, Sleep, sleep};

use crate::runtime::active_calls::{is_shutting_down, park_if_finalizing};
use crate::runtime::tokio_runtime::no_result_error;
use crate::runtime::warnings::warn_pending;
use crate::runtime::work::{SIGNAL_INTERVAL, Work};
use botdesk_client::http::idle::run_connections;
use botdesk_client::process::PerProcess;

static DRIVER: PerProcess<Mutex<Driver>> = PerProcess::new();

/// A runtime, and the timer for its signal checks.
struct Driver {
    /// Time of the next signal check. All calls share the timer, because a new one would cost each of them a system call.
    signal_timer: Pin<Box<Sleep>>,
    runtime: Runtime,
}

/// The inline runtime, which one call at a time uses.
pub(crate) struct InlineRuntime(MutexGuard<'static, Driver>);

/// Acquires the inline runtime; None if another call uses it, on another thread or on this one, which it has interrupted.
pub(crate) fn acquire() -> PyResult<Option<InlineRuntime>> {
    let driver = DRIVER.get_or_try_init(|| {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let signal_timer = {
            let _timers = runtime.enter();
            Box::pin(sleep(SIGNAL_INTERVAL))
        };
        Ok::<_, PyErr>(Mutex::new(Driver { signal_timer, runtime }))
    })?;
    Ok(match driver.try_lock() {
        Ok(driver) => Some(InlineRuntime(driver)),
        // A call that panicked has left no task in the runtime.
        Err(TryLockError::Poisoned(poisoned)) => Some(InlineRuntime(poisoned.into_inner())),
        Err(TryLockError::WouldBlock) => None,
    })
}

/// True if closed connections wait for the runtime to end them.
static HAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Ends the closed connections of blocking calls. If a call uses the runtime, it does so after its work.
pub(crate) fn end_closed_connections(py: Python<'_>) -> PyResult<()> {
    if DRIVER.get().is_none() || is_shutting_down() {
        return Ok(());
    }
    HAS_CLOSED.store(true, Ordering::Release);
    match acquire()? {
        Some(runtime) => runtime.wait_for(py, Box::pin(std::future::ready(()))),
        None => Ok(()),
    }
}

impl InlineRuntime {
    /// Runs work without the GIL; Ctrl-C drops it.
    pub(crate) fn wait_for(mut self, py: Python<'_>, work: Work) -> PyResult<()> {
        if is_shutting_down() {
            return Err(no_result_error(py));
        }
        let driver: &mut Driver = &mut self.0;
        if let Err(error) = drive(py, driver, work) {
            // The work is dropped by now. This closes its connection.
            py.detach(|| driver.runtime.block_on(run_connections()));
            return Err(error);
        }
        if HAS_CLOSED.swap(false, Ordering::AcqRel) {
            py.detach(|| driver.runtime.block_on(run_connections()));
        }
        warn_pending(py)
    }
}

fn drive(py: Python<'_>, Driver { signal_timer, runtime }: &mut Driver, mut work: Work) -> PyResult<()> {
    loop {
        let is_done = py.detach(|| runtime.block_on(is_done_before(&mut work, signal_timer)));
        park_if_finalizing(py);
        if is_done {
            return Ok(());
        }
        py.check_signals()?;
    }
}

/// Returns true if the work ends before the next signal check.
async fn is_done_before(work: &mut Work, signal_timer: &mut Pin<Box<Sleep>>) -> bool {
    poll_fn(|context| {
        if work.as_mut().poll(context).is_ready() {
            return Poll::Ready(true);
        }
        signal_timer.as_mut().poll(context).map(|()| {
            signal_timer.as_mut().reset(Instant::now() + SIGNAL_INTERVAL);
            false
        })
    })
    .await
}
