//! The changes that a watch reports: each continues the one before, so that none is lost and none comes twice.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use botdesk_api::dca_bots::DcaBot;
use botdesk_client::watch::{ChangeKind, RecordChange};
use botdesk_schema::record::Record as _;

/// The states that the reported changes add up to. A script saves it together with the state of its watch.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChangeCheck {
    bots: BTreeMap<i64, ReportedBot>,
}

/// A bot as the reported changes describe it.
#[derive(Clone, Debug, Default, PartialEq)]
struct ReportedBot {
    is_enabled: Option<bool>,
    /// The values of fields, by deal and name. Those that no change has mentioned are missing.
    fields: BTreeMap<(Option<i64>, &'static str), Option<Value>>,
    open_deals: BTreeSet<i64>,
}

/// The fields of a bot that edits of the simulation change.
const FIELDS: [(&str, ReadField); 1] =
    [("name", |bot| bot.name().ok().flatten().map(|name| Value::from(name.to_string())))];

type ReadField = fn(&DcaBot) -> Option<Value>;

impl ReportedBot {
    fn of(bot: &DcaBot) -> Self {
        Self {
            is_enabled: bot.is_enabled().ok().flatten(),
            fields: FIELDS.into_iter().map(|(name, read)| ((None, name), read(bot))).collect(),
            open_deals: BTreeSet::new(),
        }
    }
}

impl ChangeCheck {
    /// Returns the states of bots before the first change, with their open deals.
    pub(crate) fn new(bots: &[DcaBot]) -> Self {
        let bots =
            bots.iter().map(|bot| (id(bot), ReportedBot { open_deals: open_deals(bot), ..ReportedBot::of(bot) }));
        Self { bots: bots.collect() }
    }

    /// Applies a change; fails if it does not continue the changes before it.
    pub(crate) fn apply(&mut self, change: &RecordChange) -> Result<(), String> {
        self.step(change).map_err(|why| format!("the watch reports “{change}”, but {why}"))
    }

    fn step(&mut self, change: &RecordChange) -> Result<(), String> {
        let record = DcaBot::from_fields(change.record.clone());
        let bot = id(&record);
        if change.kind == ChangeKind::Appeared {
            return match self.bots.insert(bot, ReportedBot::of(&record)) {
                Some(_) => Err("it is known".to_owned()),
                None => Ok(()),
            };
        }
        if change.kind == ChangeKind::Vanished {
            return self.bots.remove(&bot).map(drop).ok_or_else(|| "it is not known".to_owned());
        }
        let reported = self.bots.get_mut(&bot).ok_or("the bot is not known")?;
        let deal = change.nested.as_ref().and_then(|deal| deal.id().ok().flatten());
        match change.kind {
            ChangeKind::Enabled => reported.switch(true)?,
            ChangeKind::Disabled => reported.switch(false)?,
            ChangeKind::NestedOpened if !reported.open_deals.insert(deal.unwrap_or_default()) => {
                return Err("the deal is already open".to_owned());
            }
            ChangeKind::NestedClosed if !reported.open_deals.remove(&deal.unwrap_or_default()) => {
                return Err("the deal is not open".to_owned());
            }
            _ => {}
        }
        change
            .fields
            .iter()
            .try_for_each(|field| reported.set(deal, field.name, field.old.as_ref(), field.new.as_ref()))
    }

    /// Fails if bots have another state than the reported changes add up to. The bots have their deals.
    pub(crate) fn compare(&self, bots: &[DcaBot]) -> Result<(), String> {
        let ids: BTreeSet<_> = bots.iter().map(id).collect();
        if ids != self.bots.keys().copied().collect() {
            return Err(format!("the watch knows the bots {:?}, but these exist: {ids:?}", self.bots.keys()));
        }
        bots.iter().try_for_each(|bot| self.compare_bot(bot))
    }

    fn compare_bot(&self, bot: &DcaBot) -> Result<(), String> {
        let id = id(bot);
        let Some(reported) = self.bots.get(&id) else { return Ok(()) };
        let now = ReportedBot { open_deals: open_deals(bot), ..ReportedBot::of(bot) };
        let differs = |what: &str, reported: &dyn std::fmt::Debug, is: &dyn std::fmt::Debug| {
            Err(format!("bot {id}: {what} is {is:?}, but after the reported changes it is {reported:?}"))
        };
        if reported.is_enabled != now.is_enabled {
            return differs("is_enabled", &reported.is_enabled, &now.is_enabled);
        }
        if reported.open_deals != now.open_deals {
            return differs("the list of open deals", &reported.open_deals, &now.open_deals);
        }
        for (field, value) in &now.fields {
            if reported.fields.get(field).is_some_and(|reported| reported != value) {
                return differs(field.1, &reported.fields.get(field), value);
            }
        }
        Ok(())
    }
}

impl ReportedBot {
    fn switch(&mut self, is_enabled: bool) -> Result<(), String> {
        if self.is_enabled.replace(is_enabled) == Some(is_enabled) {
            return Err("it is so already".to_owned());
        }
        Ok(())
    }

