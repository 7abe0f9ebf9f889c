//! The operations of the client itself.

use super::defaults;
use super::route::{Handler, RequestParams};
use super::state::State;
use botdesk_api::general::Validation;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The handlers by verb.
pub(super) const HANDLERS: &[(&str, Handler)] = &[("validate", validate)];

/// The key and the signature were checked before.
#[allow(clippy::unnecessary_wraps, reason = "it is a handler")]
fn validate(_: &mut State, _: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    Ok(SerializedBody::serialize(&defaults::sample::<Validation>()))
}
