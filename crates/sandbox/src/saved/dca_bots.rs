//! DCA bots in state files: each with its deals, its events and its timers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Document, Problem, checked_record, insert, optional_time, replace_secrets, take, time, to_json};
use crate::clock;
use crate::deal_history::{DealHistory, ManualStatus, PlacedOrder};
use crate::fills::{Fills, OrderFill};
use crate::market::{milliseconds, time_of};
use crate::record::{JsonRecord, list};
use crate::record_type::RecordType;
use crate::state::{DcaBotState, DealState, State};
use botdesk_api::deals::Deal;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::dca_bot::PairTimers;
use botdesk_trading::engine::{HandClosing, ManualOrder, Milliseconds, OrderKind};

const DEAL: RecordType = RecordType::of::<Deal>("a deal");

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BotEntry {
    record: JsonRecord,
    deals: Vec<DealEntry>,
    finished: Vec<JsonRecord>,
    events: Vec<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    fills: Vec<FillEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    histories: Vec<HistoryEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    timers: Vec<TimersEntry>,
    /// The pause after the last deal, in files of older versions: it held back all pairs of the bot.
    #[serde(default, skip_serializing)]
    rests_until: Option<String>,
    /// The pending start, in files of older versions: it was for the first pair of the bot.
    #[serde(default, skip_serializing)]
    starts_at: Option<String>,
}

/// A filled order of a deal.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FillEntry {
    deal: u64,
    at: String,
    kind: OrderKind,
    price: Decimal,
    quantity: Decimal,
    total: Decimal,
}

/// The history of a deal by hand.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryEntry {
    deal: u64,
    events: Vec<Value>,
    told_fills: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    orders: Vec<PlacedEntry>,
}

/// An order that was placed by hand.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlacedEntry {
    number: u32,
    limit: Option<Decimal>,
    quantity: Decimal,
    placed_at: String,
    updated_at: String,
    status: ManualStatus,
}

/// An order that was placed by hand and waits.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WaitingEntry {
    number: u32,
    limit: Option<Decimal>,
    quantity: Decimal,
    arrives_at: Option<String>,
}

