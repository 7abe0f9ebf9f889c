//! A bulk run, and its result in Python.

use std::convert::Infallible;
use std::sync::Arc;

use crate::hints::output_type;
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use super::handle::Handle;
use crate::calls::Failed;
use crate::exceptions::{RustResult, catch, exception_object, str_of};
use crate::previews::preview_object;
use crate::records::{OneRecord, class_of};
use crate::runtime::interruption::Interruption;
use crate::runtime::tokio_runtime::no_result_error;
use botdesk_api::reference;
use botdesk_client::bulk::{Bulk, BulkAction, BulkPlan, Outcome, RunControl, RunResult, Target, TargetPlan};
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_display::view::account_of;
use botdesk_schema::id::Id;
use botdesk_schema::input::Change;
use botdesk_schema::record::RecordSpec;
use botdesk_schema::text::and_more;

/// The module with the classes of results.
const MODULE: &str = "botdesk._bulk";

/// The number of attempts to make a result if Ctrl-C interrupts them.
const ATTEMPTS: usize = 10;

/// The most accounts that a preview names.
const MOST_ACCOUNTS: usize = 5;

/// The requests that a run may send.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RunMode {
    /// Only the reads of the plan.
    Preview,
    /// The reads of the plan, and the planned writes.
    Send,
    /// Only the writes of an earlier plan, with the checks before them.
    Apply,
}

/// A run over many records, which has not started.
pub(crate) struct Run {
    pub(super) bulk: Arc<Bulk>,
    /// The outcome of each target so far.
    pub(super) before: Vec<Outcome>,
    /// The plan of a preview.
    pub(super) known: Option<Arc<BulkPlan>>,
    /// True if each record is read again before its write, to detect changes by others.
    pub(super) check: bool,
    pub(super) mode: RunMode,
    pub(super) progress: Option<bool>,
}

/// A run that has ended.
pub(super) struct FinishedRun {
    plans: BulkPlan,
    /// None for a preview.
    ran: Option<RunResult>,
}

impl Run {
    /// Prepares the first run over the targets; `name` is the name of their argument.
    pub(crate) fn new(
        client: &Arc<HttpClient>,
        work: BulkAction,
        name: &str,
        targets: Vec<Target>,
        concurrency: i64,
        preview: bool,
        progress: Option<bool>,
    ) -> PyResult<Self> {
        let bulk = Bulk::new(Arc::clone(client), work, name, targets, concurrency).or_py_err()?;
        let before = bulk.targets().iter().map(|_| Outcome::NotStarted).collect();
        let mode = if preview { RunMode::Preview } else { RunMode::Send };
        Ok(Self { bulk: Arc::new(bulk), before, known: None, check: false, mode, progress })
    }

    /// Returns the number of steps: reads of the plan, and writes with the checks before them.
    pub(super) fn steps(&self) -> usize {
        let open = self.open();
        match (self.mode, &self.known) {
            (RunMode::Apply, Some(known)) => known.targets.iter().filter(|plan| plan.is_ready()).count(),
            (RunMode::Preview, known) => self.bulk.reads_needed(&open, known.as_deref()),
            (_, known) => self.bulk.reads_needed(&open, known.as_deref()) + open.len(),
        }
    }

