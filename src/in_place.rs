//! The place of blocking calls: a runtime that runs on the thread that makes the call, while it waits.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::task::Poll;

use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, Sleep, sleep};

use super::runtime::ended;
use super::under_way::{is_ending, stand_still_if_left_behind};
use super::work::{SIGNALS, Work};
use botdesk_client::http::idle::run_connections;
use botdesk_client::process::PerProcess;

static PLACE: PerProcess<Mutex<Held>> = PerProcess::new();

/// What a call needs to be driven.
struct Held {
    /// When signals are looked for next. It runs on from call to call, for a timer of its own would cost each of them a system call.
    signals: Pin<Box<Sleep>>,
    runtime: Runtime,
}

/// The place, for the one call at a time that has it.
pub(super) struct Place(MutexGuard<'static, Held>);

/// Takes the place; None where another call has it, be it of another thread or one that this thread interrupted.
pub(super) fn take() -> PyResult<Option<Place>> {
    let place = PLACE.get_or_try_init(|| {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let signals = {
            let _timers = runtime.enter();
            Box::pin(sleep(SIGNALS))
        };
        Ok::<_, PyErr>(Mutex::new(Held { signals, runtime }))
    })?;
    Ok(match place.try_lock() {
        Ok(held) => Some(Place(held)),
        // A call that came to a bad end has left nothing of its own in the runtime.
        Err(TryLockError::Poisoned(poisoned)) => Some(Place(poisoned.into_inner())),
        Err(TryLockError::WouldBlock) => None,
    })
}

/// Whether connections were closed that only end when the runtime runs again.
static HAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Lets connections of blocking calls end that were closed. A call that has the place does so when its work is done.
pub(super) fn run_blocking_connections(py: Python<'_>) -> PyResult<()> {
    if PLACE.get().is_none() || is_ending() {
        return Ok(());
    }
    HAS_CLOSED.store(true, Ordering::Release);
    match take()? {
        Some(place) => place.wait_for(py, Box::pin(std::future::ready(()))),
        None => Ok(()),
    }
}

impl Place {
    /// Does work, the GIL released; Ctrl-C drops it.
    pub(super) fn wait_for(mut self, py: Python<'_>, work: Work) -> PyResult<()> {
        if is_ending() {
            return Err(ended(py));
        }
        let held: &mut Held = &mut self.0;
        if let Err(error) = drive(py, held, work) {
            // What was given up is dropped by now, and its connection is closed.
            py.detach(|| held.runtime.block_on(run_connections()));
            return Err(error);
        }
        if HAS_CLOSED.swap(false, Ordering::AcqRel) {
            py.detach(|| held.runtime.block_on(run_connections()));
        }
        Ok(())
    }
}

fn drive(py: Python<'_>, Held { signals, runtime }: &mut Held, mut work: Work) -> PyResult<()> {
    loop {
        let is_done = py.detach(|| runtime.block_on(is_done_before(&mut work, signals)));
        stand_still_if_left_behind(py);
        if is_done {
            return Ok(());
        }
        py.check_signals()?;
    }
}

/// Whether work comes to its end before signals are to be looked for.
async fn is_done_before(work: &mut Work, signals: &mut Pin<Box<Sleep>>) -> bool {
    poll_fn(|context| {
        if work.as_mut().poll(context).is_ready() {
            return Poll::Ready(true);
        }
        signals.as_mut().poll(context).map(|()| {
            signals.as_mut().reset(Instant::now() + SIGNALS);
            false
        })
    })
    .await
}
