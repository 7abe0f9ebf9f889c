//! The same for many records: side by side, within the rate limit, and nothing sent twice.
//!
//! Each record is a target, and each target has an outcome of its own. What may have been carried out is told apart from
//! what was not, so that a run can be taken up again where it ended.

mod brake;
mod crew;
mod job;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;

pub use brake::Brake;
pub use crew::Control;
use crew::Crew;
use job::Job;
pub use job::Outcome;

use crate::edit::Edit;
use crate::error::Error;
use crate::http::client::HttpClient;
use crate::request::spec::{InputValues, RequestSpec};
use botdesk_api::endpoint::Endpoint;
use botdesk_api::input::Violation;
use botdesk_api::record::Record;
use botdesk_api::view::titled;

/// How many requests may be under way at once, where nothing else is said.
pub const CONCURRENCY: i64 = 8;

/// The most requests that may be under way at once.
pub const MOST_AT_ONCE: i64 = 64;

/// A record that something is done to.
#[derive(Clone, Debug)]
pub struct Target<R> {
    /// Its identifier.
    pub id: u64,
    /// The record as the caller holds it; None where only its identifier was given.
    pub record: Option<R>,
}

impl<R: Record> Target<R> {
    /// The target in a few words, by its newest record.
    pub fn title(&self, outcome: &Outcome<R>) -> String {
        let done = if let Outcome::Done(record) = outcome { Some(record) } else { None };
        match done.or(self.record.as_ref()) {
            Some(record) => titled(R::NAME, Some(self.id), record.fields()),
            None => format!("{} {}", R::NAME, self.id),
        }
    }
}

/// What is done to each target.
#[derive(Clone, Debug)]
pub enum Work {
    /// A call that takes nothing but the identifier.
    Request(&'static Endpoint),
    /// An edit.
    Edit {
        /// The endpoint that edits.
        endpoint: &'static Endpoint,
        /// The endpoint that reads the record.
        read: &'static Endpoint,
        /// What changes.
        given: InputValues,
    },
}

impl Work {
    /// The endpoint that carries it out.
    pub fn endpoint(&self) -> &'static Endpoint {
        match self {
            Self::Request(endpoint) | Self::Edit { endpoint, .. } => endpoint,
        }
    }
}

/// What is to be sent for a target.
#[derive(Clone, Debug)]
pub enum Plan {
    /// A call.
    Request(RequestSpec),
    /// An edit.
    Edit(Box<Edit>),
    /// Nothing, because the record could not be read.
    Unread(Error),
    /// Nothing, because the run ended before.
    NotStarted,
}

impl Plan {
    /// Whether there is something to send.
    pub fn is_ready(&self) -> bool {
        matches!(self, Self::Request(_) | Self::Edit(_))
    }
}

/// What is to be sent for each target.
#[derive(Clone, Debug)]
pub struct Plans {
    /// For each target, in their order.
    pub of: Vec<Plan>,
    /// Why the reading of the records ended before its time.
    pub ended_by: Option<Error>,
}

/// What became of a run.
#[derive(Clone, Debug)]
pub struct Ran<R> {
    /// What became of each target, in their order.
    pub outcomes: Vec<Outcome<R>>,
    /// The refusal after which the rest was not begun.
    pub ended_by: Option<Error>,
}

/// The same for many records.
pub struct Bulk<R> {
    road: Arc<HttpClient>,
    work: Work,
    targets: Vec<Target<R>>,
    at_once: usize,
}

