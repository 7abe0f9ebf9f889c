//! Routing: finds the operation of a request by the rows of the API reference, and its handler.

use std::sync::LazyLock;

use serde_json::Value;

use super::operations::{self, DefaultOperation};
use super::resource::Resource;
use super::resources;
use super::route::{Handler, RequestParams};
use super::state::State;
use super::withdrawn;
use botdesk_api::reference;
use botdesk_schema::id::{Id, IdSpec, IdType};
use botdesk_schema::operation::{Operation, PREFIX};
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The routes of all operations that the sandbox mocks.
static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| reference::operations().filter_map(Route::of).collect());

/// The routes of requests that the API reference no longer has. They are no operations of the client. An identifier is one of a SmartTrade.
static WITHDRAWN: LazyLock<Vec<Route>> = LazyLock::new(|| {
    let smart_trades = reference::resource("smart_trades");
    let route = |(operation, handler): &'static (Operation, Handler)| Route {
        operation,
        ids: smart_trades.iter().flat_map(|resource| resource.ids(operation)).collect(),
        action: Action::Handler(*handler),
    };
    withdrawn::OPERATIONS.iter().map(route).collect()
});

/// An operation and what carries it out.
pub(super) struct Route {
    pub(super) operation: &'static Operation,
    /// The identifiers in its path, which each request is matched against.
    ids: Vec<IdSpec>,
    action: Action,
}

/// What carries out an operation.
#[derive(Clone, Copy)]
enum Action {
    Handler(Handler),
    Default(DefaultOperation, &'static dyn Resource),
}

impl Route {
    /// Returns the route of an operation: its handler, or the default; None if it has neither.
    pub(super) fn of(operation: &'static Operation) -> Option<Self> {
        let ids = reference::resource(operation.resource())?.ids(operation).collect();
        let action = if let Some(handler) = resources::handler(operation) {
            Action::Handler(handler)
        } else {
            let resource = resources::named(operation.resource())?;
            Action::Default(operations::default_of(operation, resource)?, resource)
        };
        Some(Self { operation, ids, action })
    }

    /// Returns the ids in a path if it is that of the operation.
    fn match_path(&self, path: &str) -> Option<Vec<Id>> {
        let mut specs = self.ids.iter();
        let mut ids = Vec::new();
        let mut actual = path.split('/');
        for expected in self.operation.path.split('/') {
            let segment = actual.next()?;
            if expected.starts_with('{') {
                ids.push(parse_id(specs.next()?, segment, self.operation.takes_summary)?);
            } else if expected != segment {
                return None;
            }
        }
        actual.next().is_none().then_some(ids)
    }

    /// Carries out a request.
    pub(super) fn execute(&self, state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
        let value = match self.action {
            Action::Handler(handler) => handler(state, params),
            Action::Default(default, resource) => default(resource, state, params),
        }?;
        Ok(match self.operation.returns.within {
            Some(member) => value.within(member),
            None => value,
        })
    }
}

/// Returns all operations.
pub(super) fn operations() -> impl Iterator<Item = &'static Operation> + Clone {
    ROUTES.iter().map(|route| route.operation)
}

/// Finds the route of a request and the ids in its path, which starts with `/public/api`.
pub(super) fn find(method: &str, path: &str) -> Result<(&'static Route, Vec<Id>), ApiError> {
    let path = path.strip_prefix(PREFIX).unwrap_or(path);
    let mut allowed = None;
    for route in ROUTES.iter().chain(WITHDRAWN.iter()) {
        let Some(ids) = route.match_path(path) else {
            continue;
        };
        if route.operation.method.as_str() == method {
            return Ok((route, ids));
        }
        allowed = Some(route.operation.method.as_str());
    }
    Err(allowed.map_or_else(ApiError::not_mocked, ApiError::method_not_allowed))
}

/// Reads the id in a segment of a path.
fn parse_id(spec: &IdSpec, segment: &str, takes_summary: bool) -> Option<Id> {
    let given = match spec.id_type {
        IdType::Integer if segment.bytes().all(|byte| byte.is_ascii_digit()) => {
            segment.parse::<u64>().ok().map(Value::from)
        }
        IdType::Integer | IdType::Uuid => None,
    };
    spec.parse(&given.unwrap_or_else(|| Value::from(segment)), takes_summary).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(operation: &str, path: &str) -> Option<Vec<Id>> {
        ROUTES.iter().find(|route| route.operation.name == operation).unwrap().match_path(path)
    }

    #[test]
    fn a_path_matches_only_its_template() {
        assert_eq!(ids("dca_bots.list", "/ver1/bots"), Some(vec![]));
        assert_eq!(ids("dca_bots.get", "/ver1/bots/41/show"), Some(vec![Id::Number(41)]));
        for path in
            ["", "/ver1", "/ver1/bots/", "/ver1/bots/41/", "/ver1/bots/41/show/", "/ver1/bots//show", "ver1/bots"]
        {
            assert_eq!(ids("dca_bots.get", path), None, "{path}");
        }
    }

    #[test]
    fn every_operation_of_the_api_reference_has_a_route() {
        let names = |operation: &Operation| operation.name;
        assert!(operations().map(names).eq(reference::operations().map(names)));
    }

    #[test]
    fn every_operation_that_writes_has_a_handler_unless_it_is_an_edit() {
        for operation in reference::operations().filter(|operation| operation.effect.writes() && !operation.is_edit) {
            let route = ROUTES.iter().find(|route| route.operation.name == operation.name);
            let has_handler = route.is_some_and(|route| matches!(route.action, Action::Handler(_)));
            assert!(has_handler, "{}: add it to the handlers of its resource", operation.name);
        }
    }

    #[test]
    fn every_handler_is_that_of_an_operation() {
        for (resource, handlers) in resources::HANDLERS {
            for (verb, _) in handlers {
                let operation = format!("{resource}.{verb}");
                assert!(operations().any(|known| known.name == operation), "{operation}");
            }
        }
    }

    #[test]
    fn an_id_consists_of_digits() {
        for segment in ["abc", "", "+41", "-41", "4_1", "41.0", "%34%31", "18446744073709551616"] {
            assert_eq!(ids("dca_bots.get", &format!("/ver1/bots/{segment}/show")), None, "{segment}");
        }
    }
}
