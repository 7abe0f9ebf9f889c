//! The endpoints of the service that the package does not cover yet, for the errors of those who look for them.
//!
//! An endpoint that arrives leaves this table; a test finds those that were forgotten.

use botdesk_schema::method::Method::{self, Patch};

/// An endpoint that is not covered yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotCovered {
    /// The resource, as the client would name it.
    pub resource: &'static str,
    /// The name that its method would have.
    pub name: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The path, with the placeholders of the API reference in braces.
    pub path: &'static str,
}

const fn row(resource: &'static str, name: &'static str, method: Method, path: &'static str) -> NotCovered {
    NotCovered { resource, name, method, path }
}

/// The endpoints, by resource. The first of a resource stands for the resource itself.
const TABLE: &[NotCovered] = &[row("smart_trades", "edit", Patch, "/v2/smart_trades/{id}")];

/// Other names under which people look for an operation.
const OTHER_NAMES: [(&str, &str); 7] = [
    ("add", "create"),
    ("new", "create"),
    ("start", "enable"),
    ("remove", "delete"),
    ("show", "get"),
    ("update", "edit"),
    ("note", "set_note"),
];

/// Returns the endpoint of an operation that is not covered yet; None for all other names.
pub fn operation(resource: &str, name: &str) -> Option<&'static NotCovered> {
    let name = name.strip_suffix("_async").unwrap_or(name);
    let named = |name: &str| TABLE.iter().find(|row| row.resource == resource && row.name == name);
    named(name).or_else(|| named(OTHER_NAMES.iter().find(|(other, _)| *other == name)?.1))
}

/// Returns an endpoint of a resource of which the package covers nothing yet.
pub fn resource(name: &str) -> Option<&'static NotCovered> {
    TABLE.iter().find(|row| row.resource == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::document::operations;

    #[test]
    fn no_covered_endpoint_is_in_the_table() {
        for covered in operations() {
            let request = (covered.method, covered.path);
            assert!(TABLE.iter().all(|row| (row.method, row.path) != request), "{request:?}");
            let (resource, name) = covered.name.split_once('.').unwrap();
            assert!(TABLE.iter().all(|row| (row.resource, row.name) != (resource, name)), "{}", covered.name);
        }
    }

    #[test]
    fn each_operation_is_listed_once() {
        let names: BTreeSet<_> = TABLE.iter().map(|row| (row.resource, row.name)).collect();
        let paths: BTreeSet<_> = TABLE.iter().map(|row| (row.method.as_str(), row.path)).collect();
        assert_eq!((names.len(), paths.len()), (TABLE.len(), TABLE.len()));
    }

    #[test]
    fn an_operation_is_found_by_its_name_and_by_others_that_people_use() {
        assert_eq!(operation("smart_trades", "add").map(|row| row.path), Some("/v2/smart_trades"));
        assert_eq!(operation("smart_trades", "update_async").map(|row| row.name), Some("edit"));
        assert_eq!(operation("dca_bots", "disable"), None);
        assert_eq!(resource("smart_trades").map(|row| row.name), Some("create"));
        assert_eq!(resource("_repr_mimebundle_"), None);
    }
}
