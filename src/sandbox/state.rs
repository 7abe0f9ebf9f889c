//! What the sandbox holds.

use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::answer::Refusal;
use super::defaults::object;
use crate::service::decimal;

/// A record in the document's forms.
pub(super) type Record = Map<String, Value>;

/// All that there is.
pub(super) struct World {
    /// What everything was made from, and what comes later is made from.
    pub(super) seed: u64,
    pub(super) clock: Clock,
    pub(super) accounts: BTreeMap<u64, Record>,
    pub(super) dca_bots: BTreeMap<u64, DcaBotState>,
    pub(super) grid_bots: BTreeMap<u64, GridBotState>,
    pub(super) smart_trades: BTreeMap<u64, SmartTradeState>,
}

impl World {
    /// The account that a path names, and the clock for what is done to it.
    pub(super) fn account(&mut self, id: Option<u64>) -> Result<(&mut Record, &mut Clock), Refusal> {
        let account = id.and_then(|id| self.accounts.get_mut(&id)).ok_or_else(Refusal::not_found)?;
        Ok((account, &mut self.clock))
    }

    /// The DCA bot that a path names, and the clock for what is done to it.
    pub(super) fn dca_bot(&mut self, id: Option<u64>) -> Result<(&mut DcaBotState, &mut Clock), Refusal> {
        let bot = id.and_then(|id| self.dca_bots.get_mut(&id)).ok_or_else(Refusal::not_found)?;
        Ok((bot, &mut self.clock))
    }

    /// The grid bot that a path names, and the clock for what is done to it.
    pub(super) fn grid_bot(&mut self, id: Option<u64>) -> Result<(&mut GridBotState, &mut Clock), Refusal> {
        let bot = id.and_then(|id| self.grid_bots.get_mut(&id)).ok_or_else(Refusal::not_found)?;
        Ok((bot, &mut self.clock))
    }

    /// Everything that shows the name of an account.
    pub(super) fn records_on(&mut self, account_id: u64) -> impl Iterator<Item = &mut Record> {
        let of_dca_bots = self.dca_bots.values_mut().flat_map(|bot| bot.deals.iter_mut().chain([&mut bot.record]));
        let of_grid_bots = self.grid_bots.values_mut().map(|bot| &mut bot.record);
        let is_on = move |record: &&mut Record| record.get("account_id").and_then(Value::as_u64) == Some(account_id);
        of_dca_bots.chain(of_grid_bots).filter(is_on)
    }
}

/// A time that passes only when something is written, so that the same requests make the same world.
pub(super) struct Clock {
    seconds: i64,
}

impl Clock {
    pub(super) fn at(seconds: i64) -> Self {
        Self { seconds }
    }

    /// The time of one more write, as a timestamp of the document.
    pub(super) fn tick(&mut self) -> Value {
        self.seconds += 1;
        Value::from(timestamp(self.seconds, 0))
    }
}

/// A point in time as the document writes it.
pub(super) fn timestamp(seconds: i64, milliseconds: i64) -> String {
    let time = Timestamp::from_millisecond(seconds * 1_000 + milliseconds).unwrap_or_default();
    format!("{time:.3}")
}

/// A DCA bot.
pub(super) struct DcaBotState {
    /// What a list shows of it.
    pub(super) record: Record,
    /// Its open deals.
    pub(super) deals: Vec<Record>,
    /// What happened to it.
    pub(super) events: Vec<Value>,
}

impl DcaBotState {
    /// The record with the open deals in it.
    pub(super) fn with_deals(&self) -> Record {
        let mut record = self.record.clone();
        let deals = self.deals.iter().cloned().map(Value::Object).collect();
        record.insert("active_deals".to_owned(), Value::Array(deals));
        record
    }

    /// Sets a field.
    pub(super) fn set(&mut self, field: &str, value: impl Into<Value>) {
        self.record.insert(field.to_owned(), value.into());
    }

    /// Notes that something was done to the bot, and when.
    pub(super) fn happened(&mut self, what: &str, at: Value) {
        self.events.push(Value::Object(object! { "message": what, "created_at": at.clone() }));
        self.set("updated_at", at);
    }
}

/// A grid bot.
#[derive(Clone)]
pub(super) struct GridBotState {
    pub(super) record: Record,
    /// The smallest step of the pair's price.
    pub(super) tick: BigDecimal,
}

/// What is known of a SmartTrade.
pub(super) struct SmartTradeState {
    pub(super) status: &'static str,
    /// The most that its funds can be reduced by.
    pub(super) reducible: String,
}

/// The text of a field; empty where it holds none.
pub(super) fn text<'a>(record: &'a Record, field: &str) -> &'a str {
    record.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The decimal that a field holds as text; 0 where it holds none.
pub(super) fn number(record: &Record, field: &str) -> BigDecimal {
    decimal::parse(text(record, field)).unwrap_or_default()
}
