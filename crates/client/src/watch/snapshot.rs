//! The known states of all bots.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::bot_state::BotState;
use super::change::{BotChange, ChangeKind};
use super::difference::{appeared, between, is_open};
use super::known::{FieldKey, KnownBotState, known_state};
use botdesk_api::dca_bots::DcaBot;

/// The bots whose changes are reported: enabled, disabled, or all.
///
/// The scope is not sent as a filter: a bot that leaves the filtered list would seem deleted when it was only switched.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope(Option<bool>);

impl Scope {
    /// Returns the scope for a value of the list's input `scope`.
    pub fn named(name: &str) -> Self {
        match name {
            "enable" | "enabled" => Self(Some(true)),
            "disabled" => Self(Some(false)),
            _ => Self(None),
        }
    }

    /// Returns true if a bot is in the scope, or if it is unknown whether the bot is enabled.
    pub fn holds(self, bot: &DcaBot) -> bool {
        match (self.0, bot.is_enabled()) {
            (Some(wanted), Ok(Some(is_enabled))) => wanted == is_enabled,
            _ => true,
        }
    }
}

/// The known state of a bot.
#[derive(Clone, Debug)]
pub(super) struct KnownBot {
    /// The last state, with the last known values of fields that could not be read.
    pub(super) bot_state: BotState,
    /// The fields that were reported as unreadable and have not been read since.
    pub(super) reported: BTreeSet<FieldKey>,
    /// The number of the poll that last fetched it alone.
    pub(super) last_fetch: u64,
}

/// The findings of a poll about one bot.
#[derive(Debug, Default)]
pub(super) struct Observation {
    /// The changes.
    pub(super) changes: Vec<BotChange>,
    /// The reasons why fields can't be read that could be read before.
    pub(super) malformed: Vec<String>,
}

/// Returns the reasons to report, and all fields that were reported so far; fields of deals that the poll did not reach are kept.
fn reports(
    known: Option<&KnownBot>,
    malformed: BTreeMap<FieldKey, String>,
    reached_deals: bool,
) -> (Vec<String>, BTreeSet<FieldKey>) {
    let earlier = known.map(|known| &known.reported);
    let is_new = |field: &FieldKey| earlier.is_none_or(|earlier| !earlier.contains(field));
    let reasons = malformed.iter().filter(|(field, _)| is_new(field)).map(|(_, reason)| reason.clone()).collect();
    let unseen = earlier.into_iter().flatten().filter(|field| !reached_deals && field.deal.is_some()).cloned();
    (reasons, unseen.chain(malformed.into_keys()).collect())
}

/// The known states of all bots by identifier.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    /// True after the first complete poll: from then on an unknown bot is new.
    pub(super) is_complete: bool,
    /// The bots.
    pub(super) bots: BTreeMap<i64, KnownBot>,
}

impl Snapshot {
    /// Stores the state of a bot, and returns what changed.
    pub(super) fn take(&mut self, id: i64, now: &BotState, scope: Scope, at: Timestamp) -> Observation {
        let known = self.bots.get(&id);
        let before = known.map(|known| &known.bot_state);
        let KnownBotState { mut bot_state, malformed } = known_state(before, now);
        let is_in = scope.holds(&bot_state.bot);
        let is_reported = is_in || before.is_some_and(|before| scope.holds(&before.bot));
        let mut found = Observation::default();
        let mut reported = BTreeSet::new();
        if is_reported {
            found.changes = match before {
                Some(before) => between(before, now, &bot_state, at),
                None if self.is_complete => appeared(now, &bot_state, at),
                None => Vec::new(),
            };
            (found.malformed, reported) = reports(known, malformed, now.deals.is_some());
        }
        if !is_in {
            // The watch no longer covers them, so later states must not be compared with them.
            bot_state.deals = None;
        } else if bot_state.deals.is_none() {
            bot_state.deals = before.map_or(self.is_complete.then(Vec::new), |before| before.deals.clone());
        }
        let last_fetch = known.map_or(0, |known| known.last_fetch);
        self.bots.insert(id, KnownBot { bot_state, reported, last_fetch });
        found
    }

    /// Removes a bot that is gone, and returns the change.
    pub(super) fn forget(&mut self, id: i64, scope: Scope, at: Timestamp) -> Option<BotChange> {
        let BotState { bot, .. } = self.bots.remove(&id)?.bot_state;
        let before = Some(bot.clone());
        let (deal, deal_before, fields) = (None, None, Vec::new());
        let change = BotChange { kind: ChangeKind::Vanished, bot, before, deal, deal_before, fields, at };
        scope.holds(&change.bot).then_some(change)
    }

    /// Returns true if the deals of a listed bot can be known only by fetching the bot alone.
    pub(super) fn needs_deals(&self, id: i64, listed: &DcaBot, scope: Scope) -> bool {
        let known = self.bots.get(&id);
        let is_watched = scope.holds(listed) || known.is_some_and(|known| scope.holds(&known.bot_state.bot));
        let deals = known.and_then(|known| known.bot_state.deals.as_ref());
        let has_open = deals.is_some_and(|deals| deals.iter().any(is_open));
        is_watched && (has_open || listed.active_deals_count() != Ok(Some(0)))
    }

    /// Returns the number of the poll that last fetched a bot alone.
    pub(super) fn last_fetch(&self, id: i64) -> u64 {
        self.bots.get(&id).map_or(0, |known| known.last_fetch)
    }

    /// Notes that a poll fetches a bot alone.
    pub(super) fn note_fetch(&mut self, id: i64, poll: u64) {
        if let Some(known) = self.bots.get_mut(&id) {
            known.last_fetch = poll;
        }
    }
}
