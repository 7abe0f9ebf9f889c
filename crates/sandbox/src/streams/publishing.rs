//! Finds the records that have changed since they were last published.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use serde_json::Value;

use crate::deal_reads::with_events;
use crate::record::{JsonRecord, is_true, string};
use crate::resource::Resource as _;
use crate::smart_trade_figures::nested_string;
use crate::smart_trades::SmartTrades;
use crate::state::State;
use crate::store::Table;
use botdesk_api::deals::Deal;
use botdesk_api::{deals, smart_trades};
use botdesk_schema::record::Record as _;

/// A record that was created or changed.
pub(super) struct Change {
    /// The name of the resource.
    pub(super) resource: &'static str,
    /// The record as the stream sends it.
    pub(super) record: Value,
}

/// The records as they were last published.
#[derive(Default)]
pub(super) struct Published {
    deals: Table,
    /// The status of each SmartTrade: the stream sends changes of nothing else.
    smart_trades: BTreeMap<u64, String>,
}

/// The fields of a deal that change by themselves.
static VOLATILE: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| Deal::SPEC.rows.iter().filter(|row| row.volatile).map(|row| row.wire).collect());

impl Published {
    /// Returns a state as published.
    pub(super) fn of(state: &mut State) -> Self {
        let mut published = Self::default();
        drop(published.update(state, false));
        published
    }

    /// Takes a state as published, and returns what has changed. `ticks` counts mere price ticks of deals too.
    pub(super) fn update(&mut self, state: &mut State, ticks: bool) -> Vec<Change> {
        // Deals that finished before the sandbox started are written late, which is no change.
        state.write_history();
        state.write_records();
        let changes = [
            (deals::RESOURCE.name, self.changed_deals(state, ticks)),
            (smart_trades::RESOURCE.name, self.changed_smart_trades(state)),
        ];
        let of =
            |(resource, records): (_, Vec<Value>)| records.into_iter().map(move |record| Change { resource, record });
        changes.into_iter().flat_map(of).collect()
    }

    fn changed_deals(&mut self, state: &State, ticks: bool) -> Vec<Value> {
        let is_new =
            |(id, now): &(&u64, &JsonRecord)| self.deals.get(id).is_none_or(|before| differ(before, now, ticks));
        let mut changed: Vec<_> = state.store.deals.iter().filter(is_new).map(|(id, _)| *id).collect();
        changed.sort_by_key(|id| state.store.deals.get(id).map(|deal| string(deal, "updated_at")));
        let mut records = Vec::new();
        for id in changed {
            let Some(deal) = state.store.deals.get(&id) else { continue };
            self.deals.insert(id, deal.clone());
            records.push(Value::Object(with_events(state, deal.clone())));
        }
        records
    }

    fn changed_smart_trades(&mut self, state: &State) -> Vec<Value> {
        let mut records = Vec::new();
        for (id, trade) in &state.store.smart_trades {
            let status = nested_string(trade, "status.type");
            if self.smart_trades.get(id).is_some_and(|before| before == status) {
                continue;
            }
            self.smart_trades.insert(*id, status.to_owned());
            records.extend(SmartTrades.current(state, *id).map(|trade| Value::Object(trade.into_owned())));
        }
        records
    }
}

/// Returns true if two states of a deal differ in more than what changes by itself.
fn differ(before: &JsonRecord, now: &JsonRecord, ticks: bool) -> bool {
    // Most deals are over, and what is over is not written again.
    let is_over = is_true(before, "finished?") && is_true(now, "finished?");
    if is_over && before.get("updated_at") == now.get("updated_at") {
        return false;
    }
    let is_compared = |name: &str| ticks || !VOLATILE.contains(name);
    let differs = |(name, value): (&String, &Value)| is_compared(name) && before.get(name) != Some(value);
    now.iter().any(differs) || before.keys().any(|name| is_compared(name) && !now.contains_key(name))
}
