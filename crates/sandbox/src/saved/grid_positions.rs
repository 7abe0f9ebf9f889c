//! The runs of grid bots in state files, such as their positions.

use serde::{Deserialize, Serialize};

use super::{Document, Problem, take, to_json};
use crate::state::State;
use botdesk_trading::engine::GridRun;

/// The list with the positions.
const NAME: &str = "grid_positions";

/// The run of a grid bot since its levels were placed.
#[derive(Serialize, Deserialize)]
struct GridPositionEntry {
    id: u64,
    #[serde(flatten)]
    run: GridRun,
}

/// Writes the runs to a document, unless there are none.
pub(crate) fn save_grid_positions(state: &State, document: &mut Document) {
    let entry = |(id, run): (&u64, &GridRun)| to_json(&GridPositionEntry { id: *id, run: run.clone() });
    let entries = state.grid_positions.iter().map(entry);
    if entries.len() > 0 {
        document.insert(NAME.to_owned(), entries.collect());
    }
}

/// Reads the runs from a document.
pub(crate) fn load_grid_positions(state: &mut State, document: &mut Document) -> Result<(), Problem> {
    for (at, GridPositionEntry { id, run }) in take(document, NAME)? {
        if !state.store.grid_bots.contains_key(&id) {
            return Err(format!("{at}: no grid bot has the id {id}"));
        }
        if state.grid_positions.insert(id, run).is_some() {
            return Err(format!("{at}: {id} appears twice"));
        }
    }
    Ok(())
}
