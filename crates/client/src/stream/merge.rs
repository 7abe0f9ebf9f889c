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
const MAX_KNOWN: usize = 1_000;

/// The states of the records of a channel.
#[derive(Debug)]
pub(super) struct Merge {
    subject: Subject,
    streamed: &'static Streamed,
    known: HashMap<i64, Known>,
    /// The states that an earlier stream has returned.
    returned: HashMap<i64, Returned>,
    /// States from this time on are returned again: a record may change twice at one time.
    repeats_from: Option<i64>,
    /// What was created later is new.
    start: Option<i64>,
    /// A record that is unknown and changed before was there before the stream began.
    floor: Option<i64>,
    /// All changes up to this time are known; None before the first list.
    watermark: Option<i64>,
    /// True while the stream may not have sent something that no list has replaced yet.
    has_gap: bool,
    /// The number of known records at which some are forgotten.
    forgets_at: usize,
}

/// Where a stream begins, if it is not now.
#[derive(Clone, Debug, Default)]
pub(super) struct Begin {
    /// The time, in microseconds, from which on changes are returned.
    pub(super) time: i64,
    /// The states from the minute before on that an earlier stream has returned, by identifier; None if unknown.
    pub(super) returned: Option<HashMap<i64, Returned>>,
}

/// A state that an earlier stream has returned.
#[derive(Clone, Debug)]
pub(super) struct Returned {
    /// The time of its last change.
    pub(super) updated: i64,
    /// The record, unless it changed before the time where the later stream begins.
    pub(super) record: Option<Fields>,
}

impl Begin {
    /// Returns where a later stream continues: at a time, with the known states, of which those from the minute before on count.
    pub(super) fn after(time: i64, mut returned: HashMap<i64, Returned>) -> Self {
        returned.retain(|_, state| state.updated >= before_margin(time));
        for state in returned.values_mut().filter(|state| state.updated < time) {
            state.record = None;
        }
        Self { time, returned: Some(returned) }
    }
}

/// A list that was read, the newest record first.
#[derive(Debug)]
pub(super) struct Listing {
    /// The records.
    pub(super) records: Vec<Fields>,
    /// True if the service has no others.
    pub(super) is_whole: bool,
    /// Why it was read.
    pub(super) origin: Origin,
    /// The time of the service before it was requested.
    pub(super) asked: i64,
    /// True if the stream has sent all changes since then.
    pub(super) is_continuous: bool,
}

/// The last known state of a record.
#[derive(Debug)]
struct Known {
    /// The time of its last change; None if it is unknown, or in the future.
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
    /// Returns a merge that knows nothing; `begin` is where it begins, if that is not now.
    pub(super) fn new(subject: Subject, streamed: &'static Streamed, begin: Option<Begin>) -> Self {
        let time = begin.as_ref().map(|begin| begin.time);
        let returned = begin.and_then(|begin| begin.returned);
        // What the earlier stream has not returned of the last minute may have been written late.
        let floor = if returned.is_some() { time.map(before_margin) } else { time };
        let returned = returned.unwrap_or_default();
        // These may have changed once more at the same time, so their content tells.
        let last = returned.iter().filter_map(|(id, state)| {
            let (record, updated) = (state.record.clone()?, Some(state.updated));
            Some((*id, Known { updated, record, origin: Origin::List }))
        });
        Self {
            subject,
            streamed,
            known: last.collect(),
            returned,
            repeats_from: time,
            start: floor.map(|floor| floor.saturating_sub(1)),
            floor,
            watermark: time,
            has_gap: true,
            forgets_at: MAX_KNOWN,
        }
    }

    /// Returns the time up to which all changes are known.
    pub(super) fn watermark(&self) -> Option<i64> {
        self.watermark
    }

    /// Returns the time back to which a list has to be read; None if it is the first, which only says where the stream begins.
    pub(super) fn list_from(&self) -> Option<i64> {
        self.watermark.map(before_margin)
    }

