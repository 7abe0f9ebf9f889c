//! Edits of open deals: settings change, and the orders are withdrawn and placed again.

use std::collections::BTreeSet;

use bigdecimal::Signed as _;
use serde_json::Value;

use super::deal_actions::{change, deal_of, found};
use super::deal_reads;
use super::inputs::{self, ParsedInputs, ValidationErrors};
use super::operations::apply;
use super::record::{JsonRecord, integer, list, string};
use super::resource::Resource;
use super::route::RequestParams;
use super::state::State;
use botdesk_api::deals::{DealEdit, EDITABLE};
use botdesk_schema::decimal;
use botdesk_schema::input::RequestBuilder;
use botdesk_schema::values::Field;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;
use botdesk_trading::engine::Milliseconds;

/// The input with the time after which a deal closes itself. No record has it.
pub(super) const TIMEOUT: &str = "close_timeout";

const TARGET: &str = "take_profit";
const STEPS: &str = "take_profit_steps";
const SAFETY_STEPS: &str = "custom_safety_steps";
const MOST_SAFETY_ORDERS: &str = "max_safety_orders";

/// The milliseconds in a second.
const SECOND: Milliseconds = 1_000;

/// Edits a deal. Fields that the request leaves out keep their values, and so do those that are null.
pub(super) fn edit(
    deals: &dyn Resource,
    state: &mut State,
    params: &RequestParams<'_>,
) -> Result<SerializedBody, ApiError> {
    let id = found(state, params)?;
    let record = state.store.deals.get(&id).cloned().ok_or_else(|| params.not_found())?;
    let mut given = inputs::parse(DealEdit::INPUTS, params)?;
    given.retain(|(_, value)| matches!(value, Field::Value(_)));
    if !EDITABLE.contains(&string(&record, "status")) {
        return Err(ApiError::invalid_field("base", "Can't be edit"));
    }
    let edited = edited(deals, &record, &given)?;
    let timeout = given.iter().find_map(|(name, value)| match value {
        Field::Value(seconds) if *name == DealEdit::close_timeout => seconds.as_i64(),
        _ => None,
    });
    change(state, id, &["Deal settings changed".to_owned()], |bot, _, _| {
        bot.deals.insert(id, edited);
        if let (Some(seconds), Some(deal)) = (timeout, deal_of(bot, id)) {
            deal.timeout = Some(seconds.saturating_mul(SECOND));
        }
    })?;
    deal_reads::get(state, params)
}

/// Returns a deal with the given settings.
fn edited(deals: &dyn Resource, record: &JsonRecord, given: &ParsedInputs) -> Result<JsonRecord, ApiError> {
    let request = RequestBuilder::for_http(DealEdit::INPUTS, given.clone());
    let request = match deals.record().fields(record) {
        Some(current) => request.accept_echoes(&current).only_given().carry_over(&current),
        None => request,
    };
    let mut errors = ValidationErrors::check(DealEdit::INPUTS, given, &request);
    let mut edited = record.clone();
    apply(deals, &mut edited, given, &request);
    if request.is_given(DealEdit::take_profit_steps) && !errors.has(STEPS) {
        let steps = merged_steps(list(record, STEPS), request.elements(DealEdit::take_profit_steps));
        if !keeps_closed_steps(list(record, STEPS), &steps) {
            errors.add(STEPS, "steps that are not editable must be sent unchanged");
        }
        edited.insert(STEPS.to_owned(), steps.into());
    }
    if request.is_given(DealEdit::custom_safety_steps) && !keeps_filled_steps(record, &edited) {
        errors.add(SAFETY_STEPS, "steps that are not editable must be sent unchanged");
    }
    if edited.get(TARGET).and_then(decimal::of).is_some_and(|target| target.is_negative()) && !errors.has(TARGET) {
        errors.add(TARGET, "must be greater than or equal to 0");
    }
    let filled = integer(record, "completed_safety_orders_count").unwrap_or_default();
    if integer(&edited, MOST_SAFETY_ORDERS).is_some_and(|most| most < filled) && !errors.has(MOST_SAFETY_ORDERS) {
        errors.add(MOST_SAFETY_ORDERS, &format!("must be greater than or equal to {filled}"));
    }
    errors.into_result()?;
    if !list(&edited, STEPS).is_empty() {
        edited.insert(TARGET.to_owned(), Value::Null);
    }
    Ok(edited)
}

/// Returns the steps of a deal after an edit: those with an id are found by it if each is known, else all by their position.
fn merged_steps(current: &[Value], given: &[Value]) -> Vec<Value> {
    let id = |step: &Value| step.get("id").and_then(Value::as_u64);
    let ids: BTreeSet<_> = given.iter().filter_map(id).collect();
    let is_known = |id: &u64| current.iter().any(|step| step.get("id").and_then(Value::as_u64) == Some(*id));
    let mut ordered: Vec<_> = given.iter().collect();
    if ids.len() == given.len() && ids.iter().all(is_known) {
        ordered.sort_by_key(|step| id(step));
    }
    let merged = |(place, step): (usize, &&Value)| {
        let mut merged = current.get(place).and_then(Value::as_object).cloned().unwrap_or_default();
        merged.extend(step.as_object().cloned().unwrap_or_default());
        merged.insert("id".to_owned(), place.into());
        Value::Object(merged)
    };
    ordered.iter().enumerate().map(merged).collect()
}

/// Returns true if the steps that are closed, or are being closed, stay as they are.
fn keeps_closed_steps(current: &[Value], steps: &[Value]) -> bool {
    let mut closed = current.iter().enumerate().filter(|(_, step)| step.get("editable") == Some(&Value::Bool(false)));
    let is_kept = |(place, step): (usize, &Value)| {
        steps.get(place).is_some_and(|kept| has_same(step, kept, &["amount_percentage", "profit_percentage"]))
    };
    closed.all(is_kept)
}

/// Returns true if the custom safety steps whose orders were filled stay as they are.
fn keeps_filled_steps(record: &JsonRecord, edited: &JsonRecord) -> bool {
    let filled = integer(record, "completed_safety_orders_count").and_then(|count| usize::try_from(count).ok());
    let (current, steps) = (list(record, SAFETY_STEPS), list(edited, SAFETY_STEPS));
    let mut filled = current.iter().enumerate().take(filled.unwrap_or_default());
    filled.all(|(place, step)| steps.get(place).is_some_and(|kept| has_same(step, kept, &["deviation", "size"])))
}

fn has_same(step: &Value, other: &Value, members: &[&str]) -> bool {
    let number = |step: &Value, member: &str| step.get(member).and_then(decimal::of);
    members.iter().all(|member| number(step, member) == number(other, member))
}
