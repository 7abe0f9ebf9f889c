//! The methods that go through all records of a list: iteration and watches.

use botdesk_api::operation::{Operation, Style};
use botdesk_api::resource::Resource;

use crate::docstring::{Docstring, Example, reference_to};
use crate::inputs::{given, parameters};
use crate::method::Parameter;
use crate::python_method::{Call, Method, constant};

/// The inputs of a list that a watch sets itself.
const PAGES: &[&str] = &["limit", "offset", "page", "per_page", "sort_by", "order_direction"];

/// Returns the methods of a list besides the one that returns a page.
pub(crate) fn methods(resource: &Resource, list: &Operation) -> Vec<Method> {
    let mut methods = vec![iter(resource, list, false), iter(resource, list, true)];
    if resource.is_watched {
        methods.extend([watch(resource, list, false), watch(resource, list, true)]);
    }
    methods
}

fn iter(resource: &Resource, list: &Operation, is_async: bool) -> Method {
    let (several, record) = (resource.several, resource.record_name());
    let inputs = list.takes.inputs().unwrap_or(&botdesk_api::input::Inputs::NONE);
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
                "Each page is requested when the iterator reaches it. The iteration ends at an empty page, or at one \
                 shorter than the longest before it, so a service may return fewer records than `limit`. Each record is \
                 returned once."
                    .to_owned(),
                "If the list changes meanwhile, the iteration goes over it again until it finds nothing new, so records \
                 that move to an earlier page are found. Each page begins with the last record of the page before it, \
                 which shows changes by others. A record that comes into the list during the iteration may be missed, \
                 and so may one that moves forward in a list sorted by `updated_at` or `profit` while another record \
                 makes room for it."
                    .to_owned(),
            ],
            reference: Some(reference_to(list.section, list.permission)),
            returns: format!("An {kind}. `limit` is the number of records that each page adds, 100 by default."),
            raises: [
                ("ValidationError", "An argument breaks a rule; nothing was sent."),
                ("ApiError", "The service returned an error for a page, at the step that requested it."),
                ("TransportError", "No response was received for a page, at the step that requested it."),
            ]
            .map(|(name, cause)| (name.to_owned(), cause.to_owned()))
            .into(),
            example: Example { verbatim: iter_example(resource, is_async), ..Example::default() },
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

fn iter_example(resource: &Resource, is_async: bool) -> Vec<String> {
    let (name, noun) = (resource.name, resource.noun);
    let text = if is_async {
        format!(
            ">>> import asyncio\n>>> import botdesk\n>>> async def count(client):\n\
             ...     return len([{noun} async for {noun} in client.{name}.iter_async(limit=10)])\n\
             >>> with botdesk.Sandbox(bots=30) as sandbox:\n...     asyncio.run(count(sandbox.client()))\n30"
        )
    } else {
        format!(
            ">>> import botdesk\n>>> with botdesk.Sandbox(bots=30) as sandbox:\n\
             ...     len(list(sandbox.client().{name}.iter(limit=10)))\n30"
        )
    };
    text.lines().map(str::to_owned).collect()
}

