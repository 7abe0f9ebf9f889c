//! One poll, request by request, so that an interrupted poll can be continued.

use std::collections::VecDeque;

use jiff::Timestamp;
use tokio::time::Instant;

use super::change::RecordChange;
use super::failure::is_temporary;
use super::record_state::RecordState;
use super::snapshot::{Scope, Snapshot};
use super::source::Source;
use super::subject::Subject;
use crate::error::{Error, redact_and_truncate};
use botdesk_schema::error::ApiErrorKind;
use botdesk_schema::method::Method;
use botdesk_schema::record::{FieldError, Fields};
use botdesk_schema::values::Integer;
use botdesk_schema::watched::Nested;
use botdesk_system::lock::locked;

/// The results of polls that the caller has not taken yet, and the known states.
#[derive(Debug, Default)]
pub(super) struct WatchState {
    /// The known states of the records.
    pub(super) snapshot: Snapshot,
    /// Changes that were not taken yet.
    pub(super) waiting: VecDeque<RecordChange>,
    /// Errors that were not taken yet.
    pub(super) failures: VecDeque<Error>,
    /// The number of polls.
    pub(super) polls: u64,
}

/// The source, the options and the state of a poll.
pub(super) struct PollContext<'a, S> {
    pub(super) source: &'a S,
    pub(super) scope: Scope,
    /// True to watch the records in each record as well.
    pub(super) nested: bool,
    pub(super) seen: &'a std::sync::Mutex<WatchState>,
}

/// One poll.
pub(super) struct Poll<S: Source> {
    /// The pages of the list; None after the last one.
    pages: Option<S::Pages>,
    listed: Vec<Fields>,
    /// The reason why the list could not be read to its end; None if it could.
    pub(super) broken: Option<Error>,
    /// The records to fetch alone.
    reads: VecDeque<Read>,
    failed_in_a_row: u32,
    number: u64,
    /// The time of the last request.
    pub(super) touched: Instant,
}

/// A record to fetch alone.
struct Read {
    id: i64,
    /// The record as in the list; None if it is missing there.
    listed: Option<Fields>,
}

/// The number of consecutive failures after which a poll ends, because the service is not available.
const MAX_FAILURES: u32 = 3;

impl<S: Source> Poll<S> {
    /// Returns a poll that has sent nothing yet.
    pub(super) fn start(context: &PollContext<'_, S>) -> Result<Self, Error> {
        let pages = Some(context.source.pages()?);
        let number = {
            let mut seen = locked(context.seen);
            seen.polls += 1;
            seen.polls
        };
        let (listed, reads) = (Vec::new(), VecDeque::new());
        Ok(Self { pages, listed, broken: None, reads, failed_in_a_row: 0, number, touched: Instant::now() })
    }

    /// Sends the next request and stores what it finds; returns false after the last one.
    pub(super) async fn step(&mut self, context: &PollContext<'_, S>) -> Result<bool, Error> {
        self.touched = Instant::now();
        let has_more = match self.pages.as_mut() {
            Some(pages) => {
                let next = context.source.next(pages).await;
                self.take_listed(context, next).map(|()| true)
            }
            None => self.read(context).await,
        };
        self.touched = Instant::now();
        has_more
    }

    /// Takes the next record of the list, or its end.
    fn take_listed(&mut self, context: &PollContext<'_, S>, next: Result<Option<Fields>, Error>) -> Result<(), Error> {
        match next {
            Ok(Some(record)) => {
                self.listed.push(record);
                return Ok(());
            }
            Ok(None) => {}
            Err(error) => {
                self.failed(&error)?;
                self.broken = Some(error);
            }
        }
        self.pages = None;
        self.sort(context);
        Ok(())
    }

    /// Stores the listed records that are complete, and queues those that have to be fetched alone.
    fn sort(&mut self, context: &PollContext<'_, S>) {
        let mut seen = locked(context.seen);
        let listed: Vec<_> = std::mem::take(&mut self.listed)
            .into_iter()
            .filter_map(|record| seen.identified(record, &context.scope.subject))
            .collect();
        let mut missing: Vec<i64> =
            if self.broken.is_none() { seen.snapshot.records.keys().copied().collect() } else { Vec::new() };
        for (id, record) in listed {
            if let Ok(index) = missing.binary_search(&id) {
                missing.remove(index);
            }
            let nested = if context.nested { listed_nested(&context.scope.subject, &record) } else { None };
            if nested.is_none() && context.nested && seen.snapshot.needs_nested(id, &record, context.scope) {
                self.reads.push_back(Read { id, listed: Some(record) });
            } else {
                let none = context.nested.then(Vec::new);
                seen.take(id, &RecordState { record, nested: nested.or(none) }, context.scope);
            }
        }
        // A record that is missing in the list need not be gone: the list may have shifted, or it no longer passes the filters.
        self.reads.extend(missing.into_iter().map(|id| Read { id, listed: None }));
        // Those that were not fetched for longest come first, so that some that fail don't hold up the others.
        self.reads.make_contiguous().sort_by_key(|read| seen.snapshot.last_fetch(read.id));
    }