    /// Sets a field; fails if its old value is not the one that was reported last.
    fn set(
        &mut self,
        deal: Option<i64>,
        name: &'static str,
        old: Option<&Value>,
        new: Option<&Value>,
    ) -> Result<(), String> {
        match self.fields.insert((deal, name), new.cloned()) {
            Some(reported) if reported.as_ref() != old => Err(format!("{name} was last reported as {reported:?}")),
            _ => Ok(()),
        }
    }
}

fn id(bot: &DcaBot) -> i64 {
    bot.id().ok().flatten().unwrap_or_default()
}

fn open_deals(bot: &DcaBot) -> BTreeSet<i64> {
    let deals = bot.active_deals().ok().flatten().unwrap_or_default();
    deals.iter().filter_map(|deal| deal.id().ok().flatten()).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use botdesk_api::deals::Deal;
    use botdesk_api::samples::operation;
    use botdesk_client::watch::Subject;
    use botdesk_schema::input::differences;
    use serde_json::json;

    use super::*;

    fn bot(name: &str, deals: &[i64]) -> DcaBot {
        let deals: Vec<_> = deals.iter().map(|id| json!({"id": id})).collect();
        let fields = json!({"id": 41, "name": name, "is_enabled": true, "active_deals": deals});
        DcaBot::from_json(&fields.to_string()).unwrap()
    }

    fn change(kind: ChangeKind, before: &str, now: &str) -> RecordChange {
        let (before, bot) = (bot(before, &[]), bot(now, &[]));
        let row = DcaBot::ROWS.iter().enumerate().find(|(_, row)| row.name == "name");
        let fields =
            if kind == ChangeKind::Edited { differences(row, before.fields(), bot.fields()) } else { Vec::new() };
        RecordChange {
            subject: Subject::of(operation("dca_bots.list")).unwrap(),
            kind,
            record: bot.fields().clone(),
            before: Some(before.fields().clone()),
            nested: None,
            nested_before: None,
            fields,
            at: Timestamp::UNIX_EPOCH,
        }
    }

    fn rename(before: &str, now: &str) -> RecordChange {
        change(ChangeKind::Edited, before, now)
    }

    fn deal(kind: ChangeKind) -> RecordChange {
        RecordChange { nested: Some(Deal::SPEC.from_json("{\"id\": 7}").unwrap()), ..change(kind, "a", "a") }
    }

    fn check(changes: &[RecordChange]) -> Result<ChangeCheck, String> {
        let mut check = ChangeCheck::new(&[bot("a", &[])]);
        changes.iter().try_for_each(|change| check.apply(change))?;
        Ok(check)
    }

    #[test]
    fn each_change_continues_the_one_before() {
        assert!(check(&[rename("a", "b"), rename("b", "c")]).is_ok());
        let twice = check(&[rename("a", "b"), rename("a", "b")]).err().unwrap();
        assert!(twice.ends_with("but name was last reported as Some(String(\"b\"))"), "{twice}");
        assert!(check(&[rename("a", "b"), rename("c", "d")]).is_err());
    }

    #[test]
    fn a_deal_opens_and_closes_once() {
        use ChangeKind::{NestedClosed, NestedOpened};
        assert!(check(&[deal(NestedOpened), deal(NestedClosed)]).is_ok());
        assert!(check(&[deal(NestedOpened), deal(NestedOpened)]).is_err());
        assert!(check(&[deal(NestedClosed)]).is_err());
    }

    #[test]
    fn a_switch_and_the_end_of_a_bot_come_once() {
        use ChangeKind::{Appeared, Disabled, Enabled, Vanished};
        let of = |kinds: &[ChangeKind]| check(&kinds.iter().map(|kind| change(*kind, "a", "a")).collect::<Vec<_>>());
        assert!(of(&[Disabled, Enabled, Vanished, Appeared]).is_ok());
        for kinds in [&[Enabled][..], &[Disabled, Disabled], &[Vanished, Vanished], &[Appeared], &[Vanished, Disabled]]
        {
            assert!(of(kinds).is_err(), "{kinds:?}");
        }
    }

    #[test]
    fn the_changes_add_up_to_the_state_at_the_end() {
        let check = check(&[rename("a", "b"), deal(ChangeKind::NestedOpened)]).unwrap();
        assert_eq!(check.compare(&[bot("b", &[7])]), Ok(()));
        assert!(check.compare(&[bot("a", &[7])]).unwrap_err().starts_with("bot 41: name is "));
        assert!(check.compare(&[bot("b", &[])]).unwrap_err().starts_with("bot 41: the list of open deals is "));
        assert!(check.compare(&[]).is_err());
    }
}
