//! The operations on DCA bots.

use std::cmp::Ordering;
use std::sync::Arc;

use bigdecimal::{BigDecimal, Zero};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use super::clock::later;
use super::defaults;
use super::inputs::{self, ParsedInputs, ValidationErrors};
use super::record::{JsonRecord, integer, is_true, string};
use super::route::{RequestParams, Route};
use super::state::{BotWithDeals, CachedList, Cancellation, State};
use botdesk_api::dca_bot::{
    self, CANCEL_ALL_DEALS, DISABLE, DcaBot, DcaBotEdit, DcaBotList, DcaBotShow, DealLimit, EDIT, GET, LIST,
};
use botdesk_api::decimal;
use botdesk_api::input::{Input, InputName, InputType, RequestBuilder};
use botdesk_api::record::Record as _;
use botdesk_api::values::Field;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The routes of DCA bots.
pub(super) const ROUTES: &[Route] = &[
    Route { endpoint: LIST, handler: list },
    Route { endpoint: GET, handler: get },
    Route { endpoint: EDIT, handler: edit },
    Route { endpoint: DISABLE, handler: disable },
    Route { endpoint: CANCEL_ALL_DEALS, handler: cancel_all_deals },
];

/// The time from a request to cancel deals until they are cancelled, unless their price changes before.
const CANCEL_DURATION: SignedDuration = SignedDuration::from_secs(1);

/// The default page size of a list.
const PAGE_SIZE: usize = 50;

fn list(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(DcaBotList::INPUTS, params)?;
    let ids = list_ids(state, &query);
    let offset = integer_input(&query, DcaBotList::offset).unwrap_or(0);
    let limit = integer_input(&query, DcaBotList::limit).unwrap_or(PAGE_SIZE);
    let page = ids.iter().skip(offset).take(limit).filter_map(|id| state.store.dca_bots.get(id));
    Ok(SerializedBody::serialize(&page.collect::<Vec<_>>()))
}

/// Returns the ids of a list in order. They are cached, because pagination requests the same list page by page.
fn list_ids(state: &mut State, query: &RequestBuilder) -> Arc<[u64]> {
    let paging = [DcaBotList::limit, DcaBotList::offset];
    let inputs = DcaBotList::INPUTS.rows.iter().map(Input::key).filter(|name| !paging.contains(name));
    let inputs: Vec<_> = inputs.map(|name| query.value(name).cloned()).collect();
    let cached = state.read_cache.as_ref().and_then(|cache| cache.list.as_ref());
    if let Some(cached) = cached.filter(|cached| cached.inputs == inputs) {
        return Arc::clone(&cached.ids);
    }
    let ids = matching_ids(state, query);
    if let Some(cache) = &mut state.read_cache {
        cache.list = Some(CachedList { inputs, ids: Arc::clone(&ids) });
    }
    ids
}

fn matching_ids(state: &State, query: &RequestBuilder) -> Arc<[u64]> {
    let mut bots: Vec<_> = state.store.dca_bots.iter().filter(|(_, bot)| matches_filters(bot, query)).collect();
    let sort_by = string_input(query, DcaBotList::sort_by);
    let ascending = string_input(query, DcaBotList::order_direction) == Some("ASC");
    bots.sort_by(|(_, left), (_, right)| {
        let order = compare_by(sort_by, left, right);
        if ascending { order } else { order.reverse() }
    });
    bots.into_iter().map(|(id, _)| *id).collect()
}

fn string_input(query: &RequestBuilder, input: InputName) -> Option<&str> {
    query.value(input)?.as_str()
}

fn integer_input(query: &RequestBuilder, input: InputName) -> Option<usize> {
    let number = query.value(input)?.as_u64()?;
    Some(usize::try_from(number).unwrap_or(usize::MAX))
}

fn matches_filters(record: &JsonRecord, query: &RequestBuilder) -> bool {
    let enabled = match string_input(query, DcaBotList::scope) {
        Some("enable" | "enabled") => Some(true),
        Some("disabled") => Some(false),
        _ => None,
    };
    let has = |field: &str, expected: Option<&Value>| expected.is_none_or(|value| record.get(field) == Some(value));
    has("is_enabled", enabled.map(Value::Bool).as_ref())
        && has("account_id", query.value(DcaBotList::account_id))
        && has("strategy", query.value(DcaBotList::strategy))
        && string_input(query, DcaBotList::quote).is_none_or(|quote| trades_quote(record, quote))
        && query.value(DcaBotList::from_).and_then(parse_time).is_none_or(|from| is_created_after(record, from))
}

fn trades_quote(record: &JsonRecord, quote: &str) -> bool {
    let pairs = record.get("pairs").and_then(Value::as_array).into_iter().flatten();
    pairs
        .filter_map(Value::as_str)
        .any(|pair| pair.split_once('_').is_some_and(|(quote_of_pair, _)| quote_of_pair == quote))
}

