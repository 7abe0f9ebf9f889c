//! The state of a sandbox.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::balance::Balance;
use super::clock::SandboxClock;
use super::deal_history::DealHistory;
use super::defaults::object;
use super::exchanges;
use super::fills::Fills;
use super::funds::GivenBalances;
use super::grid_history::GridHistory;
use super::listings::{Costs, PairListings};
use super::order_prices::OrderState;
use super::record::{JsonRecord, string};
use super::seed_options::SeedOptions;
use super::smart_trade_parts::OrderStates;
use super::smart_trade_steps::StepHistories;
use super::store::{Store, Table};
use super::user_settings::UserSettings;
use botdesk_schema::mode::Mode;
use botdesk_server::api_error::ApiError;
use botdesk_trading::decimal::Decimal;
use botdesk_trading::engine::dca_bot::PairTimers;
use botdesk_trading::engine::{
    Event, GridRun, HandClosing, ManualOrder, Milliseconds, SimulatedDcaBot, SimulatedGridBot,
};

/// The state of a sandbox.
pub(super) struct State {
    /// The seed of everything that is generated.
    pub(super) seed: u64,
    pub(super) clock: SandboxClock,
    pub(super) market: PairListings,
    /// The records of all resources.
    pub(super) store: Store,
    /// The accounts that were added with a value, which they have until their balances are loaded.
    pub(super) given_values: BTreeSet<u64>,
    /// The balances of the accounts that moved, in place of those at the start.
    pub(super) holdings: BTreeMap<u64, Vec<Balance>>,
    /// The balances that every account starts with, if the user gave them.
    pub(super) given_balances: Option<GivenBalances>,
    /// The accounts whose orders can't cost more than their balances, because the user gave these.
    pub(super) limited_accounts: BTreeSet<u64>,
    /// The times at which accounts last converted small balances.
    pub(super) dust_conversions: BTreeMap<u64, Timestamp>,
    /// What the records of the DCA bots do not contain.
    pub(super) dca_bot_states: BTreeMap<u64, DcaBotState>,
    /// The id of the next deal. Ids are never reused.
    pub(super) next_deal: u64,
    /// The least id of the next DCA bot. Ids are never reused.
    pub(super) next_bot: u64,
    /// The least id of the next grid bot. Ids are never reused.
    pub(super) next_grid_bot: u64,
    /// The pairs on which no DCA bot opens deals, oldest first.
    pub(super) blacklist: Vec<String>,
    /// The costs of orders.
    pub(super) costs: Costs,
    /// What the user has chosen for all requests.
    pub(super) user: UserSettings,
    /// The grid bots as the engine knows them, read from their records when a price first reaches them.
    pub(super) grids: BTreeMap<u64, GridEngine>,
    /// The runs of the grid bots since their levels were placed. Their records do not contain them.
    pub(super) grid_positions: BTreeMap<u64, GridRun>,
    /// What the grid bots have done. That of a bot that did nothing in this sandbox follows from its record.
    pub(super) grid_histories: BTreeMap<u64, GridHistory>,
    /// The times at which what is pending in SmartTrades is carried out, unless their price changes before.
    pub(super) smart_trade_timers: BTreeMap<u64, Timestamp>,
    /// The states of the orders of SmartTrades, which their records do not contain.
    pub(super) smart_trade_orders: OrderStates,
    /// The take-profit steps of SmartTrades that their records do not contain.
    pub(super) smart_trade_steps: StepHistories,
    /// The prices between which nothing happens to the SmartTrades and the simple trades on a pair, until one of them changes.
    pub(super) quiet_trades: BTreeMap<String, QuietTrades>,
    /// The states of the simple trades by their number, which their records do not contain.
    pub(super) simple_trade_states: BTreeMap<u64, OrderState>,
    /// The last requested cancellation of deals or SmartTrades; None if it is complete.
    pub(super) cancellation: Option<Cancellation>,
    /// The options of the deals that finished before the sandbox started, until a request reads deals. Few scripts do.
    pub(super) unwritten_history: Option<SeedOptions>,
    /// True if figures in records are out of date.
    pub(super) has_stale_records: bool,
    /// The events of bots since the last played candle; None if no candles are played.
    pub(super) recorded_events: Option<Vec<BotEvent>>,
    /// The mode of the request that is carried out.
    pub(super) mode: Mode,
    /// Computed values, kept while the state is only read; None once it may be modified.
    pub(super) read_cache: Option<ReadCache>,
}

