//! The owner of a method: a resource, or one of its records, whose own identifier is not an argument.

use botdesk_schema::id::IdSpec;
use botdesk_schema::input::Inputs;
use botdesk_schema::operation::{Operation, ShortForm};
use botdesk_schema::resource::Resource;

use crate::inputs::parameters;
use crate::parameter::Parameter;
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
    let identifiers = own_ids(resource, operation, owner).map(|id| {
        let about = format!("Identifier of the {}{}.", id.noun, id.about);
        Parameter::required(id.name, id_type(id, operation), &about)
    });
    let takes_inputs = inputs.is_some();
    let inputs = inputs.iter().flat_map(|inputs| parameters(inputs, operation.style, &[]));
    let inputs = inputs.map(|parameter| widened(operation, parameter));
    let more = more_forms(operation).filter(|_| takes_inputs).map(|form| form_parameter(&form));
    identifiers.chain(inputs).chain(more).collect()
}

/// Returns the parameter of an input, with the types and the description of its short form if it has one.
fn widened(operation: &'static Operation, parameter: Parameter) -> Parameter {
    match operation.short_forms.iter().find(|form| form.name == parameter.name) {
        Some(form) => Parameter { kind: form.python.to_owned(), about: form.about.to_owned(), ..parameter },
        None => parameter,
    }
}

/// Returns the arguments that are no inputs, and that a function converts to inputs.
pub(crate) fn more_forms(operation: &'static Operation) -> impl Iterator<Item = ShortForm> {
    let names: Vec<_> = operation.inputs().iter().flat_map(|inputs| inputs.rows).map(|input| input.name).collect();
    operation.short_forms.iter().copied().filter(move |form| !names.contains(&form.name))
}

/// Returns the parameter of an argument that is no input.
pub(crate) fn form_parameter(form: &ShortForm) -> Parameter {
    let default = if form.python == "bool" { "False" } else { "None" };
    Parameter::option(form.name, form.python, default, form.about)
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
