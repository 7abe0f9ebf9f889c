//! Watches: the methods of lists that start one, and the classes of watches and of changes.

use botdesk_schema::operation::{ArgumentStyle, Operation};
use botdesk_schema::resource::Resource;
use botdesk_schema::watched::{Nested, Watched};

use crate::docstring::{Docstring, Example, reference_to};
use crate::inputs::{given, parameters};
use crate::parameter::Parameter;
use crate::python_method::{Call, Method, class_head, constant};

/// The inputs of lists that order the records, which a watch does not need.
const ORDER: [&str; 5] = ["sort_by", "sort_direction", "order", "order_by", "order_direction"];

/// Returns the inputs of a list that a watch does not take: it sets them itself, or does not need them.
fn without(watched: &Watched, list: &Operation) -> Vec<&'static str> {
    let pages = list.page_inputs().map(|pages| [pages.limit.as_str(), pages.position.as_str()]);
    let open = watched.ending.map(|ending| ending.open.0);
    pages.into_iter().flatten().chain(ORDER).chain(open).collect()
}

/// Returns the methods of a list that watch its records.
pub(crate) fn methods(resource: &Resource, list: &Operation) -> Vec<Method> {
    let is_watched = resource.watched.is_some();
    let watches = [false, true].into_iter().map(|is_async| watch(resource, list, is_async));
    watches.chain([live(resource, list)]).filter(|_| is_watched).collect()
}

/// Returns the names of the classes of the watches and changes of a list's records.
pub(crate) fn class_names(resource: &Resource, list: &Operation) -> Vec<String> {
    let kinds = ["Watch", "AsyncWatch", "Change"].into_iter().filter(|_| resource.watched.is_some() && list.is_list());
    kinds.map(|kind| format!("{}{kind}", list.record().name)).collect()
}

/// Returns the classes of the watches and changes of a list's records.
pub(crate) fn classes(resource: &Resource, list: &Operation) -> String {
    if resource.watched.is_none() {
        return String::new();
    }
    [change_class(resource, list), watch_class(resource, list, false), watch_class(resource, list, true)].concat()
}

fn watch_class(resource: &Resource, list: &Operation, is_async: bool) -> String {
    let (record, several) = (list.record().name, resource.several);
    let change = format!("{record}Change");
    let (kind, about, types) = if is_async {
        let next = format!("def __anext__(self, /) -> Coroutine[Any, Any, {change}]: ...");
        (
            "AsyncWatch",
            format!("A watch over {several} for `async for`."),
            ["async def __aenter__", "def __aiter__", &next].map(str::to_owned),
        )
    } else {
        let next = format!("def __next__(self, /) -> {change}: ...");
        (
            "Watch",
            format!("A watch over {several}: iterate over it, or `poll()` it yourself."),
            ["def __enter__", "def __iter__", &next].map(str::to_owned),
        )
    };
    let name = format!("{record}{kind}");
    let [enter, iterate, next] = types;
    class_head(&name, &format!("Record{kind}"), &about)
        + &poll(resource, list, is_async).python()
        + &format!(
            "\n    if TYPE_CHECKING:\n\n        {enter}(self, /) -> Self: ...\n        {iterate}(self, /) -> {name}: ...\n        {next}\n"
        )
}

