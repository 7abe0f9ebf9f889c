//! Saves the state of a watch as JSON without secrets, to continue the watch in another process.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use jiff::Timestamp;
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::change::{ChangeKind, RecordChange};
use super::difference::edits;
use super::known::{known, known_state};
use super::options::WatchOptions;
use super::poll::WatchState;
use super::record_state::RecordState;
use super::snapshot::{Known, Snapshot};
use super::subject::Subject;
use crate::credentials::account::Identity;
use crate::credentials::digest::sha256;
use crate::error::Error;
use botdesk_schema::input::Change;
use botdesk_schema::record::{Fields, RecordSpec};
use botdesk_schema::redaction::SecretNames;
use botdesk_schema::secrets::{HIDDEN, NAMES, redact_secrets};

/// The version of the format.
const VERSION: u64 = 1;

/// The name of the member with the version, by which a saved state is recognized.
const MARK: &str = "botdesk_watch";

/// The name of the member with the resource of the records. States of older versions of botdesk have none.
const RESOURCE: &str = "resource";

/// The name of the member that identifies the client. Older versions of botdesk read it, so it keeps its name.
const OWNER: &str = "whose";

/// The name of the member with the checksum. States of older versions of botdesk have none.
const CHECKSUM: &str = "checksum";

/// The name of the member with a record, and of the one with the records in it. They are those of older versions of botdesk, which
/// watched DCA bots only.
const RECORD: &str = "bot";
const NESTED: &str = "deals";

/// The names of the members that a state without a checksum has.
const MEMBERS: [&str; 7] = [MARK, RESOURCE, OWNER, "filters", "begun", "bots", "changes"];

/// Returns the saved state.
pub(super) fn write<'a>(
    snapshot: &Snapshot,
    waiting: impl Iterator<Item = &'a RecordChange>,
    options: &WatchOptions,
) -> String {
    let records = snapshot.records.values().map(|known| {
        let nested = known.state.nested.as_ref().map(|nested| nested.iter().map(value).collect::<Vec<_>>());
        object([(RECORD, value(&known.state.record)), (NESTED, nested.into())])
    });
    let state = object([
        (MARK, VERSION.into()),
        (RESOURCE, options.scope.subject.resource().into()),
        (OWNER, serde_json::to_value(&options.owner).unwrap_or_default()),
        ("filters", Value::Object(options.filters.clone())),
        ("begun", snapshot.is_complete.into()),
        ("bots", records.collect()),
        ("changes", waiting.map(change_value).collect()),
    ]);
    let text = redacted(state, NAMES).to_string();
    // Strings in it may have JSON inside.
    let clean = redact_secrets(&text);
    with_checksum(if clean == text { text } else { canonical(&clean).unwrap_or(clean) })
}

/// Returns JSON as it is written; white space between its members is left out.
fn canonical(text: &str) -> Option<String> {
    Some(serde_json::from_str::<Value>(text).ok()?.to_string())
}

/// Returns a state with its checksum as the last member.
fn with_checksum(text: String) -> String {
    match text.strip_suffix('}') {
        Some(members) => format!("{members},\"{CHECKSUM}\":\"{}\"}}", checksum(&text)),
        None => text,
    }
}

/// Returns the SHA-256 of a state without its checksum, in Base64.
fn checksum(text: &str) -> String {
    STANDARD_NO_PAD.encode(sha256(text.as_bytes()))
}

/// Returns true if the state is not as it was saved.
fn is_damaged(state: &Value) -> bool {
    let Some(mut members) = state.as_object().cloned() else { return false };
    match members.shift_remove(CHECKSUM) {
        Some(expected) => expected.as_str() != Some(checksum(&Value::Object(members).to_string()).as_str()),
        // The name of the checksum itself may be damaged.
        None => members.keys().any(|name| !MEMBERS.contains(&name.as_str())),
    }
}

fn change_value(change: &RecordChange) -> Value {
    object([
        ("kind", change.kind_name().into()),
        ("at", change.at.to_string().into()),
        (RECORD, value(&change.record)),
        ("before", change.before.as_ref().map(value).into()),
        ("deal", change.nested.as_ref().map(value).into()),
        ("deal_before", change.nested_before.as_ref().map(value).into()),
    ])
}

fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn value(record: &Fields) -> Value {
    let json = record.json();
    // A record with an unpaired surrogate is saved as a string.
    json.to_value().unwrap_or_else(|| json.text().into())
}

/// Replaces the secrets in a value.
fn redacted(value: Value, secret: SecretNames) -> Value {
    match value {
        Value::Array(elements) => elements.into_iter().map(|element| redacted(element, secret)).collect(),
        Value::Object(members) => {
            let each = members.into_iter().map(|(name, member)| {
                let is_secret = secret.contains(&name) && !member.is_null();
                let shown = if is_secret { HIDDEN.into() } else { redacted(member, secret) };
                (name, shown)
            });
            Value::Object(each.collect())
        }
        other => other,
    }
}