/// A take-profit step that is closed by hand.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClosingEntry {
    target: usize,
    at: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimersEntry {
    pair: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cooldown_until: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    starts_at: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DealEntry {
    record: JsonRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base_volume: Option<Decimal>,
    targets: usize,
    stops_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cancels_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closes_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout: Option<Milliseconds>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    manual_orders: Vec<WaitingEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hand_closings: Vec<ClosingEntry>,
}

/// Returns the entry of a DCA bot.
pub(crate) fn save_dca_bot(state: &State, record_type: RecordType, id: u64, record: &JsonRecord) -> Value {
    let bot = state.dca_bot_states.get(&id).cloned().unwrap_or_default();
    to_json(&BotEntry {
        record: replace_secrets(record, record_type, state.seed, id),
        deals: bot.deals.into_iter().filter_map(|deal| deal_entry(state, deal)).collect(),
        finished: state.finished_deals(id).cloned().collect(),
        events: bot.events,
        fills: fill_entries(&bot.fills),
        histories: history_entries(bot.histories),
        timers: bot.timers.iter().map(timers_entry).collect(),
        rests_until: None,
        starts_at: None,
    })
}

fn fill_entries(fills: &Fills) -> Vec<FillEntry> {
    let of_deal = |(deal, fills): (&u64, &Vec<OrderFill>)| {
        let deal = *deal;
        let entry = move |fill: OrderFill| {
            let OrderFill { at, kind, price, quantity, total } = fill;
            FillEntry { deal, at: clock::timestamp(at), kind, price, quantity, total }
        };
        fills.clone().into_iter().map(entry)
    };
    fills.iter().flat_map(of_deal).collect()
}

/// Returns the filled orders of deals. Files of older versions have none.
fn fills(entries: Vec<FillEntry>, at: &str) -> Result<Fills, Problem> {
    let mut fills = Fills::new();
    for (index, entry) in entries.into_iter().enumerate() {
        let FillEntry { deal, kind, price, quantity, total, .. } = entry;
        let at = time(&entry.at, &format!("{at}.fills[{index}].at"))?;
        fills.entry(deal).or_default().push(OrderFill { at, kind, price, quantity, total });
    }
    Ok(fills)
}

fn history_entries(histories: BTreeMap<u64, DealHistory>) -> Vec<HistoryEntry> {
    let order = |order: PlacedOrder| PlacedEntry {
        number: order.number,
        limit: order.limit,
        quantity: order.quantity,
        placed_at: clock::timestamp(order.placed_at),
        updated_at: clock::timestamp(order.updated_at),
        status: order.status,
    };
    let entry = |(deal, history): (u64, DealHistory)| {
        let DealHistory { events, told_fills, orders } = history;
        HistoryEntry { deal, events, told_fills, orders: orders.into_iter().map(order).collect() }
    };
    histories.into_iter().map(entry).collect()
}

fn histories(entries: Vec<HistoryEntry>, at: &str) -> Result<BTreeMap<u64, DealHistory>, Problem> {
    let mut histories = BTreeMap::new();
    for (index, entry) in entries.into_iter().enumerate() {
        let at = format!("{at}.histories[{index}]");
        let order = |order: PlacedEntry| -> Result<PlacedOrder, Problem> {
            let PlacedEntry { number, limit, quantity, status, .. } = order;
            let placed_at = time(&order.placed_at, &format!("{at}.orders.placed_at"))?;
            let updated_at = time(&order.updated_at, &format!("{at}.orders.updated_at"))?;
            Ok(PlacedOrder { number, limit, quantity, placed_at, updated_at, status })
        };
        let orders = entry.orders.into_iter().map(order).collect::<Result<_, _>>()?;
        histories.insert(entry.deal, DealHistory { orders, events: entry.events, told_fills: entry.told_fills });
    }
    Ok(histories)
}

fn waiting_entry(order: ManualOrder) -> WaitingEntry {
    let ManualOrder { number, limit, quantity, arrives_at } = order;
    WaitingEntry { number, limit, quantity, arrives_at: arrives_at.map(|at| clock::timestamp(time_of(at))) }
}

fn waiting_order(entry: WaitingEntry, at: &str) -> Result<ManualOrder, Problem> {
    let WaitingEntry { number, limit, quantity, arrives_at } = entry;
    let arrives_at = optional_time(arrives_at, &format!("{at}.manual_orders.arrives_at"))?.map(milliseconds);
    Ok(ManualOrder { number, limit, quantity, arrives_at })
}

fn closing_entry(closing: HandClosing) -> ClosingEntry {
    ClosingEntry { target: closing.target, at: closing.at.map(|at| clock::timestamp(time_of(at))) }
}

fn hand_closing(entry: ClosingEntry, at: &str) -> Result<HandClosing, Problem> {
    let closes_at = optional_time(entry.at, &format!("{at}.hand_closings.at"))?.map(milliseconds);
    Ok(HandClosing { target: entry.target, at: closes_at })
}

fn deal_entry(state: &State, deal: DealState) -> Option<DealEntry> {
    let DealState { id, base_volume, targets, stops_at, cancels_at, closes_at, timeout, .. } = deal;
    let [stops_at, cancels_at, closes_at] = [stops_at, cancels_at, closes_at].map(|time| time.map(clock::timestamp));
    let record = state.store.deals.get(&id)?.clone();
    let manual_orders = deal.manual_orders.into_iter().map(waiting_entry).collect();
    let hand_closings = deal.hand_closings.into_iter().map(closing_entry).collect();
    Some(DealEntry {
        record,
        base_volume,
        targets,
        stops_at,
        cancels_at,
        closes_at,
        timeout,
        manual_orders,
        hand_closings,
    })
}

/// Reads the DCA bots from a document, with their deals.
pub(crate) fn load_dca_bots(
    state: &mut State,
    record_type: RecordType,
    name: &str,
    document: &mut Document,
) -> Result<(), Problem> {
    for (at, entry) in take::<BotEntry>(document, name)? {
        let record = state.restored(entry.record, record_type, &at)?;
        let mut bot = DcaBotState {
            events: entry.events,
            fills: fills(entry.fills, &at)?,
            histories: histories(entry.histories, &at)?,
            timers: timers(entry.timers, entry.rests_until, entry.starts_at, &record, &at)?,
            ..DcaBotState::default()
        };
        for (index, entry) in entry.deals.into_iter().enumerate() {
            bot.deals.push(deal(state, entry, &format!("{at}.deals[{index}]"))?);
        }
        for (index, record) in entry.finished.into_iter().enumerate() {
            let at = format!("{at}.finished[{index}]");
            bot.finished.push(insert(&mut state.store.deals, checked_record(record, DEAL, &at)?, &at)?);
        }
        let id = insert(&mut state.store.dca_bots, record, &at)?;
        state.dca_bot_states.insert(id, bot);
    }
    Ok(())
}

/// Returns the timers of a bot's pairs, or those of all its pairs from a file of an older version.
fn timers(
    entries: Vec<TimersEntry>,
    rests_until: Option<String>,
    starts_at: Option<String>,
    record: &JsonRecord,
    at: &str,
) -> Result<Vec<PairTimers>, Problem> {
    let time = |given, member: &str| -> Result<Option<Milliseconds>, Problem> {
        Ok(optional_time(given, &format!("{at}.{member}"))?.map(milliseconds))
    };
    let rests_until = time(rests_until, "rests_until")?;
    let starts_at = time(starts_at, "starts_at")?;
    let pairs = list(record, "pairs").iter().filter_map(Value::as_str).enumerate();
    let older = pairs.map(|(index, pair)| PairTimers {
        pair: pair.into(),
        cooldown_until: rests_until,
        starts_at: starts_at.filter(|_| index == 0),
    });
    let mut timers: Vec<_> = older.filter(PairTimers::is_waiting).collect();
    let is_pair_of_bot = |pair: &str| list(record, "pairs").iter().any(|known| known == pair);
    for (index, entry) in entries.into_iter().enumerate() {
        if !is_pair_of_bot(&entry.pair) || timers.iter().any(|timer: &PairTimers| *timer.pair == *entry.pair) {
            return Err(format!("{at}.timers[{index}]: {:?} is not a pair of the bot, or appears twice", entry.pair));
        }
        timers.push(PairTimers {
            pair: entry.pair.as_str().into(),
            cooldown_until: time(entry.cooldown_until, &format!("timers[{index}].cooldown_until"))?,
            starts_at: time(entry.starts_at, &format!("timers[{index}].starts_at"))?,
        });
    }
    Ok(timers)
}

fn timers_entry(timers: &PairTimers) -> TimersEntry {
    let time = |time: Option<Milliseconds>| time.map(|time| clock::timestamp(time_of(time)));
    TimersEntry {
        pair: timers.pair.to_string(),
        cooldown_until: time(timers.cooldown_until),
        starts_at: time(timers.starts_at),
    }
}

fn deal(state: &mut State, entry: DealEntry, at: &str) -> Result<DealState, Problem> {
    let record = checked_record(entry.record, DEAL, at)?;
    state.require_pair(&record, at)?;
    Ok(DealState {
        id: insert(&mut state.store.deals, record, at)?,
        base_volume: entry.base_volume,
        targets: entry.targets,
        stops_at: optional_time(entry.stops_at, &format!("{at}.stops_at"))?,
        cancels_at: optional_time(entry.cancels_at, &format!("{at}.cancels_at"))?,
        closes_at: optional_time(entry.closes_at, &format!("{at}.closes_at"))?,
        timeout: entry.timeout,
        manual_orders: entry
            .manual_orders
            .into_iter()
            .map(|order| waiting_order(order, at))
            .collect::<Result<_, _>>()?,
        hand_closings: entry
            .hand_closings
            .into_iter()
            .map(|entry| hand_closing(entry, at))
            .collect::<Result<_, _>>()?,
        stale_since: None,
    })
}
