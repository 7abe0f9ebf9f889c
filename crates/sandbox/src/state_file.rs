//! The state file: the whole state of a sandbox as JSON.

use std::collections::BTreeMap;
use std::path::Path;

use bigdecimal::{BigDecimal, Zero};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::clock::{self, SandboxClock};
use super::listings::{Costs, Listing, PairListings, check_pair, check_price};
use super::market::{self, milliseconds, time_of};
use super::random;
use super::record::{JsonRecord, integer, list, string};
use super::state::{Cancellation, DcaBotState, DealState, State};
use super::store::{Store, Table};
use super::{defaults, smart_trades};
use botdesk_api::account::Account;
use botdesk_api::dca_bot::DcaBot;
use botdesk_api::deal::Deal;
use botdesk_api::decimal;
use botdesk_api::grid_bot::GridBot;
use botdesk_api::key_text::shown_path;
use botdesk_api::record::Record as _;
use botdesk_api::row::FieldSpec;
use botdesk_system::files::{self, Existing};
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::Milliseconds;
use botdesk_trading::engine::dca_bot::PairTimers;
use botdesk_trading::engine::grid_bot::GridPosition;

/// The name of the format.
const FORMAT: &str = "botdesk sandbox";

/// The latest supported version of the format.
const VERSION: u64 = 1;

/// The state from a state file.
pub struct SavedState(pub(super) State);

/// An error that prevents a state file from being read or written.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StateFileError(String);

