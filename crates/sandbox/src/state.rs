//! The state of a sandbox.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::clock::SandboxClock;
use super::defaults::object;
use super::market::listing::Market;
use super::record::{JsonRecord, string};
use botdesk_server::api_error::ApiError;

/// The state of a sandbox.
pub(super) struct State {
    /// The seed of everything that is generated.
    pub(super) seed: u64,
    pub(super) clock: SandboxClock,
    pub(super) market: Market,
    pub(super) accounts: BTreeMap<u64, JsonRecord>,
    pub(super) dca_bots: BTreeMap<u64, DcaBotState>,
    pub(super) grid_bots: BTreeMap<u64, JsonRecord>,
    pub(super) smart_trades: BTreeMap<u64, JsonRecord>,
    /// The id of the next deal. Ids are never reused.
    pub(super) next_deal: u64,
    /// Computed values, kept while the state is only read; None once it may be modified.
    pub(super) read_cache: Option<ReadCache>,
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
    /// The inputs of the query, without those that choose a page.
    pub(super) inputs: Vec<Option<Value>>,
    pub(super) ids: Arc<[u64]>,
}

impl State {
    /// Returns an account and the clock, or a 404.
    pub(super) fn account(&mut self, id: Option<u64>) -> Result<(&mut JsonRecord, &mut SandboxClock), ApiError> {
        let account = id.and_then(|id| self.accounts.get_mut(&id)).ok_or_else(ApiError::not_found)?;
        Ok((account, &mut self.clock))
    }

    /// Returns a DCA bot and the clock, or a 404.
    pub(super) fn dca_bot(&mut self, id: Option<u64>) -> Result<(&mut DcaBotState, &mut SandboxClock), ApiError> {
        let bot = id.and_then(|id| self.dca_bots.get_mut(&id)).ok_or_else(ApiError::not_found)?;
        Ok((bot, &mut self.clock))
    }

    /// Returns a grid bot, the tick of its pair, and the clock, or a 404.
    pub(super) fn grid_bot(
        &mut self,
        id: Option<u64>,
    ) -> Result<(&mut JsonRecord, BigDecimal, &mut SandboxClock), ApiError> {
        let bot = id.and_then(|id| self.grid_bots.get_mut(&id)).ok_or_else(ApiError::not_found)?;
        let tick = self.market.tick(string(bot, "pair"));
        Ok((bot, tick, &mut self.clock))
    }

    /// Returns all records that contain the name of an account.
    pub(super) fn records_on(&mut self, account_id: u64) -> impl Iterator<Item = &mut JsonRecord> {
        let of_dca_bots = self
            .dca_bots
            .values_mut()
            .flat_map(|bot| bot.deals.iter_mut().map(|deal| &mut deal.record).chain([&mut bot.record]));
        let is_on =
            move |record: &&mut JsonRecord| record.get("account_id").and_then(Value::as_u64) == Some(account_id);
        of_dca_bots.chain(self.grid_bots.values_mut()).filter(is_on)
    }
}

/// A DCA bot.
#[derive(Default)]
pub(super) struct DcaBotState {
    /// The record, as a list contains it.
    pub(super) record: JsonRecord,
    /// The open deals.
    pub(super) deals: Vec<DealState>,
    /// The latest finished deals, oldest first. No operation returns them.
    pub(super) finished: Vec<JsonRecord>,
    /// The event log.
    pub(super) events: Vec<Value>,
    /// The end of the cooldown after the last deal.
    pub(super) cooldown_until: Option<Timestamp>,
    /// The start time of a deal that was signalled but has a start delay.
    pub(super) starts_at: Option<Timestamp>,
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

/// An open deal.
#[derive(Clone, Default)]
pub(super) struct DealState {
    pub(super) record: JsonRecord,
    /// The number of take-profit targets that were reached.
    pub(super) targets: usize,
    /// The time when the stop loss, which has a timeout, closes the deal.
    pub(super) stops_at: Option<Timestamp>,
}

impl DcaBotState {
    /// Returns the bot with its open deals.
    pub(super) fn with_deals(&self) -> BotWithDeals<'_> {
        let active_deals = self.deals.iter().map(|deal| &deal.record).collect();
        BotWithDeals { record: &self.record, active_deals, bot_events: None }
    }

    /// Sets a field.
    pub(super) fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.record.insert(field.to_owned(), value.into());
    }

    /// Adds an event to the log and updates the timestamp of the bot.
    pub(super) fn add_event(&mut self, message: &str, at: Value) {
        self.events.push(Value::Object(object! { "message": message, "created_at": at.clone() }));
        self.set("updated_at", at);
    }
}