fn watch(resource: &Resource, list: &Operation, is_async: bool) -> Method {
    let (several, record, noun) = (resource.several, resource.record_name(), resource.noun);
    let inputs = list.takes.inputs().unwrap_or(&botdesk_api::input::Inputs::NONE);
    let mut parameters = parameters(inputs, list.style, PAGES);
    parameters.insert(0, option("every", "f64", "30.0", "Seconds between two polls, 1 or more."));
    parameters.extend([
        option("deals", "bool", "true", "If True, watch the deals as well; if False, a poll only requests the list."),
        option(
            "since",
            "Option<Since>",
            "None",
            "The `state` of an earlier watch, or the path to which it was saved: the first poll returns what has \
             changed since.",
        ),
        option(
            "on_error",
            "OnError",
            "OnError(None)",
            "A function that is called with each temporary error; without it, the error is logged as a warning. What it \
             raises is raised.",
        ),
    ]);
    let watch = if is_async { format!("{record}AsyncWatch") } else { format!("{record}Watch") };
    let (name, summary) = if is_async {
        ("watch_async", format!("Watch {several} with `async for`: the `_async` version of `watch`."))
    } else {
        ("watch", format!("Watch {several}: return each change as it happens."))
    };
    let returns = if is_async {
        "An asynchronous iterator that ends when it is closed. It is also an asynchronous context manager, which closes it."
    } else {
        "An iterator that ends when it is closed. It is also a context manager, which closes it. With a scope, a bot that \
         leaves it is reported as `enabled` or `disabled`, and not any more from then on."
    };
    Method {
        name: name.to_owned(),
        docstring: Docstring {
            summary,
            details: watch_details(noun, is_async),
            reference: Some(watch_reference(resource, list)),
            returns: returns.to_owned(),
            raises: [
                ("ConfigurationError", "`every` or `since` is invalid."),
                ("ValidationError", "A filter breaks a rule."),
                (
                    "ApiError",
                    "The service returned a permanent error, at the step that sent the request: the key is invalid or \
                     lacks the permission, or the IP address is banned.",
                ),
            ]
            .map(|(name, cause)| (name.to_owned(), cause.to_owned()))
            .into(),
            example: Example { verbatim: watch_example(resource, is_async), ..Example::default() },
        },
        parameters,
        has_unknown: (list.style == Style::Named),
        returns: watch,
        call: Call {
            target: format!("_{}._{name}", constant(list)),
            inputs: given(inputs, PAGES),
            arguments: ["every", "deals", "since", "on_error"].map(str::to_owned).into(),
            has_unknown: (list.style == Style::Named),
            ..Call::default()
        },
        is_awaited: false,
    }
}

fn option(name: &str, kind: &str, default: &str, about: &str) -> Parameter {
    Parameter {
        name: name.to_owned(),
        kind: kind.into(),
        annotation: None,
        default: Some(default.to_owned()),
        is_keyword: true,
        about: about.to_owned(),
    }
}

fn watch_details(noun: &str, is_async: bool) -> Vec<String> {
    if is_async {
        return vec!["A step that is cancelled loses nothing: the next one returns what it found.".to_owned()];
    }
    vec![
        format!(
            "The {noun}s are polled. The first poll sets the baseline and returns nothing, unless `since` is given. A \
             failed poll does not end the watch: `on_error` is called, and the next poll finds what this one missed. \
             No request is sent while the caller handles a change."
        ),
        format!(
            "A poll takes one request for each 99 {noun}s and one that finds the end of the list, one for each {noun} \
             with open deals, and one for each {noun} that is missing in the list. Like all requests, it waits for the \
             rate limit."
        ),
    ]
}

/// Returns the reference sections of the list and of the operation that reads one record.
fn watch_reference(resource: &Resource, list: &Operation) -> String {
    let read = resource.operations.iter().filter(|operation| operation.is_reading());
    let sections: Vec<_> = [list].into_iter().chain(read).map(|operation| operation.section).collect();
    reference_to(&sections.join(", "), list.permission)
}

fn watch_example(resource: &Resource, is_async: bool) -> Vec<String> {
    let (name, id) = (resource.name, resource.example_id());
    let text = if is_async {
        format!(
            ">>> import asyncio\n>>> import botdesk\n>>> async def first(client):\n\
             ...     base = client.{name}.watch_async()\n\
             ...     await base.poll_async()\n\
             ...     await client.{name}.disable_async({id})\n\
             ...     async for change in client.{name}.watch_async(since=base.state):\n\
             ...         return change.kind\n\
             >>> with botdesk.Sandbox() as sandbox:\n...     asyncio.run(first(sandbox.client()))\n'disabled'"
        )
    } else {
        format!(
            ">>> import botdesk\n>>> with botdesk.Sandbox() as sandbox:\n\
             ...     client = sandbox.client()\n\
             ...     with client.{name}.watch(every=30) as watch:\n\
             ...         _ = watch.poll()\n\
             ...         _ = client.{name}.disable({id})\n\
             ...         watch.poll()[0].kind\n'disabled'"
        )
    };
    text.lines().map(str::to_owned).collect()
}