/// The prices between which nothing happens to the SmartTrades and the simple trades on a pair.
#[derive(Clone, Debug, Default)]
pub(super) struct QuietTrades {
    /// Something may happen from this price downwards.
    pub(super) lower: Option<Decimal>,
    /// Something may happen from this price upwards.
    pub(super) upper: Option<Decimal>,
}

/// A requested cancellation of deals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cancellation {
    /// The time when it is complete.
    pub(super) until: Timestamp,
    /// The number of requests that can still read the state before the cancellation completes by itself.
    pub(super) reads_left: u8,
}

impl Cancellation {
    /// The requests that still see deals being cancelled. A watch makes at least three for a poll.
    const READS: u8 = 4;

    pub(super) fn until(until: Timestamp) -> Self {
        Self { until, reads_left: Self::READS }
    }
}

/// An event of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BotEvent {
    /// The id of the bot.
    pub(super) bot: u64,
    /// The code of the pair. It is known for every filled order; other events have their own.
    pub(super) pair: Option<Arc<str>>,
    /// The event.
    pub(super) event: Event,
}

/// A grid bot as the engine knows it.
pub(super) struct GridEngine {
    /// None if its lines do not form a grid.
    pub(super) grid: Option<SimulatedGridBot>,
    /// The time of the last price that is not written to the record yet.
    pub(super) stale_since: Option<Timestamp>,
    /// True if the bot was enabled since the record was written.
    pub(super) was_enabled: bool,
}

impl GridEngine {
    pub(super) fn new(grid: Option<SimulatedGridBot>) -> Self {
        Self { grid, stale_since: None, was_enabled: false }
    }
}

/// Values that stay valid until the state is modified.
#[derive(Default)]
pub(super) struct ReadCache {
    /// The time of the next event.
    pub(super) next_event_time: NextEventTime,
    /// The result of the last list query.
    pub(super) list: Option<CachedList>,
}

/// The time of the next event, if it was already computed.
#[derive(Default)]
pub(super) enum NextEventTime {
    #[default]
    Unknown,
    Known(Option<Timestamp>),
}

/// The result of a list query.
pub(super) struct CachedList {
    /// The name of the resource.
    pub(super) resource: &'static str,
    /// The inputs of the query, without those that choose a page.
    pub(super) inputs: Vec<Option<Value>>,
    pub(super) ids: Arc<[u64]>,
}

impl State {
    /// Returns a state without records.
    pub(super) fn new(seed: u64, now: Timestamp, market: PairListings) -> Self {
        Self {
            seed,
            clock: SandboxClock::at(now),
            market,
            store: Store::default(),
            given_values: BTreeSet::new(),
            holdings: BTreeMap::new(),
            given_balances: None,
            limited_accounts: BTreeSet::new(),
            dust_conversions: BTreeMap::new(),
            dca_bot_states: BTreeMap::new(),
            next_deal: 1,
            next_bot: 1,
            next_grid_bot: 1,
            blacklist: Vec::new(),
            costs: Costs::default(),
            user: UserSettings::default(),
            grids: BTreeMap::new(),
            grid_positions: BTreeMap::new(),
            grid_histories: BTreeMap::new(),
            smart_trade_timers: BTreeMap::new(),
            smart_trade_orders: BTreeMap::new(),
            smart_trade_steps: StepHistories::default(),
            quiet_trades: BTreeMap::new(),
            simple_trade_states: BTreeMap::new(),
            cancellation: None,
            unwritten_history: None,
            has_stale_records: false,
            recorded_events: None,
            mode: Mode::Real,
            read_cache: None,
        }
    }

