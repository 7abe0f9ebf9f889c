//! Lists: filters, order and pages, from the names of the inputs.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::Value;

use crate::defaults::in_type_of;
use crate::inputs;
use crate::record::{JsonRecord, list as elements, string};
use crate::resource::Resource;
use crate::route::RequestParams;
use crate::sort_value::{CREATED_AT, SortValue};
use crate::state::{CachedList, State};
use botdesk_schema::input::RequestBuilder;
use botdesk_schema::pair::currencies;
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The default page size of a list.
const PAGE_SIZE: usize = 50;

/// The names of the inputs that choose a page.
const PAGING: [&str; 4] = ["limit", "per_page", "offset", "page"];

/// The names of the input that chooses the sort key.
const SORT_KEYS: [&str; 3] = ["sort_by", "order_by", "order"];

/// The names of the input that chooses the direction.
const DIRECTIONS: [&str; 2] = ["order_direction", "sort_direction"];

/// The names of the filters that any list may have, beside those of fields.
#[cfg(test)]
const FILTERS: [&str; 4] = ["from", "to", "quote", "base"];

/// The names of all inputs that any list may have, beside those of fields.
#[cfg(test)]
pub(crate) const KNOWN_LIST_INPUTS: [&[&str]; 4] = [&PAGING, &SORT_KEYS, &DIRECTIONS, &FILTERS];

/// Returns a page of the records that match the filters.
pub(crate) fn list(
    resource: &dyn Resource,
    state: &mut State,
    params: &RequestParams<'_>,
) -> Result<SerializedBody, ApiError> {
    let query = inputs::validated(params.inputs(), params)?;
    let ids = ids(resource, state, &query);
    let records = page(&query, ids.iter()).filter_map(|id| resource.listed(state, *id));
    let records: Vec<_> = records.collect();
    Ok(SerializedBody::serialize(&records.iter().map(|record| resource.returned(record)).collect::<Vec<_>>()))
}

/// Returns the elements on the page that a query chooses.
pub(crate) fn page<T>(query: &RequestBuilder, elements: impl Iterator<Item = T>) -> impl Iterator<Item = T> {
    let size = integer(query, &["limit", "per_page"]).unwrap_or(PAGE_SIZE);
    let earlier_pages = integer(query, &["page"]).unwrap_or(1).saturating_sub(1);
    let skipped = integer(query, &["offset"]).unwrap_or(0).saturating_add(earlier_pages.saturating_mul(size));
    elements.skip(skipped).take(size)
}

/// Returns the value of the input that has one of these names, or the documented default.
fn value(query: &RequestBuilder, names: &[&str]) -> Option<Value> {
    let input = query.inputs().rows.iter().find(|input| names.contains(&input.wire))?;
    query.value(input.key()).cloned().or_else(|| input.service_default())
}

fn integer(query: &RequestBuilder, names: &[&str]) -> Option<usize> {
    let number = value(query, names)?.as_u64()?;
    Some(usize::try_from(number).unwrap_or(usize::MAX))
}

/// Returns the ids of a list in order. They are cached, because pagination requests the same list page by page.
fn ids(resource: &dyn Resource, state: &mut State, query: &RequestBuilder) -> Arc<[u64]> {
    let inputs = query.inputs().rows.iter().filter(|input| !PAGING.contains(&input.wire));
    let inputs = inputs.map(|input| query.value(input.key()).cloned());
    let inputs = inputs.chain([Some(Value::from(state.mode.as_str()))]);
    let (resource_name, inputs) = (resource.name(), inputs.collect::<Vec<_>>());
    let cached = state.read_cache.as_ref().and_then(|cache| cache.list.as_ref());
    if let Some(cached) = cached.filter(|cached| cached.resource == resource_name && cached.inputs == inputs) {
        return Arc::clone(&cached.ids);
    }
    let ids = matching_ids(resource, state, query);
    if let Some(cache) = &mut state.read_cache {
        cache.list = Some(CachedList { resource: resource_name, inputs, ids: Arc::clone(&ids) });
    }
    ids
}

/// Returns the ids of all records that match the filters, in order.
pub(crate) fn matching_ids(resource: &dyn Resource, state: &State, query: &RequestBuilder) -> Arc<[u64]> {
    let records = resource.table(&state.store).iter();
    let records = records.filter(|(_, record)| state.is_of_mode(resource.name(), record));
    let mut records: Vec<_> = records.filter(|(_, record)| matches_all(resource, record, query)).collect();
    let key = value(query, &SORT_KEYS);
    let key = key.as_ref().and_then(Value::as_str);
    let row = |record| resource.record().row(resource.sort_field(record, key?));
    let sort_value = |record| resource.sort_value(record, key).unwrap_or_else(|| SortValue::of(record, row(record)));
    records.sort_by_cached_key(|(id, record)| (sort_value(record), **id));
    let direction = value(query, &DIRECTIONS);
    if !direction.and_then(|direction| Some(direction.as_str()?.eq_ignore_ascii_case("asc"))).unwrap_or_default() {
        records.reverse();
    }
    // Records without a value are last in either order.
    records.sort_by_key(|(_, record)| row(record).is_some_and(|row| record.get(row.wire).is_none_or(Value::is_null)));
    records.into_iter().map(|(id, _)| *id).collect()
}

fn is_filter(input: &str) -> bool {
    !PAGING.iter().chain(&SORT_KEYS).chain(&DIRECTIONS).any(|name| *name == input)
}

fn matches_all(resource: &dyn Resource, record: &JsonRecord, query: &RequestBuilder) -> bool {
    let mut filters = query.inputs().rows.iter().filter(|input| is_filter(input.wire));
    filters.all(|input| {
        query.value(input.key()).is_none_or(|value| {
            resource.matches(record, input.wire, value).unwrap_or_else(|| matches(record, input.wire, value))
        })
    })
}

/// Returns whether a record matches a filter: one by pair, by time of creation, or by the value of a field.
fn matches(record: &JsonRecord, filter: &str, value: &Value) -> bool {
    let created = || string(record, CREATED_AT).parse::<Timestamp>().ok().zip(parse_time(value));
    let trades = |is_traded: fn(&str, &str, &str) -> bool| {
        let pairs = elements(record, "pairs").iter().chain(record.get("pair")).filter_map(Value::as_str);
        pairs.filter_map(currencies).any(|(quote, base)| is_traded(quote, base, value.as_str().unwrap_or_default()))
    };
    match filter {
        "from" => created().is_some_and(|(created, from)| created > from),
        "to" => created().is_some_and(|(created, to)| created < to),
        "quote" => trades(|quote, _, wanted| quote == wanted),
        "base" => trades(|_, base, wanted| base == wanted),
        field => record.get(field).is_some_and(|current| *current == in_type_of(current, value)),
    }
}

/// Parses a Unix timestamp in seconds or an ISO 8601 time; without an offset it is UTC.
pub(crate) fn parse_time(value: &Value) -> Option<Timestamp> {
    match value {
        // A timestamp that is out of range is later or earlier than all records.
        Value::Number(seconds) => seconds.as_i64().map(|seconds| {
            let bound = if seconds > 0 { Timestamp::MAX } else { Timestamp::MIN };
            Timestamp::from_second(seconds).unwrap_or(bound)
        }),
        Value::String(string) => {
            let civil = || TimeZone::UTC.to_timestamp(string.parse::<DateTime>().ok()?).ok();
            let bound = if string.starts_with('-') { Timestamp::MIN } else { Timestamp::MAX };
            Some(string.parse().ok().or_else(civil).unwrap_or(bound))
        }
        _ => None,
    }
}