/// Returns the method of a watch that polls.
fn poll(resource: &Resource, list: &Operation, is_async: bool) -> Method {
    let (name, noun) = (resource.name, resource.noun);
    let start = if is_async { "watch_async" } else { "watch" };
    let (statement, kind) = resource.watched.map_or(("", ""), |watched| watched.example);
    let example = format!(
        ">>> import botdesk\n>>> with botdesk.Sandbox() as sandbox:\n...     client = sandbox.client()\n\
         ...     watch = client.{name}.{start}()\n...     first = watch.poll()\n\
         ...     _ = {statement}\n...     (change,) = watch.poll()\n>>> first, change.kind\n([], '{kind}')"
    );
    let coroutine = format!(
        ">>> import asyncio\n>>> import botdesk\n>>> with botdesk.Sandbox() as sandbox:\n\
         ...     watch = sandbox.client().{name}.{start}()\n...     asyncio.run(watch.poll_async())\n[]"
    );
    let [verbatim, verbatim_async] = [example, coroutine].map(|text| text.lines().map(str::to_owned).collect());
    Method {
        name: "poll".to_owned(),
        docstring: Docstring {
            summary: "Poll now, and return the changes.".to_owned(),
            details: vec![
                "The changes that earlier polls found and the iterator has not returned yet are among them.".to_owned(),
            ],
            reference: Some(watch_reference(resource, list)),
            returns: format!(
                "The changes in the order in which they were found; an empty list at the first poll. If a single {noun} \
                 could not be read, `on_error` is called, and a later poll returns its changes."
            ),
            raises: [
                ("ConfigurationError", "The watch is closed, or belongs to another process."),
                ("DecodeError", "The list is malformed."),
                ("ApiError", "The service returned an error."),
                ("TransportError", "The list could not be read. The next poll returns the changes that were found."),
            ]
            .map(|(name, cause)| (name.to_owned(), cause.to_owned()))
            .into(),
            example: Example { verbatim, verbatim_async, ..Example::default() },
        },
        parameters: Vec::new(),
        has_unknown: false,
        returns: format!("builtins.list[{}Change]", list.record().name),
        call: Call { target: "self._poll".to_owned(), ..Call::default() },
        is_awaited: true,
        is_function: false,
    }
}

/// Returns the class of the changes that a watch reports.
fn change_class(resource: &Resource, list: &Operation) -> String {
    let (record, noun, any) = (list.record().name, resource.noun, resource.any);
    let nested = resource.watched.and_then(|watched| watched.nested);
    let or_nested = nested.map_or_else(String::new, |nested| format!(", or of one of its {}s,", nested.noun));
    let about = format!(
        "A change of {any}{or_nested} that a watch reports.\n\n    Its records have the client of the watch, so \
         `change.{noun}.refresh()` works.\n    "
    );
    let mut code = class_head(&format!("{record}Change"), "RecordChange", &about);
    let mut property = |name: &str, returns: &str, about: &str, source: &str| {
        code.push_str(&format!(
            "\n    @property\n    def {name}(self) -> {returns}:\n        \"\"\"{about}\"\"\"\n        return self.{source}\n"
        ));
    };
    property(noun, record, &format!("The {noun} after the change; if it vanished, as it was last."), "record");
    let mut kinds = resource.watched.map(kinds_of_whole).unwrap_or_default();
    if let Some(Nested { noun: part, record: of, kinds: of_nested, .. }) = nested {
        let returns = format!("{} | None", of.name);
        let now =
            format!("The {part} after the change; if it is gone, as it was last. None for a change of the {noun}.");
        property(part, &returns, &now, "_nested");
        let before = format!("The {part} before the change; None if it was opened, and for a change of the {noun}.");
        property(&format!("{part}_before"), &returns, &before, "_nested_before");
        kinds.extend(of_nested);
    }
    let kinds: Vec<_> = kinds.iter().map(|kind| format!("\"{kind}\"")).collect();
    let typed = [
        ("kind", format!("Literal[{}]", kinds.join(", "))),
        ("record", record.to_owned()),
        ("before", format!("{record} | None")),
    ];
    code.push_str("\n    if TYPE_CHECKING:\n");
    for (name, kind) in typed {
        code.push_str(&format!("\n        @property\n        def {name}(self, /) -> {kind}: ...\n"));
    }
    code
}

/// Returns the kinds of changes of a whole record.
fn kinds_of_whole(watched: &Watched) -> Vec<&'static str> {
    let [new, edited, ended] = watched.kinds;
    if watched.ending.is_some() {
        return vec![new, edited, ended, "vanished"];
    }
    let switched = if watched.switch.is_some() { &["enabled", "disabled"][..] } else { &[] };
    [&[new, "vanished"], switched, &[edited]].concat()
}