fn is_created_after(record: &JsonRecord, from: Timestamp) -> bool {
    string(record, "created_at").parse::<Timestamp>().is_ok_and(|created| created > from)
}

/// Parses a Unix timestamp in seconds or an ISO 8601 time; without an offset it is UTC.
fn parse_time(value: &Value) -> Option<Timestamp> {
    match value {
        // A timestamp that is out of range is later or earlier than all bots.
        Value::Number(seconds) => seconds.as_i64().map(|seconds| {
            let bound = if seconds > 0 { Timestamp::MAX } else { Timestamp::MIN };
            Timestamp::from_second(seconds).unwrap_or(bound)
        }),
        Value::String(string) => {
            let civil = || TimeZone::UTC.to_timestamp(string.parse::<DateTime>().ok()?).ok();
            let bound = if string.starts_with('-') { Timestamp::MIN } else { Timestamp::MAX };
            Some(string.parse().ok().or_else(civil).unwrap_or(bound))
        }
        _ => None,
    }
}

fn compare_by(field: Option<&str>, left: &JsonRecord, right: &JsonRecord) -> Ordering {
    let order = match field {
        Some("profit") => profit(left).cmp(&profit(right)),
        Some("updated_at") => string(left, "updated_at").cmp(string(right, "updated_at")),
        _ => string(left, "created_at").cmp(string(right, "created_at")),
    };
    let id = |record: &JsonRecord| record.get("id").and_then(Value::as_u64);
    order.then_with(|| id(left).cmp(&id(right)))
}

fn profit(record: &JsonRecord) -> BigDecimal {
    decimal::parse(string(record, "finished_deals_profit_usd")).unwrap_or_default()
}

fn get(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(DcaBotShow::INPUTS, params)?;
    let id = params.id.ok_or_else(ApiError::not_found)?;
    let bot = state.bot_with_deals(id).ok_or_else(ApiError::not_found)?;
    let events = state.dca_bot_states.get(&id).map(|state| state.events.as_slice()).unwrap_or_default();
    let bot_events = query.is_true(DcaBotShow::include_events).then_some(events);
    Ok(SerializedBody::serialize(&BotWithDeals { bot_events, ..bot }))
}

fn disable(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (mut bot, clock) = state.dca_bot(params.id)?;
    bot.set("is_enabled", false);
    bot.add_event("Bot disabled", clock.tick());
    with_deals(state, params)
}

fn with_deals(state: &State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let bot = params.id.and_then(|id| state.bot_with_deals(id)).ok_or_else(ApiError::not_found)?;
    Ok(SerializedBody::serialize(&bot))
}

fn cancel_all_deals(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let (mut bot, clock) = state.dca_bot(params.id)?;
    let now = clock.tick();
    let cancels_at = later(clock.now(), CANCEL_DURATION);
    for deal in &mut bot.state.deals {
        (deal.stops_at, deal.cancels_at) = (None, Some(cancels_at));
        let Some(record) = bot.deals.get_mut(&deal.id) else { continue };
        record.extend(defaults::object! {
            "status": "cancel_pending",
            "localized_status": "Cancel pending",
            "cancellable?": false,
            "panic_sellable?": false,
            "updated_at": now.clone(),
        });
    }
    bot.set("is_enabled", false);
    bot.add_event("All deals cancelled", now);
    state.cancellation = Some(Cancellation::until(cancels_at));
    with_deals(state, params)
}

fn edit(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let current = integer(state.dca_bot(params.id)?.0.record, "account_id");
    let given = inputs::parse(DcaBotEdit::INPUTS, params)?;
    let account = account_change(state, &given, current);
    let (mut bot, clock) = state.dca_bot(params.id)?;
    let given = replace_null_take_profit(given, bot.record);
    let request = RequestBuilder::for_http(DcaBotEdit::INPUTS, given.clone());
    let request = match DcaBot::from_json(&Value::Object(bot.record.clone()).to_string()) {
        Ok(current) => request.accept_echoes(current.fields()).carry_over(current.fields()),
        Err(_) => request,
    };
    check_edit(&given, &request, &account)?;
    apply_edit(bot.record, &given, &request);
    if let AccountChange::MoveTo { name } = account {
        bot.set("account_name", name);
    }
    bot.add_event("Bot settings changed", clock.tick());
    Ok(SerializedBody::serialize(&bot.record))
}

/// The effect of an edit on the account of its bot.
enum AccountChange {
    /// The edit names no account, or the current one.
    Unchanged,
    /// The edit names another account of the user, which has this name.
    MoveTo { name: Value },
    /// The edit names an account that the user does not have.
    Unknown,
}

