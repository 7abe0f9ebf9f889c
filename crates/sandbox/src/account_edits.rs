//! Edits of exchange accounts: their names, their keys, and whether the summary counts them.

use serde_json::Value;

use super::defaults::object;
use super::exchanges::ExchangeType;
use super::inputs::{self, ValidationErrors};
use super::record::{JsonRecord, string};
use super::route::RequestParams;
use super::state::State;
use botdesk_api::accounts::AccountEdit;
use botdesk_schema::input::{InputName, RequestBuilder};
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The inputs that records have as well.
const FIELDS: [InputName; 4] =
    [AccountEdit::name, AccountEdit::api_key, AccountEdit::customer_id, AccountEdit::include_in_summary];

/// Changes what the request gives. Without a change, the account stays as it is.
pub(super) fn edit(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let given = inputs::parse(AccountEdit::INPUTS, params)?;
    let request = RequestBuilder::for_http(AccountEdit::INPUTS, given.clone());
    let mut errors = ValidationErrors::check(AccountEdit::INPUTS, &given, &request);
    let id = request.value(AccountEdit::account_id).and_then(Value::as_u64).unwrap_or_default();
    if let Some(account) = state.store.accounts.get(&id) {
        check_keys(&mut errors, &request, account);
        check_not_connected(&mut errors, &request, state, id);
    }
    errors.into_result()?;
    let changes = changes(&request);
    let (account, clock) = state.account(Some(id)).map_err(|_| params.not_found())?;
    if !changes.is_empty() {
        account.extend(changes);
        account.insert("updated_at".to_owned(), clock.tick());
        state.copy_account_name(id);
    }
    let account = state.valued_account(id).ok_or_else(|| params.not_found())?;
    Ok(SerializedBody::serialize(&account))
}

/// Returns the fields that change. The exchange accepts all new keys.
fn changes(request: &RequestBuilder) -> JsonRecord {
    let given = FIELDS.into_iter().filter_map(|input| {
        let row = AccountEdit::INPUTS.get(input)?;
        Some((row.wire.to_owned(), request.value(input)?.clone()))
    });
    let mut changes: JsonRecord = given.collect();
    if request.value(AccountEdit::api_key).is_some() {
        changes.extend(object! { "api_key_invalid": false, "api_keys_state": "ok" });
    }
    changes
}

/// Some exchanges require more beside new keys.
fn check_keys(errors: &mut ValidationErrors, request: &RequestBuilder, account: &JsonRecord) {
    if request.value(AccountEdit::api_key).is_none() {
        return;
    }
    let exchange = ExchangeType::of_code(string(account, "market_code"));
    let required = exchange.and_then(|exchange| exchange.required_input);
    if let Some(row) = required.and_then(|input| AccountEdit::INPUTS.get(input))
        && request.value(row.key()).and_then(Value::as_str).is_none_or(str::is_empty)
    {
        errors.add(row.wire, "is required");
    }
}

fn check_not_connected(errors: &mut ValidationErrors, request: &RequestBuilder, state: &State, id: u64) {
    let key = request.value(AccountEdit::api_key).and_then(Value::as_str);
    let mut others = state.store.accounts.iter().filter(|(other, _)| **other != id);
    if key.is_some_and(|key| others.any(|(_, account)| string(account, "api_key") == key)) {
        errors.add("api_key", "This account is already connected");
    }
}
