//! The take-profit steps of SmartTrades in state files, which their records do not contain.

use serde::{Deserialize, Serialize};

use super::{Document, Problem, take, to_json};
use crate::record::JsonRecord;
use crate::smart_trade_steps::StepHistory;
use crate::state::State;

/// The list with the steps.
const NAME: &str = "smart_trade_steps";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StepsEntry {
    id: u64,
    last: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    filled: Vec<JsonRecord>,
}

/// Writes the steps to a document, unless there are none.
pub(crate) fn save_smart_trade_steps(state: &State, document: &mut Document) {
    let entry = |(id, history): (&u64, &StepHistory)| {
        let StepHistory { last, filled } = history.clone();
        to_json(&StepsEntry { id: *id, last, filled })
    };
    if !state.smart_trade_steps.0.is_empty() {
        document.insert(NAME.to_owned(), state.smart_trade_steps.0.iter().map(entry).collect());
    }
}

/// Reads the steps from a document.
pub(crate) fn load_smart_trade_steps(state: &mut State, document: &mut Document) -> Result<(), Problem> {
    for (at, StepsEntry { id, last, filled }) in take(document, NAME)? {
        if !state.store.smart_trades.contains_key(&id) {
            return Err(format!("{at}: no SmartTrade has the id {id}"));
        }
        if state.smart_trade_steps.0.insert(id, StepHistory { last, filled }).is_some() {
            return Err(format!("{at}: {id} appears twice"));
        }
    }
    Ok(())
}
