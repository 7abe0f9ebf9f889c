//! Waits for a run, with a progress bar, so that Ctrl-C loses no outcome.

use std::sync::Arc;

use pyo3::coroutine::CancelHandle;
use pyo3::prelude::*;

use super::run::{BulkOutcome, FinishedRun, Run};
use crate::display::progress::Bar;
use crate::runtime::active_calls::ActiveCall;
use crate::runtime::bridge::{AsyncWait, BlockingWait, ResultSlot, Waiter};
use crate::runtime::interruption::Interruption;
use crate::runtime::tokio_runtime::no_result_error;
use botdesk_client::bulk::{RunControl, StopSignal};
use botdesk_client::error::Error;

impl Run {
    /// Waits for the run without the GIL. Ctrl-C lets the requests in flight end; a second Ctrl-C drops them as well.
    pub(crate) fn wait(self, py: Python<'_>) -> PyResult<BulkOutcome> {
        let _call = ActiveCall::start(py);
        let mut waiter = RunWaiter::new(py, &self)?;
        let wait = BlockingWait::new();
        let (work, slot) = ResultSlot::of(self.execute(waiter.control(wait.on_step())));
        wait.run(py, work, &mut waiter)?;
        waiter.end(py, self, slot)
    }

    /// Awaits the run. Cancelling lets the requests in flight end; cancelling again drops them as well.
    pub(crate) async fn wait_async(self, cancel: CancelHandle) -> PyResult<BulkOutcome> {
        let (_call, waiter) = Python::attach(|py| (ActiveCall::start(py), RunWaiter::new(py, &self)));
        let mut waiter = waiter?;
        let mut wait = AsyncWait::new();
        let (work, slot) = ResultSlot::of(self.execute(waiter.control(wait.on_step())));
        wait.run(work, &mut waiter, Some(cancel)).await?;
        Python::attach(|py| waiter.end(py, self, slot))
    }
}

/// Waits for a run: an exception stops it, and is raised once the requests in flight have ended.
struct RunWaiter {
    bar: Bar,
    stop: Arc<StopSignal>,
    interruption: Interruption,
}

impl RunWaiter {
    fn new(py: Python<'_>, run: &Run) -> PyResult<Self> {
        Ok(Self {
            bar: Bar::new(py, run.operation(), run.steps(), run.progress)?,
            stop: Arc::default(),
            interruption: Interruption::default(),
        })
    }

    fn control(&self, step: Box<dyn Fn() + Send + Sync>) -> RunControl {
        RunControl { stop: Arc::clone(&self.stop), step }
    }

    fn end(mut self, py: Python<'_>, run: Run, slot: ResultSlot<FinishedRun, Error>) -> PyResult<BulkOutcome> {
        if let Err(error) = self.bar.close(py) {
            self.interruption.add(py, error);
        }
        match slot.result() {
            Some(result) => run.end(py, result, self.interruption),
            None => Err(no_result_error(py)),
        }
    }
}

impl Waiter for RunWaiter {
    fn step(&mut self, py: Python<'_>) -> PyResult<()> {
        self.bar.step(py)
    }

    fn interrupt(&mut self, py: Python<'_>, raised: PyErr) -> PyResult<()> {
        self.stop.request();
        self.interruption.add(py, raised);
        Ok(())
    }
}
