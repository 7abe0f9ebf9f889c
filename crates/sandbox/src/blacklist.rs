//! The pairs on which no DCA bot opens deals.

use serde_json::Value;

use super::defaults::object;
use super::inputs;
use super::route::RequestParams;
use super::state::State;
use botdesk_api::dca_bots::BlacklistAddition;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// Returns the pairs, oldest first.
#[allow(clippy::unnecessary_wraps, reason = "it is a handler")]
pub(super) fn blacklist(state: &mut State, _: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    Ok(SerializedBody::serialize(&object! { "pairs": state.blacklist.clone() }))
}

/// Adds pairs; the response has those that were sent. Pairs that are on the list already are no error.
pub(super) fn add(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let request = inputs::validated(BlacklistAddition::INPUTS, params)?;
    let sent: Vec<String> = match request.value(BlacklistAddition::pairs) {
        Some(Value::Array(pairs)) => pairs.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(pairs)) => pairs.split(',').map(|pair| pair.trim().to_owned()).collect(),
        _ => Vec::new(),
    };
    state.write_records();
    for pair in &sent {
        if !state.blacklist.contains(pair) {
            state.blacklist.push(pair.clone());
        }
    }
    // The engine reads each bot again, without these pairs.
    for bot in state.dca_bot_states.values_mut() {
        bot.engine = None;
    }
    state.clock.tick();
    Ok(SerializedBody::serialize(&object! { "pairs": sent }))
}
