//! Properties of watches, for any responses.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::difference::{between, is_open};
use super::super::record_state::RecordState;
use super::super::snapshot::{Observation, Snapshot};
use super::super::{ChangeKind, Scope};
use super::{bot, deal, record, subject, with};
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::deals::Deal;

/// Deals by their identifiers, each as far as it came: opened, grown or finished.
fn some_deals() -> impl Strategy<Value = BTreeMap<i64, u8>> {
    proptest::collection::btree_map(1_i64..8, 0_u8..3, 0..6)
}

fn bot_state(deals: &BTreeMap<i64, u8>, is_enabled: bool) -> RecordState {
    let deals = deals.iter().map(|(id, stage)| {
        let deal = with(deal(*id), "completed_safety_orders_count", json!(stage));
        record::<Deal>(&with(deal, "finished?", json!(*stage == 2)))
    });
    let bot = with(bot(1), "is_enabled", json!(is_enabled));
    RecordState { record: record::<DcaBot>(&bot), nested: Some(deals.collect()) }
}

fn open(bot_state: &RecordState) -> BTreeSet<i64> {
    let deals = bot_state.nested.iter().flatten().filter(|deal| is_open(&subject(), deal));
    deals.map(|deal| deal.id().unwrap().unwrap()).collect()
}

/// A value of `is_enabled` in a response: a Boolean, or a value that can't be read as one.
fn some_switch() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        any::<bool>().prop_map(|is_enabled| Some(json!(is_enabled))),
        any::<bool>().prop_map(|is_enabled| Some(json!(is_enabled.to_string()))),
        Just(Some(Value::Null)),
        Just(None),
        Just(Some(json!(1))),
        Just(Some(json!("perhaps"))),
        Just(Some(json!([]))),
    ]
}

/// A value of a field that may be unreadable.
fn some_setting() -> impl Strategy<Value = Value> {
    prop_oneof![3 => Just(json!("1.0")), 1 => Just(json!("much"))]
}

/// A value of `finished?` as responses hold it.
fn some_end() -> impl Strategy<Value = Option<Value>> {
    prop_oneof![
        3 => any::<bool>().prop_map(|is_finished| Some(json!(is_finished))),
        1 => Just(Some(Value::Null)),
        1 => Just(Some(json!("maybe"))),
        1 => Just(None),
    ]
}

/// The response of a poll about the bot.
#[derive(Clone, Debug)]
struct Response {
    switch: Option<Value>,
    take_profit: Value,
    /// The `finished?` of each deal by its identifier; None if the poll does not reach the deals.
    deals: Option<BTreeMap<i64, Option<Value>>>,
}

fn some_response() -> impl Strategy<Value = Response> {
    let deals = proptest::option::of(proptest::collection::btree_map(1_i64..4, some_end(), 0..3));
    let parts = (some_switch(), some_setting(), deals);
    parts.prop_map(|(switch, take_profit, deals)| Response { switch, take_profit, deals })
}

fn set(mut record: Value, field: &str, value: Option<&Value>) -> Value {
    if let Some(value) = value {
        return with(record, field, value.clone());
    }
    record.as_object_mut().unwrap().shift_remove(field);
    record
}

/// Returns the Boolean that a value represents, if any.
fn boolean(value: Option<&Value>) -> Option<bool> {
    value.and_then(|value| value.as_bool().or_else(|| value.as_str()?.parse().ok()))
}

impl Response {
    fn bot_state(&self) -> RecordState {
        let bot = with(set(bot(1), "is_enabled", self.switch.as_ref()), "take_profit", self.take_profit.clone());
        let each = |(id, end): (&i64, &Option<Value>)| record::<Deal>(&set(deal(*id), "finished?", end.as_ref()));
        let nested = self.deals.as_ref().map(|deals| deals.iter().map(each).collect());
        RecordState { record: record::<DcaBot>(&bot), nested }
    }

