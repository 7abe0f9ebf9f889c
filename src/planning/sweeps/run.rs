//! Runs sweeps: on the threads of this process, or on the workers of an executor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use pyo3::coroutine::CancelHandle;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use super::arguments::{SweepBotArgument, SweepOptions, SweepParameters};
use super::class::Sweep;
use super::finished::Finished;
use super::objective::Objective;
use super::plan::SharedPlan;
use super::pool::{Pool, cancel};
use crate::arguments::Arguments;
use crate::display::progress::Bar;
use crate::exceptions::{CatchException as _, RustResult as _};
use crate::planning::backtests::HistoryArguments;
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use crate::runtime::active_calls::ActiveCall;
use crate::runtime::bridge::{AsyncWait, BlockingWait, ResultSlot, Waiter};
use crate::runtime::interruption::Interruption;
use crate::runtime::tokio_runtime::no_result_error;
use crate::runtime::work::Work;
use botdesk_planning::error::PlanError;
use botdesk_planning::sweep::{MIN_STRETCHES, SweepDefinition, SweepOutcome, SweepPlan};
use botdesk_schema::input::Violation;
use botdesk_trading::backtest::run_indexed;

/// A sweep that has not started.
pub(crate) struct SweepRun {
    plan: SharedPlan,
    objective: Objective,
    options: SweepOptions,
}

/// The slot of a run's result. A run has no other errors than that it did not end.
type Slot = ResultSlot<Finished, std::convert::Infallible>;

impl SweepRun {
    /// Prepares a sweep.
    pub(crate) fn new(
        bot: SweepBotArgument,
        parameters: SweepParameters,
        options: SweepOptions,
        market: Arguments,
        histories: HistoryArguments,
    ) -> PyResult<Self> {
        let objective = Objective::of(options.objective.as_deref().unwrap_or("profit")).or_py_err()?;
        let combinations = Python::attach(|py| parameters.combinations(py, &bot.0))?;
        let folds = options.folds.as_ref().map(|folds| folds.at_least(MIN_STRETCHES, "folds"));
        let definition = SweepDefinition {
            bot: bot.0,
            combinations,
            market: market.none_is_absent().into_settings().map_rust_err(PlanError::Values).or_py_err()?,
            has_signals: histories.signals.is_some(),
            folds: folds.transpose().or_py_err()?,
        };
        let pairs = histories.of_pairs(&definition.pairs(), &[]).or_py_err()?;
        let plan = SweepPlan::new(definition, pairs).or_py_err()?;
        Ok(Self { plan: SharedPlan(Arc::new(plan)), objective, options })
    }

    /// Runs the sweep without the GIL. Ctrl-C ends it early, and what is done is kept.
    pub(crate) fn wait(self, py: Python<'_>) -> PyResult<Sweep> {
        let _call = ActiveCall::start(py);
        let mut waiter = SweepWaiter::new(py, &self)?;
        let wait = BlockingWait::new();
        let (work, slot) = self.start(py, &mut waiter, wait.on_step())?;
        wait.run(py, work, &mut waiter)?;
        waiter.end(py, self, slot)
    }

    /// Awaits the sweep. Cancelling ends it early; the exception holds what is done.
    pub(crate) async fn wait_async(self, cancel: CancelHandle) -> PyResult<Sweep> {
        let mut wait = AsyncWait::new();
        let (_call, started) = Python::attach(|py| {
            let call = ActiveCall::start(py);
            let started = SweepWaiter::new(py, &self).and_then(|mut waiter| {
                let (work, slot) = self.start(py, &mut waiter, wait.on_step())?;
                Ok((waiter, work, slot))
            });
            (call, started)
        });
        let (mut waiter, work, slot) = started?;
        wait.run(work, &mut waiter, Some(cancel)).await?;
        Python::attach(|py| waiter.end(py, self, slot))
    }

