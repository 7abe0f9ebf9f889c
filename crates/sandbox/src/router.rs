//! Routing: finds the operation of a request by the rows of the API reference.

use super::route::Route;
use super::{accounts, dca_bots, grid_bots, smart_trades};
use botdesk_api::endpoint::{Endpoint, IDENTIFIER, PREFIX};
use botdesk_server::api_error::ApiError;

/// The routes of each resource.
const RESOURCES: &[&[Route]] = &[accounts::ROUTES, dca_bots::ROUTES, grid_bots::ROUTES, smart_trades::ROUTES];

/// Returns the names of all operations.
pub(super) fn operations() -> impl Iterator<Item = &'static str> + Clone {
    endpoints().map(|endpoint| endpoint.operation)
}

/// Returns all endpoints.
pub(super) fn endpoints() -> impl Iterator<Item = &'static Endpoint> + Clone {
    RESOURCES.iter().copied().flatten().map(|route| &route.endpoint)
}

/// Finds the route of a request and the id in its path, which starts with `/public/api`.
pub(super) fn find(method: &str, path: &str) -> Result<(&'static Route, Option<u64>), ApiError> {
    let path = path.strip_prefix(PREFIX).unwrap_or(path);
    let mut allowed = None;
    for route in RESOURCES.iter().copied().flatten() {
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
    use botdesk_api::document;

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
        let served = RESOURCES.iter().copied().flatten().map(|route| route.endpoint.operation);
        assert!(served.eq(document::operations().map(|endpoint| endpoint.operation)));
    }

    #[test]
    fn an_id_consists_of_digits() {
        for segment in ["abc", "", "+41", "-41", "4_1", "41.0", "%34%31", "18446744073709551616"] {
            assert_eq!(match_path("/{id}", &format!("/{segment}")), None, "{segment}");
        }
    }
}
