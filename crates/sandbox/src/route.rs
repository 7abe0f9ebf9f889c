//! The parameters of a request, and the handlers of operations.

use super::state::State;
use botdesk_api::endpoint::Endpoint;
use botdesk_api::input::Inputs;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The handler of an operation.
pub(super) type Handler = fn(&mut State, &RequestParams<'_>) -> Result<SerializedBody, ApiError>;

/// The parameters of a request whose endpoint is known.
pub(super) struct RequestParams<'a> {
    pub(super) endpoint: &'static Endpoint,
    /// The id in the path.
    pub(super) id: Option<u64>,
    /// The query string.
    pub(super) query: Option<&'a str>,
    /// The body.
    pub(super) body: &'a [u8],
    /// True if the body is a form; otherwise it is JSON.
    pub(super) is_form: bool,
}

impl RequestParams<'_> {
    /// Returns the inputs of the endpoint.
    pub(super) fn inputs(&self) -> &'static Inputs {
        self.endpoint.takes.inputs().unwrap_or(&Inputs::NONE)
    }

    /// Returns the error for a record that does not exist, as the API reference words it for the operation.
    pub(super) fn not_found(&self) -> ApiError {
        ApiError::for_status(404, Some(self.endpoint.operation))
    }
}
