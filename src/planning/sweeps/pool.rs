//! Runs a sweep on the workers of an executor of `concurrent.futures`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::finished::Finished;
use super::plan::SharedPlan;
use crate::exceptions::{CatchException as _, RustResult as _};
use crate::pickles::of_text;
use botdesk_planning::sweep::SweepOutcome;

/// The interval at which a stop is noticed.
const INTERVAL: Duration = Duration::from_millis(20);

/// The Python code that submits the chunks.
const MODULE: &str = "botdesk._sweeps";

/// The error of a worker whose outcomes can't be read.
const UNREADABLE: &str = "the outcomes of a worker can't be read; it needs the same version of botdesk";

/// A chunk that has ended: its first combination, and its outcomes or its error.
type Ended = (usize, Result<Vec<SweepOutcome>, Py<PyAny>>);

/// Takes the results of chunks from the callbacks of their futures.
#[pyclass(frozen, name = "_SweepChunks", module = "botdesk._native")]
pub(crate) struct ChunkListener(UnboundedSender<Ended>);

#[pymethods]
impl ChunkListener {
    #[pyo3(signature = (first, outcomes, error: "object"))]
    fn __call__(&self, py: Python<'_>, first: usize, outcomes: Option<PyBackedStr>, error: Py<PyAny>) -> PyResult<()> {
        let result = match outcomes {
            Some(outcomes) => match of_text::<Vec<SweepOutcome>>(&outcomes, "outcomes").none_if_exception(py)? {
                Some(outcomes) => Ok(outcomes),
                None => Err(PyValueError::new_err(UNREADABLE).into_value(py).into_any()),
            },
            None => Err(error),
        };
        // The receiver is dropped after Ctrl-C.
        self.0.send((first, result)).rust_ok();
        Ok(())
    }
}

/// The chunks of a sweep that were submitted to an executor.
pub(super) struct Pool {
    chunks: usize,
    receiver: UnboundedReceiver<Ended>,
}

impl Pool {
    /// Submits all combinations in chunks. Returns their futures as well.
    pub(super) fn submit(py: Python<'_>, executor: &Py<PyAny>, plan: &SharedPlan) -> PyResult<(Self, Py<PyAny>)> {
        let (sender, receiver) = unbounded_channel();
        let module = py.import(MODULE)?;
        let count = plan.0.combinations().count();
        let listener = Bound::new(py, ChunkListener(sender))?;
        let submitted = module.getattr("submit")?.call1((executor, plan.clone(), count, listener))?;
        let (futures, chunks): (Py<PyAny>, usize) = submitted.extract()?;
        Ok((Self { chunks, receiver }, futures))
    }

    /// Waits for the chunks, until a stop is requested.
    pub(super) async fn wait(
        mut self,
        count: usize,
        stop: Arc<AtomicBool>,
        on_step: Box<dyn Fn() + Send + Sync>,
    ) -> Finished {
        let mut finished = Finished { outcomes: (0..count).map(|_| None).collect(), error: None };
        let mut ended = 0;
        while ended < self.chunks && !stop.load(Ordering::Relaxed) {
            let Some(received) = tokio::time::timeout(INTERVAL, self.receiver.recv()).await.rust_ok() else {
                continue;
            };
            let Some((first, result)) = received else { break };
            ended += 1;
            match result {
                Ok(outcomes) => finished.keep(first..first + outcomes.len(), outcomes, &on_step),
                Err(error) => finished.error = finished.error.or(Some(error)),
            }
        }
        finished
    }
}

/// Cancels the chunks that have not started.
pub(super) fn cancel(py: Python<'_>, futures: &Py<PyAny>) -> PyResult<()> {
    py.import(MODULE)?.getattr("cancel")?.call1((futures,))?;
    Ok(())
}
