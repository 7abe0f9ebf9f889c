//! The known state of a record: a field that is absent or can't be read keeps its last value.

use std::collections::BTreeMap;

use super::record_state::RecordState;
use super::subject::Subject;
use botdesk_schema::field::FieldSpec;
use botdesk_schema::input::Input;
use botdesk_schema::json::Json;
use botdesk_schema::record::{Fields, RecordSpec};

/// Returns the settings of a record, which do not change by themselves, with their indices.
pub(crate) fn settings(spec: &'static RecordSpec) -> impl Iterator<Item = (usize, &'static FieldSpec)> {
    spec.rows.iter().enumerate().filter(|(_, row)| !row.volatile && !row.secret)
}

/// The state of a watched field in a response.
enum Reading {
    /// It can be read.
    Known,
    /// It is absent.
    Absent,
    /// It can't be read, for this reason.
    Malformed(String),
}

/// Reads the watched fields, by their names in the JSON.
fn readings(subject: Subject, record: &Fields) -> impl Iterator<Item = (&'static str, Reading)> {
    let states = record.spec().rows.iter().enumerate().filter(move |(_, row)| row.volatile && subject.is_state(row));
    let rows = settings(record.spec()).chain(states);
    let rows = rows.map(move |(index, row)| (row.wire, of_row(&subject, record, index, row)));
    rows.chain(subject.unlisted(record).map(move |input| (input.wire, of_input(record, input))))
}

fn of_row(subject: &Subject, fields: &Fields, index: usize, row: &FieldSpec) -> Reading {
    match fields.get(index) {
        None => Reading::Absent,
        Some(json) if json.is_null() && subject.is_state(row) => {
            Reading::Malformed(format!("{}.{} is null", fields.spec().name, row.name))
        }
        Some(_) => {
            fields.check_at(index).map_or_else(|error| Reading::Malformed(error.to_string()), |()| Reading::Known)
        }
    }
}

fn of_input(record: &Fields, input: &Input) -> Reading {
    match record.value(input.wire) {
        None => Reading::Absent,
        Some(json) if json.is_null() || input.input_type.reads(json) => Reading::Known,
        Some(_) => Reading::Malformed(format!("{}.{} can't be read", record.spec().name, input.name)),
    }
}

/// The known state of a record, and the fields of the response that can't be read.
struct KnownRecord {
    record: Fields,
    /// The names of the fields in the JSON, each with the reason.
    malformed: Vec<(&'static str, String)>,
}

impl KnownRecord {
    fn new(subject: Subject, before: Option<&Fields>, now: &Fields) -> Self {
        let (mut unknown, mut malformed) = (Vec::new(), Vec::new());
        for (wire, reading) in readings(subject, now) {
            match reading {
                Reading::Known => continue,
                Reading::Absent if held(before, wire).is_none() => continue,
                Reading::Absent => {}
                Reading::Malformed(why) => malformed.push((wire, why)),
            }
            unknown.push(wire);
        }
        Self { record: replaced(before, now, &unknown), malformed }
    }
}

fn held<'a>(before: Option<&'a Fields>, wire: &str) -> Option<Json<'a>> {
    before.and_then(|before| before.value(wire))
}

/// Returns a record in which the unknown fields have their values from before.
fn replaced(before: Option<&Fields>, now: &Fields, unknown: &[&str]) -> Fields {
    if unknown.is_empty() {
        return now.clone();
    }
    let is_known = |(key, _): &(Json<'_>, Json<'_>)| key.string().is_none_or(|key| !unknown.contains(&key.as_ref()));
    let members = now.json().members().unwrap_or_default();
    let readable = members.into_iter().filter(is_known).map(|(key, value)| format!("{}:{}", key.text(), value.text()));
    let kept = unknown.iter().filter_map(|wire| Some(format!("\"{wire}\":{}", held(before, wire)?.text())));
    let text = readable.chain(kept).collect::<Vec<_>>().join(",");
    now.spec().from_json(&format!("{{{text}}}")).unwrap_or_else(|_| now.clone())
}

/// Returns the known state of a record: as it is now, but with the last value of each field that is absent or can't be read.
pub(super) fn known(subject: Subject, before: Option<&Fields>, now: &Fields) -> Fields {
    KnownRecord::new(subject, before, now).record
}

/// Names a field of a record, or of one of the records in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FieldKey {
    /// The identifier of the record in it; None if the field is the record's own.
    pub(super) nested: Option<i64>,
    /// The name in the JSON.
    wire: &'static str,
}

/// The known state of a record and the records in it, and the fields that can't be read.
pub(super) struct KnownState {
    /// The record and the records in it.
    pub(super) state: RecordState,
    /// The fields, each with the reason.
    pub(super) malformed: BTreeMap<FieldKey, String>,
}

/// Returns the known state of a record and the records in it.
pub(super) fn known_state(subject: Subject, before: Option<&RecordState>, now: &RecordState) -> KnownState {
    let KnownRecord { record, malformed } = KnownRecord::new(subject, before.map(|before| &before.record), &now.record);
    let of_record = |(wire, why)| (FieldKey { nested: None, wire }, why);
    let mut malformed: BTreeMap<_, _> = malformed.into_iter().map(of_record).collect();
    if let Some(wire) = subject.switch().filter(|wire| now.record.value(wire).is_none()) {
        malformed.insert(FieldKey { nested: None, wire }, format!("{}.{wire} is absent", subject.record().name));
    }
    let earlier = before.and_then(|before| before.nested.as_deref()).unwrap_or_default();
    let noun = subject.nested().map_or("record", |nested| nested.noun);
    let mut known_nested = |nested: &Fields| {
        let before = earlier.iter().find(|earlier| earlier.id() == nested.id());
        let known = KnownRecord::new(subject, before, nested);
        let id = nested.id().ok().flatten().unwrap_or_default();
        let of_nested = |(wire, why)| (FieldKey { nested: Some(id), wire }, format!("{why} ({noun} {id})"));
        malformed.extend(known.malformed.into_iter().map(of_nested));
        known.record
    };
    let nested = now.nested.as_ref().map(|nested| nested.iter().map(&mut known_nested).collect());
    KnownState { state: RecordState { record, nested }, malformed }
}