    /// Returns an account and the clock, or a 404.
    pub(super) fn account(&mut self, id: Option<u64>) -> Result<(&mut JsonRecord, &mut SandboxClock), ApiError> {
        let account = id.and_then(|id| self.store.accounts.get_mut(&id)).ok_or_else(ApiError::not_found)?;
        Ok((account, &mut self.clock))
    }

    /// Returns a DCA bot and the clock, or a 404. The bot may be modified: the engine reads its record again.
    pub(super) fn dca_bot(&mut self, id: Option<u64>) -> Result<(DcaBotMut<'_>, &mut SandboxClock), ApiError> {
        self.write_records();
        let id = id.ok_or_else(ApiError::not_found)?;
        let record = self.store.dca_bots.get_mut(&id).ok_or_else(ApiError::not_found)?;
        let state = self.dca_bot_states.entry(id).or_default();
        state.engine = None;
        Ok((DcaBotMut { record, deals: &mut self.store.deals, state }, &mut self.clock))
    }

    /// Returns a DCA bot with its open deals; None for an unknown bot.
    pub(super) fn bot_with_deals(&self, id: u64) -> Option<BotWithDeals<'_>> {
        Some(BotWithDeals {
            record: self.store.dca_bots.get(&id)?,
            active_deals: self.open_deals(id).collect(),
            bot_events: None,
        })
    }

    /// Returns the open deals of a DCA bot.
    pub(super) fn open_deals(&self, bot: u64) -> impl Iterator<Item = &JsonRecord> + Clone {
        let deals = self.dca_bot_states.get(&bot).map(|state| state.deals.as_slice()).unwrap_or_default();
        deals.iter().filter_map(|deal| self.store.deals.get(&deal.id))
    }

    /// Returns the latest finished and cancelled deals of a DCA bot, oldest first.
    pub(super) fn finished_deals(&self, bot: u64) -> impl Iterator<Item = &JsonRecord> {
        let finished = self.dca_bot_states.get(&bot).map(|state| state.finished.as_slice()).unwrap_or_default();
        finished.iter().filter_map(|id| self.store.deals.get(id))
    }

    /// Forgets a grid bot of the engine and its position, because its levels were placed again.
    pub(super) fn forget_grid(&mut self, id: u64) {
        self.grids.remove(&id);
        self.grid_positions.remove(&id);
    }

    /// Returns what a grid bot has done; None for an unknown bot.
    pub(super) fn grid_history(&self, id: u64) -> Option<Cow<'_, GridHistory>> {
        match self.grid_histories.get(&id) {
            Some(history) => Some(Cow::Borrowed(history)),
            None => self.store.grid_bots.get(&id).map(|bot| Cow::Owned(self.told_history(bot))),
        }
    }

    fn told_history(&self, bot: &JsonRecord) -> GridHistory {
        GridHistory::of_record(bot, &self.market.market(string(bot, "pair"), &self.costs), self.seed)
    }

    /// Returns what a grid bot has done, for additions; None for an unknown bot.
    pub(super) fn grid_history_mut(&mut self, id: u64) -> Option<&mut GridHistory> {
        let bot = self.store.grid_bots.get(&id)?;
        let told = if self.grid_histories.contains_key(&id) { None } else { Some(self.told_history(bot)) };
        Some(self.grid_histories.entry(id).or_insert_with(|| told.unwrap_or_default()))
    }

    /// Returns true if the account of a bot trades futures.
    pub(super) fn trades_futures(&self, bot: &JsonRecord) -> bool {
        self.account_of(bot).is_some_and(|account| exchanges::trades_futures(string(account, "market_code")))
    }

    /// Returns the type of the market on which a bot trades.
    pub(super) fn market_type(&self, bot: &JsonRecord) -> &'static str {
        exchanges::market_type(self.account_of(bot).map_or("", |account| string(account, "market_code")))
    }

    /// Returns the account of a bot.
    pub(super) fn account_of(&self, bot: &JsonRecord) -> Option<&JsonRecord> {
        self.store.accounts.get(&bot.get("account_id")?.as_u64()?)
    }

    /// Returns all records that contain the name of an account.
    pub(super) fn records_on(&mut self, account_id: u64) -> impl Iterator<Item = &mut JsonRecord> {
        let Store { dca_bots, deals, grid_bots, .. } = &mut self.store;
        let bots = dca_bots.values_mut().chain(grid_bots.values_mut());
        let is_on =
            move |record: &&mut JsonRecord| record.get("account_id").and_then(Value::as_u64) == Some(account_id);
        bots.chain(deals.values_mut()).filter(is_on)
    }

    /// Writes the name of an account to the records that have a copy of it.
    pub(super) fn copy_account_name(&mut self, id: u64) {
        let name = self.store.accounts.get(&id).and_then(|account| account.get("name")).cloned().unwrap_or_default();
        for record in self.records_on(id) {
            record.insert("account_name".to_owned(), name.clone());
        }
        for trade in self.store.smart_trades.values_mut() {
            if let Some(Value::Object(account)) = trade.get_mut("account")
                && account.get("id").and_then(Value::as_u64) == Some(id)
            {
                account.insert("name".to_owned(), name.clone());
            }
        }
    }
}

