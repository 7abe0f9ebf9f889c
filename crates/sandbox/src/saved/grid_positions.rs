//! The positions of grid bots in state files.

use serde::{Deserialize, Serialize};

use super::{Document, Problem, take, to_json};
use crate::state::State;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::grid_bot::GridPosition;

/// The list with the positions.
const NAME: &str = "grid_positions";

/// The position of a grid bot that traded since its levels were placed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GridPositionEntry {
    id: u64,
    quantity: Decimal,
    cost: Decimal,
}

/// Writes the positions to a document, unless there are none.
pub(crate) fn save_grid_positions(state: &State, document: &mut Document) {
    let entries = state.grid_positions.iter().map(|(id, position)| {
        to_json(&GridPositionEntry { id: *id, quantity: position.quantity.clone(), cost: position.cost.clone() })
    });
    if entries.len() > 0 {
        document.insert(NAME.to_owned(), entries.collect());
    }
}

/// Reads the positions from a document.
pub(crate) fn load_grid_positions(state: &mut State, document: &mut Document) -> Result<(), Problem> {
    for (at, GridPositionEntry { id, quantity, cost }) in take(document, NAME)? {
        if !state.store.grid_bots.contains_key(&id) {
            return Err(format!("{at}: no grid bot has the id {id}"));
        }
        if state.grid_positions.insert(id, GridPosition { quantity, cost }).is_some() {
            return Err(format!("{at}: {id} appears twice"));
        }
    }
    Ok(())
}
