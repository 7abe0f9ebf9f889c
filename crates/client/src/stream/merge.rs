//! Decides which states of records are new. It does no I/O and has no clock.
//!
//! Records are states: of two states of a record, the one with the later `updated_at` is newer. The same state twice is dropped, and so
//! is an older one. A list that was read from its newest record back to the watermark, less a margin, has all that the stream did
//! not send.

use std::collections::HashMap;

use super::event::Origin;
use crate::watch::{ChangeKind, Subject, settings};
use botdesk_schema::input::{Change, differences};
use botdesk_schema::record::Fields;
use botdesk_schema::streamed::Streamed;

/// How far before the watermark a list is read, in microseconds: the service may write records out of order.
pub(super) const MARGIN: i64 = 60_000_000;

/// The number of records from which on those that are over or old are forgotten.
const MAX_KNOWN: usize = 10_000;

/// The states of the records of a channel.
#[derive(Debug)]
pub(super) struct Merge {
    subject: Subject,
    streamed: &'static Streamed,
    known: HashMap<i64, Known>,
    /// What changed up to this time was there before the stream began.
    start: Option<i64>,
    /// All changes up to this time are known; None before the first list.
    watermark: Option<i64>,
    /// The latest time of any record so far.
    latest: Option<i64>,
    /// True while the stream may not have sent something that no list has replaced yet.
    has_gap: bool,
}

/// The last known state of a record.
#[derive(Debug)]
struct Known {
    updated: Option<i64>,
    record: Fields,
    origin: Origin,
}

/// A state of a record that is new.
#[derive(Debug)]
pub(super) struct NewState {
    /// The kind of the change.
    pub(super) kind: &'static str,
    /// The record.
    pub(super) record: Fields,
    /// The record as it was last known.
    pub(super) before: Option<Fields>,
    /// The fields that differ.
    pub(super) fields: Vec<Change>,
    /// Where the state comes from.
    pub(super) origin: Origin,
}

/// The kind of an event with a record that has no identifier.
const UNKNOWN: &str = "unknown";

impl Merge {
    /// Returns a merge that knows nothing; `since` is the time, in microseconds, from which on changes are returned.
    pub(super) fn new(subject: Subject, streamed: &'static Streamed, since: Option<i64>) -> Self {
        let start = since.map(|since| since.saturating_sub(1));
        Self { subject, streamed, known: HashMap::new(), start, watermark: since, latest: None, has_gap: true }
    }

    /// Returns the time up to which all changes are known.
    pub(super) fn watermark(&self) -> Option<i64> {
        self.watermark
    }

    /// Returns the time back to which a list has to be read; None if it is the first, which only says where the stream begins.
    pub(super) fn list_from(&self) -> Option<i64> {
        self.watermark.map(|watermark| watermark.saturating_sub(MARGIN))
    }

    /// Returns the time when a record last changed.
    pub(super) fn updated(&self, record: &Fields) -> Option<i64> {
        self.streamed.updated(record)
    }

    /// Notes that the stream may not send something.
    pub(super) fn open_gap(&mut self) {
        self.has_gap = true;
    }

    /// Takes a state that the stream sent; `now` is the time of the service, if it is known. A record from the future does not move
    /// the watermark, because a list would end there.
    pub(super) fn take_frame(&mut self, record: Fields, now: Option<i64>) -> Option<NewState> {
        let updated = self.updated(&record);
        let new = self.take(record, Origin::Stream);
        if !self.has_gap {
            self.advance(updated, now);
        }
        new
    }

    /// Takes the frames that were held back, and the records of the first list, which were there before.
    pub(super) fn begin(&mut self, held: Vec<Fields>, listed: Vec<Fields>, now: Option<i64>) -> Vec<NewState> {
        // A frame is news even if the list has its state too, so it comes first.
        let new = self.release(held);
        let newest = listed.iter().filter_map(|record| self.updated(record)).max();
        let begin = capped(newest.or(now).unwrap_or_default(), now);
        for record in listed {
            self.note(record, Origin::List);
        }
        self.start = Some(begin);
        self.watermark = Some(begin);
        self.advance(self.latest, now);
        self.has_gap = false;
        new
    }

