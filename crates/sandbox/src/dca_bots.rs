//! What the operations on DCA bots do.

use std::cmp::Ordering;
use std::sync::Arc;

use bigdecimal::{BigDecimal, Zero};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::defaults;
use super::inputs::{self, Complaints, Given};
use super::record::{Record, is_true, text, whole};
use super::route::{Asked, Route};
use super::state::{DcaBotState, Listed, Shown, World};
use botdesk_api::dca_bot::{
    self, CANCEL_ALL_DEALS, DISABLE, DcaBot, DcaBotEdit, DcaBotList, DcaBotShow, EDIT, GET, LIST,
};
use botdesk_api::decimal;
use botdesk_api::input::{InputType, RequestBuilder};
use botdesk_api::record::Record as _;
use botdesk_api::values::Field;
use botdesk_server::answer::{Refusal, Told};

/// The operations on DCA bots.
pub(super) const ROUTES: &[Route] = &[
    Route { endpoint: LIST, handler: list },
    Route { endpoint: GET, handler: get },
    Route { endpoint: EDIT, handler: edit },
    Route { endpoint: DISABLE, handler: disable },
    Route { endpoint: CANCEL_ALL_DEALS, handler: cancel_all_deals },
];

/// How many bots a list has where the caller does not say.
const PAGE: usize = 50;

fn list(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let query = inputs::validated(DcaBotList::INPUTS, asked)?;
    let ids = listed(world, &query);
    let offset = count(&query, DcaBotList::offset).unwrap_or(0);
    let limit = count(&query, DcaBotList::limit).unwrap_or(PAGE);
    let page = ids.iter().skip(offset).take(limit).filter_map(|id| world.dca_bots.get(id));
    Ok(Told::of(&page.map(|bot| &bot.record).collect::<Vec<_>>()))
}

/// The bots that a list has, in its order. A walk asks for one page after the other of the same list.
fn listed(world: &mut World, query: &RequestBuilder) -> Arc<[u64]> {
    let chosen = [DcaBotList::limit, DcaBotList::offset].map(|input| input as usize);
    let inputs = (0..DcaBotList::INPUTS.rows.len()).filter(|index| !chosen.contains(index));
    let asked: Vec<_> = inputs.map(|index| query.value(index).cloned()).collect();
    let known = world.memory.as_ref().and_then(|memory| memory.listed.as_ref());
    if let Some(known) = known.filter(|known| known.asked == asked) {
        return Arc::clone(&known.ids);
    }
    let ids = found(world, query);
    if let Some(memory) = &mut world.memory {
        memory.listed = Some(Listed { asked, ids: Arc::clone(&ids) });
    }
    ids
}

fn found(world: &World, query: &RequestBuilder) -> Arc<[u64]> {
    let mut found: Vec<_> = world.dca_bots.iter().filter(|(_, bot)| is_asked_for(bot, query)).collect();
    let sort_by = word(query, DcaBotList::sort_by);
    let ascending = word(query, DcaBotList::order_direction) == Some("ASC");
    found.sort_by(|(_, left), (_, right)| {
        let order = by(sort_by, &left.record, &right.record);
        if ascending { order } else { order.reverse() }
    });
    found.into_iter().map(|(id, _)| *id).collect()
}

fn word(query: &RequestBuilder, input: DcaBotList) -> Option<&str> {
    query.value(input as usize)?.as_str()
}

fn count(query: &RequestBuilder, input: DcaBotList) -> Option<usize> {
    let number = query.value(input as usize)?.as_u64()?;
    Some(usize::try_from(number).unwrap_or(usize::MAX))
}

fn is_asked_for(bot: &DcaBotState, query: &RequestBuilder) -> bool {
    let enabled = match word(query, DcaBotList::scope) {
        Some("enable" | "enabled") => Some(true),
        Some("disabled") => Some(false),
        _ => None,
    };
    let record = &bot.record;
    let is = |field: &str, wanted: Option<&Value>| wanted.is_none_or(|wanted| record.get(field) == Some(wanted));
    is("is_enabled", enabled.map(Value::Bool).as_ref())
        && is("account_id", query.value(DcaBotList::account_id as usize))
        && is("strategy", query.value(DcaBotList::strategy as usize))
        && word(query, DcaBotList::quote).is_none_or(|quote| trades_in(record, quote))
        && query.value(DcaBotList::from_ as usize).and_then(moment).is_none_or(|from| is_made_after(record, from))
}

