//! The methods that iterate over all records of a list.

use botdesk_schema::input::Inputs;
use botdesk_schema::operation::{Operation, Style};
use botdesk_schema::page_inputs::PageInputs;
use botdesk_schema::resource::Resource;

use crate::docstring::{Docstring, Example, reference_to};
use crate::inputs::{given, parameters};
use crate::python_method::{Call, Method, constant};

/// Returns the methods of a list besides the one that returns a page.
pub(crate) fn methods(resource: &Resource, list: &Operation) -> Vec<Method> {
    vec![iter(resource, list, false), iter(resource, list, true)]
}

fn iter(resource: &Resource, list: &Operation, is_async: bool) -> Method {
    let (several, record) = (resource.several, resource.record_name());
    let inputs = list.takes.inputs().unwrap_or(&Inputs::NONE);
    let page = list.page_inputs().unwrap_or(PageInputs::BY_OFFSET);
    let limit = page.limit.as_str();
    let overlap = if page.is_numbered {
        ""
    } else {
        "Each page begins with the last record of the page before it, which shows changes by others. "
    };
    let parameters = parameters(inputs, list.style, &[]);
    let iterator = if is_async { format!("{record}AsyncIterator") } else { format!("{record}Iterator") };
    let (name, summary, kind) = if is_async {
        (
            "iter_async",
            format!("Iterate over all {several} with `async for`: the `_async` version of `iter`."),
            "asynchronous iterator",
        )
    } else {
        ("iter", format!("Iterate over all {several}, page after page."), "iterator")
    };
    Method {
        name: name.to_owned(),
        docstring: Docstring {
            summary,
            details: vec![
                format!(
                    "Each page is requested when the iterator reaches it. The iteration ends at an empty page, or at one \
                     shorter than the longest before it, so a service may return fewer records than `{limit}`. Each \
                     record is returned once."
                ),
                format!(
                    "If the list changes meanwhile, the iteration goes over it again until it finds nothing new, so \
                     records that move to an earlier page are found. {overlap}A record that comes into the list during \
                     the iteration may be missed{}.",
                    moved_records(inputs)
                ),
            ],
            reference: Some(reference_to(list.section, list.permission)),
            returns: format!("An {kind}. `{limit}` is the number of records that each page adds, 100 by default."),
            raises: [
                ("ValidationError", "An argument breaks a rule; nothing was sent."),
                ("ApiError", "The service returned an error for a page, at the step that requested it."),
                ("TransportError", "No response was received for a page, at the step that requested it."),
            ]
            .map(|(name, cause)| (name.to_owned(), cause.to_owned()))
            .into(),
            example: Example { verbatim: iter_example(resource, limit, is_async), ..Example::default() },
        },
        parameters,
        has_unknown: (list.style == Style::Named),
        returns: iterator,
        call: Call {
            target: format!("_{}._{name}", constant(list)),
            inputs: given(inputs, &[]),
            has_unknown: (list.style == Style::Named),
            ..Call::default()
        },
        is_awaited: false,
    }
}

/// Returns the end of the sentence about records that may be missed: those that move in a list whose order changes.
fn moved_records(inputs: &Inputs) -> &'static str {
    let is_sorted = inputs.rows.iter().any(|input| input.name == "sort_by");
    if is_sorted {
        ", and so may one that moves forward in a list sorted by `updated_at` or `profit` while another record makes room \
         for it"
    } else {
        ""
    }
}

fn iter_example(resource: &Resource, limit: &str, is_async: bool) -> Vec<String> {
    let (name, noun) = (resource.name, resource.noun);
    let text = if is_async {
        format!(
            ">>> import asyncio\n>>> import botdesk\n>>> async def count(client):\n\
             ...     return len([{noun} async for {noun} in client.{name}.iter_async({limit}=2)])\n\
             >>> with botdesk.Sandbox() as sandbox:\n...     asyncio.run(count(sandbox.client())) > 2\nTrue"
        )
    } else {
        format!(
            ">>> import botdesk\n>>> with botdesk.Sandbox() as sandbox:\n\
             ...     len(list(sandbox.client().{name}.iter({limit}=2))) > 2\nTrue"
        )
    };
    text.lines().map(str::to_owned).collect()
}
