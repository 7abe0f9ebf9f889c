//! Compares a record with its last known state.

use jiff::Timestamp;

use super::change::{ChangeKind, RecordChange};
use super::known::settings;
use super::record_state::RecordState;
use super::subject::Subject;
use botdesk_schema::input::{Change, differences, input_differences};
use botdesk_schema::record::Fields;
use botdesk_schema::values::{Bool, Timestamp as Time};

/// Returns true if a record in another one is open.
pub(super) fn is_open(subject: &Subject, nested: &Fields) -> bool {
    let Some(spec) = subject.nested() else { return false };
    let finished = matches!(nested.read_named::<Bool>(spec.finished), Ok(Some(true)));
    let closed = matches!(nested.read_named::<Time>(spec.closed_at), Ok(Some(_)));
    !(finished || closed)
}

/// Returns the changes: the record first, then the records in it that were closed, changed and opened. `before` is the last known
/// state, `now` the state in the response, and `known` the new known state.
pub(super) fn between(
    subject: Subject,
    before: &RecordState,
    now: &RecordState,
    known: &RecordState,
    at: Timestamp,
) -> Vec<RecordChange> {
    let whole = |kind, fields| RecordChange {
        before: Some(before.record.clone()),
        fields,
        ..RecordChange::new(subject, kind, now.record.clone(), at)
    };
    let switch = switched(&subject, &before.record, &known.record);
    let mut changes: Vec<_> = switch.map(|kind| whole(kind, Vec::new())).into_iter().collect();
    let edits = edits(&subject, &before.record, &known.record);
    if subject.has_ended(&known.record) {
        changes.push(whole(ChangeKind::Ended, edits));
    } else if !edits.is_empty() {
        changes.push(whole(ChangeKind::Edited, edits));
    }
    if let (Some(then), Some(nested), Some(known)) = (&before.nested, &now.nested, &known.nested) {
        let nested_changes = of_nested(&subject, then, nested, known).into_iter();
        changes.extend(nested_changes.map(|NestedChange { kind, now, before, fields }| RecordChange {
            nested: Some(now),
            nested_before: before,
            ..whole(kind, fields)
        }));
    }
    changes
}

/// Returns the changes for a new record: the record itself, and the records in it that were opened.
pub(super) fn appeared(subject: Subject, now: &RecordState, known: &RecordState, at: Timestamp) -> Vec<RecordChange> {
    let alone = |kind| RecordChange::new(subject, kind, now.record.clone(), at);
    let [nested, known] = [now, known].map(|state| state.nested.as_deref().unwrap_or_default());
    let begun = of_nested(&subject, &[], nested, known).into_iter();
    let nested =
        begun.map(|step| RecordChange { nested: Some(step.now), nested_before: step.before, ..alone(step.kind) });
    std::iter::once(alone(ChangeKind::Appeared)).chain(nested).collect()
}

fn switched(subject: &Subject, before: &Fields, now: &Fields) -> Option<ChangeKind> {
    match (subject.is_enabled(before), subject.is_enabled(now)) {
        (Some(false), Some(true)) => Some(ChangeKind::Enabled),
        (Some(true), Some(false)) => Some(ChangeKind::Disabled),
        _ => None,
    }
}

/// Returns the settings that differ between two known states of a record: the fields that do not change by themselves, and
/// inputs of an edit that the API reference does not list as fields.
pub(super) fn edits(subject: &Subject, before: &Fields, known: &Fields) -> Vec<Change> {
    let unlisted = input_differences(subject.unlisted(before), before, known);
    differences(settings(before.spec()), before, known).into_iter().chain(unlisted).collect()
}

/// A change of a record in another one.
struct NestedChange {
    kind: ChangeKind,
    now: Fields,
    before: Option<Fields>,
    fields: Vec<Change>,
}

/// Returns the changes of the records in a record; `known` has the known state of each one in `now`.
fn of_nested(subject: &Subject, before: &[Fields], now: &[Fields], known: &[Fields]) -> Vec<NestedChange> {
    let gone = before.iter().filter(|then| is_open(subject, then) && same(now, then).is_none());
    let gone = gone.map(|then| NestedChange {
        kind: ChangeKind::NestedClosed,
        now: then.clone(),
        before: Some(then.clone()),
        fields: Vec::new(),
    });
    let stayed = now.iter().zip(known).flat_map(|(now, known)| of_one(subject, same(before, now), now, known));
    let mut steps: Vec<_> = gone.chain(stayed).collect();
    steps.sort_by_key(|step| match step.kind {
        ChangeKind::NestedClosed if step.before.is_some() => 0,
        ChangeKind::NestedChanged => 1,
        _ => 2,
    });
    steps
}

fn same<'a>(records: &'a [Fields], sought: &Fields) -> Option<&'a Fields> {
    let id = sought.id().ok().flatten()?;
    records.iter().find(|record| record.id() == Ok(Some(id)))
}

fn of_one(subject: &Subject, before: Option<&Fields>, now: &Fields, known: &Fields) -> Vec<NestedChange> {
    let fields = before.map(|then| edits(subject, then, known)).unwrap_or_default();
    let step = |kind, fields| NestedChange { kind, now: now.clone(), before: before.cloned(), fields };
    match (before.map(|then| is_open(subject, then)), is_open(subject, known)) {
        // One that was opened and closed between two polls has both changes.
        (None, false) => {
            vec![step(ChangeKind::NestedOpened, Vec::new()), step(ChangeKind::NestedClosed, Vec::new())]
        }
        (None | Some(false), true) => vec![step(ChangeKind::NestedOpened, Vec::new())],
        (Some(true), false) => vec![step(ChangeKind::NestedClosed, fields)],
        (Some(true), true) if !fields.is_empty() => vec![step(ChangeKind::NestedChanged, fields)],
        _ => Vec::new(),
    }
}