    /// Returns the known states, by identifier.
    pub(super) fn states(&self) -> HashMap<i64, Returned> {
        let known = self.known.iter().filter_map(|(id, known)| {
            let (updated, record) = (known.updated?, Some(known.record.clone()));
            Some((*id, Returned { updated, record }))
        });
        self.returned.iter().map(|(id, state)| (*id, state.clone())).chain(known).collect()
    }

    /// Returns the time when a record last changed.
    pub(super) fn updated(&self, record: &Fields) -> Option<i64> {
        self.streamed.updated(record)
    }

    /// Notes that the stream may not send something.
    pub(super) fn open_gap(&mut self) {
        self.has_gap = true;
    }

    /// Takes a state that the stream sent; `now` is the time of the service.
    pub(super) fn take_frame(&mut self, record: Fields, now: i64) -> Option<NewState> {
        let updated = self.updated(&record);
        let new = self.take(record, Origin::Stream, now);
        if !self.has_gap {
            self.advance(updated, now);
            self.forget();
        }
        new
    }

    /// Begins at a time, because an attempt to read the first list has failed.
    pub(super) fn begin_at(&mut self, time: i64) {
        (self.start, self.floor, self.watermark) = (Some(time), Some(time), Some(time));
    }

    /// Takes the frames that were held back, and the first list, whose records were there before.
    pub(super) fn begin(&mut self, held: Vec<Fields>, listing: Listing, now: i64) -> Vec<NewState> {
        let times: Vec<_> = listing.records.iter().filter_map(|record| self.updated(record)).collect();
        let newest = times.iter().max().copied();
        let begin = newest.unwrap_or(now).min(listing.asked).min(now);
        (self.start, self.watermark) = (Some(begin), Some(begin));
        // A record that a list has from here on, but this one had not, is new.
        let is_sorted = times.is_sorted_by(|one, other| one >= other);
        let oldest = if is_sorted { times.last().copied() } else { newest };
        self.floor = Some(if listing.is_whole { i64::MIN } else { oldest.unwrap_or(now) });
        let held_until = self.latest(&held, now).filter(|_| listing.is_continuous);
        // A frame is news even if the list has its state too, so it comes first.
        let mut new = self.release(held, now);
        for record in listing.records {
            if self.is_known(&record) {
                new.extend(self.take(record, Origin::List, now));
            } else {
                let updated = self.order(&record, now);
                self.note(record, Origin::List, updated);
            }
        }
        self.advance(held_until, now);
        self.has_gap = !listing.is_continuous;
        new
    }

    /// Takes the frames that were held back, and the records of a list that was read to [`Merge::list_from`].
    pub(super) fn fill(&mut self, held: Vec<Fields>, listing: Listing, now: i64) -> Vec<NewState> {
        let Listing { records, origin, asked, is_continuous, .. } = listing;
        // A list that was read slowly has nothing of what changed later, and another connection may have sent the frames.
        let held_until = self.latest(&held, now).filter(|_| is_continuous);
        let until = self.latest(&records, asked.min(now)).max(held_until);
        let held = held.into_iter().map(|record| (record, Origin::Stream));
        let mut states: Vec<_> = held.chain(records.into_iter().map(|record| (record, origin))).collect();
        // The sort is stable, so of equal times the frame comes first. Those without a time come last.
        states.sort_by_key(|(record, _)| self.updated(record).unwrap_or(i64::MAX));
        let new = states.into_iter().filter_map(|(record, origin)| self.take(record, origin, now)).collect();
        self.advance(until, now);
        self.has_gap = !is_continuous;
        self.forget();
        new
    }

    /// Returns frames that were held back and that wait no longer for their list, in the order of their times.
    pub(super) fn release(&mut self, held: Vec<Fields>, now: i64) -> Vec<NewState> {
        self.take_all(held, Origin::Stream, now)
    }

    /// Takes records that were polled while the stream goes on.
    pub(super) fn poll(&mut self, records: Vec<Fields>, now: i64) -> Vec<NewState> {
        self.take_all(records, Origin::Poll, now)
    }

    fn take_all(&mut self, mut records: Vec<Fields>, origin: Origin, now: i64) -> Vec<NewState> {
        records.sort_by_key(|record| self.updated(record).unwrap_or(i64::MAX));
        records.into_iter().filter_map(|record| self.take(record, origin, now)).collect()
    }

