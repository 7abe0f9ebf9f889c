//! The search for what a write has made if its outcome is unknown: the lists in its row are read, and what is older, or what equal
//! writes of the client have made, is left out.

use std::borrow::Cow;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::Value;
use tokio::time::Instant;

use crate::error::Error;
use crate::http::HttpClient;
use crate::recent_writes::CarriedOut;
use crate::request::spec::{InputValues, RequestSpec};
use botdesk_api::reference;
use botdesk_schema::id::Id;
use botdesk_schema::input::Inputs;
use botdesk_schema::json::Json;
use botdesk_schema::operation::{Operation, Trace};
use botdesk_schema::record::{Fields, RecordSpec};
use botdesk_schema::values::{Field, FieldType as _, Timestamp as TimeField};

/// How much older than the request a record may be: a `Date` has whole seconds.
const TOLERANCE: Duration = Duration::from_secs(2);

/// The search for what a write has made.
#[derive(Clone, Debug)]
pub struct TraceSearch {
    operation: &'static Operation,
    ids: Vec<Id>,
    path: String,
    body: Value,
    sent: Instant,
    /// The time of the service when the request was sent; None if no response had told it until then.
    sent_at: Option<Timestamp>,
}

impl TraceSearch {
    /// Returns the search for what a request is about to make; None if its row has no lists.
    pub fn new(client: &HttpClient, operation: &'static Operation, request: &RequestSpec) -> Option<Self> {
        if operation.traces.is_empty() {
            return None;
        }
        let sent = Instant::now();
        Some(Self {
            operation,
            ids: request.ids.clone(),
            path: request.path.clone(),
            body: request.json_body(),
            sent,
            sent_at: client.service_time(sent),
        })
    }

    /// Reads the lists, and returns what the write may have made, the newest first, with the type of the records.
    pub async fn find(&self, client: &HttpClient) -> Result<(&'static RecordSpec, Vec<Fields>), Error> {
        let started = Instant::now();
        let mut spec = self.operation.record();
        let mut found = Vec::new();
        for trace in self.operation.traces {
            let unknown = || Error::Configuration(format!("botdesk has no operation {}", trace.list));
            let list = reference::operation(trace.list).ok_or_else(unknown)?;
            spec = list.record();
            let records = client.records(self.request(list, trace)?).await?;
            let matching = records.into_iter().filter(|record| self.has(record, trace));
            found.extend(matching.map(|record| (created(&record, trace.time), record)));
        }
        // Of equal times, what the list has first is the newest.
        found.reverse();
        found.sort_by_key(|(created, _)| *created);
        leave_out_copies(&mut found);
        let sent_at = self.sent_at(client, started.elapsed()).ok_or_else(|| no_time(self.operation))?;
        self.leave_out_others(client, &mut found);
        let since = earliest(sent_at);
        // A record without a time may be the one.
        found.retain(|(created, _)| created.is_none_or(|created| created >= since));
        if let Some(write) = self.carried_out(sent_at, &found) {
            client.recent_writes.add(write);
        }
        Ok((spec, found.into_iter().rev().map(|(_, record)| record).collect()))
    }

    /// Returns the write, if something was found that it may have made.
    fn carried_out(&self, sent_at: Timestamp, found: &[(Option<i64>, Fields)]) -> Option<CarriedOut> {
        let (oldest, record) = found.first()?;
        let until = oldest.and_then(|oldest| Timestamp::from_microsecond(oldest).ok()).unwrap_or(sent_at);
        let made = if found.len() == 1 { record.identifier().map(Cow::into_owned) } else { None };
        let (path, body) = (self.path.clone(), self.body.clone());
        Some(CarriedOut { path, body, sent: self.sent, made, is_guess: true, between: (sent_at, until) })
    }

    /// Leaves out what other writes have made: what has its identifier or, if no response told it, the oldest record of its time.
    fn leave_out_others(&self, client: &HttpClient, found: &mut Vec<(Option<i64>, Fields)>) {
        for other in client.recent_writes.matching(|other| self.may_match(other)) {
            let (since, until) = (earliest(other.between.0), latest(other.between.1));
            let is_made = |(created, record): &(Option<i64>, Fields)| match &other.made {
                Some(made) => record.identifier().as_deref() == Some(made),
                None => created.is_some_and(|created| (since..=until).contains(&created)),
            };
            if let Some(made) = found.iter().position(is_made) {
                found.remove(made);
            }
        }
    }

