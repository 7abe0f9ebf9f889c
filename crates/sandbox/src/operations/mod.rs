//! The operations that work by default on any resource, from the row of their operation.

mod edit;
mod list;

pub(super) use edit::{apply, edit, merge};
#[cfg(test)]
pub(super) use list::KNOWN_LIST_INPUTS;
pub(super) use list::{list, matching_ids, page, parse_time};

use super::inputs;
use super::resource::Resource;
use super::route::RequestParams;
use super::state::State;
use botdesk_schema::field::Schema;
use botdesk_schema::method::Method;
use botdesk_schema::operation::Operation;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// An operation that works on any resource.
pub(super) type DefaultOperation =
    fn(&dyn Resource, &mut State, &RequestParams<'_>) -> Result<SerializedBody, ApiError>;

/// Returns the default of an operation of a resource; None if it needs a handler.
pub(super) fn default_of(operation: &Operation, resource: &dyn Resource) -> Option<DefaultOperation> {
    let has_id = operation.has_id();
    match (operation.method, operation.returns.schema) {
        (Method::Get, Schema::List(element)) if !has_id && is_record(*element, resource) => Some(list),
        (Method::Get, response) if has_id && is_record(response, resource) => Some(get),
        (_, response) if operation.is_edit && is_record(response, resource) => Some(edit),
        _ => None,
    }
}

fn is_record(schema: Schema, resource: &dyn Resource) -> bool {
    matches!(schema, Schema::Record(spec) if spec.name == resource.record().name)
}

/// Returns a record.
fn get(resource: &dyn Resource, state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    params.id().and_then(|id| resource.show(state, id, &query)).ok_or_else(|| params.not_found())
}
