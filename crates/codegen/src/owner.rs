//! The owner of a method: a resource, or one of its records, whose own identifier is not an argument.

use botdesk_schema::id::IdSpec;
use botdesk_schema::input::Inputs;
use botdesk_schema::operation::Operation;
use botdesk_schema::resource::Resource;

use crate::inputs::parameters;
use crate::method::Parameter;
use crate::types::id_type;

/// The owner of a method: the resource, or a record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Owner {
    Resource,
    Record,
}

/// Returns the parameters of a method: identifiers first, then the inputs.
pub(crate) fn own_parameters(
    resource: &'static Resource,
    operation: &'static Operation,
    owner: Owner,
    inputs: Option<&'static Inputs>,
) -> Vec<Parameter> {
    let identifiers = own_ids(resource, operation, owner).map(|id| Parameter {
        name: id.name.to_owned(),
        kind: id_type(id, operation).into(),
        annotation: None,
        default: None,
        is_keyword: false,
        about: format!("Identifier of the {}{}.", id.noun, id.about),
    });
    let inputs = inputs.iter().flat_map(|inputs| parameters(inputs, operation.style, &[]));
    identifiers.chain(inputs).collect()
}

/// Returns the identifiers that a method takes: a record has its own.
pub(crate) fn own_ids(
    resource: &'static Resource,
    operation: &'static Operation,
    owner: Owner,
) -> impl Iterator<Item = IdSpec> {
    let is_own = move |id: &IdSpec| owner == Owner::Record && id.placeholder == resource.id.placeholder;
    resource.ids(operation).filter(move |id| !is_own(id))
}

pub(crate) fn no_client() -> (String, String) {
    ("ConfigurationError".to_owned(), "The record has no client.".to_owned())
}