    /// Fetches the next record alone; returns false if there is none.
    async fn read(&mut self, context: &PollContext<'_, S>) -> Result<bool, Error> {
        let Some(id) = self.reads.front().map(|read| read.id) else {
            self.end(context);
            return Ok(false);
        };
        locked(context.seen).snapshot.note_fetch(id, self.number);
        let fetched = match u64::try_from(id) {
            Ok(number) => context.source.show(number).await,
            Err(_) => Err(Error::Decode {
                message: format!("{id} is not the id of a {}", context.scope.subject.noun()),
                body: String::new(),
                method: Some(Method::Get),
                request_id: None,
            }),
        };
        let Some(Read { listed, .. }) = self.reads.pop_front() else { return Ok(false) };
        match fetched {
            Ok(record) => {
                self.failed_in_a_row = 0;
                locked(context.seen).take_fetched(id, record, context);
            }
            Err(error) if error.kind() == Some(ApiErrorKind::NotFound) => {
                self.failed_in_a_row = 0;
                locked(context.seen).forget(id, context.scope);
            }
            Err(error) => {
                self.failed(&error)?;
                locked(context.seen).failures.push_back(error);
                if let Some(record) = listed {
                    locked(context.seen).take(id, &RecordState { record, nested: None }, context.scope);
                }
            }
        }
        if self.failed_in_a_row < MAX_FAILURES {
            return Ok(true);
        }
        self.end(context);
        Ok(false)
    }

    /// Counts a temporary failure, and returns any other.
    fn failed(&mut self, error: &Error) -> Result<(), Error> {
        if !is_temporary(error) {
            return Err(error.clone());
        }
        self.failed_in_a_row += 1;
        Ok(())
    }

    /// Stores the listed records that were not fetched alone.
    fn end(&mut self, context: &PollContext<'_, S>) {
        let mut seen = locked(context.seen);
        for Read { id, listed } in self.reads.drain(..) {
            if let Some(record) = listed {
                seen.take(id, &RecordState { record, nested: None }, context.scope);
            }
        }
        seen.snapshot.is_complete |= self.broken.is_none();
    }
}

impl WatchState {
    /// Stores the state of a record.
    fn take(&mut self, id: i64, now: &RecordState, scope: Scope) {
        let found = self.snapshot.take(id, now, scope, Timestamp::now());
        self.waiting.extend(found.changes);
        if !found.malformed.is_empty() {
            let noun = scope.subject.noun();
            let message = format!("{noun} {id}: {}; the last known values are kept", found.malformed.join("; "));
            self.failures.push_back(undecodable(&now.record, message));
        }
    }

    /// Stores a record that was fetched alone.
    fn take_fetched<S>(&mut self, id: i64, record: Fields, context: &PollContext<'_, S>) {
        let read = context.nested.then(|| nested(&context.scope.subject, &record));
        let nested = read.transpose().unwrap_or_else(|message| {
            self.failures.push_back(undecodable(&record, message));
            None
        });
        self.take(id, &RecordState { record, nested }, context.scope);
    }

    /// Removes a record that is gone.
    fn forget(&mut self, id: i64, scope: Scope) {
        let change = self.snapshot.forget(id, scope, Timestamp::now());
        self.waiting.extend(change);
    }

    /// Returns a record with its identifier. A record whose identifier can't be read can't be watched, which is reported.
    fn identified(&mut self, record: Fields, subject: &Subject) -> Option<(i64, Fields)> {
        let noun = subject.noun();
        let message = match record.id() {
            Ok(Some(id)) => return Some((id, record)),
            Ok(None) => format!("a listed {noun} has no id, so it can't be watched"),
            Err(error) => format!("a listed {noun} can't be watched: {error}"),
        };
        self.failures.push_back(undecodable(&record, message));
        None
    }
}

/// Returns the records in a listed record, if there are as many as it counts.
fn listed_nested(subject: &Subject, record: &Fields) -> Option<Vec<Fields>> {
    let held = nested(subject, record).ok()?;
    let count = record.read_named::<Integer>(subject.nested()?.count).ok().flatten()?;
    (i64::try_from(held.len()) == Ok(count)).then_some(held)
}

/// Returns the records in a record, or why they can't be read.
fn nested(subject: &Subject, record: &Fields) -> Result<Vec<Fields>, String> {
    let Some(Nested { noun, field, .. }) = subject.nested() else { return Ok(Vec::new()) };
    let message = |error: FieldError| error.to_string();
    let nested = record.records(field).map_err(message)?.ok_or_else(|| format!("the response has no {field}"))?;
    for one in &nested {
        one.id().map_err(message)?.ok_or_else(|| format!("a {noun} has no id, so it can't be watched"))?;
    }
    Ok(nested)
}

fn undecodable(record: &Fields, message: String) -> Error {
    Error::Decode { message, body: redact_and_truncate(record.text()), method: Some(Method::Get), request_id: None }
}
