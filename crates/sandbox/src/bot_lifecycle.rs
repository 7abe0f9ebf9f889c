//! DCA bots that are created, copied, enabled and deleted.

use serde_json::Value;

use super::additions::free_id;
use super::defaults::object;
use super::inputs;
use super::market::required_amount;
use super::random;
use super::record::{JsonRecord, string};
use super::route::RequestParams;
use super::state::{DcaBotState, State};
use botdesk_api::dca_bots::DcaBotCopy;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// Enables a bot: from now on it opens deals as its start conditions say.
pub(super) fn enable(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = params.id_in(&state.store.dca_bots)?;
    let (mut bot, clock) = state.dca_bot(Some(id))?;
    bot.set("is_enabled", true);
    bot.add_event("Bot enabled", clock.tick());
    let bot = state.bot_with_deals(id).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(&bot))
}

/// Deletes a bot without open deals. Its finished deals stay.
pub(super) fn delete(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let id = params.id_in(&state.store.dca_bots)?;
    // Its deals are written first, so that the reads of them do not need the bot.
    state.write_history();
    if state.open_deals(id).next().is_some() {
        return Err(ApiError::forbidden());
    }
    state.clock.tick();
    state.store.dca_bots.remove(&id);
    let finished = state.dca_bot_states.remove(&id).map(|bot| bot.finished).unwrap_or_default();
    // State files have the deals in the entries of their bots.
    for deal in finished {
        state.store.deals.remove(&deal);
    }
    Ok(SerializedBody::serialize(&true))
}

/// Returns what the service sets in a new bot if the request leaves it out.
pub(super) fn defaults_of_a_new_bot() -> JsonRecord {
    object! {
        "type": "Bot::SingleBot",
        "strategy": "long",
        "base_order_volume_type": "quote_currency",
        "safety_order_volume_type": "quote_currency",
        "profit_currency": "quote_currency",
        "start_order_type": "limit",
        "leverage_type": "not_specified",
        "leverage_custom_value": Value::Null,
        "trailing_enabled": Value::Null,
        "trailing_deviation": "0.2",
        "stop_loss_percentage": "0.0",
        "stop_loss_type": "stop_loss",
        "tsl_enabled": false,
        "max_active_deals": 1,
        "cooldown": "0",
        "min_volume_btc_24h": "0.0",
        "take_profit_steps": Vec::<Value>::new(),
        "close_strategy_list": Vec::<Value>::new(),
        "safety_strategy_list": Vec::<Value>::new(),
        "custom_safety_steps": Value::Null,
    }
}

/// Copies a bot, if the secret is that of the bot. The copy is disabled.
pub(super) fn copy(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let source = params.id().and_then(|id| state.store.dca_bots.get(&id)).cloned().ok_or_else(|| params.not_found())?;
    let request = inputs::validated(DcaBotCopy::INPUTS, params)?;
    let given = |name| request.value(name).and_then(Value::as_str).unwrap_or_default();
    if given(DcaBotCopy::secret) != string(&source, "url_secret") {
        return Err(ApiError::invalid_field("secret", "is invalid"));
    }
    let (id, name) = (next_id(state)?, given(DcaBotCopy::name).to_owned());
    let mut record = source;
    record.extend(object! { "name": name });
    insert_new(state, id, record);
    let required = state.store.dca_bots.get(&id).map(|bot| required_amount(state, bot)).unwrap_or_default();
    Ok(SerializedBody::serialize(&object! { "bot_id": id, "bot_required_amount": required }))
}

/// Returns the id of a new bot. Ids are never reused.
pub(super) fn next_id(state: &State) -> Result<u64, ApiError> {
    let known = free_id(&JsonRecord::new(), &state.store.dca_bots);
    let free = known.ok().ok_or_else(|| ApiError::invalid_field("base", "no id is free"))?;
    Ok(free.max(state.next_bot))
}

/// Adds a disabled bot without deals under an id, with the settings of a record.
pub(super) fn insert_new(state: &mut State, id: u64, mut record: JsonRecord) {
    let now = state.clock.tick();
    record.extend(object! {
        "id": id,
        "is_enabled": false,
        "created_at": now.clone(),
        "updated_at": now.clone(),
        "active_deals_count": 0,
        "deletable?": true,
        "active_deals_usd_profit": "0.0",
        "finished_deals_count": "0",
        "finished_deals_profit_usd": "0.0",
        "deals_counter": Value::Null,
        "reinvested_volume_usd": Value::Null,
        "url_secret": random::secret(state.seed, id, "url_secret"),
    });
    let created = Value::Object(object! { "message": "Bot created", "created_at": now });
    state.store.dca_bots.insert(id, record);
    state.dca_bot_states.insert(id, DcaBotState { events: vec![created], ..DcaBotState::default() });
    state.next_bot = id.saturating_add(1);
}
