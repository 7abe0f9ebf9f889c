//! The methods of a resource that edit its records from a table, and write such a table.

use botdesk_schema::operation::Operation;
use botdesk_schema::resource::Resource;

use crate::docstring::{Docstring, Example};
use crate::lists;
use crate::parameter::Parameter;
use crate::python_method::{Call, Method, constant};
use crate::resource::{reference_of_edit, run_options, validate};

/// Returns the methods; none if the records can't be listed or edited.
pub(crate) fn methods(resource: &'static Resource) -> Vec<Method> {
    let edit = resource.editing().filter(|_| lists::is_listed(resource));
    edit.into_iter().flat_map(|edit| [edit_each(resource, edit), export(resource, edit)]).collect()
}

fn edit_each(resource: &'static Resource, edit: &'static Operation) -> Method {
    let (noun, several, record) = (resource.noun, resource.several, resource.record_name());
    let table = Parameter::required(
        "table",
        "object",
        "A frame of pandas or polars, an Arrow table, the path of a .csv or .xlsx file, or a list of dicts.",
    );
    let mut parameters = vec![table];
    parameters.extend(run_options());
    parameters.push(validate("before anything is sent"));
    Method {
        name: "edit_each".to_owned(),
        docstring: Docstring {
            summary: format!("Edit many {several}, each with the values of its row in a table."),
            details: vec![
                format!(
                    "The column `id` says which {noun} a row is about; without it, the column `name`. Each other column is \
                     a setting that `edit` takes. Only cells that differ from the {noun} are sent. An empty cell changes \
                     nothing, and the word `null` sends null. A number may be a calculation with the current value: \
                     `*1.1` or `+5`. `export` writes such a table."
                ),
                format!(
                    "All {several} are listed first. All errors of the table, and all rules of the API reference that it \
                     breaks, are reported at once, before anything is changed. Each {noun} has its own outcome, as with \
                     `edit_many`; `retry_failed()` of the result continues a run that was stopped."
                ),
            ],
            reference: Some(reference_of_edit(resource, edit)),
            returns: format!(
                "A `BulkResult` of the {noun}s that change. With `preview=True`, a `BulkPreview` of the old and the new \
                 values."
            ),
            raises: [
                (
                    "ValidationError",
                    "A column, a row or a cell is wrong, or a change breaks a rule; `errors` lists all of them. Nothing \
                     was changed.",
                ),
                (
                    "ConfigurationError",
                    "The file can't be read, or is a workbook and openpyxl is not installed; nothing was sent.",
                ),
                ("ApiError", "The service returned an error while the list was read."),
                ("TransportError", "The list could not be read. Nothing was changed."),
            ]
            .map(|(name, cause)| (name.to_owned(), cause.to_owned()))
            .into(),
            example: example(resource, edit),
        },
        parameters,
        has_unknown: false,
        returns: format!("BulkResult[{record}] | Any"),
        call: Call {
            target: "edit_each".to_owned(),
            arguments: vec![
                format!("_{}", constant(edit)),
                "table".to_owned(),
                "(preview, concurrency, progress)".to_owned(),
                "validate=validate".to_owned(),
            ],
            ..Call::default()
        },
        is_awaited: true,
        is_function: false,
    }
}

fn example(resource: &'static Resource, edit: &'static Operation) -> Example {
    let client = format!("client.{}", resource.name);
    let cells = edit.example.arguments.iter().filter_map(|argument| argument.split_once('='));
    let cells: Vec<_> = cells.map(|(name, value)| format!("\"{name}\": {value}")).collect();
    let row = format!("[{{\"id\": {}, {}}}]", resource.example_id(), cells.join(", "));
    Example {
        object: (client.clone(), client),
        method: "edit_each".to_owned(),
        arguments: vec![row],
        statements: vec!["{call}".to_owned()],
        output: format!("<BulkResult {} of 1: 1 done>", edit.name),
        ..Example::default()
    }
}

fn export(resource: &'static Resource, edit: &'static Operation) -> Method {
    let (several, client) = (resource.several, format!("client.{}", resource.name));
    let path = Parameter::required(
        "path",
        "str | PathLike[str]",
        "The file to write: .xlsx for a workbook, CSV otherwise. An existing one is replaced.",
    );
    let setup = |call: &str| format!("import pathlib, tempfile\nfolder = pathlib.Path(tempfile.mkdtemp())\n{call}");
    Method {
        name: "export".to_owned(),
        docstring: Docstring {
            summary: format!(
                "Write the settings of all {several} to a file, which `edit_each` reads after you edited it."
            ),
            details: vec![
                "Text that a spreadsheet would take for a formula begins with an apostrophe, which `edit_each` removes."
                    .to_owned(),
            ],
            reference: resource
                .operations
                .iter()
                .find(|operation| operation.verb() == "list")
                .map(|list| crate::docstring::reference_to(list.section, list.permission)),
            returns: format!("The number of {several}."),
            raises: [
                (
                    "ConfigurationError",
                    "The file can't be written, or a workbook is wanted and openpyxl is not installed.",
                ),
                ("ApiError", "The service returned an error."),
                ("TransportError", "No response was received."),
            ]
            .map(|(name, cause)| (name.to_owned(), cause.to_owned()))
            .into(),
            example: Example {
                setup: Some((setup(""), setup(""))),
                object: (client.clone(), client),
                method: "export".to_owned(),
                arguments: vec!["folder / \"settings.csv\"".to_owned()],
                statements: vec!["{call} > 0".to_owned()],
                output: "True".to_owned(),
                ..Example::default()
            },
        },
        parameters: vec![path],
        has_unknown: false,
        returns: "int".to_owned(),
        call: Call {
            target: "export".to_owned(),
            arguments: vec![format!("_{}", constant(edit)), "path".to_owned()],
            ..Call::default()
        },
        is_awaited: true,
        is_function: false,
    }
}
