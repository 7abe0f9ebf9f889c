//! What is known of all bots.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::bot_state::BotState;
use super::change::{BotChange, ChangeKind};
use super::difference::{appeared, between, is_open};
use super::known::{FieldKey, KnownBotState, known_state};
use botdesk_api::dca_bot::DcaBot;

/// Which bots' changes are told: those that are on, those that are off, or all.
///
/// The service is not asked for them alone: a bot that leaves such a list was switched, not deleted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope(Option<bool>);

impl Scope {
    /// What a value of the list's input of that name means.
    pub fn named(name: &str) -> Self {
        match name {
            "enable" | "enabled" => Self(Some(true)),
            "disabled" => Self(Some(false)),
            _ => Self(None),
        }
    }

    /// Whether a bot is among them. One that does not say whether it is on may be.
    pub fn holds(self, bot: &DcaBot) -> bool {
        match (self.0, bot.is_enabled()) {
            (Some(wanted), Ok(Some(is_enabled))) => wanted == is_enabled,
            _ => true,
        }
    }
}

/// What is known of a bot.
#[derive(Clone, Debug)]
pub(super) struct KnownBot {
    /// How it was seen last, with the last known values of fields that could not be read then.
    pub(super) bot_state: BotState,
    /// The fields that were reported as unreadable and were not read since.
    pub(super) reported: BTreeSet<FieldKey>,
    /// The number of the poll that last asked for it alone.
    pub(super) asked: u64,
}

/// What a sight of a bot gives.
#[derive(Debug, Default)]
pub(super) struct Observation {
    /// What changed.
    pub(super) changes: Vec<BotChange>,
    /// Why fields can't be read that could be read before.
    pub(super) malformed: Vec<String>,
}

/// Returns the reasons to report, and the fields that are reported from then on: deals that a poll did not reach are as before.
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

/// What is known of all bots, by their identifiers.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    /// Whether all of them were seen once, so that one which was not is new.
    pub(super) begun: bool,
    /// The bots.
    pub(super) bots: BTreeMap<i64, KnownBot>,
}

impl Snapshot {
    /// Takes a bot as it is seen now, and tells what changed.
    pub(super) fn take(&mut self, id: i64, now: &BotState, scope: Scope, at: Timestamp) -> Observation {
        let known = self.bots.get(&id);
        let before = known.map(|known| &known.bot_state);
        let KnownBotState { mut bot_state, malformed } = known_state(before, now);
        let is_in = scope.holds(&bot_state.bot);
        let is_told = is_in || before.is_some_and(|before| scope.holds(&before.bot));
        let mut taken = Observation::default();
        let mut reported = BTreeSet::new();
        if is_told {
            taken.changes = match before {
                Some(before) => between(before, now, &bot_state, at),
                None if self.begun => appeared(now, &bot_state, at),
                None => Vec::new(),
            };
            (taken.malformed, reported) = reports(known, malformed, now.deals.is_some());
        }
        if !is_in {
            // Nobody follows them any more, so that they are no base for what is seen later.
            bot_state.deals = None;
        } else if bot_state.deals.is_none() {
            bot_state.deals = before.map_or(self.begun.then(Vec::new), |before| before.deals.clone());
        }
        let asked = known.map_or(0, |known| known.asked);
        self.bots.insert(id, KnownBot { bot_state, reported, asked });
        taken
    }

    /// Forgets a bot that is not there any more, and tells so.
    pub(super) fn forget(&mut self, id: i64, scope: Scope, at: Timestamp) -> Option<BotChange> {
        let BotState { bot, .. } = self.bots.remove(&id)?.bot_state;
        let before = Some(bot.clone());
        let (deal, deal_before, fields) = (None, None, Vec::new());
        let change = BotChange { kind: ChangeKind::Vanished, bot, before, deal, deal_before, fields, at };
        scope.holds(&change.bot).then_some(change)
    }

    /// Whether the deals of a bot that a list holds can only be told by asking for the bot alone.
    pub(super) fn needs_deals(&self, id: i64, listed: &DcaBot, scope: Scope) -> bool {
        let known = self.bots.get(&id);
        let followed = scope.holds(listed) || known.is_some_and(|known| scope.holds(&known.bot_state.bot));
        let deals = known.and_then(|known| known.bot_state.deals.as_ref());
        let has_open = deals.is_some_and(|deals| deals.iter().any(is_open));
        followed && (has_open || listed.active_deals_count() != Ok(Some(0)))
    }

    /// The number of the poll that last asked for a bot alone.
    pub(super) fn asked(&self, id: i64) -> u64 {
        self.bots.get(&id).map_or(0, |known| known.asked)
    }

    /// Notes that a poll asks for a bot alone.
    pub(super) fn ask(&mut self, id: i64, poll: u64) {
        if let Some(known) = self.bots.get_mut(&id) {
            known.asked = poll;
        }
    }
}