/// The fields that identify the format.
#[derive(Deserialize)]
struct FormatHeader {
    format: String,
    version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StateDocument {
    format: String,
    version: u64,
    seed: u64,
    clock: String,
    next_deal: u64,
    market: Vec<PairEntry>,
    accounts: Vec<JsonRecord>,
    dca_bots: Vec<BotEntry>,
    grid_bots: Vec<JsonRecord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    grid_positions: Vec<GridPositionEntry>,
    smart_trades: Vec<JsonRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PairEntry {
    pair: String,
    price: String,
    tick: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BotEntry {
    record: JsonRecord,
    deals: Vec<DealEntry>,
    finished: Vec<JsonRecord>,
    events: Vec<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    timers: Vec<TimersEntry>,
    /// The pause after the last deal, in files of older versions: it held back all pairs of the bot.
    #[serde(default, skip_serializing)]
    rests_until: Option<String>,
    /// The pending start, in files of older versions: it was for the first pair of the bot.
    #[serde(default, skip_serializing)]
    starts_at: Option<String>,
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
}

/// The position of a grid bot that traded since its levels were placed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GridPositionEntry {
    id: u64,
    quantity: Decimal,
    cost: Decimal,
}

/// The description of an error in the file, with its location.
type Problem = String;

impl SavedState {
    /// Reads a state file.
    pub fn read(path: &Path) -> Result<Self, StateFileError> {
        let named = |problem: String| StateFileError(format!("the state file {}: {problem}", shown_path(path)));
        let json = files::read_to_string(path, files::MAX_DATA_LENGTH)
            .map_err(|error| named(format!("{error}; sandbox.dump(path) writes a state file")))?;
        Self::parse(&json).map_err(named)
    }

    /// Parses the contents of a state file.
    pub fn parse(json: &str) -> Result<Self, Problem> {
        let state =
            state(document(json)?).map_err(|problem| format!("{problem}; correct it, or dump the state again"))?;
        Ok(Self(state))
    }
}

fn document(json: &str) -> Result<StateDocument, Problem> {
    let parse_error = |error: &serde_json::Error| {
        let expected = if error.is_data() { "a state file" } else { "JSON" };
        format!("it is not {expected} ({error}); pass a file that sandbox.dump(path) wrote")
    };
    let header: FormatHeader = serde_json::from_str(json).map_err(|error| parse_error(&error))?;
    if header.format != FORMAT {
        return Err(format!(
            "its format is {:?}, not {FORMAT:?}; pass a file that sandbox.dump(path) wrote",
            header.format
        ));
    }
    if header.version > VERSION {
        let version = header.version;
        return Err(format!(
            "a newer botdesk wrote it (format version {version}; this version reads up to {VERSION}); upgrade botdesk"
        ));
    }
    serde_json::from_str(json).map_err(|error| parse_error(&error))
}

fn state(document: StateDocument) -> Result<State, Problem> {
    let market = market(document.market)?;
    let mut store = Store::default();
    for (index, record) in document.accounts.into_iter().enumerate() {
        let at = format!("accounts[{index}]");
        let record = checked_record(record, Account::ROWS, &at)?;
        insert(&mut store.accounts, record, &at)?;
    }
    let dca_bot_states = dca_bots(document.dca_bots, &market, &mut store)?;
    for (index, record) in document.grid_bots.into_iter().enumerate() {
        let at = format!("grid_bots[{index}]");
        let record = checked_record(record, GridBot::ROWS, &at)?;
        require_account(&record, &store.accounts, &at)?;
        require_pair(&record, &market, &at)?;
        insert(&mut store.grid_bots, record, &at)?;
    }
    let grid_positions = grid_positions(document.grid_positions, &store.grid_bots)?;
    for (index, record) in document.smart_trades.into_iter().enumerate() {
        let at = format!("smart_trades[{index}]");
        let record = checked_record(record, smart_trades::rows(), &at)?;
        insert(&mut store.smart_trades, record, &at)?;
    }
    let deals = dca_bot_states.values().flat_map(|bot| &bot.deals);
    let cancellation = deals.filter_map(|deal| deal.cancels_at).max().map(Cancellation::until);
    Ok(State {
        seed: document.seed,
        clock: SandboxClock::at(time(&document.clock, "clock")?),
        market,
        store,
        dca_bot_states,
        next_deal: document.next_deal,
        costs: Costs::default(),
        grids: BTreeMap::new(),
        grid_positions,
        cancellation,
        has_stale_records: false,
        recorded_events: None,
        read_cache: None,
    })
}

fn grid_positions(entries: Vec<GridPositionEntry>, grid_bots: &Table) -> Result<BTreeMap<u64, GridPosition>, Problem> {
    let mut positions = BTreeMap::new();
    for (index, GridPositionEntry { id, quantity, cost }) in entries.into_iter().enumerate() {
        if !grid_bots.contains_key(&id) {
            return Err(format!("grid_positions[{index}]: no grid bot has the id {id}"));
        }
        if positions.insert(id, GridPosition { quantity, cost }).is_some() {
            return Err(format!("grid_positions[{index}]: {id} appears twice"));
        }
    }
    Ok(positions)
}

fn market(pairs: Vec<PairEntry>) -> Result<PairListings, Problem> {
    let mut market = PairListings::default();
    for (index, PairEntry { pair, price, tick }) in pairs.into_iter().enumerate() {
        let positive = |name: &str, value: &str| {
            let number = decimal::parse(value).filter(|number| *number > BigDecimal::zero());
            number.ok_or_else(|| format!("market[{index}]: {name} is not a decimal greater than 0"))
        };
        check_pair("pair", &pair).map_err(|violation| format!("market[{index}]: {}", violation.message))?;
        let listing = Listing { price: positive("price", &price)?, tick: positive("tick", &tick)? };
        check_price("price", &listing.price)
            .map_err(|violation| format!("market[{index}]: price {}", violation.message))?;
        if market.listings.insert(pair.clone(), listing).is_some() {
            return Err(format!("market[{index}]: {pair} appears twice"));
        }
    }
    Ok(market)
}

fn dca_bots(
    entries: Vec<BotEntry>,
    market: &PairListings,
    store: &mut Store,
) -> Result<BTreeMap<u64, DcaBotState>, Problem> {
    let mut bots = BTreeMap::new();
    for (index, entry) in entries.into_iter().enumerate() {
        let at = format!("dca_bots[{index}]");
        let record = checked_record(entry.record, DcaBot::ROWS.iter().filter(|row| row.listed), &at)?;
        require_account(&record, &store.accounts, &at)?;
        let mut state = DcaBotState {
            events: entry.events,
            timers: timers(entry.timers, entry.rests_until, entry.starts_at, &record, &at)?,
            ..DcaBotState::default()
        };
        for (index, entry) in entry.deals.into_iter().enumerate() {
            state.deals.push(deal(entry, market, &mut store.deals, &format!("{at}.deals[{index}]"))?);
        }
        for (index, record) in entry.finished.into_iter().enumerate() {
            let at = format!("{at}.finished[{index}]");
            let record = checked_record(record, Deal::ROWS, &at)?;
            state.finished.push(insert(&mut store.deals, record, &at)?);
        }
        bots.insert(insert(&mut store.dca_bots, record, &at)?, state);
    }
    Ok(bots)
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

fn deal(entry: DealEntry, market: &PairListings, deals: &mut Table, at: &str) -> Result<DealState, Problem> {
    let record = checked_record(entry.record, Deal::ROWS, at)?;
    require_pair(&record, market, at)?;
    Ok(DealState {
        id: insert(deals, record, at)?,
        base_volume: entry.base_volume,
        targets: entry.targets,
        stops_at: optional_time(entry.stops_at, &format!("{at}.stops_at"))?,
        cancels_at: optional_time(entry.cancels_at, &format!("{at}.cancels_at"))?,
        stale_since: None,
    })
}

/// Checks that every field of a record is valid. Missing fields get their samples.
fn checked_record(
    mut record: JsonRecord,
    rows: impl IntoIterator<Item = &'static FieldSpec>,
    at: &str,
) -> Result<JsonRecord, Problem> {
    for row in rows {
        match record.get(row.wire) {
            None => {
                record.insert(row.wire.to_owned(), defaults::value(row));
            }
            Some(value) if !row.takes(value) => return Err(format!("{at}: {} is not {}", row.wire, row.holds)),
            Some(value) => match market::problem(row, value) {
                None => {}
                Some(problem) => return Err(format!("{at}: {} {problem}", row.wire)),
            },
        }
    }
    Ok(record)
}

/// Adds a record to its table; returns its id.
fn insert(records: &mut Table, record: JsonRecord, at: &str) -> Result<u64, Problem> {
    let id = integer(&record, "id").and_then(|id| u64::try_from(id).ok()).filter(|id| *id > 0);
    let id = id.ok_or_else(|| format!("{at}: id is not an integer greater than 0"))?;
    match records.insert(id, record) {
        Some(_) => Err(format!("{at}: the id {id} appears twice")),
        None => Ok(id),
    }
}

fn require_account(record: &JsonRecord, accounts: &Table, at: &str) -> Result<(), Problem> {
    let id = integer(record, "account_id").and_then(|id| u64::try_from(id).ok());
    let known = id.is_some_and(|id| accounts.contains_key(&id));
    if known { Ok(()) } else { Err(format!("{at}: account_id names an account that does not exist")) }
}

fn require_pair(record: &JsonRecord, market: &PairListings, at: &str) -> Result<(), Problem> {
    let pair = string(record, "pair");
    let known = market.listings.contains_key(pair);
    if known { Ok(()) } else { Err(format!("{at}: the market has no pair {pair:?}")) }
}

fn time(string: &str, at: &str) -> Result<Timestamp, Problem> {
    string.parse().map_err(|_| format!("{at} is not an ISO 8601 timestamp"))
}

fn optional_time(string: Option<String>, at: &str) -> Result<Option<Timestamp>, Problem> {
    string.map(|string| time(&string, at)).transpose()
}

impl State {
    fn deal_entry(&self, deal: &DealState) -> Option<DealEntry> {
        Some(DealEntry {
            record: self.store.deals.get(&deal.id)?.clone(),
            base_volume: deal.base_volume.clone(),
            targets: deal.targets,
            stops_at: deal.stops_at.map(clock::timestamp),
            cancels_at: deal.cancels_at.map(clock::timestamp),
        })
    }

    /// Returns the contents of a state file.
    pub(super) fn to_json(&self) -> Result<String, StateFileError> {
        let mut json = serde_json::to_string_pretty(&self.to_document())
            .map_err(|error| StateFileError(format!("the state can't be serialized: {error}")))?;
        json.push('\n');
        Ok(json)
    }

    fn to_document(&self) -> StateDocument {
        let pair = |(pair, listing): (&String, &Listing)| PairEntry {
            pair: pair.clone(),
            price: listing.price.to_plain_string(),
            tick: listing.tick.to_plain_string(),
        };
        let account = |(id, record): (&u64, &JsonRecord)| replace_secrets(record, Account::ROWS, self.seed, *id);
        let bot = |(id, record): (&u64, &JsonRecord)| {
            let state = self.dca_bot_states.get(id);
            BotEntry {
                record: replace_secrets(record, DcaBot::ROWS, self.seed, *id),
                deals: state
                    .into_iter()
                    .flat_map(|state| &state.deals)
                    .filter_map(|deal| self.deal_entry(deal))
                    .collect(),
                finished: self.finished_deals(*id).cloned().collect(),
                events: state.map(|state| state.events.clone()).unwrap_or_default(),
                timers: state.into_iter().flat_map(|state| &state.timers).map(timers_entry).collect(),
                rests_until: None,
                starts_at: None,
            }
        };
        StateDocument {
            format: FORMAT.to_owned(),
            version: VERSION,
            seed: self.seed,
            clock: clock::timestamp(self.clock.now()),
            next_deal: self.next_deal,
            market: self.market.listings.iter().map(pair).collect(),
            accounts: self.store.accounts.iter().map(account).collect(),
            dca_bots: self.store.dca_bots.iter().map(bot).collect(),
            grid_bots: self.store.grid_bots.values().cloned().collect(),
            grid_positions: self.grid_positions.iter().map(grid_position_entry).collect(),
            smart_trades: self.store.smart_trades.values().cloned().collect(),
        }
    }
}

fn grid_position_entry((id, position): (&u64, &GridPosition)) -> GridPositionEntry {
    GridPositionEntry { id: *id, quantity: position.quantity.clone(), cost: position.cost.clone() }
}

/// Replaces the secrets of a record with generated ones, because they may be real.
fn replace_secrets(record: &JsonRecord, rows: &[FieldSpec], seed: u64, id: u64) -> JsonRecord {
    let mut record = record.clone();
    for row in rows.iter().filter(|row| row.secret) {
        if let Some(secret @ Value::String(_)) = record.get_mut(row.wire)
            && *secret != ""
        {
            *secret = Value::from(random::secret(seed, id, row.wire));
        }
    }
    record
}

/// Writes a state file atomically.
pub(super) fn write(path: &Path, json: &str) -> Result<(), StateFileError> {
    files::write(path, json.as_bytes(), Existing::Replace)
        .map_err(|error| StateFileError(format!("can't write the state file {}: {error}", shown_path(path))))
}
