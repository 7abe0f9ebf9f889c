//! Errors for the operations of the service that the package does not cover yet.

use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;

use botdesk_api::document;
use botdesk_api::not_covered::{self, NotCovered};
use botdesk_schema::operation::PREFIX;

/// Return the method and the path of an operation that the package does not cover yet; a resource has no operation.
#[pyfunction]
#[pyo3(signature = (resource, operation))]
pub(super) fn _not_covered(resource: &str, operation: Option<&str>) -> Option<(&'static str, &'static str)> {
    let found = match operation {
        Some(operation) => not_covered::operation(resource, operation),
        None => not_covered::resource(resource),
    };
    found.map(|row| (row.method.as_str(), row.path))
}

/// Returns the error for an attribute that does not exist, which says how to call what the package does not cover yet.
fn no_attribute(class: &str, name: &str, missing: Option<&NotCovered>) -> PyErr {
    let usual = format!("'{class}' object has no attribute '{name}'");
    let Some(row) = missing else { return PyAttributeError::new_err(usual) };
    let (method, path) = (row.method.as_str(), row.path);
    let advice =
        format!("botdesk does not cover this yet; until then: client.request(\"{method}\", \"{PREFIX}{path}\")");
    without_suggestion(PyAttributeError::new_err(format!("{usual}: {advice}")), name)
}

/// Sets the name of the attribute, and no object. Python would suggest an attribute of the object with a similar name, which does
/// something else: `disable` for `enable`.
fn without_suggestion(error: PyErr, name: &str) -> PyErr {
    Python::attach(|py| {
        let value = error.value(py);
        match value.setattr("name", name).and_then(|()| value.setattr("obj", py.None())) {
            Ok(()) => error,
            Err(raised) => raised,
        }
    })
}

/// Returns the error for an attribute that a resource does not have.
pub(super) fn no_attribute_of_resource(class: &str, resource: &str, name: &str) -> PyErr {
    no_attribute(class, name, not_covered::operation(resource, name))
}

/// Returns the error for an attribute that a record does not have.
pub(super) fn no_attribute_of_record(record: &str, name: &str) -> PyErr {
    let resource = document::resource_of(record);
    no_attribute(record, name, resource.and_then(|resource| not_covered::operation(resource.name, name)))
}

/// Returns the error for an attribute that a client does not have.
pub(super) fn no_attribute_of_client(name: &str) -> PyErr {
    no_attribute("Client", name, not_covered::resource(name))
}
