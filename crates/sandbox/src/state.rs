//! What the sandbox holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use bigdecimal::BigDecimal;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::clock::Clock;
use super::defaults::object;
use super::market::listing::Market;
use super::record::{Record, text};
use botdesk_server::answer::Refusal;

/// All that there is.
pub(super) struct World {
    /// What everything was made from, and what comes later is made from.
    pub(super) seed: u64,
    pub(super) clock: Clock,
    pub(super) market: Market,
    pub(super) accounts: BTreeMap<u64, Record>,
    pub(super) dca_bots: BTreeMap<u64, DcaBotState>,
    pub(super) grid_bots: BTreeMap<u64, Record>,
    pub(super) smart_trades: BTreeMap<u64, Record>,
    /// The identifier of the next deal: none is given twice.
    pub(super) next_deal: u64,
    /// What was worked out, for as long as the world is only read; None where it may be changed.
    pub(super) memory: Option<Memory>,
}

/// What need not be worked out again while nothing changes.
#[derive(Default)]
pub(super) struct Memory {
    /// When something happens next.
    pub(super) next_moment: NextMoment,
    /// The bots of the list that was asked for last.
    pub(super) listed: Option<Listed>,
}

/// When something happens next, as far as that was worked out.
#[derive(Default)]
pub(super) enum NextMoment {
    #[default]
    Unknown,
    Known(Option<Timestamp>),
}

/// The bots of a list, in its order.
pub(super) struct Listed {
    /// What was asked of them: the inputs of the list, without those that choose a page of it.
    pub(super) asked: Vec<Option<Value>>,
    pub(super) ids: Arc<[u64]>,
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

    /// The grid bot that a path names, the tick of its pair, and the clock for what is done to it.
    pub(super) fn grid_bot(&mut self, id: Option<u64>) -> Result<(&mut Record, BigDecimal, &mut Clock), Refusal> {
        let bot = id.and_then(|id| self.grid_bots.get_mut(&id)).ok_or_else(Refusal::not_found)?;
        let tick = self.market.tick(text(bot, "pair"));
        Ok((bot, tick, &mut self.clock))
    }

    /// Everything that shows the name of an account.
    pub(super) fn records_on(&mut self, account_id: u64) -> impl Iterator<Item = &mut Record> {
        let of_dca_bots = self
            .dca_bots
            .values_mut()
            .flat_map(|bot| bot.deals.iter_mut().map(|deal| &mut deal.record).chain([&mut bot.record]));
        let is_on = move |record: &&mut Record| record.get("account_id").and_then(Value::as_u64) == Some(account_id);
        of_dca_bots.chain(self.grid_bots.values_mut()).filter(is_on)
    }
}

/// A DCA bot.
#[derive(Default)]
pub(super) struct DcaBotState {
    /// What a list shows of it.
    pub(super) record: Record,
    /// Its open deals.
    pub(super) deals: Vec<DealState>,
    /// The newest of those that it closed, the oldest first; no operation shows them.
    pub(super) finished: Vec<Record>,
    /// What happened to it.
    pub(super) events: Vec<Value>,
    /// Until when it opens no deal after the last one.
    pub(super) rests_until: Option<Timestamp>,
    /// When it opens the deal that its signal asked for.
    pub(super) starts_at: Option<Timestamp>,
}

/// What is shown of a DCA bot by itself.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    #[serde(flatten)]
    pub(super) record: &'a Record,
    pub(super) active_deals: Vec<&'a Record>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bot_events: Option<&'a [Value]>,
}

/// An open deal.
#[derive(Clone, Default)]
pub(super) struct DealState {
    pub(super) record: Record,
    /// How many take-profit targets were reached.
    pub(super) targets: usize,
    /// When the stop loss, which waits, closes it.
    pub(super) stops_at: Option<Timestamp>,
}

impl DcaBotState {
    /// The bot with its open deals.
    pub(super) fn shown(&self) -> Shown<'_> {
        let active_deals = self.deals.iter().map(|deal| &deal.record).collect();
        Shown { record: &self.record, active_deals, bot_events: None }
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
