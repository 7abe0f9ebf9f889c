//! The parameters of a request, and the handlers of operations.

use super::record::JsonRecord;
use super::state::State;
use super::store::Table;
use botdesk_api::reference;
use botdesk_schema::id::Id;
use botdesk_schema::input::Inputs;
use botdesk_schema::operation::Operation;
use botdesk_server::api_error::ApiError;
use botdesk_server::authenticator::RegisteredKey;
use botdesk_server::response::SerializedBody;

/// The handler of an operation.
pub(super) type Handler = fn(&mut State, &RequestParams<'_>) -> Result<SerializedBody, ApiError>;

/// The parameters of a request whose operation is known.
pub(super) struct RequestParams<'a> {
    pub(super) operation: &'static Operation,
    /// The ids in the path.
    pub(super) ids: Vec<Id>,
    /// The query string.
    pub(super) query: Option<&'a str>,
    /// The body.
    pub(super) body: &'a [u8],
    /// True if the body is a form; otherwise it is JSON.
    pub(super) is_form: bool,
    /// The API key that signed it; None if it needs none.
    pub(super) key: Option<&'a RegisteredKey>,
}

impl RequestParams<'_> {
    /// Returns the id of the record; None if the path has none, or a text in its place.
    pub(super) fn id(&self) -> Option<u64> {
        self.ids.first().and_then(Id::number)
    }

    /// Returns the id of the record, or the error that a table does not have it.
    pub(super) fn id_in(&self, table: &Table) -> Result<u64, ApiError> {
        self.id().filter(|id| table.contains_key(id)).ok_or_else(|| self.not_found())
    }

    /// Returns the id of the record and the record, or the error that a table does not have it.
    pub(super) fn record_in<'a>(&self, table: &'a Table) -> Result<(u64, &'a JsonRecord), ApiError> {
        let found = self.id().and_then(|id| Some((id, table.get(&id)?)));
        found.ok_or_else(|| self.not_found())
    }

    /// Returns the inputs of the operation.
    pub(super) fn inputs(&self) -> &'static Inputs {
        self.operation.inputs().unwrap_or(&Inputs::NONE)
    }

    /// Returns the error for a record that does not exist, as the API reference words it for the operation.
    pub(super) fn not_found(&self) -> ApiError {
        self.error(404).with_status(self.operation.unknown_record_status())
    }

    /// Returns the error of a status, as the API reference words it for the operation.
    pub(super) fn error(&self, status: u16) -> ApiError {
        error_of(self.operation, status)
    }
}

/// Returns the error of a status, as the API reference words it for an operation.
pub(super) fn error_of(operation: &Operation, status: u16) -> ApiError {
    let resource = reference::resource(operation.resource());
    let body = resource.and_then(|resource| resource.refusal_body(operation, status));
    body.map_or_else(|| ApiError::for_status(status), |body| ApiError::refused(status, body))
}