impl<R: Record + Clone + Send + 'static> Bulk<R> {
    /// Checks what can be checked before anything is sent. `name` is what the argument is called that holds the targets.
    pub fn new(
        road: Arc<HttpClient>,
        work: Work,
        name: &str,
        targets: Vec<Target<R>>,
        concurrency: i64,
    ) -> Result<Self, Error> {
        let within = (1..=MOST_AT_ONCE).contains(&concurrency);
        let at_once = usize::try_from(concurrency).ok().filter(|_| within).ok_or_else(|| {
            Violation::new("concurrency", format!("must lie between 1 and {MOST_AT_ONCE}, not {concurrency}"))
        })?;
        if let Work::Edit { endpoint, given, .. } = &work {
            Edit::check(endpoint, given.clone())?;
        }
        refuse_doubles(name, &targets)?;
        Ok(Self { road, work, targets, at_once })
    }

    /// The road of the calls.
    pub fn road(&self) -> &Arc<HttpClient> {
        &self.road
    }

    /// What is done.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// What it is done to.
    pub fn targets(&self) -> &[Target<R>] {
        &self.targets
    }

    /// How many records have to be read before the plans of these targets can be made.
    pub fn to_read(&self, places: &[usize], known: Option<&Plans>) -> usize {
        places.iter().filter(|place| self.has_to_be_read(**place, known)).count()
    }

    /// Makes the plans of the targets at these places, those that are known already as they are. Nothing is written.
    ///
    /// Records of which only the identifier is known are read. All rules that edits break are told at once.
    pub async fn plan(&self, places: &[usize], known: Option<&Plans>, control: &Control) -> Result<Plans, Error> {
        let mut read: Vec<Option<Outcome<R>>> = self.targets.iter().map(|_| None).collect();
        let ended_by = self.read(places, known, control, &mut read).await;
        let mut plans = vec![Plan::NotStarted; self.targets.len()];
        let mut violations = Vec::new();
        for place in places {
            let (Some(target), Some(slot)) = (self.targets.get(*place), plans.get_mut(*place)) else { continue };
            let read = read.get_mut(*place).and_then(Option::take);
            *slot = match ready(known, *place) {
                Some(plan) => plan.clone(),
                None => self.planned(target, read, &mut violations)?,
            };
        }
        if violations.is_empty() { Ok(Plans { of: plans, ended_by }) } else { Err(Error::Validation(violations)) }
    }

    /// Carries plans out. Targets that are not begun keep the outcome that they had before.
    ///
    /// `check` has the records of edits read again first, and refuses those that somebody else has changed since.
    pub async fn carry_out(&self, plans: &Plans, before: &[Outcome<R>], check: bool, control: &Control) -> Ran<R> {
        let mut outcomes = before.to_vec();
        let mut jobs = Vec::new();
        for (place, (outcome, plan)) in outcomes.iter_mut().zip(&plans.of).enumerate() {
            if !outcome.is_open() {
                continue;
            }
            match (plan, self.job(plan, check)) {
                (Plan::Unread(error), _) => *outcome = Outcome::Failed(error.clone()),
                (_, Some(job)) if plans.ended_by.is_none() => jobs.push((place, job)),
                _ => {}
            }
        }
        let (ended, ended_by) = Crew::new(&self.road, control, self.at_once, jobs).work().await;
        for (place, outcome) in ended {
            if let Some(slot) = outcomes.get_mut(place) {
                *slot = outcome;
            }
        }
        Ran { outcomes, ended_by: plans.ended_by.clone().or(ended_by) }
    }

    fn job(&self, plan: &Plan, check: bool) -> Option<Job> {
        match (plan, &self.work) {
            (Plan::Edit(edit), Work::Edit { read, .. }) if check => Some(Job::IfUnmoved(edit.clone(), read)),
            (Plan::Edit(edit), _) => Some(Job::Request(edit.call.clone())),
            (Plan::Request(call), _) => Some(Job::Request(call.clone())),
            (Plan::Unread(_) | Plan::NotStarted, _) => None,
        }
    }

    fn has_to_be_read(&self, place: usize, known: Option<&Plans>) -> bool {
        let is_edit = matches!(self.work, Work::Edit { .. });
        let is_held = self.targets.get(place).is_none_or(|target| target.record.is_some());
        is_edit && !is_held && ready(known, place).is_none()
    }

    async fn read(
        &self,
        places: &[usize],
        known: Option<&Plans>,
        control: &Control,
        into: &mut [Option<Outcome<R>>],
    ) -> Option<Error> {
        let Work::Edit { read, .. } = &self.work else { return None };
        let wanted = places.iter().filter(|place| self.has_to_be_read(**place, known));
        let job = |place: &usize| {
            let target = self.targets.get(*place)?;
            Some((*place, Job::Request(RequestSpec::plain(read, Some(target.id)))))
        };
        let jobs = wanted.filter_map(job).collect();
        let (ended, ended_by) = Crew::new(&self.road, control, self.at_once, jobs).work().await;
        for (place, outcome) in ended {
            if let Some(slot) = into.get_mut(place) {
                *slot = Some(outcome);
            }
        }
        ended_by
    }

    fn planned(
        &self,
        target: &Target<R>,
        read: Option<Outcome<R>>,
        violations: &mut Vec<Violation>,
    ) -> Result<Plan, Error> {
        let (endpoint, given) = match &self.work {
            Work::Request(endpoint) => return Ok(Plan::Request(RequestSpec::plain(endpoint, Some(target.id)))),
            Work::Edit { endpoint, given, .. } => (endpoint, given),
        };
        let record = match (&target.record, read) {
            (Some(record), _) => record.clone(),
            (None, Some(Outcome::Done(record))) => record,
            (None, Some(Outcome::Failed(error) | Outcome::Unknown(error))) => return Ok(Plan::Unread(error)),
            (None, None | Some(Outcome::NotStarted)) => return Ok(Plan::NotStarted),
        };
        match Edit::of(endpoint, target.id, &record, given.clone()) {
            Ok(edit) => Ok(Plan::Edit(Box::new(edit))),
            Err(Error::Validation(broken)) => {
                let of = |found: Violation| Violation::new(format!("{}.{}", target.id, found.field), found.message);
                violations.extend(broken.into_iter().map(of));
                Ok(Plan::NotStarted)
            }
            Err(other) => Err(other),
        }
    }
}

/// The plan that is known of a target, if it can be carried out.
fn ready(known: Option<&Plans>, place: usize) -> Option<&Plan> {
    known.and_then(|known| known.of.get(place)).filter(|plan| plan.is_ready())
}

/// Refuses targets that stand there twice: what is done to them would be done twice.
fn refuse_doubles<R: Record>(name: &str, targets: &[Target<R>]) -> Result<(), Error> {
    let (mut seen, mut told) = (HashSet::new(), HashSet::new());
    let doubles = targets.iter().filter(|target| !seen.insert(target.id) && told.insert(target.id));
    let violations: Vec<_> = doubles
        .map(|target| Violation::new(name, format!("{} {} is named more than once", R::NAME, target.id)))
        .collect();
    if violations.is_empty() { Ok(()) } else { Err(Error::Validation(violations)) }
}
