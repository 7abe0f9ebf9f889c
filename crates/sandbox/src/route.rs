//! Operations and their handlers.

use super::state::State;
use botdesk_api::endpoint::Endpoint;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// An operation and its handler.
pub(super) struct Route {
    pub(super) endpoint: Endpoint,
    pub(super) handler: fn(&mut State, &RequestParams<'_>) -> Result<SerializedBody, ApiError>,
}

/// The parameters of a request whose route is known.
pub(super) struct RequestParams<'a> {
    /// The id in the path.
    pub(super) id: Option<u64>,
    /// The query string.
    pub(super) query: Option<&'a str>,
    /// The body.
    pub(super) body: &'a [u8],
    /// True if the body is a form; otherwise it is JSON.
    pub(super) is_form: bool,
}
