//! A run: what it does, and what becomes of it in Python.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::raise::{IntoPyErr as _, OrPyErr as _};
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PySystemExit};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};

use super::handle::{Handle, Handled};
use crate::calls::Failed;
use crate::exceptions::{RustResult, catch, exception_object, str_of};
use crate::previews::DcaBotEditPreview;
use crate::records::Acting;
use crate::runtime::ended as ended_without_result;
use crate::values::ANY;
use botdesk_api::input::Change;
use botdesk_client::bulk::{Bulk, BulkPlan, Outcome, RunControl, RunResult, Target, TargetPlan};
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;

/// The module that shows what becomes of runs.
const MODULE: &str = "botdesk._bulk";

/// How often a result is made that Ctrl-C interrupts.
const ATTEMPTS: usize = 10;

/// How far a run goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// Nothing is sent but what reads.
    Preview,
    /// What is planned is sent.
    Send,
    /// What was planned before is sent, and nothing else.
    Apply,
}

/// A run that is to be.
pub(super) struct Run<A: Acting> {
    pub(super) bulk: Arc<Bulk<A::Core>>,
    /// What became of each target before.
    pub(super) before: Vec<Outcome<A::Core>>,
    /// Plans that were shown before.
    pub(super) known: Option<Arc<BulkPlan>>,
    /// Whether records are read again, to see whether somebody else has changed them.
    pub(super) check: bool,
    pub(super) aim: Aim,
    pub(super) progress: Option<bool>,
}

/// A run that has ended.
pub(super) struct Ended<R> {
    plans: BulkPlan,
    /// None where nothing was to be sent.
    ran: Option<RunResult<R>>,
}

impl<A: Handled> Run<A> {
    /// The run that takes up what a result or a preview holds.
    pub(super) fn from_handle(handle: &Handle<A>, aim: Aim, check: bool, progress: Option<bool>) -> Self {
        let (bulk, before, known) = (Arc::clone(&handle.bulk), handle.before.clone(), handle.known.clone());
        Self { bulk, before, known, check, aim, progress }
    }

    /// A first run.
    pub(super) fn first(bulk: Bulk<A::Core>, preview: bool, progress: Option<bool>) -> Self {
        let before = bulk.targets().iter().map(|_| Outcome::NotStarted).collect();
        let aim = if preview { Aim::Preview } else { Aim::Send };
        Self { bulk: Arc::new(bulk), before, known: None, check: false, aim, progress }
    }

    /// How many requests, or pairs of them, it takes.
    pub(super) fn steps(&self) -> usize {
        let open = self.open();
        match (self.aim, &self.known) {
            (Aim::Apply, Some(known)) => known.targets.iter().filter(|plan| plan.is_ready()).count(),
            (Aim::Preview, known) => self.bulk.reads_needed(&open, known.as_deref()),
            (_, known) => self.bulk.reads_needed(&open, known.as_deref()) + open.len(),
        }
    }

