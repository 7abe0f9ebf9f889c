//! What the grid bots have done, in state files.

use serde::{Deserialize, Serialize};

use super::{Document, Problem, take, time, to_json};
use crate::grid_history::GridHistory;
use crate::state::State;

/// The list with the histories.
const NAME: &str = "grid_histories";

/// The history of a grid bot that did something in the sandbox.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GridHistoryEntry {
    id: u64,
    history: GridHistory,
}

/// Writes the histories to a document, unless there are none.
pub(crate) fn save_grid_histories(state: &State, document: &mut Document) {
    let entry = |(id, history): (&u64, &GridHistory)| to_json(&GridHistoryEntry { id: *id, history: history.clone() });
    let entries = state.grid_histories.iter().map(entry);
    if entries.len() > 0 {
        document.insert(NAME.to_owned(), entries.collect());
    }
}

/// Reads the histories from a document.
pub(crate) fn load_grid_histories(state: &mut State, document: &mut Document) -> Result<(), Problem> {
    for (at, GridHistoryEntry { id, history }) in take(document, NAME)? {
        if !state.store.grid_bots.contains_key(&id) {
            return Err(format!("{at}: no grid bot has the id {id}"));
        }
        for created_at in history.times() {
            time(created_at, &format!("{at}: {created_at:?}"))?;
        }
        if state.grid_histories.insert(id, history).is_some() {
            return Err(format!("{at}: {id} appears twice"));
        }
    }
    Ok(())
}
