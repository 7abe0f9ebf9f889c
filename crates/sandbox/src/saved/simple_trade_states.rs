//! The states of simple trades in state files, which their records do not contain.

use serde::{Deserialize, Serialize};

use super::{Document, Problem, optional_time, take, to_json};
use crate::clock::timestamp;
use crate::order_prices::OrderState;
use crate::record::string;
use crate::state::State;
use botdesk_trading::decimal::Decimal;

/// The list with the states.
const NAME: &str = "simple_trade_states";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateEntry {
    uuid: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    best: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checked_at: Option<String>,
}

/// Writes the states to a document, unless there are none.
pub(crate) fn save_simple_trade_states(state: &State, document: &mut Document) {
    let entries = state.simple_trade_states.iter().filter_map(|(id, saved)| {
        let uuid = string(state.store.trades.get(id)?, "uuid").to_owned();
        let best = saved.best.as_ref().map(Decimal::from);
        Some(to_json(&StateEntry { uuid, best, checked_at: saved.checked_at.map(timestamp) }))
    });
    let entries: Vec<_> = entries.collect();
    if !entries.is_empty() {
        document.insert(NAME.to_owned(), entries.into());
    }
}

/// Reads the states from a document.
pub(crate) fn load_simple_trade_states(state: &mut State, document: &mut Document) -> Result<(), Problem> {
    for (at, StateEntry { uuid, best, checked_at }) in take(document, NAME)? {
        let known = state.store.trades.iter().find(|(_, trade)| string(trade, "uuid") == uuid);
        let id = *known.ok_or_else(|| format!("{at}: no simple trade has the uuid {uuid}"))?.0;
        let checked_at = optional_time(checked_at, &format!("{at}.checked_at"))?;
        let read = OrderState { best: best.map(|best| best.to_big()), checked_at };
        if state.simple_trade_states.insert(id, read).is_some() {
            return Err(format!("{at}: {uuid} appears twice"));
        }
    }
    Ok(())
}
