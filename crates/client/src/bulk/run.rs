//! A run: planning, execution, and further executions for open targets.

use std::collections::HashSet;
use std::sync::Arc;

use super::action::{BulkAction, Changes, Target};
use super::job::{Job, Outcome};
use super::plan::{BulkPlan, TargetPlan};
use super::pool::{JobPool, RunControl};
use crate::edit::Edit;
use crate::error::Error;
use crate::http::client::HttpClient;
use crate::request::spec::{NO_ID, RequestSpec, check};
use botdesk_api::reference;
use botdesk_schema::input::Violation;
use botdesk_schema::operation::Operation;

/// The default number of requests that may be in flight at once.
pub const CONCURRENCY: i64 = 8;

/// The highest number of requests that may be in flight at once.
pub const MAX_CONCURRENCY: i64 = 64;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct RunResult {
    /// The outcome of each target, in their order.
    pub outcomes: Vec<Outcome>,
    /// The fatal error after which no target was started.
    pub ended_by: Option<Error>,
}

/// The same action on many records.
pub struct Bulk {
    client: Arc<HttpClient>,
    action: BulkAction,
    targets: Vec<Target>,
    concurrency: usize,
}

impl Bulk {
    /// Validates what can be validated before anything is sent; `name` is the name of the argument that holds the targets.
    pub fn new(
        client: Arc<HttpClient>,
        action: BulkAction,
        name: &str,
        targets: Vec<Target>,
        concurrency: i64,
    ) -> Result<Self, Error> {
        let within = (1..=MAX_CONCURRENCY).contains(&concurrency);
        let concurrency = usize::try_from(concurrency).ok().filter(|_| within).ok_or_else(|| {
            Violation::new("concurrency", format!("must be between 1 and {MAX_CONCURRENCY}, not {concurrency}"))
        })?;
        match &action {
            BulkAction::Edit { operation, given, .. } => check_changes(operation, given, &targets)?,
            BulkAction::Request { operation, given } => drop(RequestSpec::with(operation, NO_ID, given.clone())?),
        }
        check_duplicates(reference::record_of(action.operation()).name, name, &targets)?;
        Ok(Self { client, action, targets, concurrency })
    }

    /// Returns the client that sends the requests.
    pub fn client(&self) -> &Arc<HttpClient> {
        &self.client
    }

    /// Returns the action.
    pub fn action(&self) -> &BulkAction {
        &self.action
    }

    /// Returns the targets.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Returns the number of records that have to be fetched before these targets can be planned.
    pub fn reads_needed(&self, indices: &[usize], known: Option<&BulkPlan>) -> usize {
        indices.iter().filter(|index| self.needs_read(**index, known)).count()
    }

    /// Plans the targets at these indices; plans that are `known` already are kept. Nothing is written.
    ///
    /// Targets that are only identifiers are fetched. All violations of rules are returned together.
    pub async fn plan(
        &self,
        indices: &[usize],
        known: Option<&BulkPlan>,
        control: &RunControl,
    ) -> Result<BulkPlan, Error> {
        let mut read: Vec<Option<Outcome>> = self.targets.iter().map(|_| None).collect();
        let ended_by = self.read(indices, known, control, &mut read).await;
        let mut plans = vec![TargetPlan::NotStarted; self.targets.len()];
        let mut violations = Vec::new();
        for index in indices {
            let (Some(target), Some(slot)) = (self.targets.get(*index), plans.get_mut(*index)) else { continue };
            let read = read.get_mut(*index).and_then(Option::take);
            *slot = match ready_plan(known, *index) {
                Some(plan) => plan.clone(),
                None => self.plan_target(*index, target, read, &mut violations)?,
            };
        }
        if violations.is_empty() {
            Ok(BulkPlan { targets: plans, ended_by })
        } else {
            Err(Error::Validation(violations))
        }
    }

    /// Executes a plan. Targets that are not started keep the outcome that they had before.
    ///
    /// With `check`, the record of each edit is fetched again first, and the edit fails if the record has changed since.
    pub async fn execute(&self, plans: &BulkPlan, before: &[Outcome], check: bool, control: &RunControl) -> RunResult {
        let mut outcomes = before.to_vec();
        let mut jobs = Vec::new();
        for (index, (outcome, plan)) in outcomes.iter_mut().zip(&plans.targets).enumerate() {
            if !outcome.is_open() {
                continue;
            }
            match (plan, self.job(plan, check)) {
                (TargetPlan::ReadFailed(error), _) => *outcome = Outcome::Failed(error.clone()),
                (_, Some(job)) if plans.ended_by.is_none() => jobs.push((index, job)),
                _ => {}
            }
        }
        let (ended, ended_by) = JobPool::new(&self.client, control, self.concurrency, jobs).run().await;
        for (index, outcome) in ended {
            if let Some(slot) = outcomes.get_mut(index) {
                *slot = outcome;
            }
        }
        RunResult { outcomes, ended_by: plans.ended_by.clone().or(ended_by) }
    }

