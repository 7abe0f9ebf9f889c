//! The states of the orders of SmartTrades in state files, which their records do not contain.

use serde::{Deserialize, Serialize};

use super::{Document, Problem, optional_time, take, to_json};
use crate::clock::timestamp;
use crate::order_prices::OrderState;
use crate::smart_trade_orders::OrderId;
use crate::state::State;
use botdesk_trading::decimal::Decimal;

/// The list with the states.
const NAME: &str = "smart_trade_orders";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderEntry {
    id: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    best: Option<Decimal>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checked_at: Option<String>,
}

/// Writes the states to a document, unless there are none.
pub(crate) fn save_smart_trade_orders(state: &State, document: &mut Document) {
    let entry = |(id, saved): (&u64, &OrderState)| {
        let best = saved.best.as_ref().map(Decimal::from);
        to_json(&OrderEntry { id: *id, best, checked_at: saved.checked_at.map(timestamp) })
    };
    if !state.smart_trade_orders.is_empty() {
        document.insert(NAME.to_owned(), state.smart_trade_orders.iter().map(entry).collect());
    }
}

/// Reads the states from a document.
pub(crate) fn load_smart_trade_orders(state: &mut State, document: &mut Document) -> Result<(), Problem> {
    for (at, OrderEntry { id, best, checked_at }) in take(document, NAME)? {
        if !state.store.smart_trades.contains_key(&OrderId::owner(id)) {
            return Err(format!("{at}: no SmartTrade has the order {id}"));
        }
        let checked_at = optional_time(checked_at, &format!("{at}.checked_at"))?;
        let read = OrderState { best: best.map(|best| best.to_big()), checked_at };
        if state.smart_trade_orders.insert(id, read).is_some() {
            return Err(format!("{at}: {id} appears twice"));
        }
    }
    Ok(())
}
