//! Saves the state of a stream as JSON without secrets, to continue it in another process.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::merge::{Begin, Returned};
use crate::credentials::account::Identity;
use crate::error::Error;
use botdesk_schema::record::{Fields, RecordSpec};

/// The version of the format.
const VERSION: u64 = 1;

/// The name of the member with the version, by which a saved state is recognized.
const MARK: &str = "botdesk_stream";

/// Where a resource continues.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// The time up to which all changes of a resource with a stream were taken, and the states of the minute before.
    Time(Begin),
    /// The state of the watch that polls a resource.
    Watch(String),
}

/// Returns the saved state.
pub(super) fn write(owner: &Identity, places: impl Iterator<Item = (&'static str, Place)>) -> String {
    let places: Map<String, Value> = places
        .map(|(resource, place)| {
            let place = match place {
                Place::Time(Begin { time, returned }) => place_in_time(time, returned),
                Place::Watch(state) => json!({ "watch": state }),
            };
            (resource.to_owned(), place)
        })
        .collect();
    json!({ MARK: VERSION, "owner": owner, "resources": places }).to_string()
}

fn place_in_time(time: i64, returned: Option<HashMap<i64, Returned>>) -> Value {
    let Some(returned) = returned else { return json!({ "time": time }) };
    let times: HashMap<_, _> = returned.iter().map(|(id, state)| (id, state.updated)).collect();
    let last: Vec<_> = returned.values().filter_map(|state| without_secrets(state.record.as_ref()?)).collect();
    json!({ "time": time, "returned": times, "last": last })
}

/// Returns a record as JSON without the fields that are secret.
fn without_secrets(record: &Fields) -> Option<Value> {
    let mut json: Value = serde_json::from_str(record.text()).ok()?;
    let members = json.as_object_mut()?;
    for row in record.spec().rows.iter().filter(|row| row.secret) {
        members.remove(row.wire);
    }
    Some(json)
}

/// A saved state that was read.
#[derive(Debug)]
pub(super) struct Saved(Map<String, Value>);

impl Saved {
    /// Reads a saved state, which has to be of the same service and key.
    pub(super) fn read(text: &str, owner: &Identity) -> Result<Self, Error> {
        let state: Value = serde_json::from_str(text).map_err(|_| unusable("it is not JSON"))?;
        match state.get(MARK).and_then(Value::as_u64) {
            Some(VERSION) => {}
            Some(_) => return Err(unusable("it is of another version of botdesk")),
            None => return Err(unusable("it is not the state of a stream")),
        }
        let owner_of_state = state.get("owner").cloned().unwrap_or_default();
        let owner_of_state: Identity =
            serde_json::from_value(owner_of_state).map_err(|_| unusable("it does not say whose records it is of"))?;
        if let Some(difference) = owner_of_state.difference(owner) {
            return Err(unusable(&format!("it is of {difference}")));
        }
        match state.get("resources") {
            Some(Value::Object(resources)) => Ok(Self(resources.clone())),
            _ => Err(unusable("it has no resources")),
        }
    }

    /// Returns where a resource with these records continues; None if it was not part of the stream, or had not begun.
    pub(super) fn place(&self, resource: &str, spec: &'static RecordSpec) -> Result<Option<Place>, Error> {
        let Some(place) = self.0.get(resource) else { return Ok(None) };
        let time = place.get("time").and_then(Value::as_i64);
        let time = time.map(|time| Place::Time(Begin { time, returned: returned(place, spec) }));
        let watch = || place.get("watch").and_then(Value::as_str).map(|state| Place::Watch(state.to_owned()));
        let place = time.or_else(watch).ok_or_else(|| unusable(&format!("the place of {resource} can't be read")))?;
        Ok(Some(place))
    }
}

/// Returns the states that were returned; None in a state of an older version of botdesk.
fn returned(place: &Value, spec: &'static RecordSpec) -> Option<HashMap<i64, Returned>> {
    let last = place.get("last").and_then(Value::as_array).into_iter().flatten();
    let mut last: HashMap<i64, Fields> = last
        .filter_map(|record| {
            let record = spec.from_json(&record.to_string()).ok()?;
            Some((record.id().ok().flatten()?, record))
        })
        .collect();
    let times = place.get("returned")?.as_object()?;
    let states = times.iter().map(|(id, time)| {
        let id = id.parse().ok()?;
        Some((id, Returned { updated: time.as_i64()?, record: last.remove(&id) }))
    });
    states.collect()
}

fn unusable(why: &str) -> Error {
    Error::Configuration(format!(
        "the state given as since= can't be used: {why}; pass the state of a stream of this client, or omit since"
    ))
}