    fn job(&self, plan: &TargetPlan, check: bool) -> Option<Job> {
        match (plan, &self.action) {
            (TargetPlan::Edit(edit), _) if check => Some(Job::IfUnchanged(edit.clone())),
            (TargetPlan::Edit(edit), _) => Some(Job::Request(Box::new(edit.request.clone()))),
            (TargetPlan::Request(request), _) => Some(Job::Request(Box::new(request.clone()))),
            (TargetPlan::ReadFailed(_) | TargetPlan::NotStarted, _) => None,
        }
    }

    fn needs_read(&self, index: usize, known: Option<&BulkPlan>) -> bool {
        let is_edit = matches!(self.action, BulkAction::Edit { .. });
        let is_held = self.targets.get(index).is_none_or(|target| target.record.is_some());
        is_edit && !is_held && ready_plan(known, index).is_none()
    }

    async fn read(
        &self,
        indices: &[usize],
        known: Option<&BulkPlan>,
        control: &RunControl,
        into: &mut [Option<Outcome>],
    ) -> Option<Error> {
        let BulkAction::Edit { read, .. } = &self.action else { return None };
        let wanted = indices.iter().filter(|index| self.needs_read(**index, known));
        let job = |index: &usize| {
            let target = self.targets.get(*index)?;
            Some((*index, Job::Request(Box::new(RequestSpec::plain(read, Some(target.id.clone()))))))
        };
        let jobs = wanted.filter_map(job).collect();
        let (ended, ended_by) = JobPool::new(&self.client, control, self.concurrency, jobs).run().await;
        for (index, outcome) in ended {
            if let Some(slot) = into.get_mut(index) {
                *slot = Some(outcome);
            }
        }
        ended_by
    }

    fn plan_target(
        &self,
        index: usize,
        target: &Target,
        read: Option<Outcome>,
        violations: &mut Vec<Violation>,
    ) -> Result<TargetPlan, Error> {
        let (operation, given) = match &self.action {
            BulkAction::Request { operation, given } => {
                return Ok(TargetPlan::Request(RequestSpec::with(operation, Some(target.id.clone()), given.clone())?));
            }
            BulkAction::Edit { operation, given, .. } => (operation, given),
        };
        let record = match (&target.record, read) {
            (Some(record), _) => record.clone(),
            (None, Some(Outcome::Done(record))) => record,
            (None, Some(Outcome::Failed(error) | Outcome::Unknown(error))) => return Ok(TargetPlan::ReadFailed(error)),
            (None, None | Some(Outcome::NotStarted)) => return Ok(TargetPlan::NotStarted),
        };
        let Some(given) = given.of(index) else { return Ok(TargetPlan::NotStarted) };
        let not_a_number = || Error::Configuration(format!("{} needs a number as an identifier", operation.name));
        let id = target.id.number().ok_or_else(not_a_number)?;
        match Edit::of(operation, id, &record, given.clone()) {
            Ok(edit) => Ok(TargetPlan::Edit(Box::new(edit))),
            Err(Error::Validation(broken)) => {
                violations.extend(of_target(target, broken));
                Ok(TargetPlan::NotStarted)
            }
            Err(other) => Err(other),
        }
    }
}

/// Returns the known plan of a target if it can be executed.
fn ready_plan(known: Option<&BulkPlan>, index: usize) -> Option<&TargetPlan> {
    known.and_then(|known| known.targets.get(index)).filter(|plan| plan.is_ready())
}

/// Returns the violations by the changes of one target, with its identifier in their names.
fn of_target(target: &Target, broken: Vec<Violation>) -> impl Iterator<Item = Violation> + '_ {
    broken.into_iter().map(|found| Violation::new(format!("{}.{}", target.id, found.field), found.message))
}

/// Returns an error if changes break rules whatever the records are.
fn check_changes(operation: &'static Operation, given: &Changes, targets: &[Target]) -> Result<(), Error> {
    let each = match given {
        Changes::Same(given) => return Edit::check(operation, given.clone()),
        Changes::Each(each) => each,
    };
    let mut violations = Vec::new();
    for (target, given) in targets.iter().zip(each) {
        match Edit::check(operation, given.clone()) {
            Ok(()) => {}
            Err(Error::Validation(broken)) => violations.extend(of_target(target, broken)),
            Err(other) => return Err(other),
        }
    }
    check(violations)
}

/// Returns an error if a target is listed twice: its action would be applied twice.
fn check_duplicates(kind: &str, name: &str, targets: &[Target]) -> Result<(), Error> {
    let (mut seen, mut reported) = (HashSet::new(), HashSet::new());
    let duplicates = targets.iter().filter(|target| !seen.insert(&target.id) && reported.insert(&target.id));
    let violations: Vec<_> = duplicates
        .map(|target| Violation::new(name, format!("{} {} is listed more than once", kind, target.id)))
        .collect();
    check(violations)
}
