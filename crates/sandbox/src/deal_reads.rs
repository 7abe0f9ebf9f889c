//! Reads of one deal: the deal with its events, its orders, and what is needed to add funds.

use serde_json::Value;

use super::deal_events::events_of;
use super::deal_funds_data;
use super::deal_orders::orders_of;
use super::defaults::object;
use super::record::{JsonRecord, list};
use super::route::RequestParams;
use super::state::State;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// Returns a deal with its events, which lists do not have.
pub(super) fn get(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    state.write_history();
    let deal = find(state, params)?.clone();
    Ok(SerializedBody::serialize(&with_events(state, deal)))
}

/// Returns a deal with its steps and its events.
pub(super) fn with_events(state: &State, mut deal: JsonRecord) -> JsonRecord {
    let widget = deal.get("crypto_widget").and_then(Value::as_object);
    let buy_steps = widget.map(|widget| list(widget, "buySteps").to_vec()).unwrap_or_default();
    let bot_events = events_of(state, &deal);
    deal.extend(object! { "buy_steps": buy_steps, "bot_events": bot_events });
    deal
}

pub(super) fn orders(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    state.write_history();
    let deal = find(state, params)?;
    Ok(SerializedBody::serialize(&orders_of(state, deal)))
}

pub(super) fn data_for_adding_funds(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    state.write_history();
    let deal = find(state, params)?;
    let data = deal_funds_data::data(state, deal).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(&data))
}

/// Returns the deal that a request is about.
fn find<'a>(state: &'a State, params: &RequestParams<'_>) -> Result<&'a JsonRecord, ApiError> {
    params.id().and_then(|id| state.store.deals.get(&id)).ok_or_else(|| params.not_found())
}
