//! The take-profit steps that SmartTrades have had, also those which their records do not contain any more.

use std::collections::BTreeMap;

use serde_json::Value;

use super::record::JsonRecord;
use super::smart_trade_orders::OrderId;
use super::smart_trade_parts::{code, steps};
use botdesk_trading::engine::smart_trade::OrderStatus;

/// The steps of a SmartTrade that its record does not contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StepHistory {
    /// The number of the last step that it has had; 0 if its record has them all.
    pub(crate) last: u64,
    /// The steps that were filled before it was cancelled or failed. The record then has no steps, but their trades are listed.
    pub(crate) filled: Vec<JsonRecord>,
}

/// The steps of all SmartTrades that their records do not contain, by the identifiers of the SmartTrades.
#[derive(Debug, Default)]
pub(crate) struct StepHistories(pub(crate) BTreeMap<u64, StepHistory>);

impl StepHistories {
    /// Returns the number of the last step that a SmartTrade has had.
    pub(crate) fn last(&self, id: u64, trade: &JsonRecord) -> u64 {
        let removed = self.0.get(&id).map_or(0, |history| history.last);
        let current = steps(trade).filter_map(id_of_step).map(OrderId::step_number);
        current.max().unwrap_or_default().max(removed)
    }

    /// Notes the number of the last step of a SmartTrade, so that no later step gets the identifier of one that is removed.
    pub(crate) fn note_last(&mut self, id: u64, last: u64) {
        self.0.entry(id).or_default().last = last;
    }

    /// Returns the filled steps of a SmartTrade that its record does not contain.
    pub(crate) fn filled(&self, id: u64) -> &[JsonRecord] {
        self.0.get(&id).map(|history| &*history.filled).unwrap_or_default()
    }

    /// Keeps the filled steps of a SmartTrade that a change removes from its record.
    pub(crate) fn keep_filled(&mut self, id: u64, before: &JsonRecord, after: &JsonRecord) {
        let is_removed = |step: &&JsonRecord| !steps(after).any(|other| id_of_step(other) == id_of_step(step));
        let filled = steps(before).filter(|step| OrderStatus::of(code(step)).is_filled());
        let removed: Vec<_> = filled.filter(is_removed).cloned().collect();
        if !removed.is_empty() {
            self.0.entry(id).or_default().filled.extend(removed);
        }
    }
}

/// Returns the identifier of a step.
pub(crate) fn id_of_step(step: &JsonRecord) -> Option<u64> {
    step.get("id").and_then(Value::as_u64)
}
