//! Routing: finds the operation of a request by the rows of the API reference, and what answers it.

use std::sync::LazyLock;

use super::operations::{self, DefaultOperation};
use super::resource::Resource;
use super::resources;
use super::route::{Handler, RequestParams};
use super::state::State;
use botdesk_api::document;
use botdesk_api::endpoint::{Endpoint, IDENTIFIER, PREFIX};
use botdesk_server::api_error::ApiError;
use botdesk_server::response::SerializedBody;

/// The routes of all operations that the sandbox mocks.
static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| document::operations().filter_map(Route::of).collect());

/// An operation and what carries it out.
pub(super) struct Route {
    pub(super) endpoint: &'static Endpoint,
    action: Action,
}

/// What carries out an operation.
#[derive(Clone, Copy)]
enum Action {
    Handler(Handler),
    Default(DefaultOperation, &'static dyn Resource),
}

impl Route {
    /// Returns the route of an endpoint: its handler, or the default; None if it has neither.
    pub(super) fn of(endpoint: &'static Endpoint) -> Option<Self> {
        let (resource, name) = endpoint.operation.split_once('.')?;
        let resource = resources::named(resource)?;
        let handler = resource.handlers().iter().find(|(operation, _)| *operation == name);
        let action = match handler {
            Some((_, handler)) => Action::Handler(*handler),
            None => Action::Default(operations::default_of(endpoint, resource)?, resource),
        };
        Some(Self { endpoint, action })
    }

    /// Carries out a request.
    pub(super) fn execute(&self, state: &mut State, params: &RequestParams<'_>) -> Result<SerializedBody, ApiError> {
        match self.action {
            Action::Handler(handler) => handler(state, params),
            Action::Default(operation, resource) => operation(resource, state, params),
        }
    }
}

/// Returns the names of all operations.
pub(super) fn operations() -> impl Iterator<Item = &'static str> + Clone {
    endpoints().map(|endpoint| endpoint.operation)
}

/// Returns all endpoints.
pub(super) fn endpoints() -> impl Iterator<Item = &'static Endpoint> + Clone {
    ROUTES.iter().map(|route| route.endpoint)
}

/// Finds the route of a request and the id in its path, which starts with `/public/api`.
pub(super) fn find(method: &str, path: &str) -> Result<(&'static Route, Option<u64>), ApiError> {
    let path = path.strip_prefix(PREFIX).unwrap_or(path);
    let mut allowed = None;
    for route in ROUTES.iter() {
        let Some(PathMatch(id)) = match_path(route.endpoint.path, path) else {
            continue;
        };
        if route.endpoint.method.as_str() == method {
            return Ok((route, id));
        }
        allowed = Some(route.endpoint.method.as_str());
    }
    Err(allowed.map_or_else(ApiError::not_mocked, ApiError::method_not_allowed))
}

/// A path that matches a template, with the id in it.
#[derive(Debug, PartialEq, Eq)]
struct PathMatch(Option<u64>);

/// Matches a path against a template.
fn match_path(template: &str, path: &str) -> Option<PathMatch> {
    let mut id = None;
    let mut expected = template.split('/');
    let mut actual = path.split('/');
    loop {
        match (expected.next(), actual.next()) {
            (None, None) => return Some(PathMatch(id)),
            (Some(IDENTIFIER), Some(segment)) => id = Some(parse_id(segment)?),
            (expected, actual) if expected == actual => {}
            _ => return None,
        }
    }
}

fn parse_id(segment: &str) -> Option<u64> {
    segment.bytes().all(|byte| byte.is_ascii_digit()).then(|| segment.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use botdesk_api::endpoint::Method;

    #[test]
    fn a_path_matches_only_its_template() {
        assert_eq!(match_path("/ver1/bots", "/ver1/bots"), Some(PathMatch(None)));
        assert_eq!(match_path("/ver1/bots/{id}/show", "/ver1/bots/41/show"), Some(PathMatch(Some(41))));
        for path in
            ["", "/ver1", "/ver1/bots/", "/ver1/bots/41/", "/ver1/bots/41/show/", "/ver1/bots//show", "ver1/bots"]
        {
            assert_eq!(match_path("/ver1/bots/{id}/show", path), None, "{path}");
        }
    }

    #[test]
    fn every_operation_of_the_api_reference_has_a_route() {
        assert!(operations().eq(document::operations().map(|endpoint| endpoint.operation)));
    }

    #[test]
    fn every_operation_that_writes_has_a_handler_unless_it_is_an_edit() {
        let is_edit = |endpoint: &Endpoint| matches!(endpoint.method, Method::Patch | Method::Put);
        for endpoint in document::operations().filter(|endpoint| endpoint.method.writes() && !is_edit(endpoint)) {
            let route = ROUTES.iter().find(|route| route.endpoint.operation == endpoint.operation);
            let has_handler = route.is_some_and(|route| matches!(route.action, Action::Handler(_)));
            assert!(has_handler, "{}: add it to the handlers of its resource", endpoint.operation);
        }
    }

    #[test]
    fn every_handler_is_that_of_an_operation() {
        for resource in resources::RESOURCES {
            for (name, _) in resource.handlers() {
                let operation = format!("{}.{name}", resource.name());
                assert!(operations().any(|known| known == operation), "{operation}");
            }
        }
    }

    #[test]
    fn an_id_consists_of_digits() {
        for segment in ["abc", "", "+41", "-41", "4_1", "41.0", "%34%31", "18446744073709551616"] {
            assert_eq!(match_path("/{id}", &format!("/{segment}")), None, "{segment}");
        }
    }
}