fn trades_in(record: &Record, quote: &str) -> bool {
    let pairs = record.get("pairs").and_then(Value::as_array).into_iter().flatten();
    pairs.filter_map(Value::as_str).any(|pair| pair.split_once('_').is_some_and(|(of_pair, _)| of_pair == quote))
}

fn is_made_after(record: &Record, from: Timestamp) -> bool {
    text(record, "created_at").parse::<Timestamp>().is_ok_and(|made| made > from)
}

/// A time given in seconds since 1970 or in ISO 8601; without an offset it is UTC.
fn moment(given: &Value) -> Option<Timestamp> {
    match given {
        // Seconds beyond what a timestamp holds are a time after every bot, or before.
        Value::Number(seconds) => seconds.as_i64().map(|seconds| {
            let beyond = if seconds > 0 { Timestamp::MAX } else { Timestamp::MIN };
            Timestamp::from_second(seconds).unwrap_or(beyond)
        }),
        Value::String(text) => {
            let civil = || TimeZone::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok();
            let beyond = if text.starts_with('-') { Timestamp::MIN } else { Timestamp::MAX };
            Some(text.parse().ok().or_else(civil).unwrap_or(beyond))
        }
        _ => None,
    }
}

fn by(field: Option<&str>, left: &Record, right: &Record) -> Ordering {
    let order = match field {
        Some("profit") => profit(left).cmp(&profit(right)),
        Some("updated_at") => text(left, "updated_at").cmp(text(right, "updated_at")),
        _ => text(left, "created_at").cmp(text(right, "created_at")),
    };
    let id = |record: &Record| record.get("id").and_then(Value::as_u64);
    order.then_with(|| id(left).cmp(&id(right)))
}

fn profit(record: &Record) -> BigDecimal {
    decimal::parse(text(record, "finished_deals_profit_usd")).unwrap_or_default()
}

fn get(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let query = inputs::validated(DcaBotShow::INPUTS, asked)?;
    let (bot, _) = world.dca_bot(asked.id)?;
    let events = query.is_true(DcaBotShow::include_events as usize).then_some(bot.events.as_slice());
    Ok(Told::of(&Shown { bot_events: events, ..bot.shown() }))
}

fn disable(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let (bot, clock) = world.dca_bot(asked.id)?;
    bot.set("is_enabled", false);
    bot.happened("Bot disabled", clock.tick());
    Ok(Told::of(&bot.shown()))
}

fn cancel_all_deals(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let (bot, clock) = world.dca_bot(asked.id)?;
    let now = clock.tick();
    for deal in &mut bot.deals {
        deal.stops_at = None;
        deal.record.extend(defaults::object! {
            "status": "cancel_pending",
            "localized_status": "Cancel pending",
            "cancellable?": false,
            "panic_sellable?": false,
            "updated_at": now.clone(),
        });
    }
    bot.set("is_enabled", false);
    bot.happened("All deals cancelled", now);
    Ok(Told::of(&bot.shown()))
}

fn edit(world: &mut World, asked: &Asked<'_>) -> Result<Told, Refusal> {
    let current = whole(&world.dca_bot(asked.id)?.0.record, "account_id");
    let given = inputs::parse(DcaBotEdit::INPUTS, asked)?;
    let account = account_for(world, &given, current);
    let (bot, clock) = world.dca_bot(asked.id)?;
    let given = without_null_take_profit(given, bot);
    let draft = RequestBuilder::for_http(DcaBotEdit::INPUTS, given.clone());
    let draft = match DcaBot::from_json(&Value::Object(bot.record.clone()).to_string()) {
        Ok(held) => draft.accept_echoes(held.fields()).carry_over(held.fields()),
        Err(_) => draft,
    };
    judge(&given, &draft, &account)?;
    change(&mut bot.record, &given, &draft);
    if let NewAccount::Known { name } = account {
        bot.set("account_name", name);
    }
    bot.happened("Bot settings changed", clock.tick());
    Ok(Told::of(&bot.record))
}

/// The account that an edit names for its bot.
enum NewAccount {
    /// None, or the one that the bot is on.
    Same,
    /// An account of the user, with its name.
    Known { name: Value },
    /// None of the user's accounts.
    Unknown,
}

