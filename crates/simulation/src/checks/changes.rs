//! The changes that a watch reports: each continues the one before, so that none is lost and none comes twice.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use botdesk_api::dca_bot::DcaBot;
use botdesk_client::watch::{BotChange, ChangeKind};

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
    pub(crate) fn apply(&mut self, change: &BotChange) -> Result<(), String> {
        self.step(change).map_err(|why| format!("the watch reports “{change}”, but {why}"))
    }

    fn step(&mut self, change: &BotChange) -> Result<(), String> {
        let bot = id(&change.bot);
        if change.kind == ChangeKind::Appeared {
            return match self.bots.insert(bot, ReportedBot::of(&change.bot)) {
                Some(_) => Err("it is known".to_owned()),
                None => Ok(()),
            };
        }
        if change.kind == ChangeKind::Vanished {
            return self.bots.remove(&bot).map(drop).ok_or_else(|| "it is not known".to_owned());
        }
        let reported = self.bots.get_mut(&bot).ok_or("the bot is not known")?;
        let deal = change.deal.as_ref().and_then(|deal| deal.id().ok().flatten());
        match change.kind {
            ChangeKind::Enabled => reported.switch(true)?,
            ChangeKind::Disabled => reported.switch(false)?,
            ChangeKind::DealOpened if !reported.open_deals.insert(deal.unwrap_or_default()) => {
                return Err("the deal is already open".to_owned());
            }
            ChangeKind::DealClosed if !reported.open_deals.remove(&deal.unwrap_or_default()) => {
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
