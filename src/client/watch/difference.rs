//! How one bot differs from what was known of it.

use jiff::Timestamp;

use super::change::{BotChange, Kind};
use super::known::{known, settings};
use crate::service::dca_bot::{DcaBot, DcaBotEdit};
use crate::service::deal::Deal;
use crate::service::input::{Change, differences, moved};
use crate::service::record::Record;

/// A bot as it was seen.
#[derive(Clone, Debug)]
pub(super) struct Sight {
    /// The bot.
    pub(super) bot: DcaBot,
    /// Its deals; None where they are not known.
    pub(super) deals: Option<Vec<Deal>>,
}

/// Whether a deal goes on.
pub(super) fn is_open(deal: &Deal) -> bool {
    let finished = matches!(deal.finished(), Ok(Some(true)));
    let closed = matches!(deal.closed_at(), Ok(Some(_)));
    !(finished || closed)
}

/// What changed from what is known of a bot to how it is seen now: the bot first, then deals that ended, changed and began.
pub(super) fn between(before: &Sight, now: &Sight, at: Timestamp) -> Vec<BotChange> {
    let whole = |kind, fields| BotChange {
        kind,
        bot: now.bot.clone(),
        before: Some(before.bot.clone()),
        deal: None,
        deal_before: None,
        fields,
        at,
    };
    let switch = switched(&before.bot, &known(Some(&before.bot), &now.bot));
    let mut changes: Vec<_> = switch.map(|kind| whole(kind, Vec::new())).into_iter().collect();
    let edits = edits(&before.bot, &now.bot);
    if !edits.is_empty() {
        changes.push(whole(Kind::Edited, edits));
    }
    if let (Some(then), Some(deals)) = (&before.deals, &now.deals) {
        let told = of_deals(then, deals).into_iter();
        changes.extend(told.map(|Step { kind, deal, deal_before, fields }| BotChange {
            deal: Some(deal),
            deal_before,
            ..whole(kind, fields)
        }));
    }
    changes
}

/// What a bot that was not there before is told with: itself, and the deals that it has begun.
pub(super) fn appeared(now: &Sight, at: Timestamp) -> Vec<BotChange> {
    let alone = |kind| BotChange {
        kind,
        bot: now.bot.clone(),
        before: None,
        deal: None,
        deal_before: None,
        fields: Vec::new(),
        at,
    };
    let begun = of_deals(&[], now.deals.as_deref().unwrap_or_default()).into_iter();
    let deals =
        begun.map(|step| BotChange { deal: Some(step.deal), deal_before: step.deal_before, ..alone(step.kind) });
    std::iter::once(alone(Kind::Appeared)).chain(deals).collect()
}

fn switched(before: &DcaBot, now: &DcaBot) -> Option<Kind> {
    match (before.is_enabled(), now.is_enabled()) {
        (Ok(Some(false)), Ok(Some(true))) => Some(Kind::Enabled),
        (Ok(Some(true)), Ok(Some(false))) => Some(Kind::Disabled),
        _ => None,
    }
}

/// The settings that differ: what does not move by itself, and what an edit takes though the document lists no such field.
pub(super) fn edits(before: &DcaBot, now: &DcaBot) -> Vec<Change> {
    let now = known(Some(before), now);
    let (before, now) = (before.fields(), now.fields());
    let unlisted = moved(DcaBotEdit::INPUTS, before, now).into_iter();
    let unlisted = unlisted.filter(|change| DcaBot::ROWS.iter().all(|row| row.name != change.name));
    differences(settings::<DcaBot>(), before, now).into_iter().chain(unlisted).collect()
}

/// The fields of a deal that differ and do not move by themselves.
pub(super) fn turns(before: &Deal, now: &Deal) -> Vec<Change> {
    differences(settings::<Deal>(), before.fields(), known(Some(before), now).fields())
}

/// A step in the life of a deal.
struct Step {
    kind: Kind,
    deal: Deal,
    deal_before: Option<Deal>,
    fields: Vec<Change>,
}

fn of_deals(before: &[Deal], now: &[Deal]) -> Vec<Step> {
    let gone = before.iter().filter(|then| is_open(then) && same(now, then).is_none());
    let gone = gone.map(|then| Step {
        kind: Kind::DealClosed,
        deal: then.clone(),
        deal_before: Some(then.clone()),
        fields: Vec::new(),
    });
    let mut steps: Vec<_> = gone.chain(now.iter().flat_map(|deal| of_deal(same(before, deal), deal))).collect();
    steps.sort_by_key(|step| match step.kind {
        Kind::DealClosed if step.deal_before.is_some() => 0,
        Kind::DealChanged => 1,
        _ => 2,
    });
    steps
}

fn same<'a>(deals: &'a [Deal], sought: &Deal) -> Option<&'a Deal> {
    let id = sought.id().ok().flatten()?;
    deals.iter().find(|deal| deal.id() == Ok(Some(id)))
}

fn of_deal(before: Option<&Deal>, now: &Deal) -> Vec<Step> {
    let fields = before.map(|then| turns(then, now)).unwrap_or_default();
    let step = |kind, fields| Step { kind, deal: now.clone(), deal_before: before.cloned(), fields };
    match (before.map(is_open), is_open(&known(before, now))) {
        // One that began and ended since: both are told.
        (None, false) => vec![step(Kind::DealOpened, Vec::new()), step(Kind::DealClosed, Vec::new())],
        (None | Some(false), true) => vec![step(Kind::DealOpened, Vec::new())],
        (Some(true), false) => vec![step(Kind::DealClosed, fields)],
        (Some(true), true) if !fields.is_empty() => vec![step(Kind::DealChanged, fields)],
        _ => Vec::new(),
    }
}