    /// Returns the name of the operation.
    pub(super) fn operation(&self) -> &'static str {
        self.bulk.action().operation().name
    }

    fn spec(&self) -> &'static RecordSpec {
        reference::record_of(self.bulk.action().operation())
    }

    fn open(&self) -> Vec<usize> {
        let open = self.before.iter().enumerate().filter(|(_, outcome)| outcome.is_open());
        open.map(|(place, _)| place).collect()
    }

    /// Fetches and plans what is not planned yet, then sends the writes unless the run is a preview.
    pub(super) fn execute(
        &self,
        control: RunControl,
    ) -> impl Future<Output = Result<FinishedRun, Error>> + Send + use<> {
        let (bulk, known, open) = (Arc::clone(&self.bulk), self.known.clone(), self.open());
        let (before, check, mode) = (self.before.clone(), self.check, self.mode);
        async move {
            let plans = match (mode, &known) {
                (RunMode::Apply, Some(known)) => known.as_ref().clone(),
                _ => bulk.plan(&open, known.as_deref(), &control).await?,
            };
            let ran = match mode {
                RunMode::Preview => None,
                RunMode::Send | RunMode::Apply => Some(bulk.execute(&plans, &before, check, &control).await),
            };
            Ok(FinishedRun { plans, ran })
        }
    }

    /// Returns the result or the preview, or raises the exception that interrupted the run.
    pub(super) fn end(
        self,
        py: Python<'_>,
        ended: Result<FinishedRun, Error>,
        mut interruption: Interruption,
    ) -> PyResult<BulkOutcome> {
        let FinishedRun { plans, ran } = match interruption.raised {
            None => ended.or_py_err()?,
            Some(raised) => {
                let Some(ended) = ended.rust_ok() else { return Err(raised) };
                interruption.raised = Some(raised);
                ended
            }
        };
        let Some(ran) = ran else {
            return match (interruption.raised, plans.ended_by.clone()) {
                (Some(raised), _) => Err(raised),
                (None, Some(error)) => Err(error.into_py_err()),
                (None, None) => self.preview(py, plans),
            };
        };
        for _ in 0..ATTEMPTS {
            match self.conclude(py, &ran, interruption.raised.as_ref()) {
                Ok(conclusion) => return conclusion,
                // Ctrl-C while the result is made must not lose it, so it is made again.
                Err(error) => match catch(py, error) {
                    Ok(exception) => return Err(exception),
                    Err(raised) => interruption.add(py, raised),
                },
            }
        }
        Err(interruption.raised.unwrap_or_else(|| no_result_error(py)))
    }

    /// Returns the result, or the exception that interrupted the run, with the result attached.
    fn conclude(&self, py: Python<'_>, ran: &RunResult, raised: Option<&PyErr>) -> PyResult<PyResult<BulkOutcome>> {
        let result = self.result(py, ran)?;
        match raised {
            Some(raised) => Ok(Err(interrupted(py, raised, &result)?)),
            None => Ok(Ok(BulkOutcome::of(result))),
        }
    }

    fn result<'py>(&self, py: Python<'py>, ran: &RunResult) -> PyResult<Bound<'py, PyAny>> {
        let items = self.items(py, &ran.outcomes)?;
        let ended_by = ran.ended_by.clone().map(|error| exception_object(py, error)).transpose()?;
        let (operation, kind) = (self.operation(), class_of(py, self.spec())?);
        let handle = Handle { before: ran.outcomes.clone(), ..self.handle() }.into_pyobject(py)?;
        let class = py.import(MODULE)?.getattr("BulkResult")?;
        class.call1((operation, kind, items, ended_by, handle))
    }

    fn preview(self, py: Python<'_>, plans: BulkPlan) -> PyResult<BulkOutcome> {
        let unread = plans.targets.iter().map(|plan| match plan {
            TargetPlan::ReadFailed(error) => Outcome::Failed(error.clone()),
            TargetPlan::Request(_) | TargetPlan::Edit(_) | TargetPlan::NotStarted => Outcome::NotStarted,
        });
        let items = self.items(py, &unread.collect::<Vec<_>>())?;
        let planned =
            plans.targets.iter().map(|plan| planned(py, self.bulk.client(), plan)).collect::<PyResult<Vec<_>>>()?;
        let (operation, kind, destination) = (self.operation(), class_of(py, self.spec())?, self.destination(&plans));
        let handle = Handle { known: Some(Arc::new(plans)), ..self.handle() }.into_pyobject(py)?;
        let class = py.import(MODULE)?.getattr("BulkPreview")?;
        Ok(BulkOutcome::of(class.call1((operation, kind, items, planned, handle, destination))?))
    }

    /// Returns where the requests go: the destination of the client, and the accounts of the records that are known.
    fn destination(&self, plans: &BulkPlan) -> String {
        let known = |(target, plan): (&Target, &TargetPlan)| match plan {
            TargetPlan::Edit(edit) => edit.account(),
            _ => account_of(target.record.as_ref()?),
        };
        let mut accounts: Vec<String> = Vec::new();
        for account in self.bulk.targets().iter().zip(&plans.targets).filter_map(known) {
            if !accounts.contains(&account) {
                accounts.push(account);
            }
        }
        let more = and_more(accounts.len(), MOST_ACCOUNTS).map(|more| format!("{more} accounts"));
        accounts.truncate(MOST_ACCOUNTS);
        let parts = std::iter::once(self.bulk.client().destination()).chain(accounts).chain(more);
        parts.collect::<Vec<_>>().join(", ")
    }

    fn handle(&self) -> Handle {
        let (bulk, before, known) = (Arc::clone(&self.bulk), self.before.clone(), self.known.clone());
        Handle { bulk, before, known, check: self.check }
    }

    fn raised<'py>(&self, py: Python<'py>, id: &Id, error: Error) -> PyResult<Bound<'py, PyAny>> {
        exception_object(py, Failed::of(self.bulk.client(), self.bulk.action().operation(), Some(id.clone()), error))
    }

    /// Returns the item of each target.
    fn items<'py>(&self, py: Python<'py>, outcomes: &[Outcome]) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let class = py.import(MODULE)?.getattr("BulkItem")?;
        let client = self.bulk.client();
        let item = |(target, outcome): (&Target, &Outcome)| {
            let (status, record, error) = match outcome {
                // A write that returns nothing has a record without fields.
                Outcome::Done(record) if record.spec().rows.is_empty() => ("done", target.record.as_ref(), None),
                Outcome::Done(record) => ("done", Some(record), None),
                Outcome::Failed(error) => ("failed", target.record.as_ref(), Some(error)),
                Outcome::Unknown(error) => ("unknown", target.record.as_ref(), Some(error)),
                Outcome::NotStarted => ("not_started", target.record.as_ref(), None),
            };
            let record = record.map(|fields| OneRecord { fields: fields.clone(), client: Some(Arc::clone(client)) });
            let error = error.map(|error| self.raised(py, &target.id, error.clone())).transpose()?;
            let id = match &target.id {
                Id::Number(number) => number.into_bound_py_any(py)?,
                Id::Text(text) => text.into_bound_py_any(py)?,
            };
            class.call1((id, target.title(self.spec().name, outcome), status, record, error))
        };
        self.bulk.targets().iter().zip(outcomes).map(item).collect()
    }
}