/// Reads a saved state for a watch that continues it.
pub(super) fn read(text: &str, options: &WatchOptions) -> Result<WatchState, Error> {
    let unreadable = |what: &str| {
        Error::Configuration(format!(
            "the state given as since= can't be used: {what}; pass what a watch's state or save() returned, or omit since \
             to start again"
        ))
    };
    let state: Value = serde_json::from_str(text).map_err(|error| unreadable(&format!("it is not JSON: {error}")))?;
    let version =
        state.get(MARK).and_then(Value::as_u64).ok_or_else(|| unreadable("it is not the state of a watch"))?;
    if version > VERSION {
        return Err(unreadable(&format!(
            "it was written by a newer botdesk (version {version}; this one reads {VERSION}); update botdesk"
        )));
    }
    if is_damaged(&state) {
        return Err(unreadable("it is damaged, because its checksum does not match"));
    }
    let watched = options.scope.subject.resource();
    if let Some(other) = state.get(RESOURCE).and_then(Value::as_str).filter(|other| *other != watched) {
        return Err(unreadable(&format!("it is of a watch of {other}, not of {watched}")));
    }
    if let Some(other) = other_owner(&state, options) {
        return Err(unreadable(&other));
    }
    let filters =
        state.get("filters").and_then(Value::as_object).ok_or_else(|| unreadable("its filters are missing"))?;
    if *filters != options.filters {
        let [kept, given] = [filters, &options.filters].map(shown);
        return Err(unreadable(&format!("it is of a watch with other filters ({kept}, not {given})")));
    }
    parts(&state, options.scope.subject).ok_or_else(|| unreadable("parts of it are missing"))
}

/// Returns why a state is of the records of another owner, if it is.
fn other_owner(state: &Value, options: &WatchOptions) -> Option<String> {
    let Some(kept) = state.get(OWNER).and_then(|kept| Identity::deserialize(kept).ok()) else {
        return Some(format!("it does not say whose {}s it is of", options.scope.subject.noun()));
    };
    kept.difference(&options.owner).map(|difference| format!("it is of {difference}"))
}

fn shown(filters: &Map<String, Value>) -> String {
    if filters.is_empty() {
        return "none".to_owned();
    }
    filters.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

fn parts(state: &Value, subject: Subject) -> Option<WatchState> {
    let kept = |kept| kept_record(kept, subject);
    let records = state.get("bots")?.as_array()?.iter().map(kept).collect::<Option<BTreeMap<_, _>>>()?;
    let snapshot = Snapshot { is_complete: state.get("begun")?.as_bool()?, records };
    let change = |kept| change(kept, subject);
    let waiting = state.get("changes")?.as_array()?.iter().map(change).collect::<Option<_>>()?;
    Some(WatchState { snapshot, waiting, ..WatchState::default() })
}

fn kept_record(kept: &Value, subject: Subject) -> Option<(i64, Known)> {
    let fields = record(kept.get(RECORD)?, subject.record())?;
    let nested = match kept.get(NESTED)? {
        Value::Null => None,
        nested => {
            let spec = subject.nested()?.record;
            Some(nested.as_array()?.iter().map(|kept| record(kept, spec)).collect::<Option<Vec<_>>>()?)
        }
    };
    let id = fields.id().ok().flatten()?;
    let state = known_state(subject, None, &RecordState { record: fields, nested }).state;
    Some((id, Known { state, reported: BTreeSet::new(), last_fetch: 0 }))
}

fn change(kept: &Value, subject: Subject) -> Option<RecordChange> {
    let name = kept.get("kind")?.as_str()?;
    let kind = *ChangeKind::ALL.iter().find(|kind| kind.name(subject.watched()) == name)?;
    let at: Timestamp = kept.get("at")?.as_str()?.parse().ok()?;
    let fields = record(kept.get(RECORD)?, subject.record())?;
    let before = maybe(kept, "before", Some(subject.record()))?;
    let spec = subject.nested().map(|nested| nested.record);
    let (nested, nested_before) = (maybe(kept, "deal", spec)?, maybe(kept, "deal_before", spec)?);
    let mut change = RecordChange { before, nested, nested_before, ..RecordChange::new(subject, kind, fields, at) };
    change.fields = changed_fields(&change);
    Some(change)
}

/// Returns the fields of a change, which follow from its records.
fn changed_fields(change: &RecordChange) -> Vec<Change> {
    let RecordChange { subject, kind, record, before, nested, nested_before, .. } = change;
    let changed = |before: &Fields, now: &Fields| edits(subject, before, &known(*subject, Some(before), now));
    match (kind, before, nested, nested_before) {
        (ChangeKind::Edited | ChangeKind::Ended, Some(before), ..) => changed(before, record),
        (ChangeKind::NestedChanged | ChangeKind::NestedClosed, _, Some(nested), Some(before)) => {
            changed(before, nested)
        }
        _ => Vec::new(),
    }
}

/// Returns a record, which may be null; None if it is missing or not a record.
#[allow(clippy::option_option, reason = "null is not absence")]
fn maybe(kept: &Value, name: &str, spec: Option<&'static RecordSpec>) -> Option<Option<Fields>> {
    match kept.get(name)? {
        Value::Null => Some(None),
        other => record(other, spec?).map(Some),
    }
}

fn record(kept: &Value, spec: &'static RecordSpec) -> Option<Fields> {
    match kept {
        Value::String(text) => spec.from_json(text).ok(),
        other => spec.from_json(&other.to_string()).ok(),
    }
}