    /// Takes the frames that were held back, and the records of a list that was read to [`Merge::list_from`].
    pub(super) fn fill(
        &mut self,
        held: Vec<Fields>,
        listed: Vec<Fields>,
        origin: Origin,
        now: Option<i64>,
    ) -> Vec<NewState> {
        let held = held.into_iter().map(|record| (record, Origin::Stream));
        let mut states: Vec<_> = held.chain(listed.into_iter().map(|record| (record, origin))).collect();
        // The sort is stable, so of equal times the frame comes first. Those without a time come last.
        states.sort_by_key(|(record, _)| self.updated(record).unwrap_or(i64::MAX));
        let new = states.into_iter().filter_map(|(record, origin)| self.take(record, origin)).collect();
        self.advance(self.latest, now);
        self.has_gap = false;
        self.forget();
        new
    }

    /// Returns frames that were held back and whose list could not be read, in the order of their times.
    pub(super) fn release(&mut self, held: Vec<Fields>) -> Vec<NewState> {
        self.sorted(held).into_iter().filter_map(|record| self.take(record, Origin::Stream)).collect()
    }

    fn sorted(&self, mut records: Vec<Fields>) -> Vec<Fields> {
        records.sort_by_key(|record| self.updated(record).unwrap_or(i64::MAX));
        records
    }

    fn advance(&mut self, to: Option<i64>, now: Option<i64>) {
        let to = to.map(|to| capped(to, now));
        if self.watermark.is_some() {
            self.watermark = self.watermark.max(to);
        }
    }

    /// Takes a state; returns it if it is new.
    fn take(&mut self, record: Fields, origin: Origin) -> Option<NewState> {
        let Ok(Some(id)) = record.id() else {
            return (origin == Origin::Stream).then(|| NewState {
                kind: UNKNOWN,
                record,
                before: None,
                fields: Vec::new(),
                origin,
            });
        };
        let updated = self.updated(&record);
        self.latest = self.latest.max(updated);
        let is_listed = origin != Origin::Stream;
        let Some(known) = self.known.get(&id) else {
            let was_there =
                is_listed && updated.is_some_and(|updated| self.start.is_some_and(|start| updated <= start));
            let kind = self.kind_of_first(&record);
            self.note(record.clone(), origin);
            return (!was_there).then_some(NewState { kind, record, before: None, fields: Vec::new(), origin });
        };
        if updated.zip(known.updated).is_some_and(|(now, then)| now < then) {
            return None;
        }
        let fields = differences(settings(record.spec()), &known.record, &record);
        let is_new = if is_listed || known.origin != Origin::Stream {
            // A list has fewer fields than a frame, and figures that change by themselves.
            !fields.is_empty() || (!is_listed && updated != known.updated)
        } else {
            updated != known.updated || record.text() != known.record.text()
        };
        let kind = self.kind(&record).name(self.subject.watched());
        let before = known.record.clone();
        self.note(record.clone(), origin);
        is_new.then_some(NewState { kind, record, before: Some(before), fields, origin })
    }

    /// Notes the state of a record.
    fn note(&mut self, record: Fields, origin: Origin) {
        let Ok(Some(id)) = record.id() else { return };
        let updated = self.updated(&record);
        if let Some(known) = self.known.get(&id)
            && updated.zip(known.updated).is_some_and(|(now, then)| now < then)
        {
            return;
        }
        self.known.insert(id, Known { updated, record, origin });
    }

    fn kind_of_first(&self, record: &Fields) -> &'static str {
        let created = self.streamed.created(record);
        let is_new = created.zip(self.start).is_some_and(|(created, start)| created > start);
        let kind = match self.kind(record) {
            ChangeKind::Edited if is_new => ChangeKind::Appeared,
            kind => kind,
        };
        kind.name(self.subject.watched())
    }

    fn kind(&self, record: &Fields) -> ChangeKind {
        if self.subject.has_ended(record) { ChangeKind::Ended } else { ChangeKind::Edited }
    }

    /// Forgets records that are over and that no list will return again.
    fn forget(&mut self) {
        if self.known.len() <= MAX_KNOWN {
            return;
        }
        let Some(from) = self.list_from() else { return };
        let subject = self.subject;
        let is_old = |known: &Known| known.updated.is_some_and(|updated| updated < from);
        self.known.retain(|_, known| !(is_old(known) && subject.has_ended(&known.record)));
        if self.known.len() > MAX_KNOWN {
            self.known.retain(|_, known| !is_old(known));
        }
    }
}

fn capped(time: i64, now: Option<i64>) -> i64 {
    now.map_or(time, |now| time.min(now))
}