/// Looks up the account that an edit names for a bot on the account `current`.
///
/// The API reference has no rule for it, so any account of the user that allows DCA bots is valid. Open deals stay on their account.
fn account_change(state: &State, given: &ParsedInputs, current: Option<i64>) -> AccountChange {
    let input = given.iter().find(|(name, _)| *name == DcaBotEdit::account_id);
    let id = match input {
        None => return AccountChange::Unchanged,
        Some((_, Field::Value(id))) => id.as_i64(),
        Some(_) => None,
    };
    if id.is_some() && id == current {
        return AccountChange::Unchanged;
    }
    let account = id
        .and_then(|id| state.store.accounts.get(&u64::try_from(id).ok()?))
        .filter(|account| is_true(account, "bots_allowed"));
    let name = account.and_then(|account| account.get("name"));
    name.map_or(AccountChange::Unknown, |name| AccountChange::MoveTo { name: name.clone() })
}

/// Replaces a null take profit with 0, which means the same if the bot uses steps.
fn replace_null_take_profit(mut given: ParsedInputs, bot: &JsonRecord) -> ParsedInputs {
    let input = given.iter().find(|(name, _)| *name == DcaBotEdit::take_profit_steps);
    let steps = match input {
        Some((_, Field::Value(steps))) => Some(steps),
        Some(_) => None,
        None => bot.get("take_profit_steps"),
    };
    if steps.and_then(Value::as_array).is_none_or(Vec::is_empty) {
        return given;
    }
    for (name, value) in &mut given {
        if *name == DcaBotEdit::take_profit && *value == Field::Null {
            *value = Field::Value(Value::from("0"));
        }
    }
    given
}

fn check_edit(given: &ParsedInputs, request: &RequestBuilder, account: &AccountChange) -> Result<(), ApiError> {
    const ACCOUNT: &str = "account_id";
    const STOP_LOSS: &str = "stop_loss_percentage";
    const DEALS: &str = "max_active_deals";
    const STEPS: &str = "custom_safety_steps";
    let mut errors = ValidationErrors::check(DcaBotEdit::INPUTS, given, request);
    if matches!(account, AccountChange::Unknown) && !errors.has(ACCOUNT) {
        errors.add(ACCOUNT, "is not one of your accounts that may have DCA bots");
    }
    // The service also refuses what these own rules warn of.
    for violation in request.violations().iter().filter(|violation| violation.is_own) {
        match violation.field.as_str() {
            DEALS if !errors.has(DEALS) => {
                let most = DealLimit::of(request).map_or(1, DealLimit::most);
                errors.add(DEALS, &format!("must be less than or equal to {most}"));
            }
            STEPS => errors.add(STEPS, violation.plain_message()),
            _ => {}
        }
    }
    if errors.has(STOP_LOSS)
        && let Some(last) = deviation_past_stop_loss(request)
    {
        errors.replace(STOP_LOSS, &format!("Stop Loss should be below the last safety order ({last})"));
    }
    errors.into_result()
}

/// Returns the deviation of the last safety order, such as `7.0`, if the stop loss is not below it.
fn deviation_past_stop_loss(request: &RequestBuilder) -> Option<String> {
    let stop_loss = request.number(DcaBotEdit::stop_loss_percentage)?;
    let last = dca_bot::last_deviation(request).filter(|last| stop_loss <= *last)?;
    let percent = last.normalized().to_plain_string();
    Some(if percent.contains('.') { percent } else { format!("{percent}.0") })
}

fn apply_edit(record: &mut JsonRecord, given: &ParsedInputs, request: &RequestBuilder) {
    let mut defaults = defaults::dca_bot();
    for (name, value) in given.iter().filter(|(name, _)| !request.is_unchanged(*name)) {
        let Some(row) = DcaBotEdit::INPUTS.get(*name) else {
            continue;
        };
        let value = match (value, request.value(*name)) {
            (Field::Value(_), Some(value)) => stored_value(row.form, value),
            // Null resets the field to its default.
            _ => defaults.shift_remove(row.wire).unwrap_or_default(),
        };
        record.insert(row.wire.to_owned(), value);
    }
    update_derived_fields(record);
}

/// Converts a valid input to the JSON of the record.
fn stored_value(form: InputType, value: &Value) -> Value {
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

/// Updates the fields that depend on others.
pub(super) fn update_derived_fields(record: &mut JsonRecord) {
    let length = |field: &str| record.get(field).and_then(Value::as_array).map_or(0, Vec::len);
    let take_profit = decimal::parse(string(record, "take_profit"));
    let steps_are_used = length("take_profit_steps") > 0 && take_profit.is_none_or(|percent| percent.is_zero());
    let several_pairs = length("pairs") > 1;
    if steps_are_used {
        record.insert("take_profit".to_owned(), Value::Null);
    }
    if several_pairs {
        record.insert("type".to_owned(), Value::from("Bot::MultiBot"));
        let per_pair = record.entry("allowed_deals_on_same_pair").or_insert(Value::Null);
        if per_pair.is_null() {
            *per_pair = Value::from(1);
        }
    }
}