    /// Returns the latest time of some records, at most a limit.
    fn latest(&self, records: &[Fields], limit: i64) -> Option<i64> {
        records.iter().filter_map(|record| self.updated(record)).max().map(|latest| latest.min(limit))
    }

    /// Moves the watermark forward, at most to the present: a list would end at a time of the future.
    fn advance(&mut self, to: Option<i64>, now: i64) {
        if self.watermark.is_some() {
            self.watermark = self.watermark.max(to.map(|to| to.min(now)));
        }
    }

    /// Returns the time by which states of a record are ordered. A time of the future is none: nothing could come after it.
    fn order(&self, record: &Fields, now: i64) -> Option<i64> {
        self.updated(record).filter(|updated| *updated <= now.saturating_add(MARGIN))
    }

    fn is_known(&self, record: &Fields) -> bool {
        record.id().ok().flatten().is_some_and(|id| self.known.contains_key(&id))
    }

    /// Takes a state; returns it if it is new.
    fn take(&mut self, record: Fields, origin: Origin, now: i64) -> Option<NewState> {
        let Ok(Some(id)) = record.id() else {
            return (origin == Origin::Stream).then(|| NewState {
                kind: UNKNOWN,
                record,
                before: None,
                fields: Vec::new(),
                origin,
            });
        };
        let updated = self.order(&record, now);
        let is_listed = origin != Origin::Stream;
        let Some(known) = self.known.get(&id) else {
            if updated.is_some_and(|updated| self.returned.get(&id).is_some_and(|returned| updated < returned.updated))
            {
                return None;
            }
            let was_there = is_listed && self.was_there(id, updated);
            let kind = self.kind_of_first(id, &record);
            self.note(record.clone(), origin, updated);
            return (!was_there).then_some(NewState { kind, record, before: None, fields: Vec::new(), origin });
        };
        // Of two states with one time, the one that has ended is the later one: nothing opens again.
        let reopens = self.subject.has_ended(&known.record) && !self.subject.has_ended(&record);
        if updated.zip(known.updated).is_some_and(|(now, then)| now < then || reopens && now == then) {
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
        self.note(record.clone(), origin, updated);
        is_new.then_some(NewState { kind, record, before: Some(before), fields, origin })
    }

    /// Returns true if a listed state of a record that is unknown is not news: it was there before, or an earlier stream has returned it.
    fn was_there(&self, id: i64, updated: Option<i64>) -> bool {
        let Some(updated) = updated else { return false };
        let returned = self.returned.get(&id).map(|returned| returned.updated);
        let was_returned = returned == Some(updated) && Some(updated) < self.repeats_from;
        was_returned || Some(updated) < self.floor.max(self.list_from())
    }

    /// Notes the state of a record.
    fn note(&mut self, record: Fields, origin: Origin, updated: Option<i64>) {
        let Ok(Some(id)) = record.id() else { return };
        if let Some(known) = self.known.get(&id)
            && updated.zip(known.updated).is_some_and(|(now, then)| now < then)
        {
            return;
        }
        self.known.insert(id, Known { updated, record, origin });
    }

    fn kind_of_first(&self, id: i64, record: &Fields) -> &'static str {
        let created = self.streamed.created(record).filter(|_| !self.returned.contains_key(&id));
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

    /// Forgets records that no list will return again, those that are over first.
    fn forget(&mut self) {
        if self.known.len() < self.forgets_at {
            return;
        }
        let Some(from) = self.list_from() else { return };
        let subject = self.subject;
        let is_old = |known: &Known| known.updated.is_some_and(|updated| updated < from);
        self.known.retain(|_, known| !(is_old(known) && subject.has_ended(&known.record)));
        if self.known.len() > MAX_KNOWN * 10 {
            self.known.retain(|_, known| !is_old(known));
        }
        // Not at every record again if none could be forgotten.
        self.forgets_at = MAX_KNOWN.max(self.known.len() * 2);
    }
}

fn before_margin(time: i64) -> i64 {
    time.saturating_sub(MARGIN)
}
