//! Requests that the API reference no longer has, although programs send them. The client has no methods for them;
//! `client.request` reaches them.

use serde_json::Value;

use super::defaults::object;
use super::inputs;
use super::route::{Handler, RequestParams};
use super::smart_trade_writes::{allowed, find};
use super::state::State;
use botdesk_schema::input::Rule::Required;
use botdesk_schema::method::Method;
use botdesk_schema::mode::Mode;
use botdesk_schema::operation::{Operation, get, patch, post};
use botdesk_schema::permission::Permission;
use botdesk_schema::values::OneOf;
use botdesk_server::api_error::ApiError;
use botdesk_server::authenticator::RegisteredKey;
use botdesk_server::response::SerializedBody;

botdesk_schema::choices! {
    /// Language of a user.
    Locale = "ru" | "en" | "pt" | "zh" | "es" | "fr" | "tr" | "de" | "it";
}

botdesk_schema::inputs! {
    /// The mode to change to.
    ModeChange of "a mode" {
        /// The mode.
        mode: OneOf<Mode> [Required];
    }
}

botdesk_schema::inputs! {
    /// The language to change to.
    LocaleChange of "a locale" {
        /// The language.
        locale: OneOf<Locale> [Required];
    }
}

/// The operations with their handlers.
pub(super) static OPERATIONS: &[(Operation, Handler)] = &[
    (get("withdrawn.ping", "/ver1/ping").unsigned(), ping),
    (get("withdrawn.time", "/ver1/time").unsigned(), time),
    (get("withdrawn.permissions_info", "/ver1/users/permissions_info"), permissions_info),
    (get("withdrawn.current_mode", "/ver1/users/current_mode").needs(Permission::AccountsRead), current_mode),
    (
        post("withdrawn.change_mode", "/ver1/users/change_mode")
            .json(ModeChange::INPUTS)
            .needs(Permission::AccountsWrite)
            .created(),
        change_mode,
    ),
    (
        Operation { method: Method::Put, ..patch("withdrawn.locale", "/ver1/users/locale").json(LocaleChange::INPUTS) },
        change_locale,
    ),
    (
        post("withdrawn.force_process", "/v2/smart_trades/{id}/force_process")
            .needs(Permission::SmartTradesWrite)
            .created(),
        force_process,
    ),
];

#[allow(clippy::unnecessary_wraps, reason = "it is a handler")]
fn ping(_: &mut State, _: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    Ok(SerializedBody::serialize(&object! { "pong": "pong" }))
}

#[allow(clippy::unnecessary_wraps, reason = "it is a handler")]
fn time(state: &mut State, _: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    Ok(SerializedBody::serialize(&object! { "server_time": state.clock.now().as_second() }))
}

#[allow(clippy::unnecessary_wraps, reason = "it is a handler")]
fn permissions_info(_: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let names: Vec<_> = params.key.into_iter().flat_map(RegisteredKey::permissions).map(Permission::as_str).collect();
    Ok(SerializedBody::serialize(&object! { "permissions": names }))
}

#[allow(clippy::unnecessary_wraps, reason = "it is a handler")]
fn current_mode(state: &mut State, _: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    Ok(SerializedBody::serialize(&object! { "mode": state.user.mode.as_str() }))
}

fn change_mode(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    // The row of the input allows no other name.
    state.user.mode = Mode::named(&chosen(params)?).unwrap_or(state.user.mode);
    Ok(SerializedBody::serialize(&true))
}

fn change_locale(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    state.user.locale = chosen(params)?;
    Ok(SerializedBody::serialize(&object! { "locale": state.user.locale.as_str() }))
}

/// Returns the value of the only input of an operation, which is required.
fn chosen(params: &RequestParams<'_>) -> Result<String, ApiError> {
    let inputs = params.inputs();
    let request = inputs::validated(inputs, params)?;
    let value = inputs.rows.first().and_then(|row| request.value(row.key())).and_then(Value::as_str);
    value.map(str::to_owned).ok_or_else(|| ApiError::record_invalid(object! {}))
}

/// Returns the SmartTrade as it is: what the service does is unknown.
fn force_process(state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    allowed(state, params, "force_process_available", "Force process")?;
    let (_, trade) = find(state, params)?;
    Ok(SerializedBody::serialize(trade))
}
