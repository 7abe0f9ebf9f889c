//! Records in state files.

mod dca_bots;
mod grid_histories;
mod grid_positions;
mod holdings;
mod simple_trade_states;
mod smart_trade_orders;
mod smart_trade_steps;
mod trade_timers;

pub(super) use dca_bots::{load_dca_bots, save_dca_bot};
pub(super) use grid_histories::{load_grid_histories, save_grid_histories};
pub(super) use grid_positions::{load_grid_positions, save_grid_positions};
pub(super) use holdings::{load_holdings, save_holdings};
pub(super) use simple_trade_states::{load_simple_trade_states, save_simple_trade_states};
pub(super) use smart_trade_orders::{load_smart_trade_orders, save_smart_trade_orders};
pub(super) use smart_trade_steps::{load_smart_trade_steps, save_smart_trade_steps};
pub(super) use trade_timers::{load_smart_trade_timers, save_smart_trade_timers};

use jiff::Timestamp;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::record::{JsonRecord, integer, string};
use super::record_type::RecordType;
use super::state::State;
use super::store::Table;
use super::{defaults, market, random};

/// The description of an error in a state file, with its location.
pub(super) type Problem = String;

/// The contents of a state file.
pub(super) type Document = Map<String, Value>;

/// Removes a list from a document; returns its elements, each with its location. A file of an older version may lack the list.
pub(super) fn take<T: DeserializeOwned>(document: &mut Document, name: &str) -> Result<Vec<(String, T)>, Problem> {
    let elements = match document.shift_remove(name) {
        None => Vec::new(),
        Some(Value::Array(elements)) => elements,
        Some(_) => return Err(format!("{name} is not a list")),
    };
    let elements = elements.into_iter().enumerate().map(|(index, element)| {
        let at = format!("{name}[{index}]");
        let element = serde_json::from_value(element).map_err(|error| format!("{at}: {error}"))?;
        Ok((at, element))
    });
    elements.collect()
}

/// Converts an entry to JSON.
pub(super) fn to_json(entry: &impl Serialize) -> Value {
    // It can't fail: entries consist of JSON and of strings.
    serde_json::to_value(entry).unwrap_or_default()
}

impl State {
    /// Returns a record of a state file. Its fields must be valid, and its account and its pair must exist.
    pub(super) fn restored(
        &self,
        record: JsonRecord,
        record_type: RecordType,
        at: &str,
    ) -> Result<JsonRecord, Problem> {
        let record = checked_record(record, record_type, at)?;
        if record_type.row("account_id").is_some() {
            require_account(&record, &self.store.accounts, at)?;
        }
        if record_type.row("pair").is_some() {
            self.require_pair(&record, at)?;
        }
        Ok(record)
    }

    fn require_pair(&self, record: &JsonRecord, at: &str) -> Result<(), Problem> {
        let pair = string(record, "pair");
        let known = self.market.listings.contains_key(pair);
        if known { Ok(()) } else { Err(format!("{at}: the market has no pair {pair:?}")) }
    }
}

/// Checks that every field of a record is valid. Missing fields get their samples.
fn checked_record(mut record: JsonRecord, record_type: RecordType, at: &str) -> Result<JsonRecord, Problem> {
    for row in record_type.rows().filter(|row| row.listed) {
        match record.get(row.wire) {
            None => {
                record.insert(row.wire.to_owned(), defaults::value(row));
            }
            Some(value) if !row.takes(value) => return Err(format!("{at}: {} is not {}", row.wire, row.type_name)),
            Some(value) => match market::problem(row, value) {
                None => {}
                Some(problem) => return Err(format!("{at}: {} {problem}", row.wire)),
            },
        }
    }
    Ok(record)
}

/// Adds a record to its table; returns its id.
pub(super) fn insert(records: &mut Table, record: JsonRecord, at: &str) -> Result<u64, Problem> {
    let id = integer(&record, "id").and_then(|id| u64::try_from(id).ok()).filter(|id| *id > 0);
    let id = id.ok_or_else(|| format!("{at}: id is not an integer greater than 0"))?;
    match records.insert(id, record) {
        Some(_) => Err(format!("{at}: the id {id} appears twice")),
        None => Ok(id),
    }
}

fn require_account(record: &JsonRecord, accounts: &Table, at: &str) -> Result<(), Problem> {
    let id = integer(record, "account_id").and_then(|id| u64::try_from(id).ok());
    let known = id.is_some_and(|id| accounts.contains_key(&id));
    if known { Ok(()) } else { Err(format!("{at}: account_id names an account that does not exist")) }
}

pub(super) fn time(string: &str, at: &str) -> Result<Timestamp, Problem> {
    string.parse().map_err(|_| format!("{at} is not an ISO 8601 timestamp"))
}

fn optional_time(string: Option<String>, at: &str) -> Result<Option<Timestamp>, Problem> {
    string.map(|string| time(&string, at)).transpose()
}

/// Replaces the secrets of a record with generated ones, because they may be real.
pub(super) fn replace_secrets(record: &JsonRecord, record_type: RecordType, seed: u64, id: u64) -> JsonRecord {
    let mut record = record.clone();
    for row in record_type.rows().filter(|row| row.secret) {
        if let Some(secret @ Value::String(_)) = record.get_mut(row.wire)
            && *secret != ""
        {
            *secret = Value::from(random::secret(seed, id, row.wire));
        }
    }
    record
}