    /// Returns the beginning and the end of the reason of each field that can't be read.
    fn malformed(&self) -> BTreeSet<(&'static str, String)> {
        let mut found = BTreeSet::new();
        if boolean(self.switch.as_ref()).is_none() {
            found.insert(("DcaBot.is_enabled", String::new()));
        }
        if self.take_profit == json!("much") {
            found.insert(("DcaBot.take_profit", String::new()));
        }
        let ends = self.deals.iter().flatten().filter(|(_, end)| end.is_some() && boolean(end.as_ref()).is_none());
        found.extend(ends.map(|(id, _)| ("Deal.finished", format!("(deal {id})"))));
        found
    }
}

/// The expected state of a watch, in the simplest form.
#[derive(Debug, Default)]
struct Model {
    wanted: Option<bool>,
    is_seen: bool,
    is_enabled: Option<bool>,
    /// True for each deal that has finished, None for one of unknown state; no map if the deals are not followed.
    deals: Option<BTreeMap<i64, Option<bool>>>,
    reported: BTreeSet<(&'static str, String)>,
}

/// The expected report of a poll.
#[derive(Debug, Default, PartialEq)]
struct Report {
    /// The changes of the bot.
    kinds: Vec<ChangeKind>,
    /// The deals that opened and those that closed.
    opened: BTreeSet<i64>,
    closed: BTreeSet<i64>,
    /// The number of fields that are reported as unreadable.
    malformed: usize,
}

impl Model {
    fn is_in_scope(&self) -> bool {
        self.wanted.is_none() || self.is_enabled.is_none() || self.is_enabled == self.wanted
    }

