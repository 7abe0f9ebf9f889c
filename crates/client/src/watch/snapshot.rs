//! The known states of all records.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::change::{ChangeKind, RecordChange};
use super::difference::{appeared, between, is_open};
use super::known::{FieldKey, KnownState, known_state};
use super::record_state::RecordState;
use super::subject::Subject;
use botdesk_schema::record::Fields;
use botdesk_schema::values::Integer;

/// The records whose changes are reported: enabled, disabled, or all.
///
/// The scope is not sent as a filter: a record that leaves the filtered list would seem deleted when it was only switched.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The records of the list.
    pub subject: Subject,
    is_enabled: Option<bool>,
}

impl Scope {
    /// Returns the scope with all records.
    pub fn all(subject: Subject) -> Self {
        Self { subject, is_enabled: None }
    }

    /// Returns the scope for a value of the input of the list that selects by the switch.
    pub fn named(subject: Subject, name: &str) -> Self {
        let is_enabled = match name {
            "enable" | "enabled" => Some(true),
            "disabled" => Some(false),
            _ => None,
        };
        Self { subject, is_enabled }
    }

    /// Returns true if a record is in the scope, or if it is unknown whether the record is enabled.
    pub fn holds(&self, record: &Fields) -> bool {
        match (self.is_enabled, self.subject.is_enabled(record)) {
            (Some(wanted), Some(is_enabled)) => wanted == is_enabled,
            _ => true,
        }
    }
}

/// The known state of a record that is watched.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// The last state, with the last known values of fields that could not be read.
    pub(super) state: RecordState,
    /// The fields that were reported as unreadable and have not been read since.
    pub(super) reported: BTreeSet<FieldKey>,
    /// The number of the poll that last fetched it alone.
    pub(super) last_fetch: u64,
}

/// The findings of a poll about one record.
#[derive(Debug, Default)]
pub(super) struct Observation {
    /// The changes.
    pub(super) changes: Vec<RecordChange>,
    /// The reasons why fields can't be read that could be read before.
    pub(super) malformed: Vec<String>,
}

/// Returns the reasons to report, and all fields that were reported so far; fields of records in it that the poll did not reach are
/// kept.
fn reports(
    known: Option<&Known>,
    malformed: BTreeMap<FieldKey, String>,
    reached_nested: bool,
) -> (Vec<String>, BTreeSet<FieldKey>) {
    let earlier = known.map(|known| &known.reported);
    let is_new = |field: &FieldKey| earlier.is_none_or(|earlier| !earlier.contains(field));
    let reasons = malformed.iter().filter(|(field, _)| is_new(field)).map(|(_, reason)| reason.clone()).collect();
    let unseen = earlier.into_iter().flatten().filter(|field| !reached_nested && field.nested.is_some()).cloned();
    (reasons, unseen.chain(malformed.into_keys()).collect())
}

/// The known states of all records by identifier.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    /// True after the first complete poll: from then on an unknown record is new.
    pub(super) is_complete: bool,
    /// The records.
    pub(super) records: BTreeMap<i64, Known>,
}

impl Snapshot {
    /// Stores the state of a record, and returns what changed.
    pub(super) fn take(&mut self, id: i64, now: &RecordState, scope: Scope, at: Timestamp) -> Observation {
        let known = self.records.get(&id);
        let before = known.map(|known| &known.state);
        let KnownState { mut state, malformed } = known_state(scope.subject, before, now);
        let is_in = scope.holds(&state.record);
        let is_reported = is_in || before.is_some_and(|before| scope.holds(&before.record));
        let has_ended = scope.subject.has_ended(&state.record);
        let mut found = Observation::default();
        let mut reported = BTreeSet::new();
        if is_reported {
            found.changes = match before {
                Some(before) => between(scope.subject, before, now, &state, at),
                None if self.is_complete && !has_ended => appeared(scope.subject, now, &state, at),
                None => Vec::new(),
            };
            (found.malformed, reported) = reports(known, malformed, now.nested.is_some());
        }
        if has_ended {
            // Nothing changes any more, so later polls need not read it.
            self.records.remove(&id);
            return found;
        }
        if !is_in || scope.subject.nested().is_none() {
            // The watch no longer covers them, so later states must not be compared with them.
            state.nested = None;
        } else if state.nested.is_none() {
            state.nested = before.map_or(self.is_complete.then(Vec::new), |before| before.nested.clone());
        }
        let last_fetch = known.map_or(0, |known| known.last_fetch);
        self.records.insert(id, Known { state, reported, last_fetch });
        found
    }

    /// Removes a record that is gone, and returns the change.
    pub(super) fn forget(&mut self, id: i64, scope: Scope, at: Timestamp) -> Option<RecordChange> {
        let RecordState { record, .. } = self.records.remove(&id)?.state;
        let before = Some(record.clone());
        let change = RecordChange { before, ..RecordChange::new(scope.subject, ChangeKind::Vanished, record, at) };
        scope.holds(&change.record).then_some(change)
    }

    /// Returns true if the records in a listed record can be known only by fetching it alone.
    pub(super) fn needs_nested(&self, id: i64, listed: &Fields, scope: Scope) -> bool {
        let Some(spec) = scope.subject.nested() else { return false };
        let known = self.records.get(&id);
        let is_watched = scope.holds(listed) || known.is_some_and(|known| scope.holds(&known.state.record));
        let nested = known.and_then(|known| known.state.nested.as_ref());
        let has_open = nested.is_some_and(|nested| nested.iter().any(|nested| is_open(&scope.subject, nested)));
        is_watched && (has_open || listed.read_named::<Integer>(spec.count) != Ok(Some(0)))
    }

    /// Returns the number of the poll that last fetched a record alone.
    pub(super) fn last_fetch(&self, id: i64) -> u64 {
        self.records.get(&id).map_or(0, |known| known.last_fetch)
    }

    /// Notes that a poll fetches a record alone.
    pub(super) fn note_fetch(&mut self, id: i64, poll: u64) {
        if let Some(known) = self.records.get_mut(&id) {
            known.last_fetch = poll;
        }
    }
}
