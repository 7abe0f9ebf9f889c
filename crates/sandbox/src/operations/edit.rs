//! Edits: checked inputs replace fields of a record.

use serde_json::Value;

use crate::defaults::in_type_of;
use crate::inputs::{self, ParsedInputs, ValidationErrors};
use crate::record::JsonRecord;
use crate::resource::Resource;
use crate::route::RequestParams;
use crate::state::State;
use botdesk_schema::input::{InputType, RequestBuilder};
use botdesk_schema::values::Field;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The field with the time of the last change.
const UPDATED_AT: &str = "updated_at";

/// Edits a record. Fields that the request leaves out keep their values, and null resets a field to its default.
pub(crate) fn edit(
    resource: &dyn Resource,
    state: &mut State,
    params: &RequestParams<'_>,
) -> Result<SerializedBody, ApiError> {
    let (id, record) = find(resource, state, params)?;
    let mut given = inputs::parse(params.inputs(), params)?;
    resource.normalize_edit(&record, &mut given);
    let request = RequestBuilder::for_http(params.inputs(), given.clone());
    let request = match resource.record().fields(&record) {
        Some(current) => request.accept_echoes(&current).carry_over(&current),
        None => request,
    };
    let mut errors = ValidationErrors::check(params.inputs(), &given, &request);
    resource.check_edit(state, &record, &request, &mut errors);
    errors.into_result()?;
    let mut edited = record.clone();
    apply(resource, &mut edited, &given, &request);
    resource.complete_edit(state, &record, &mut edited, &request)?;
    let at = state.clock.tick();
    edited.insert(UPDATED_AT.to_owned(), at.clone());
    let body = SerializedBody::serialize(&resource.returned(&edited));
    resource.before_edit(state, id, &edited);
    resource.table_mut(&mut state.store).insert(id, edited);
    resource.after_edit(state, id, &at);
    Ok(body)
}

/// Replaces fields of a record by the inputs of the same names, whatever the other fields are.
pub(crate) fn merge(
    resource: &dyn Resource,
    state: &mut State,
    params: &RequestParams<'_>,
) -> Result<SerializedBody, ApiError> {
    let (id, mut record) = find(resource, state, params)?;
    let request = inputs::validated(params.inputs(), params)?;
    for input in params.inputs().rows.iter().filter(|input| request.is_given(input.key())) {
        record.insert(input.wire.to_owned(), request.value(input.key()).cloned().unwrap_or_default());
    }
    record.insert(UPDATED_AT.to_owned(), state.clock.tick());
    let body = SerializedBody::serialize(&resource.returned(&record));
    resource.table_mut(&mut state.store).insert(id, record);
    Ok(body)
}

fn find(resource: &dyn Resource, state: &State, params: &RequestParams<'_>) -> Result<(u64, JsonRecord), ApiError> {
    let found = params.id().and_then(|id| Some((id, resource.table(&state.store).get(&id)?.clone())));
    found.ok_or_else(|| params.not_found())
}

/// Writes the given inputs to a record; null resets a field to its default.
pub(crate) fn apply(resource: &dyn Resource, record: &mut JsonRecord, given: &ParsedInputs, request: &RequestBuilder) {
    let defaults = resource.template();
    for (name, value) in given.iter().filter(|(name, _)| !request.is_unchanged(*name)) {
        let Some(input) = request.inputs().get(*name).filter(|input| resource.stores(input.wire)) else {
            continue;
        };
        let default = defaults.get(input.wire).unwrap_or(&Value::Null);
        let value = match (value, request.value(*name)) {
            (Field::Value(_), Some(value)) => stored_value(input.input_type, default, value),
            _ => default.clone(),
        };
        record.insert(input.wire.to_owned(), value);
    }
}

/// The member with the position of an element in its list, which the service sets.
const POSITION: &str = "id";

/// Converts a valid input to the JSON of the record.
fn stored_value(input_type: InputType, default: &Value, value: &Value) -> Value {
    match (input_type, value) {
        (InputType::Pairs, Value::String(pair)) => Value::Array(vec![pair.as_str().into()]),
        (InputType::Objects(objects), Value::Array(elements))
            if objects.record.rows.iter().any(|row| row.wire == POSITION) =>
        {
            elements.iter().enumerate().map(with_position).collect()
        }
        _ => in_type_of(default, value),
    }
}

fn with_position((position, step): (usize, &Value)) -> Value {
    let mut step = step.clone();
    if let Value::Object(step) = &mut step {
        step.insert(POSITION.to_owned(), position.into());
    }
    step
}
