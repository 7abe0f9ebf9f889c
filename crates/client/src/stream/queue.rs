//! Keeps events until they are taken. If a caller is slow, a newer state of a record replaces the older one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::event::StreamEvent;

/// The number of events from which on states of the same record are merged.
const CAPACITY: usize = 1_000;

/// Names a record: its resource, and its identifier or its pair.
type RecordName = (&'static str, Option<i64>, Option<Arc<str>>);

/// The events that were not taken yet.
#[derive(Debug, Default)]
pub(super) struct Queue {
    /// The events by their number, oldest first.
    events: BTreeMap<u64, StreamEvent>,
    /// The number of the newest event of each record.
    newest: HashMap<RecordName, u64>,
    next: u64,
    /// The number of events that newer ones of the same record have replaced.
    merged: u64,
}

impl Queue {
    /// Adds an event. In a full queue it replaces the one of the same record, whose place it does not take: the newest is last.
    pub(super) fn push(&mut self, mut event: StreamEvent) {
        let name = name(&event);
        let older = name.as_ref().filter(|_| self.events.len() >= CAPACITY).and_then(|name| self.newest.get(name));
        if let Some(older) = older.and_then(|number| self.events.remove(number)) {
            event = merged(older, event);
            self.merged += 1;
        }
        if let Some(name) = name {
            self.newest.insert(name, self.next);
        }
        self.events.insert(self.next, event);
        self.next += 1;
    }

    /// Takes the next event.
    pub(super) fn pop(&mut self) -> Option<StreamEvent> {
        let (number, event) = self.events.pop_first()?;
        if let Some(name) = name(&event)
            && self.newest.get(&name) == Some(&number)
        {
            self.newest.remove(&name);
        }
        Some(event)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns the events that wait.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &StreamEvent> {
        self.events.values()
    }

    /// Returns the number of events that newer ones have replaced.
    pub(super) fn merged(&self) -> u64 {
        self.merged
    }
}

/// Returns the name of the record of an event; None for a change of the connection, and for a record without an identifier, which may
/// be any.
fn name(event: &StreamEvent) -> Option<RecordName> {
    let (id, pair) = (event.id(), event.pair.clone());
    let is_known = id.is_some() || pair.is_some();
    event.resource.filter(|_| is_known).map(|resource| (resource, id, pair))
}

/// Returns the event of the newer state, with the state before the older one. A record that is new stays new, unless it has ended.
fn merged(older: StreamEvent, newer: StreamEvent) -> StreamEvent {
    let is_new = [OPENED, APPEARED].contains(&older.kind);
    let has_only_changed = [CHANGED, EDITED].contains(&newer.kind);
    let kind = if is_new && has_only_changed { older.kind } else { newer.kind };
    let mut fields = older.fields;
    for field in newer.fields {
        match fields.iter_mut().find(|other| other.name == field.name) {
            Some(other) => other.new = field.new,
            None => fields.push(field),
        }
    }
    fields.retain(|field| field.old != field.new);
    StreamEvent { kind, before: older.before, fields, ..newer }
}

const OPENED: &str = "opened";
const APPEARED: &str = "appeared";
const CHANGED: &str = "changed";
const EDITED: &str = "edited";
