//! Which request is which operation, by the rows of the document.

use super::route::Route;
use super::{accounts, dca_bots, grid_bots, smart_trades};
use botdesk_api::endpoint::{Endpoint, IDENTIFIER, PREFIX};
use botdesk_server::answer::Refusal;

/// The operations, resource by resource.
const RESOURCES: &[&[Route]] = &[accounts::ROUTES, dca_bots::ROUTES, grid_bots::ROUTES, smart_trades::ROUTES];

/// The names of all operations.
pub(super) fn operations() -> impl Iterator<Item = &'static str> + Clone {
    endpoints().map(|endpoint| endpoint.operation)
}

/// All operations.
pub(super) fn endpoints() -> impl Iterator<Item = &'static Endpoint> + Clone {
    RESOURCES.iter().copied().flatten().map(|route| &route.endpoint)
}

/// The route of a request and the identifier in its path, which begins at `/public/api`.
pub(super) fn find(method: &str, path: &str) -> Result<(&'static Route, Option<u64>), Refusal> {
    let path = path.strip_prefix(PREFIX).unwrap_or(path);
    let mut other = None;
    for route in RESOURCES.iter().copied().flatten() {
        let Some(Named(id)) = named(route.endpoint.path, path) else {
            continue;
        };
        if route.endpoint.method.as_str() == method {
            return Ok((route, id));
        }
        other = Some(route.endpoint.method.as_str());
    }
    Err(other.map_or_else(Refusal::not_found, Refusal::method_not_allowed))
}

/// What a path names where it fits its template: a record, or none.
#[derive(Debug, PartialEq, Eq)]
struct Named(Option<u64>);

/// What a path names; None where it does not fit the template.
fn named(template: &str, path: &str) -> Option<Named> {
    let mut id = None;
    let mut wanted = template.split('/');
    let mut given = path.split('/');
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return Some(Named(id)),
            (Some(IDENTIFIER), Some(text)) => id = Some(identifier(text)?),
            (wanted, given) if wanted == given => {}
            _ => return None,
        }
    }
}

fn identifier(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;
    use botdesk_api::document;

    #[test]
    fn a_path_fits_its_template_alone() {
        assert_eq!(named("/ver1/bots", "/ver1/bots"), Some(Named(None)));
        assert_eq!(named("/ver1/bots/{id}/show", "/ver1/bots/41/show"), Some(Named(Some(41))));
        for path in
            ["", "/ver1", "/ver1/bots/", "/ver1/bots/41/", "/ver1/bots/41/show/", "/ver1/bots//show", "ver1/bots"]
        {
            assert_eq!(named("/ver1/bots/{id}/show", path), None, "{path}");
        }
    }

    #[test]
    fn every_operation_of_the_document_is_served() {
        let served = RESOURCES.iter().copied().flatten().map(|route| route.endpoint.operation);
        assert!(served.eq(document::operations().map(|endpoint| endpoint.operation)));
    }

    #[test]
    fn an_identifier_is_digits() {
        for text in ["abc", "", "+41", "-41", "4_1", "41.0", "%34%31", "18446744073709551616"] {
            assert_eq!(named("/{id}", &format!("/{text}")), None, "{text}");
        }
    }
}