    /// Returns the work of the sweep, and the slot of its result.
    fn start(
        &self,
        py: Python<'_>,
        waiter: &mut SweepWaiter,
        on_step: Box<dyn Fn() + Send + Sync>,
    ) -> PyResult<(Work, Slot)> {
        let (plan, stop) = (Arc::clone(&self.plan.0), Arc::clone(&waiter.stop.0));
        let Some(executor) = &self.options.executor else {
            return Ok(ResultSlot::of(on_threads(plan, stop, on_step)));
        };
        let (pool, futures) = Pool::submit(py, &executor.0, &self.plan)?;
        waiter.futures = Some(futures);
        let count = plan.combinations().count();
        Ok(ResultSlot::of(async move { Ok(pool.wait(count, stop, on_step).await) }))
    }
}

/// Runs all combinations on the cores of this machine.
async fn on_threads(
    plan: Arc<SweepPlan>,
    stop: Arc<AtomicBool>,
    report: Box<dyn Fn() + Send + Sync>,
) -> Result<Finished, std::convert::Infallible> {
    let threads = available_parallelism().rust_ok().map_or(1, usize::from);
    let work = move || {
        let mut reported = 0;
        let outcome = |index: usize, is_stopped: &dyn Fn() -> bool| plan.outcome(index, is_stopped).rust_ok();
        let mut on_step = |done| {
            (reported..done).for_each(|_| report());
            reported = done;
            stop.load(Ordering::Relaxed)
        };
        run_indexed(0..plan.combinations().count(), threads, &outcome, &mut on_step)
    };
    let outcomes = tokio::task::spawn_blocking(work).await.rust_ok().unwrap_or_default();
    Ok(Finished { outcomes, error: None })
}

/// Stops a sweep whose result nobody waits for any more.
#[derive(Default)]
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Waits for a sweep: an exception stops it, and is raised or kept once it has ended.
struct SweepWaiter {
    bar: Bar,
    stop: Stop,
    interruption: Interruption,
    /// The futures of an executor.
    futures: Option<Py<PyAny>>,
}

impl Waiter for SweepWaiter {
    fn step(&mut self, py: Python<'_>) -> PyResult<()> {
        self.bar.step(py)
    }

    fn interrupt(&mut self, py: Python<'_>, raised: PyErr) -> PyResult<()> {
        self.stop.0.store(true, Ordering::Relaxed);
        self.interruption.add(py, raised);
        Ok(())
    }
}

impl SweepWaiter {
    fn new(py: Python<'_>, run: &SweepRun) -> PyResult<Self> {
        let bar = Bar::new(py, "sweep", run.plan.0.combinations().count(), run.options.progress)?;
        Ok(Self { bar, stop: Stop::default(), interruption: Interruption::default(), futures: None })
    }

    /// Returns the sweep. After Ctrl-C it has what is done; any other exception is raised, with the sweep attached.
    fn end(mut self, py: Python<'_>, run: SweepRun, slot: Slot) -> PyResult<Sweep> {
        if let Err(error) = self.bar.close(py) {
            self.interruption.add(py, error);
        }
        let raised = self.interruption.raised.take();
        if let (Some(futures), Some(_)) = (&self.futures, &raised) {
            cancel(py, futures).or_unraisable(py, None)?;
        }
        let finished = slot.result().and_then(RustResultOk::take).ok_or_else(|| no_result_error(py))?;
        if let Some(invalid) = invalid(&finished) {
            return Err(invalid.into_py_err());
        }
        let sweep = Sweep::new(run.plan, run.objective, finished, raised.is_some());
        match raised {
            Some(raised) if !raised.get_type(py).is(py.get_type::<PyKeyboardInterrupt>()) => {
                raised.value(py).setattr("result", Bound::new(py, sweep)?)?;
                Err(raised)
            }
            _ => Ok(sweep),
        }
    }
}

/// Takes the value of a result that has no error.
trait RustResultOk<T> {
    fn take(self) -> Option<T>;
}

impl<T> RustResultOk<T> for Result<T, std::convert::Infallible> {
    fn take(self) -> Option<T> {
        self.rust_ok()
    }
}

/// Returns the error of arguments that fit no combination.
fn invalid(finished: &Finished) -> Option<PlanError> {
    finished.outcomes.iter().find_map(|outcome| match outcome.as_ref()? {
        SweepOutcome::Invalid(reasons) => Some(PlanError::Values(reasons.iter().map(Violation::from).collect())),
        _ => None,
    })
}
