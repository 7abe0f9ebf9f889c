//! Compares a bot with its last known state.

use jiff::Timestamp;

use super::bot_state::BotState;
use super::change::{BotChange, ChangeKind};
use super::known::{Watched, settings};
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::deals::Deal;
use botdesk_api::input::{Change, differences, input_differences};

/// Returns true if a deal is open.
pub(super) fn is_open(deal: &Deal) -> bool {
    let finished = matches!(deal.finished(), Ok(Some(true)));
    let closed = matches!(deal.closed_at(), Ok(Some(_)));
    !(finished || closed)
}

/// Returns the changes: the bot first, then deals that were closed, changed and opened. `before` is the last known state, `now` the
/// state in the response, and `known` the new known state.
pub(super) fn between(before: &BotState, now: &BotState, known: &BotState, at: Timestamp) -> Vec<BotChange> {
    let whole = |kind, fields| BotChange {
        kind,
        bot: now.bot.clone(),
        before: Some(before.bot.clone()),
        deal: None,
        deal_before: None,
        fields,
        at,
    };
    let switch = switched(&before.bot, &known.bot);
    let mut changes: Vec<_> = switch.map(|kind| whole(kind, Vec::new())).into_iter().collect();
    let edits = edits(&before.bot, &known.bot);
    if !edits.is_empty() {
        changes.push(whole(ChangeKind::Edited, edits));
    }
    if let (Some(then), Some(deals), Some(known)) = (&before.deals, &now.deals, &known.deals) {
        let deal_changes = of_deals(then, deals, known).into_iter();
        changes.extend(deal_changes.map(|DealChange { kind, deal, deal_before, fields }| BotChange {
            deal: Some(deal),
            deal_before,
            ..whole(kind, fields)
        }));
    }
    changes
}

/// Returns the changes for a new bot: the bot itself, and the deals that it has opened.
pub(super) fn appeared(now: &BotState, known: &BotState, at: Timestamp) -> Vec<BotChange> {
    let alone = |kind| BotChange {
        kind,
        bot: now.bot.clone(),
        before: None,
        deal: None,
        deal_before: None,
        fields: Vec::new(),
        at,
    };
    let [deals, known] = [now, known].map(|bot_state| bot_state.deals.as_deref().unwrap_or_default());
    let begun = of_deals(&[], deals, known).into_iter();
    let deals =
        begun.map(|step| BotChange { deal: Some(step.deal), deal_before: step.deal_before, ..alone(step.kind) });
    std::iter::once(alone(ChangeKind::Appeared)).chain(deals).collect()
}

fn switched(before: &DcaBot, now: &DcaBot) -> Option<ChangeKind> {
    match (before.is_enabled(), now.is_enabled()) {
        (Ok(Some(false)), Ok(Some(true))) => Some(ChangeKind::Enabled),
        (Ok(Some(true)), Ok(Some(false))) => Some(ChangeKind::Disabled),
        _ => None,
    }
}

/// Returns the settings that differ between two known states of a record: the fields that do not change by themselves, and
/// inputs of an edit that the API reference does not list as fields.
pub(super) fn edits<R: Watched>(before: &R, known: &R) -> Vec<Change> {
    let (before, known) = (before.fields(), known.fields());
    let unlisted = input_differences(R::unlisted().iter().copied(), before, known);
    differences(settings::<R>(), before, known).into_iter().chain(unlisted).collect()
}

/// A change of a deal.
struct DealChange {
    kind: ChangeKind,
    deal: Deal,
    deal_before: Option<Deal>,
    fields: Vec<Change>,
}

/// Returns the changes of deals; `known` has the known state of each deal in `now`.
fn of_deals(before: &[Deal], now: &[Deal], known: &[Deal]) -> Vec<DealChange> {
    let gone = before.iter().filter(|then| is_open(then) && same(now, then).is_none());
    let gone = gone.map(|then| DealChange {
        kind: ChangeKind::DealClosed,
        deal: then.clone(),
        deal_before: Some(then.clone()),
        fields: Vec::new(),
    });
    let mut steps: Vec<_> =
        gone.chain(now.iter().zip(known).flat_map(|(deal, known)| of_deal(same(before, deal), deal, known))).collect();
    steps.sort_by_key(|step| match step.kind {
        ChangeKind::DealClosed if step.deal_before.is_some() => 0,
        ChangeKind::DealChanged => 1,
        _ => 2,
    });
    steps
}

fn same<'a>(deals: &'a [Deal], sought: &Deal) -> Option<&'a Deal> {
    let id = sought.id().ok().flatten()?;
    deals.iter().find(|deal| deal.id() == Ok(Some(id)))
}

fn of_deal(before: Option<&Deal>, now: &Deal, known: &Deal) -> Vec<DealChange> {
    let fields = before.map(|then| edits(then, known)).unwrap_or_default();
    let step = |kind, fields| DealChange { kind, deal: now.clone(), deal_before: before.cloned(), fields };
    match (before.map(is_open), is_open(known)) {
        // A deal that was opened and closed between two polls has both changes.
        (None, false) => vec![step(ChangeKind::DealOpened, Vec::new()), step(ChangeKind::DealClosed, Vec::new())],
        (None | Some(false), true) => vec![step(ChangeKind::DealOpened, Vec::new())],
        (Some(true), false) => vec![step(ChangeKind::DealClosed, fields)],
        (Some(true), true) if !fields.is_empty() => vec![step(ChangeKind::DealChanged, fields)],
        _ => Vec::new(),
    }
}