    /// Returns true if the search also finds what another write has made. What was found for a write with another body may have been
    /// made by this one.
    fn may_match(&self, other: &CarriedOut) -> bool {
        if other.path != self.path || other.sent == self.sent || (other.is_guess && other.body != self.body) {
            return false;
        }
        let mut values = self.operation.traces.iter().flat_map(|trace| trace.has).map(|(_, text)| text);
        values.all(|text| self.value(text).is_none_or(|expected| self.value_in(text, &other.body) == Some(expected)))
    }

    /// Returns the time of the service when the request was sent, after the lists were read in a duration; None if it is unknown.
    ///
    /// The lists have told the time once more, up to their duration too early. That counts if the clock of the service runs slower
    /// than this machine's: what the write has made must not look older than the request.
    fn sent_at(&self, client: &HttpClient, duration: Duration) -> Option<Timestamp> {
        let again = client.service_time(self.sent);
        let Some(sent_at) = self.sent_at else { return again };
        let latest = again.and_then(|again| again.checked_add(duration).ok());
        Some(latest.map_or(sent_at, |latest| latest.min(sent_at)))
    }

    fn request(&self, list: &'static Operation, trace: &Trace) -> Result<RequestSpec, Error> {
        let inputs = list.inputs().unwrap_or(&Inputs::NONE);
        let given = trace.asked.iter().filter_map(|(name, value)| {
            let input = inputs.rows.iter().find(|input| input.name == *name)?;
            Some((input.key(), Field::Value(self.value(value)?)))
        });
        let given = InputValues { inputs: given.collect(), ..InputValues::none() };
        let ids = if list.has_id() { self.ids.clone() } else { Vec::new() };
        RequestSpec::with(list, ids, given)
    }

    /// Returns true if a record has the values of what the write has made.
    fn has(&self, record: &Fields, trace: &Trace) -> bool {
        trace.has.iter().all(|(field, value)| {
            let actual = record.value(field).and_then(Json::to_value);
            self.value(value).is_none_or(|expected| actual == Some(expected))
        })
    }

    /// Returns the value that a text stands for; None if the write has no such input.
    fn value(&self, text: &str) -> Option<Value> {
        self.value_in(text, &self.body)
    }

    fn value_in(&self, text: &str, body: &Value) -> Option<Value> {
        let Some(name) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
            return Some(Value::from(text));
        };
        if name == "id" {
            return self.ids.first()?.number().map(Value::from);
        }
        body.get(name).filter(|value| !value.is_null()).cloned()
    }
}

/// Leaves out a record that two lists had, because it moved from one to the other between the requests.
fn leave_out_copies(found: &mut Vec<(Option<i64>, Fields)>) {
    let mut ids = Vec::new();
    found.retain(|(_, record)| {
        let id = record.identifier().map(Cow::into_owned);
        let is_copy = id.is_some() && ids.contains(&id);
        ids.push(id);
        !is_copy
    });
}

/// Returns the earliest time, in microseconds since 1970, of what a write has made that was sent at a time of the service.
fn earliest(sent_at: Timestamp) -> i64 {
    sent_at.checked_sub(TOLERANCE).unwrap_or(Timestamp::MIN).as_microsecond()
}

/// Returns the latest time, in microseconds since 1970, of what a write has made that was carried out at a time of the service.
fn latest(done_at: Timestamp) -> i64 {
    done_at.checked_add(TOLERANCE).unwrap_or(Timestamp::MAX).as_microsecond()
}

/// Returns the time of a record in microseconds since 1970.
fn created(record: &Fields, path: &[&str]) -> Option<i64> {
    let (first, rest) = path.split_first()?;
    let json = rest.iter().try_fold(record.value(first)?, |json, name| json.member(name))?;
    let seconds = || json.number_or_string()?.parse::<i64>().ok()?.checked_mul(1_000_000);
    TimeField::read(json).and_then(|time| time.microseconds()).or_else(seconds)
}

fn no_time(operation: &Operation) -> Error {
    Error::Configuration(format!(
        "the service does not say its time, so what {} has made can't be told from what was there before; list the \
         records yourself",
        operation.name
    ))
}