/// What the record of a DCA bot does not contain.
#[derive(Clone, Default)]
pub(super) struct DcaBotState {
    /// The open deals, in the order in which they were opened.
    pub(super) deals: Vec<DealState>,
    /// The ids of the latest finished deals, oldest first.
    pub(super) finished: Vec<u64>,
    /// The filled orders of its deals, as far as they are known.
    pub(super) fills: Fills,
    /// The histories of its deals by hand, by the id of the deal.
    pub(super) histories: BTreeMap<u64, DealHistory>,
    /// The event log.
    pub(super) events: Vec<Value>,
    /// The pauses and the pending starts of its pairs.
    pub(super) timers: Vec<PairTimers>,
    /// The bot as the engine knows it; None if its record was modified since.
    pub(super) engine: Option<SimulatedDcaBot>,
    /// True if figures in the records are out of date.
    pub(super) is_stale: bool,
}

/// What the record of an open deal does not contain.
#[derive(Clone, Default)]
pub(super) struct DealState {
    /// The id of the deal.
    pub(super) id: u64,
    /// The volume of the base order with its fee; None if it follows from the settings.
    pub(super) base_volume: Option<Decimal>,
    /// The number of take-profit targets that were reached.
    pub(super) targets: usize,
    /// The time when the stop loss, which has a timeout, closes the deal.
    pub(super) stops_at: Option<Timestamp>,
    /// The time when a cancellation is complete.
    pub(super) cancels_at: Option<Timestamp>,
    /// The time when a close at the market price is complete.
    pub(super) closes_at: Option<Timestamp>,
    /// The time after which the deal closes itself, if its own settings have one.
    pub(super) timeout: Option<Milliseconds>,
    /// The orders that were placed by hand and wait.
    pub(super) manual_orders: Vec<ManualOrder>,
    /// The take-profit steps that are being closed or were closed by hand.
    pub(super) hand_closings: Vec<HandClosing>,
    /// The time of the last price that is not written to the record yet.
    pub(super) stale_since: Option<Timestamp>,
}

/// A DCA bot for modification: its record, the deals of all bots, and the rest of its state.
pub(super) struct DcaBotMut<'a> {
    pub(super) record: &'a mut JsonRecord,
    pub(super) deals: &'a mut Table,
    pub(super) state: &'a mut DcaBotState,
}

impl DcaBotMut<'_> {
    /// Sets a field.
    pub(super) fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.record.insert(field.to_owned(), value.into());
    }

    /// Adds an event to the log and updates the timestamp of the bot.
    pub(super) fn add_event(&mut self, message: &str, at: Value) {
        self.state.events.push(Value::Object(object! { "message": message, "created_at": at.clone() }));
        self.set("updated_at", at);
    }
}

/// A DCA bot as its own endpoint returns it.
#[derive(Serialize)]
pub(super) struct BotWithDeals<'a> {
    #[serde(flatten)]
    pub(super) record: &'a JsonRecord,
    pub(super) active_deals: Vec<&'a JsonRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bot_events: Option<&'a [Value]>,
}