/// Looks up the account that an edit names for a bot on `current`. The API reference gives no rule for it: any account of the user that may have
/// DCA bots is accepted, and open deals stay on the account that they were opened on.
fn account_for(world: &World, given: &Given, current: Option<i64>) -> NewAccount {
    let sent = given.iter().find(|(index, _)| *index == DcaBotEdit::account_id as usize);
    let id = match sent {
        None => return NewAccount::Same,
        Some((_, Field::Value(id))) => id.as_i64(),
        Some(_) => None,
    };
    if id.is_some() && id == current {
        return NewAccount::Same;
    }
    let account = id
        .and_then(|id| world.accounts.get(&u64::try_from(id).ok()?))
        .filter(|account| is_true(account, "bots_allowed"));
    let name = account.and_then(|account| account.get("name"));
    name.map_or(NewAccount::Unknown, |name| NewAccount::Known { name: name.clone() })
}

/// Null may be sent for the take profit where steps are used; it says the same as 0.
fn without_null_take_profit(mut given: Given, bot: &DcaBotState) -> Given {
    let sent = given.iter().find(|(index, _)| *index == DcaBotEdit::take_profit_steps as usize);
    let steps = match sent {
        Some((_, Field::Value(steps))) => Some(steps),
        Some(_) => None,
        None => bot.record.get("take_profit_steps"),
    };
    if steps.and_then(Value::as_array).is_none_or(Vec::is_empty) {
        return given;
    }
    for (index, value) in &mut given {
        if *index == DcaBotEdit::take_profit as usize && *value == Field::Null {
            *value = Field::Value(Value::from("0"));
        }
    }
    given
}

fn judge(given: &Given, draft: &RequestBuilder, account: &NewAccount) -> Result<(), Refusal> {
    const ACCOUNT: &str = "account_id";
    const STOP_LOSS: &str = "stop_loss_percentage";
    let mut complaints = Complaints::about(DcaBotEdit::INPUTS, given, draft);
    if matches!(account, NewAccount::Unknown) && !complaints.has(ACCOUNT) {
        complaints.add(ACCOUNT, "is not one of your accounts that may have DCA bots");
    }
    if complaints.has(STOP_LOSS)
        && let Some(last) = deviation_past_stop_loss(draft)
    {
        complaints.replace(STOP_LOSS, &format!("Stop Loss should be below the last safety order ({last})"));
    }
    complaints.refuse()
}

/// The deviation of the last safety order, if the stop loss is not below it: `7.0`.
fn deviation_past_stop_loss(draft: &RequestBuilder) -> Option<String> {
    let stop_loss = draft.number(DcaBotEdit::stop_loss_percentage as usize)?;
    let last = dca_bot::last_deviation(draft).filter(|last| stop_loss <= *last)?;
    let text = last.normalized().to_plain_string();
    Some(if text.contains('.') { text } else { format!("{text}.0") })
}

fn change(record: &mut Record, given: &Given, draft: &RequestBuilder) {
    let mut defaults = defaults::dca_bot();
    for (index, value) in given.iter().filter(|(index, _)| !draft.is_unchanged(*index)) {
        let Some(row) = DcaBotEdit::INPUTS.rows.get(*index) else {
            continue;
        };
        let value = match (value, draft.value(*index)) {
            (Field::Value(_), Some(value)) => held(row.form, value),
            // Null is what a field holds that was never set.
            _ => defaults.shift_remove(row.wire).unwrap_or_default(),
        };
        record.insert(row.wire.to_owned(), value);
    }
    follow(record);
}

/// An accepted value in the form that the record has it in.
fn held(form: InputType, value: &Value) -> Value {
    match (form, value) {
        (InputType::Pairs, Value::String(pair)) => Value::Array(vec![pair.as_str().into()]),
        (InputType::Steps, Value::Array(steps)) => steps.iter().enumerate().map(with_position).collect(),
        _ => value.clone(),
    }
}

fn with_position((position, step): (usize, &Value)) -> Value {
    let mut step = step.clone();
    if let Value::Object(step) = &mut step {
        step.insert("id".to_owned(), position.into());
    }
    step
}

/// Sets what follows from other fields.
pub(super) fn follow(record: &mut Record) {
    let length = |field: &str| record.get(field).and_then(Value::as_array).map_or(0, Vec::len);
    let take_profit = decimal::parse(text(record, "take_profit"));
    let steps_are_used = length("take_profit_steps") > 0 && take_profit.is_none_or(|percent| percent.is_zero());
    let several_pairs = length("pairs") > 1;
    if steps_are_used {
        record.insert("take_profit".to_owned(), Value::Null);
    }
    if several_pairs {
        record.insert("type".to_owned(), Value::from("Bot::MultiBot"));
    }
}