    /// What the operation is called.
    pub(super) fn operation(&self) -> &'static str {
        self.bulk.action().endpoint().operation
    }

    fn open(&self) -> Vec<usize> {
        let open = self.before.iter().enumerate().filter(|(_, outcome)| outcome.is_open());
        open.map(|(place, _)| place).collect()
    }

    /// Does it.
    pub(super) fn go(
        &self,
        control: RunControl,
    ) -> impl Future<Output = Result<Ended<A::Core>, Error>> + Send + use<A> {
        let (bulk, known, open) = (Arc::clone(&self.bulk), self.known.clone(), self.open());
        let (before, check, aim) = (self.before.clone(), self.check, self.aim);
        async move {
            let plans = match (aim, &known) {
                (Aim::Apply, Some(known)) => known.as_ref().clone(),
                _ => bulk.plan(&open, known.as_deref(), &control).await?,
            };
            let ran = match aim {
                Aim::Preview => None,
                Aim::Send | Aim::Apply => Some(bulk.execute(&plans, &before, check, &control).await),
            };
            Ok(Ended { plans, ran })
        }
    }

    /// What the caller gets; `interruption` is what ended the run before its time.
    pub(super) fn end(
        self,
        py: Python<'_>,
        ended: Result<Ended<A::Core>, Error>,
        mut interruption: Interruption,
    ) -> PyResult<Given<A>> {
        let Ended { plans, ran } = match interruption.0 {
            None => ended.or_py_err()?,
            Some(raised) => {
                let Some(ended) = ended.rust_ok() else { return Err(raised) };
                interruption.0 = Some(raised);
                ended
            }
        };
        let Some(ran) = ran else {
            return match (interruption.0, plans.ended_by.clone()) {
                (Some(raised), _) => Err(raised),
                (None, Some(error)) => Err(error.into_py_err()),
                (None, None) => self.preview(py, plans),
            };
        };
        for _ in 0..ATTEMPTS {
            match self.conclude(py, &ran, interruption.0.as_ref()) {
                Ok(conclusion) => return conclusion,
                // Ctrl-C while the result is made must not lose it, so it is made again.
                Err(error) => match catch(py, error) {
                    Ok(exception) => return Err(exception),
                    Err(raised) => interruption.add(py, raised),
                },
            }
        }
        Err(interruption.0.unwrap_or_else(|| ended_without_result(py)))
    }

    /// Returns the result, or what ended the run before its time with the result on it.
    fn conclude(
        &self,
        py: Python<'_>,
        ran: &RunResult<A::Core>,
        raised: Option<&PyErr>,
    ) -> PyResult<PyResult<Given<A>>> {
        let result = self.result(py, ran)?;
        match raised {
            Some(raised) => Ok(Err(interrupted(py, raised, &result)?)),
            None => Ok(Ok(Given::of(result))),
        }
    }

    fn result<'py>(&self, py: Python<'py>, ran: &RunResult<A::Core>) -> PyResult<Bound<'py, PyAny>> {
        let items = self.items(py, &ran.outcomes)?;
        let ended_by = ran.ended_by.clone().map(|error| exception_object(py, error)).transpose()?;
        let (operation, kind) = (self.operation(), py.get_type::<A>());
        let handle = Handle { before: ran.outcomes.clone(), ..self.handle() }.into_object(py)?;
        let class = py.import(MODULE)?.getattr("BulkResult")?;
        class.call1((operation, kind, items, ended_by, handle))
    }

    fn preview(self, py: Python<'_>, plans: BulkPlan) -> PyResult<Given<A>> {
        let unread = plans.targets.iter().map(|plan| match plan {
            TargetPlan::ReadFailed(error) => Outcome::Failed(error.clone()),
            TargetPlan::Request(_) | TargetPlan::Edit(_) | TargetPlan::NotStarted => Outcome::NotStarted,
        });
        let items = self.items(py, &unread.collect::<Vec<_>>())?;
        let planned =
            plans.targets.iter().map(|plan| planned(py, self.bulk.client(), plan)).collect::<PyResult<Vec<_>>>()?;
        let (operation, kind) = (self.operation(), py.get_type::<A>());
        let handle = Handle { known: Some(Arc::new(plans)), ..self.handle() }.into_object(py)?;
        let class = py.import(MODULE)?.getattr("BulkPreview")?;
        Ok(Given::of(class.call1((operation, kind, items, planned, handle))?))
    }

    fn handle(&self) -> Handle<A> {
        let (bulk, before, known) = (Arc::clone(&self.bulk), self.before.clone(), self.known.clone());
        Handle { bulk, before, known, check: self.check }
    }

    /// What is told of each target.
    fn items<'py>(&self, py: Python<'py>, outcomes: &[Outcome<A::Core>]) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let class = py.import(MODULE)?.getattr("BulkItem")?;
        let road = self.bulk.client();
        let item = |(target, outcome): (&Target<A::Core>, &Outcome<A::Core>)| {
            let (status, record, error) = match outcome {
                Outcome::Done(record) => ("done", Some(record), None),
                Outcome::Failed(error) => ("failed", target.record.as_ref(), Some(error)),
                Outcome::Unknown(error) => ("unknown", target.record.as_ref(), Some(error)),
                Outcome::NotStarted => ("not_started", target.record.as_ref(), None),
            };
            let record = record.map(|record| A::made_by(Arc::clone(road), record.clone()));
            let error = error.map(|error| raised::<A>(py, road, target.id, error.clone())).transpose()?;
            class.call1((target.id, target.title(outcome), status, record, error))
        };
        self.bulk.targets().iter().zip(outcomes).map(item).collect()
    }
}