    fn take(&mut self, response: &Response) -> (Report, BTreeSet<(&'static str, String)>) {
        let was_in_scope = self.is_seen && self.is_in_scope();
        let mut report = Report::default();
        let before = self.is_enabled;
        self.is_enabled = boolean(response.switch.as_ref()).or(before);
        match (self.is_seen, before, self.is_enabled) {
            (false, ..) => report.kinds.push(ChangeKind::Appeared),
            (true, Some(false), Some(true)) => report.kinds.push(ChangeKind::Enabled),
            (true, Some(true), Some(false)) => report.kinds.push(ChangeKind::Disabled),
            _ => {}
        }
        // A bot that is seen for the first time has begun all its deals since.
        let known = if self.is_seen { self.deals.take() } else { Some(BTreeMap::new()) };
        self.deals = self.follow(known, response.deals.as_ref(), &mut report);
        self.is_seen = true;
        let malformed = response.malformed();
        let new: BTreeSet<_> = malformed.difference(&self.reported).cloned().collect();
        let is_unseen = |key: &&(&str, String)| response.deals.is_none() && key.0 == "Deal.finished";
        let unseen: Vec<_> = self.reported.iter().filter(is_unseen).cloned().collect();
        if !was_in_scope && !self.is_in_scope() {
            self.reported.clear();
            return (Report::default(), BTreeSet::new());
        }
        self.reported = malformed.into_iter().chain(unseen).collect();
        report.malformed = new.len();
        (report, new)
    }

    fn follow(
        &self,
        known: Option<BTreeMap<i64, Option<bool>>>,
        seen: Option<&BTreeMap<i64, Option<Value>>>,
        report: &mut Report,
    ) -> Option<BTreeMap<i64, Option<bool>>> {
        let is_open = |finished: Option<bool>| finished != Some(true);
        let now: Option<BTreeMap<_, _>> = seen.map(|seen| {
            let held = |id| known.as_ref().and_then(|known| known.get(id).copied().flatten());
            seen.iter().map(|(id, end)| (*id, boolean(end.as_ref()).or_else(|| held(id)))).collect()
        });
        if let (Some(known), Some(now)) = (&known, &now) {
            for (id, finished) in now {
                let was_open = known.get(id).map(|finished| is_open(*finished));
                if was_open.is_none() || (was_open == Some(false) && is_open(*finished)) {
                    report.opened.insert(*id);
                }
                if was_open != Some(false) && !is_open(*finished) {
                    report.closed.insert(*id);
                }
            }
            let gone = known.iter().filter(|(id, finished)| is_open(**finished) && !now.contains_key(id));
            report.closed.extend(gone.map(|(id, _)| *id));
        }
        if self.is_in_scope() { now.or(known) } else { None }
    }
}

fn report(taken: &Observation) -> Report {
    let mut report = Report { malformed: taken.malformed.len(), ..Report::default() };
    for change in &taken.changes {
        let id = || change.nested.as_ref().unwrap().id().unwrap().unwrap();
        match change.kind {
            ChangeKind::NestedOpened => assert!(report.opened.insert(id()), "opened twice"),
            ChangeKind::NestedClosed => assert!(report.closed.insert(id()), "closed twice"),
            kind => report.kinds.push(kind),
        }
    }
    report
}

proptest! {
    #[test]
    fn no_switch_is_lost_or_invented_for_any_responses(switches in proptest::collection::vec(some_switch(), 1..12)) {
        let mut snapshot = Snapshot { is_complete: true, ..Snapshot::default() };
        let mut reports = Vec::new();
        for switch in &switches {
            let mut bot = bot(1);
            match switch {
                Some(value) => bot["is_enabled"] = value.clone(),
                None => drop(bot.as_object_mut().unwrap().shift_remove("is_enabled")),
            }
            let bot_state = RecordState { record: record::<DcaBot>(&bot), nested: None };
            let taken = snapshot.take(1, &bot_state, Scope::all(subject()), Timestamp::UNIX_EPOCH);
            reports.extend(taken.changes.iter().map(|change| change.kind));
        }
        let mut known: Vec<bool> =
            switches.iter().flatten().filter_map(|value| value.as_bool().or_else(|| value.as_str()?.parse().ok())).collect();
        known.dedup();
        let kind = |is_enabled: &bool| if *is_enabled { ChangeKind::Enabled } else { ChangeKind::Disabled };
        let expected: Vec<_> = std::iter::once(ChangeKind::Appeared).chain(known.iter().skip(1).map(kind)).collect();
        prop_assert_eq!(reports, expected);
    }

    #[test]
    fn each_change_and_each_unreadable_field_in_the_scope_is_reported_once(
        scope in prop_oneof![Just("null"), Just("enabled"), Just("disabled")],
        responses in proptest::collection::vec(some_response(), 1..12),
    ) {
        let wanted = match scope {
            "enabled" => Some(true),
            "disabled" => Some(false),
            _ => None,
        };
        let mut snapshot = Snapshot { is_complete: true, ..Snapshot::default() };
        let mut model = Model { wanted, ..Model::default() };
        for response in &responses {
            let taken = snapshot.take(1, &response.bot_state(), Scope::named(subject(), scope), Timestamp::UNIX_EPOCH);
            let (expected, malformed) = model.take(response);
            prop_assert_eq!(report(&taken), expected);
            for (field, deal) in malformed {
                let is_it = |reason: &String| reason.starts_with(field) && reason.ends_with(&deal);
                prop_assert!(taken.malformed.iter().any(is_it), "{field} {deal}: {:?}", taken.malformed);
            }
        }
    }

    #[test]
    fn a_bot_does_not_differ_from_itself(deals in some_deals(), is_enabled: bool) {
        let same = bot_state(&deals, is_enabled);
        prop_assert!(between(subject(), &same, &same, &same, Timestamp::UNIX_EPOCH).is_empty());
    }

    #[test]
    fn the_changes_show_which_deals_are_open(before in some_deals(), now in some_deals()) {
        let (before, now) = (bot_state(&before, true), bot_state(&now, false));
        let changes = between(subject(), &before, &now, &now, Timestamp::UNIX_EPOCH);
        prop_assert_eq!(changes.first().map(|change| change.kind), Some(ChangeKind::Disabled));
        let mut known = open(&before);
        for change in &changes {
            let id = change.nested.as_ref().map(|deal| deal.id().unwrap().unwrap());
            match change.kind {
                ChangeKind::NestedOpened => prop_assert!(known.insert(id.unwrap())),
                ChangeKind::NestedClosed => prop_assert!(known.remove(&id.unwrap())),
                ChangeKind::NestedChanged => prop_assert!(known.contains(&id.unwrap()) && !change.fields.is_empty()),
                _ => prop_assert!(id.is_none()),
            }
        }
        prop_assert_eq!(known, open(&now));
    }
}
