//! The status of a response: success or error.

use std::time::Duration;

use super::errors::RequestErrors;
use super::response::{RawResponse, Response};
use crate::error::Error;
use botdesk_schema::json::text_of;

/// Returns the response if its status is a success, any 2xx, and its body is complete.
pub(super) fn check_status(
    response: RawResponse,
    errors: &RequestErrors<'_>,
    timeout: Duration,
) -> Result<Response, Error> {
    let RawResponse { status, headers, body, body_error, .. } = response;
    if !status.is_success() {
        return Err(errors.error_status(status, &headers, &body));
    }
    match body_error {
        Some(error) => Err(errors.unreadable_body(status, &headers, &error, timeout)),
        None => Ok(Response { status: status.as_u16(), headers, text: text_of(body) }),
    }
}