/// Returns the planned write of a target: the preview of an edit, or a method and a path; None if there is none.
fn planned<'py>(py: Python<'py>, client: &Arc<HttpClient>, plan: &TargetPlan) -> PyResult<Option<Bound<'py, PyAny>>> {
    match plan {
        TargetPlan::Edit(edit) => {
            let preview = preview_object(py, Arc::clone(client), edit.as_ref().clone())?;
            let changes: Vec<_> = edit.changes().iter().map(Change::cells).collect();
            let shown = (edit.record(), preview, changes).into_pyobject(py)?;
            Ok(Some(shown.into_any()))
        }
        TargetPlan::Request(call) => {
            // A body may have secrets, which no preview shows.
            let body = call.body.as_ref().filter(|_| call.secrets.is_empty());
            let target = body.map_or_else(|| call.path.clone(), |body| format!("{} {body}", call.path));
            Ok(Some((call.method.as_str(), target).into_pyobject(py)?.into_any()))
        }
        TargetPlan::ReadFailed(_) | TargetPlan::NotStarted => Ok(None),
    }
}

/// Returns the exception that interrupted a run, with the result attached.
fn interrupted(py: Python<'_>, interruption: &PyErr, result: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    if interruption.get_type(py).is(py.get_type::<PyKeyboardInterrupt>()) {
        let class = py.import("botdesk.errors")?.getattr("BulkInterrupted")?;
        let arguments = (str_of(result)?, result);
        return Ok(PyErr::from_value(class.call1(arguments)?));
    }
    // The code that raised it, such as asyncio, expects the same object.
    interruption.value(py).setattr("result", result)?;
    Ok(interruption.clone_ref(py))
}

/// The return value of a bulk method: a result or a preview.
pub(crate) struct BulkOutcome {
    object: Py<PyAny>,
}

impl BulkOutcome {
    fn of(object: Bound<'_, PyAny>) -> Self {
        Self { object: object.unbind() }
    }
}

impl<'py> IntoPyObject<'py> for BulkOutcome {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = Infallible;

    output_type!(ANY);

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.object.into_bound(py))
    }
}