/// What is to be sent for a target: the preview of an edit, or a method and a path; None where nothing is.
fn planned<'py>(py: Python<'py>, road: &Arc<HttpClient>, plan: &TargetPlan) -> PyResult<Option<Bound<'py, PyAny>>> {
    match plan {
        TargetPlan::Edit(edit) => {
            let preview = DcaBotEditPreview::of(Arc::clone(road), edit.as_ref().clone());
            let changes: Vec<_> = edit.changes().iter().map(Change::cells).collect();
            let shown = (edit.record(), preview, changes).into_pyobject(py)?;
            Ok(Some(shown.into_any()))
        }
        TargetPlan::Request(call) => Ok(Some((call.method.as_str(), &call.path).into_pyobject(py)?.into_any())),
        TargetPlan::ReadFailed(_) | TargetPlan::NotStarted => Ok(None),
    }
}

fn raised<'py, A: Acting>(
    py: Python<'py>,
    road: &Arc<HttpClient>,
    id: u64,
    error: Error,
) -> PyResult<Bound<'py, PyAny>> {
    exception_object(py, Failed::one_of::<A>(road, id, error))
}

/// What ended a run before its time, if anything did.
#[derive(Default)]
pub(super) struct Interruption(Option<PyErr>);

impl Interruption {
    /// Keeps what was raised, to be raised once the run has ended.
    ///
    /// Ctrl-C pressed again raises the same again. Anything else, such as the `SystemExit` of a handler of SIGTERM, takes the place of
    /// what was kept, which becomes its context. Only the end of a task never takes the place of the end of the program: a timeout
    /// of asyncio replaces its own `CancelledError` by a `TimeoutError`, and the program would go on.
    pub(super) fn add(&mut self, py: Python<'_>, raised: PyErr) {
        self.0 = Some(match self.0.take() {
            Some(kept) if is_same_type(py, &kept, &raised) => kept,
            Some(kept) if ends_program(py, &kept) && ends_task(py, &raised) => kept,
            Some(kept) => {
                raised.set_context(py, Some(kept));
                raised
            }
            None => raised,
        });
    }
}

fn is_same_type(py: Python<'_>, one: &PyErr, other: &PyErr) -> bool {
    one.get_type(py).is(other.get_type(py))
}

fn ends_program(py: Python<'_>, raised: &PyErr) -> bool {
    raised.is_instance_of::<PyKeyboardInterrupt>(py) || raised.is_instance_of::<PySystemExit>(py)
}

/// Returns if it ends a task or a coroutine alone, as `asyncio.CancelledError`, `GeneratorExit` and their like in other libraries do.
fn ends_task(py: Python<'_>, raised: &PyErr) -> bool {
    !ends_program(py, raised) && !raised.is_instance_of::<PyException>(py)
}

/// What the caller is told whose run was ended before its time: what ended it, with what became of the run.
fn interrupted(py: Python<'_>, interruption: &PyErr, result: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    if interruption.get_type(py).is(py.get_type::<PyKeyboardInterrupt>()) {
        let class = py.import("botdesk.errors")?.getattr("BulkInterrupted")?;
        let told = (str_of(result)?, result);
        return Ok(PyErr::from_value(class.call1(told)?));
    }
    // Whoever raised it, such as asyncio, wants the very same back.
    interruption.value(py).setattr("result", result)?;
    Ok(interruption.clone_ref(py))
}

/// What a run gives: its result, or its preview.
pub(super) struct Given<A> {
    object: Py<PyAny>,
    kind: PhantomData<fn() -> A>,
}

impl<A> Given<A> {
    fn of(object: Bound<'_, PyAny>) -> Self {
        Self { object: object.unbind(), kind: PhantomData }
    }
}

impl<'py, A: PyTypeInfo> IntoPyObject<'py> for Given<A> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = Infallible;

    // It is a preview where one is asked for. Were the type a union of both, no attribute of a result could be used
    // without asking which of them it is; so the rarer one is Any, and only its callers ask: `isinstance(…, BulkPreview)`.
    const OUTPUT_TYPE: PyStaticExpr = type_hint_union!(
        type_hint_subscript!(type_hint_identifier!("botdesk._bulk", "BulkResult"), <A as PyTypeInfo>::TYPE_HINT),
        ANY
    );

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.object.into_bound(py))
    }
}