fn watch(resource: &Resource, list: &Operation, is_async: bool) -> Method {
    let (several, record, noun) = (resource.several, resource.record_name(), resource.noun);
    let inputs = list.inputs().unwrap_or(&botdesk_schema::input::Inputs::NONE);
    let watched = resource.watched.unwrap_or(&Watched::SETTINGS);
    let without = without(watched, list);
    let mut parameters = parameters(inputs, list.style, &without);
    parameters.insert(
        0,
        Parameter::option("every", "SupportsFloat | SupportsIndex", "30.0", "Seconds between two polls, 1 or more."),
    );
    let nested = watched.nested.map(|nested| format!("{}s", nested.noun));
    parameters.extend(nested.iter().map(|nested| {
        let about = format!("If True, watch the {nested} as well; if False, a poll only requests the list.");
        Parameter::option(nested, "bool", "True", &about)
    }));
    parameters.extend([
        Parameter::option(
            "since",
            "str | PathLike[str] | None",
            "None",
            "The `state` of an earlier watch, or the path to which it was saved: the first poll returns what has \
             changed since.",
        ),
        Parameter::option(
            "on_error",
            "Callable[[BotdeskError], object] | None",
            "None",
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
    let left = watched.scope.map_or_else(String::new, |scope| {
        format!(
            " With a {scope}, a {noun} that leaves it is reported as `enabled` or `disabled`, and not any more from then on."
        )
    });
    let returns = if is_async {
        "An asynchronous iterator that ends when it is closed. It is also an asynchronous context manager, which closes it."
            .to_owned()
    } else {
        format!("An iterator that ends when it is closed. It is also a context manager, which closes it.{left}")
    };
    Method {
        name: name.to_owned(),
        docstring: Docstring {
            summary,
            details: watch_details(noun, watched, list, is_async),
            reference: Some(watch_reference(resource, list)),
            returns,
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
        has_unknown: (list.style == ArgumentStyle::Named),
        returns: watch,
        call: Call {
            target: format!("_{}._{name}", constant(list)),
            inputs: given(inputs, &without),
            arguments: ["every", nested.as_deref().unwrap_or("False"), "since", "on_error"].map(str::to_owned).into(),
            has_unknown: (list.style == ArgumentStyle::Named),
            ..Call::default()
        },
        is_awaited: false,
        is_function: false,
    }
}

/// Returns the method of a list that shows its records in a table in a notebook.
fn live(resource: &Resource, list: &Operation) -> Method {
    let Resource { name, several, noun, .. } = *resource;
    let ends = resource.watched.is_some_and(|watched| watched.ending.is_some());
    let which = if ends { format!("open {several}") } else { format!("all {several}") };
    let interval = Parameter::option("interval", "float", "10.0", "Seconds between two polls, 1 to 86 400.");
    let example = format!(
        ">>> import botdesk\n>>> with botdesk.Sandbox() as sandbox:\n\
         ...     table = sandbox.client().{name}.live(interval=30)\n>>> table.selected\n[]"
    );
    Method {
        name: "live".to_owned(),
        docstring: Docstring {
            summary: format!("Show {which} in a notebook as a table that follows them."),
            details: vec![format!(
                "A poll takes one request for each 100 {noun}s, and like all requests waits for the rate limit. The table is \
                 polled while it is visible on the page. Changed values are marked for a moment. A failed poll is shown in \
                 the table, and polling goes on."
            )],
            reference: Some(reference_to(list.section, list.permission)),
            returns: format!("The widget. `selected` lists the selected {noun}s, and `close()` ends the polls."),
            raises: vec![(
                "ConfigurationError".to_owned(),
                "anywidget is not installed, or `interval` is invalid.".to_owned(),
            )],
            example: Example { verbatim: example.lines().map(str::to_owned).collect(), ..Example::default() },
        },
        parameters: vec![interval],
        has_unknown: false,
        returns: format!("LiveTable[{}]", list.record().name),
        call: Call {
            target: "live_table".to_owned(),
            arguments: vec![format!("\"{name}\""), "interval".to_owned()],
            ..Call::default()
        },
        is_awaited: false,
        is_function: false,
    }
}

fn watch_details(noun: &str, watched: &Watched, list: &Operation, is_async: bool) -> Vec<String> {
    if is_async {
        return vec!["A step that is cancelled loses nothing: the next one returns what it found.".to_owned()];
    }
    let which = if watched.ending.is_some() { "open " } else { "" };
    let polled = format!(
        "The {which}{noun}s are polled. The first poll sets the baseline and returns nothing, unless `since` is given. A \
         failed poll does not end the watch: `on_error` is called, and the next poll finds what this one missed. \
         No request is sent while the caller handles a change."
    );
    [polled].into_iter().chain(end_details(noun, watched)).chain([cost_details(noun, watched, list)]).collect()
}

/// Returns what a watch reports of records that end.
fn end_details(noun: &str, watched: &Watched) -> Option<String> {
    let [new, _, ended] = watched.kinds;
    watched.ending.map(|_| {
        format!(
            "A {noun} that ends is reported once as `{ended}`, as it was last, and not requested any more. One that is new \
             is reported as `{new}`. One that begins and ends between two polls is not reported."
        )
    })
}

/// Returns the number of requests that a poll takes.
fn cost_details(noun: &str, watched: &Watched, list: &Operation) -> String {
    let pages = list.page_inputs();
    let largest = pages.and_then(|pages| list.inputs().and_then(|inputs| inputs.most(pages.limit)));
    // Pages after the first begin with the last record of the page before, unless they are numbered.
    let overlap = u64::from(pages.is_some_and(|pages| !pages.is_numbered));
    let page = largest.unwrap_or(100).saturating_sub(overlap);
    let which = if watched.ending.is_some() { "open " } else { "" };
    let nested =
        watched.nested.map_or_else(String::new, |nested| format!(", one for each {noun} with open {}s", nested.noun));
    let missing = if watched.ending.is_some() {
        format!("one for each {noun} that ended or is missing in the list")
    } else {
        format!("one for each {noun} that is missing in the list")
    };
    format!(
        "A poll takes one request for each {page} {which}{noun}s and one that finds the end of the list{nested}, and {missing}. \
         Like all requests, it waits for the rate limit."
    )
}

/// Returns the reference sections of the list and of the operation that reads one record.
fn watch_reference(resource: &Resource, list: &Operation) -> String {
    let read = resource.operations.iter().filter(|operation| operation.is_reading());
    let sections: Vec<_> = [list].into_iter().chain(read).map(|operation| operation.section).collect();
    reference_to(&sections.join(", "), list.permission)
}

fn watch_example(resource: &Resource, is_async: bool) -> Vec<String> {
    let name = resource.name;
    let (statement, kind) = resource.watched.map_or(("", ""), |watched| watched.example);
    let text = if is_async {
        let awaited = awaited(statement);
        format!(
            ">>> import asyncio\n>>> import botdesk\n>>> async def first(client, sandbox):\n\
             ...     base = client.{name}.watch_async()\n\
             ...     await base.poll_async()\n\
             ...     {awaited}\n\
             ...     async for change in client.{name}.watch_async(since=base.state):\n\
             ...         return change.kind\n\
             >>> with botdesk.Sandbox() as sandbox:\n...     asyncio.run(first(sandbox.client(), sandbox))\n'{kind}'"
        )
    } else {
        format!(
            ">>> import botdesk\n>>> with botdesk.Sandbox() as sandbox:\n\
             ...     client = sandbox.client()\n\
             ...     with client.{name}.watch(every=30) as watch:\n\
             ...         _ = watch.poll()\n\
             ...         _ = {statement}\n\
             ...         watch.poll()[0].kind\n'{kind}'"
        )
    };
    text.lines().map(str::to_owned).collect()
}

/// Returns a statement in a coroutine: a call of the client is awaited.
fn awaited(statement: &str) -> String {
    match statement.split_once('(').filter(|_| statement.starts_with("client.")) {
        Some((method, arguments)) => format!("await {method}_async({arguments}"),
        None => statement.to_owned(),
    }
}
