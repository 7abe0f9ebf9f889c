//! The methods that iterate over all records of a list.

use botdesk_schema::input::Inputs;
use botdesk_schema::operation::{ArgumentStyle, Operation};
use botdesk_schema::resource::Resource;

use crate::docstring::{Docstring, Example, reference_to};
use crate::inputs::given;
use crate::owner::{Owner, no_client, own_ids, own_parameters};
use crate::python_method::{Call, Method, constant};

/// Returns true if all records can be listed.
pub(crate) fn is_listed(resource: &Resource) -> bool {
    resource.operations.iter().any(|operation| operation.verb() == "list" && operation.is_paged())
}

/// Returns the methods of a list besides the one that returns a page.
pub(crate) fn methods(resource: &'static Resource, list: &'static Operation, owner: Owner) -> Vec<Method> {
    vec![iter(resource, list, owner, false), iter(resource, list, owner, true)]
}

/// Returns the noun for the elements of a list: that of the resource, or the name of the method.
pub(crate) fn elements(resource: &Resource, list: &Operation) -> &'static str {
    if list.is_list() { resource.several } else { list.verb() }
}

fn iter(resource: &'static Resource, list: &'static Operation, owner: Owner, is_async: bool) -> Method {
    let (record, blocking) = (list.record().name, list.iterator());
    let several = match owner {
        _ if list.is_list() => resource.several.to_owned(),
        Owner::Resource if list.has_id() => format!("{} of {}", list.verb(), resource.any),
        Owner::Resource => list.verb().to_owned(),
        Owner::Record => format!("{} of the {}", list.verb(), resource.noun),
    };
    let inputs = list.inputs().unwrap_or(&Inputs::NONE);
    let size = list.page_inputs().map_or("", |page| page.limit.as_str());
    let iterator = if is_async { format!("{record}AsyncIterator") } else { format!("{record}Iterator") };
    let (name, summary, kind) = if is_async {
        (
            format!("{blocking}_async"),
            format!("Iterate over all {several} with `async for`: the `_async` version of `{blocking}`."),
            "asynchronous iterator",
        )
    } else {
        (blocking, format!("Iterate over all {several}, page after page."), "iterator")
    };
    let mut raises = vec![("ValidationError".to_owned(), "An argument breaks a rule; nothing was sent.".to_owned())];
    if owner == Owner::Record {
        raises.push(no_client());
    }
    raises.extend(
        [
            ("ApiError", "The service returned an error for a page, at the step that needs it."),
            ("TransportError", "No response was received for a page, at the step that needs it."),
        ]
        .map(|(name, cause)| (name.to_owned(), cause.to_owned())),
    );
    let native = if is_async { "_iter_async" } else { "_iter" };
    Method {
        docstring: Docstring {
            summary,
            details: details(list, size),
            reference: Some(reference_to(list.section, list.permission)),
            returns: format!("An {kind}. `{size}` is the number of records that each page adds, 100 by default."),
            raises,
            example: Example { verbatim: example(resource, list, owner, &name), ..Example::default() },
        },
        parameters: own_parameters(resource, list, owner, Some(inputs)),
        has_unknown: (list.style == ArgumentStyle::Named),
        returns: iterator,
        call: Call {
            target: format!("_{}.{native}", constant(list)),
            inputs: given(inputs, &[]),
            arguments: own_ids(resource, list, owner).map(|id| id.name.to_owned()).collect(),
            has_unknown: (list.style == ArgumentStyle::Named),
            ..Call::default()
        },
        is_awaited: false,
        is_function: false,
        name,
    }
}

/// Returns the paragraphs about the pages.
fn details(list: &Operation, size: &str) -> Vec<String> {
    let end = if list.ends_empty {
        "The iteration ends at an empty page".to_owned()
    } else {
        format!(
            "The iteration ends at an empty page, or at one shorter than the longest before it, so a service may return \
             fewer records than `{size}`"
        )
    };
    let order = list.pages_sorted_by.map_or_else(String::new, |(input, key)| {
        format!(" They are sorted by `{key}`, so that none changes its place, unless you give `{input}`.")
    });
    let pages = format!(
        "The first two pages are requested when the iterator reaches them, and each later one while you work on the page before \
         it, if the rate limit has room. {end}. Each record is returned once.{order}"
    );
    let is_numbered = list.page_inputs().is_some_and(|page| page.is_numbered);
    let is_sorted = list.inputs().is_some_and(|inputs| inputs.rows.iter().any(|input| input.name == "sort_by"));
    let moved = if is_sorted {
        ", and so may one that moves forward in a list sorted by `updated_at` or `profit` while another record makes room \
         for it"
    } else {
        ""
    };
    let shifts = if is_numbered {
        "If a record is on two pages, the list has changed meanwhile, and the iteration goes over it again until it finds \
         nothing new. A record that moves to an earlier page may be missed."
            .to_owned()
    } else {
        format!(
            "If the list changes meanwhile, the iteration goes over it again until it finds nothing new, so records that move \
         to an earlier page are found. Each page begins with the last record of the page before it, which shows changes by \
         others. A record that comes into the list during the iteration may be missed{moved}."
        )
    };
    vec![pages, shifts]
}

fn example(resource: &Resource, list: &Operation, owner: Owner, name: &str) -> Vec<String> {
    let (attribute, noun, id) = (resource.name, resource.noun, resource.example_id());
    let is_async = name.ends_with("_async");
    let (suffix, await_) = if is_async { ("_async", "await ") } else { ("", "") };
    let record = list.record().name;
    let (setup, object) = match owner {
        Owner::Resource => (None, format!("client.{attribute}")),
        Owner::Record => {
            let get = resource.example_of_record;
            (Some(format!("{noun} = {await_}client.{attribute}.{get}{suffix}({id})")), noun.to_owned())
        }
    };
    let id = if owner == Owner::Resource && list.has_id() { id } else { String::new() };
    let mut lines = vec![">>> import botdesk".to_owned()];
    if is_async {
        lines.insert(0, ">>> import asyncio".to_owned());
        lines.push(">>> async def first(client):".to_owned());
        lines.extend(setup.map(|setup| format!("...     {setup}")));
        lines.push(format!("...     return await anext({object}.{name}({id}))"));
        lines.push(">>> with botdesk.Sandbox() as sandbox:".to_owned());
        lines.push("...     type(asyncio.run(first(sandbox.client()))).__name__".to_owned());
    } else {
        lines.push(">>> with botdesk.Sandbox() as sandbox:".to_owned());
        lines.push("...     client = sandbox.client()".to_owned());
        lines.extend(setup.map(|setup| format!("...     {setup}")));
        lines.push(format!("...     type(next({object}.{name}({id}))).__name__"));
    }
    lines.push(format!("'{record}'"));
    lines
}
