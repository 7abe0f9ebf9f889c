//! The times in state files at which what is pending in SmartTrades is carried out.

use serde::{Deserialize, Serialize};

use super::{Document, Problem, take, time, to_json};
use crate::clock::timestamp;
use crate::state::State;

/// The list with the times.
const NAME: &str = "smart_trade_timers";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimerEntry {
    id: u64,
    at: String,
}

/// Writes the times to a document, unless there are none.
pub(crate) fn save_smart_trade_timers(state: &State, document: &mut Document) {
    let entry = |(id, at): (&u64, &jiff::Timestamp)| to_json(&TimerEntry { id: *id, at: timestamp(*at) });
    if !state.smart_trade_timers.is_empty() {
        document.insert(NAME.to_owned(), state.smart_trade_timers.iter().map(entry).collect());
    }
}

/// Reads the times from a document.
pub(crate) fn load_smart_trade_timers(state: &mut State, document: &mut Document) -> Result<(), Problem> {
    for (place, TimerEntry { id, at }) in take(document, NAME)? {
        if !state.store.smart_trades.contains_key(&id) {
            return Err(format!("{place}: no SmartTrade has the id {id}"));
        }
        let at = time(&at, &format!("{place}.at"))?;
        if state.smart_trade_timers.insert(id, at).is_some() {
            return Err(format!("{place}: {id} appears twice"));
        }
    }
    Ok(())
}
