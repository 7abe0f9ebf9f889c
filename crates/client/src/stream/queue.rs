//! Keeps events until they are taken. If a caller is slow, a newer state of a record replaces the older one.

use std::collections::VecDeque;

use super::event::StreamEvent;

/// The number of events from which on states of the same record are merged.
const CAPACITY: usize = 1_000;

/// The events that were not taken yet.
#[derive(Debug, Default)]
pub(super) struct Queue {
    events: VecDeque<StreamEvent>,
    /// The number of events that newer ones of the same record have replaced.
    merged: u64,
}

impl Queue {
    /// Adds an event. In a full queue it replaces the one of the same record, whose place it does not take: the newest is last.
    pub(super) fn push(&mut self, mut event: StreamEvent) {
        if self.events.len() >= CAPACITY
            && let Some(id) = event.id()
        {
            let is_same = |other: &StreamEvent| other.resource == event.resource && other.id() == Some(id);
            if let Some(older) = self.events.iter().rposition(is_same).and_then(|index| self.events.remove(index)) {
                event = merged(older, event);
                self.merged += 1;
            }
        }
        self.events.push_back(event);
    }

    /// Takes the next event.
    pub(super) fn pop(&mut self) -> Option<StreamEvent> {
        self.events.pop_front()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns the events that wait.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &StreamEvent> {
        self.events.iter()
    }

    /// Returns the number of events that newer ones have replaced.
    pub(super) fn merged(&self) -> u64 {
        self.merged
    }
}

/// Returns the event of the newer state, with the state before the older one. A record that is new stays new, unless it has ended.
fn merged(older: StreamEvent, newer: StreamEvent) -> StreamEvent {
    let is_new = [OPENED, APPEARED].contains(&older.kind);
    let has_only_changed = [CHANGED, EDITED].contains(&newer.kind);
    let kind = if is_new && has_only_changed { older.kind } else { newer.kind };
    let mut fields = older.fields;
    fields.retain(|field| newer.fields.iter().all(|other| other.name != field.name));
    fields.extend(newer.fields);
    StreamEvent { kind, before: older.before, fields, ..newer }
}

const OPENED: &str = "opened";
const APPEARED: &str = "appeared";
const CHANGED: &str = "changed";
const EDITED: &str = "edited";
