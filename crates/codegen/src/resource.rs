//! The methods of a resource and of its record, from the operations.

use botdesk_schema::id::IdType;
use botdesk_schema::input::Inputs;
use botdesk_schema::operation::{ArgumentStyle, Operation, Previewed};
use botdesk_schema::resource::Resource;

use crate::docstring::{Docstring, Example, reference_to};
use crate::inputs::{given, list, parameters, secrets};
use crate::lists;
use crate::owner::{Owner, form_parameter, more_forms, no_client, own_ids, own_parameters};
use crate::parameter::Parameter;
use crate::python_method::{Call, Method, constant};
use crate::types::{one_of, returned_type};
use crate::watches;

/// Returns the methods of a resource.
pub(crate) fn resource_methods(resource: &'static Resource) -> Vec<Method> {
    resource.operations.iter().flat_map(|operation| of_resource(resource, operation)).collect()
}

/// Returns the methods of a resource's record. It has none with the name of one of its fields.
pub(crate) fn record_methods(resource: &'static Resource) -> Vec<Method> {
    let is_field = |verb: &str| resource.record.is_some_and(|spec| spec.rows.iter().any(|row| row.name == verb));
    let operations = resource.operations.iter().filter(|operation| operation.has_id() && !is_field(operation.verb()));
    operations.flat_map(|operation| of_record(resource, operation)).collect()
}

/// Returns the method of a resource that sends the request of an operation.
pub(crate) fn resource_method(resource: &'static Resource, operation: &'static Operation) -> Method {
    method(resource, operation, Owner::Resource)
}

fn of_resource(resource: &'static Resource, operation: &'static Operation) -> Vec<Method> {
    let owner = Owner::Resource;
    let mut methods = vec![method(resource, operation, owner)];
    if operation.is_paged() {
        methods.extend(lists::methods(resource, operation, owner));
    }
    if operation.is_list() {
        methods.extend(watches::methods(resource, operation));
    }
    if operation.has_many {
        methods.push(many(resource, operation));
    }
    methods.extend(operation.previewed.map(|preview| previewing(resource, operation, owner, preview)));
    methods
}

fn of_record(resource: &'static Resource, operation: &'static Operation) -> Vec<Method> {
    let owner = Owner::Record;
    let mut methods = vec![method(resource, operation, owner)];
    if operation.is_paged() {
        methods.extend(lists::methods(resource, operation, owner));
    }
    if operation.is_edit {
        methods.push(preview(resource, operation));
    }
    methods.extend(operation.previewed.map(|preview| previewing(resource, operation, owner, preview)));
    methods
}

/// Returns the method that shows what a request would do: it calls a function that is written by hand.
fn previewing(
    resource: &'static Resource,
    operation: &'static Operation,
    owner: Owner,
    preview: &'static Previewed,
) -> Method {
    let inputs = operation.inputs();
    let mut parameters = own_parameters(resource, operation, owner, inputs);
    parameters.extend(preview.arguments.iter().map(form_parameter));
    let given = list(inputs.unwrap_or(&Inputs::NONE), &[]);
    let ids = own_ids(resource, operation, owner).map(|id| id.name.to_owned());
    let names = more_forms(operation).chain(preview.arguments.iter().copied());
    let keywords = names.map(|form| format!("{0}={0}", form.name));
    let mut arguments = vec![format!("\"{}\"", operation.name), given];
    arguments.extend(ids.chain(keywords));
    let (expression, output) = preview.example;
    let mut example = example(resource, operation, owner, false);
    example.method = format!("preview_{}", operation.verb());
    example.statements = vec![expression.to_owned()];
    output.clone_into(&mut example.output);
    let mut raises: Vec<_> = raises(resource, operation, owner, true);
    raises.retain(|(name, _)| ["ValidationError", "ConfigurationError"].contains(&name.as_str()));
    raises.push(("ApiError".to_owned(), "The service returned an error.".to_owned()));
    raises.push(("TransportError".to_owned(), "No response was received.".to_owned()));
    Method {
        name: format!("preview_{}", operation.verb()),
        docstring: Docstring {
            summary: summary_of(preview.summary, resource, owner),
            details: vec![preview.details.to_owned()],
            reference: Some(format!("{}. {}", operation.section, preview.permissions)),
            returns: preview.returned.to_owned(),
            raises,
            example,
        },
        parameters,
        has_unknown: false,
        returns: preview.class.to_owned(),
        call: Call { target: "short_preview".to_owned(), arguments, ..Call::default() },
        is_awaited: true,
        is_function: false,
    }
}

/// Returns the method that sends the request of an operation.
fn method(resource: &'static Resource, operation: &'static Operation, owner: Owner) -> Method {
    let is_refresh = owner == Owner::Record && operation.is_reading();
    let inputs = operation.inputs().filter(|_| !is_refresh);
    let mut parameters = own_parameters(resource, operation, owner, inputs);
    if operation.may_skip_rules() {
        parameters.push(validate("before anything is sent"));
    }
    let is_checked = !parameters.is_empty();
    parameters.extend(operation.waits.map(waiting));
    Method {
        name: if is_refresh { "refresh".to_owned() } else { operation.verb().to_owned() },
        docstring: Docstring {
            summary: summary(resource, operation, owner),
            details: details(resource, operation, owner),
            reference: Some(reference(resource, operation, owner)),
            returns: operation.returned.to_owned(),
            raises: raises(resource, operation, owner, is_checked),
            example: example(resource, operation, owner, is_refresh),
        },
        parameters,
        has_unknown: inputs.is_some() && (operation.style == ArgumentStyle::Named),
        returns: returned_type(operation),
        call: call(resource, operation, owner, inputs, "_send"),
        is_awaited: true,
        is_function: false,
    }
}

/// Returns the call of a native method with the inputs and the identifier.
fn call(
    resource: &'static Resource,
    operation: &'static Operation,
    owner: Owner,
    inputs: Option<&Inputs>,
    method: &str,
) -> Call {
    let ids = own_ids(resource, operation, owner).map(|id| id.name.to_owned());
    let names = || more_forms(operation).map(|form| form.name).collect();
    let forms = (!operation.short_forms.is_empty()).then(|| (operation.name, names()));
    Call {
        target: format!("_{}.{method}", constant(operation)),
        targets: None,
        inputs: inputs.map(|inputs| given(inputs, &[])).unwrap_or_default(),
        secrets: inputs.map(secrets).unwrap_or_default(),
        arguments: ids.collect(),
        is_validated: operation.may_skip_rules(),
        has_unknown: inputs.is_some() && (operation.style == ArgumentStyle::Named),
        forms: forms.filter(|_| inputs.is_some()),
        waits: operation.waits,
    }
}

/// Returns the argument that waits for the end of what an operation begins.
fn waiting(method: &str) -> Parameter {
    let about = format!(
        "If True, return once that is done, as `{method}()` of what is returned does, which raises `TimeoutError` if it takes more \
         than a minute. What was sent is carried out all the same."
    );
    Parameter::option("wait", "bool", "False", &about)
}

/// Returns the method of a record that shows what an edit would send.
fn preview(resource: &'static Resource, operation: &'static Operation) -> Method {
    let owner = Owner::Record;
    let inputs = operation.inputs();
    let mut parameters = own_parameters(resource, operation, owner, inputs);
    parameters.push(validate("now"));
    let (record, noun) = (resource.record_name(), resource.noun);
    let broken = "The changes break rules; `errors` lists all of them.".to_owned();
    let mut example = example(resource, operation, owner, false);
    "preview_edit".clone_into(&mut example.method);
    example.statements = vec!["{call}.changes".to_owned()];
    operation.example.changes.clone_into(&mut example.output);
    Method {
        name: "preview_edit".to_owned(),
        docstring: Docstring {
            summary: format!("Show what an edit of the {noun} would send, without sending it."),
            details: Vec::new(),
            reference: Some(format!(
                "{}. Permission {} to apply it.",
                operation.section,
                operation.permission.as_str()
            )),
            returns: format!(
                "The changes, the fields sent unchanged, the fields left out, the exact body and the signed payload. Its \
                 `apply()` sends the edit of the {noun}."
            ),
            raises: vec![("ValidationError".to_owned(), broken), no_client()],
            example,
        },
        parameters,
        has_unknown: (operation.style == ArgumentStyle::Named),
        returns: format!("{record}EditPreview"),
        call: call(resource, operation, owner, inputs, "_preview"),
        is_awaited: false,
        is_function: false,
    }
}

/// Returns the method of the preview of an edit that sends it.
pub(crate) fn apply(resource: &'static Resource, operation: &'static Operation) -> Method {
    let noun = resource.noun;
    let mut raises = raises(resource, operation, Owner::Resource, true);
    raises.retain(|(name, _)| name != "ValidationError");
    let cause = format!("The {noun} has changed since; `fields` lists the changed fields. Nothing was sent.");
    raises.insert(0, ("EditConflictError".to_owned(), cause));
    raises.insert(0, ("ConfigurationError".to_owned(), "The preview was applied before.".to_owned()));
    let check = format!(
        "The {noun} is read again first. If a field that can be edited has changed since, nothing is sent, because the \
         edit might undo that change or contradict it."
    );
    let once = "A preview is applied once. It can be applied again if the call failed and certainly changed nothing.";
    let about = format!("If True, send the edit without reading the {noun} again.");
    let force = Parameter::option("force", "bool", "False", &about);
    Method {
        name: "apply".to_owned(),
        docstring: Docstring {
            summary: "Send the edit.".to_owned(),
            details: vec![check, once.to_owned()],
            reference: Some(reference(resource, operation, Owner::Resource)),
            returns: operation.returned.to_owned(),
            raises,
            example: apply_example(resource, operation),
        },
        has_unknown: false,
        returns: resource.record_name().to_owned(),
        call: Call { target: "self._apply".to_owned(), arguments: vec![force.name.clone()], ..Call::default() },
        parameters: vec![force],
        is_awaited: true,
        is_function: false,
    }
}

fn apply_example(resource: &'static Resource, operation: &'static Operation) -> Example {
    let mut edit = example(resource, operation, Owner::Record, false);
    let edited = format!("preview = {}.preview_edit({})", edit.object.0, edit.arguments.join(", "));
    let with_preview = |(read, read_async)| (format!("{read}\n{edited}"), format!("{read_async}\n{edited}"));
    edit.setup = edit.setup.map(with_preview);
    let object = ("preview".to_owned(), "preview".to_owned());
    Example { object, method: "apply".to_owned(), arguments: Vec::new(), ..edit }
}

/// Returns the method that applies an operation to many records.
fn many(resource: &'static Resource, operation: &'static Operation) -> Method {
    let record = resource.record_name();
    let is_edit = operation.is_edit;
    let name = &format!("{}s", resource.noun);
    let inputs = operation.inputs();
    let id = if resource.id.id_type == IdType::Uuid { "str | UUID" } else { "int" };
    let mut parameters = many_parameters(name, resource.noun, &format!("Iterable[{record} | {id}]"));
    // Records that can be listed can be edited by calculations with what they have.
    let is_relative = is_edit && lists::is_listed(resource);
    let edits_pairs = is_relative && inputs.is_some_and(|inputs| inputs.rows.iter().any(|row| row.name == "pairs"));
    if edits_pairs {
        parameters.extend(pair_parameters(resource.noun));
    }
    if let Some(inputs) = inputs {
        // Required inputs come before the options of the run, which have defaults.
        let style = if is_edit { operation.style } else { ArgumentStyle::Keyword };
        parameters.extend(self::parameters(inputs, style, &[]).into_iter().map(|input| {
            // A calculation with a whole number is text.
            if is_relative { input.with_text() } else { input }
        }));
    }
    if operation.may_skip_rules() {
        parameters.push(validate("before anything is sent"));
    }
    let mut call = call(resource, operation, Owner::Resource, inputs, "_many");
    call.waits = None;
    call.target = format!("_{}._many", constant(operation));
    call.arguments = vec![format!("\"{name}\""), "preview".to_owned(), "concurrency".to_owned(), "progress".to_owned()];
    if is_relative {
        call = relative(operation, call, name, edits_pairs);
    }
    Method {
        name: format!("{}_many", operation.verb()),
        docstring: Docstring {
            summary: filled(operation.summary, &format!("many {}", resource.several), "them"),
            details: many_details(resource, operation),
            reference: Some(reference(resource, operation, Owner::Resource)),
            returns: "A `BulkResult`: which records are done, failed, unknown and not started. With `preview=True`, a \
                      `BulkPreview`."
                .to_owned(),
            raises: many_raises(resource, is_edit),
            example: many_example(resource, operation),
        },
        parameters,
        has_unknown: inputs.is_some() && (operation.style == ArgumentStyle::Named),
        returns: format!("BulkResult[{}] | Any", one_of(operation).unwrap_or_else(|| record.to_owned())),
        call: Call { targets: Some(name.to_owned()), ..call },
        is_awaited: true,
        is_function: false,
    }
}

/// Returns the call of the function that calculates with what each record has, from that of the native method.
fn relative(operation: &Operation, call: Call, name: &str, edits_pairs: bool) -> Call {
    let pairs = if edits_pairs { "(add_pairs, remove_pairs)" } else { "None" };
    let arguments = vec![
        format!("_{}", constant(operation)),
        format!("[{}]", call.inputs.join(", ")),
        format!("\"{name}\""),
        "(preview, concurrency, progress)".to_owned(),
        pairs.to_owned(),
    ];
    Call { target: "edit_many".to_owned(), inputs: Vec::new(), arguments, ..call }
}

/// Returns the arguments that add and remove pairs.
fn pair_parameters(noun: &str) -> [Parameter; 2] {
    let option = |name: &str, about: String| Parameter::option(name, "str | Sequence[str]", "()", &about);
    [
        option("add_pairs", format!("Pairs to add to those of each {noun}; it keeps the others.")),
        option("remove_pairs", format!("Pairs to remove from those of each {noun}; one has to be left.")),
    ]
}

fn many_parameters(name: &str, noun: &str, kind: &str) -> Vec<Parameter> {
    let targets = Parameter::required(name, kind, &format!("The {noun}s: records, identifiers, or both."));
    std::iter::once(targets).chain(run_options()).collect()
}

/// Returns the options of a run over many records.
pub(crate) fn run_options() -> [Parameter; 3] {
    let option = Parameter::option;
    [
        option("preview", "bool", "False", "If True, send nothing and return a `BulkPreview` of the requests."),
        option("concurrency", "int", "8", "The most requests in flight at once, 1 to 64."),
        option(
            "progress",
            "bool | None",
            "None",
            "If True, show a progress bar of tqdm. None shows one if tqdm is installed, the output is a terminal or a \
             notebook, and the run takes longer than two seconds.",
        ),
    ]
}

fn many_details(resource: &'static Resource, operation: &'static Operation) -> Vec<String> {
    let noun = resource.noun;
    let mut details: Vec<_> = operation.details.iter().map(|paragraph| (*paragraph).to_owned()).collect();
    if operation.is_edit {
        details.push(format!(
            "A {noun} given by its identifier is read first; a given record is edited as `{noun}.edit(…)` does. The rules \
             of the API reference are checked for all {noun}s before the first request, and all violations are \
             reported at once. {DECIMALS}"
        ));
    }
    if operation.is_edit && lists::is_listed(resource) {
        details.push(format!(
            "A number may be a calculation with the current value, as text: `\"*1.1\"` or `\"+5\"`. Then given records are \
             read again too, and only {noun}s that change are edited."
        ));
    }
    details.push(format!(
        "Each {noun} has its own outcome; a failure does not stop the others. An error that any further request would \
         get as well (401, 418, or a plan without API access) stops the run. Ctrl-C, or cancelling the coroutine, waits \
         for the requests in flight, sends no more, and then raises; `BulkResult.behind(error)` returns the result."
    ));
    details
}

fn many_raises(resource: &'static Resource, is_edit: bool) -> Vec<(String, String)> {
    let noun = resource.noun;
    let (article, mut raises) = (if noun.starts_with('a') { "an" } else { "a" }, Vec::new());
    raises.push(if is_edit {
        format!(
            "ValidationError: The changes break rules, listed in `errors` under names such as \
             `{}.take_profit`, or {article} {noun} is given twice; nothing was changed.",
            resource.example_id()
        )
    } else {
        format!("ValidationError: An argument breaks a rule, or {article} {noun} is given twice; nothing was sent.")
    });
    raises.push("ConfigurationError: `progress` is True and tqdm is not installed; nothing was sent.".to_owned());
    if is_edit {
        raises.push(format!("ApiError: The service rejects all requests while {noun}s are read for a preview."));
    }
    raises
        .iter()
        .filter_map(|line| line.split_once(": "))
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .collect()
}

fn many_example(resource: &'static Resource, operation: &'static Operation) -> Example {
    let method = format!("{}_many", operation.verb());
    let client = format!("client.{}", resource.name);
    let ids = example_ids(resource, operation);
    let count = ids.len();
    let output = format!("<BulkResult {} of {count}: {count} done>", operation.name);
    let ids = format!("[{}]", ids.join(", "));
    match operation.example.many {
        None => Example {
            object: (client.clone(), client),
            method,
            arguments: vec![ids],
            statements: vec!["{call}".to_owned()],
            output,
            ..Example::default()
        },
        Some((arguments, preview)) => Example {
            object: (client.clone(), client),
            method,
            arguments: vec![ids, arguments.to_owned(), "preview=True".to_owned()],
            statements: vec!["preview = {call}".to_owned(), "preview".to_owned()],
            output: preview.to_owned(),
            ..Example::default()
        },
    }
}

/// Returns the identifiers in the examples of an operation.
fn example_ids(resource: &'static Resource, operation: &'static Operation) -> Vec<String> {
    let own = operation.example.ids;
    let ids = if own.is_empty() { resource.id.samples } else { own };
    ids.iter().map(|sample| resource.id.literal(sample)).collect()
}

/// Returns the identifier in the example of an operation; empty if there is none.
fn example_id(resource: &'static Resource, operation: &'static Operation) -> String {
    example_ids(resource, operation).into_iter().next().unwrap_or_default()
}

/// The paragraph in all docstrings of methods that take decimals.
const DECIMALS: &str = "Pass decimals as `str` or `Decimal`; a float is sent with the digits that Python prints.";

pub(crate) fn validate(when: &str) -> Parameter {
    let about = format!("If True, check the rules of the API reference {when}; if False, leave that to the service.");
    Parameter::option("validate", "bool", "True", &about)
}

fn one_record(resource: &'static Resource, owner: Owner) -> String {
    match owner {
        Owner::Resource => resource.any.to_owned(),
        Owner::Record => format!("the {}", resource.noun),
    }
}

fn filled(summary: &str, record: &str, it: &str) -> String {
    let summary = summary.replace("{record}", record).replace("{it}", it);
    if it == "them" { summary.replace(" its ", " their ") } else { summary }
}

fn summary(resource: &'static Resource, operation: &'static Operation, owner: Owner) -> String {
    summary_of(operation.summary, resource, owner)
}

fn summary_of(summary: &str, resource: &'static Resource, owner: Owner) -> String {
    filled(summary, &one_record(resource, owner), "it")
}

fn details(resource: &'static Resource, operation: &'static Operation, owner: Owner) -> Vec<String> {
    let mut details: Vec<_> = operation.details.iter().map(|paragraph| (*paragraph).to_owned()).collect();
    if operation.is_edit {
        details.push(edit_details(resource, operation, owner));
    }
    details
}

/// Returns the paragraph about the fields that an edit leaves out.
fn edit_details(resource: &'static Resource, operation: &'static Operation, owner: Owner) -> String {
    let (noun, name) = (resource.noun, resource.name);
    match owner {
        _ if operation.sends_only_given => format!(
            "Only the given fields are sent; the service keeps all others. The rules of the API reference are checked \
             before the edit is sent, together with what the {noun} has. {DECIMALS}"
        ),
        Owner::Resource => format!(
            "The {noun} is fetched first, because the API also requires fields that do not change; all fields of the \
             {noun} are sent with their current values. The rules of the API reference are checked before the edit is \
             sent. {DECIMALS}"
        ),
        Owner::Record => format!(
            "All other fields are sent with the values of the record, because the API requires them. This reverts what \
             someone else changed after the record was fetched. To avoid that, call `refresh()` first, or use \
             `client.{name}.edit`, which fetches the {noun} itself. The rules of the API reference are checked before the \
             edit is sent. {DECIMALS}"
        ),
    }
}

/// Returns the sections of an edit of records that are read first.
pub(crate) fn reference_of_edit(resource: &'static Resource, edit: &'static Operation) -> String {
    reference(resource, edit, Owner::Resource)
}

fn reference(resource: &'static Resource, operation: &'static Operation, owner: Owner) -> String {
    let reads = resource.reading().filter(|_| operation.is_edit && owner == Owner::Resource);
    match reads {
        Some(read) if read.permission != operation.permission => format!(
            "{}. Permissions {} and {}.",
            operation.section,
            read.permission.as_str(),
            operation.permission.as_str()
        ),
        _ => reference_to(operation.section, operation.permission),
    }
}

fn raises(
    resource: &'static Resource,
    operation: &'static Operation,
    owner: Owner,
    has_parameters: bool,
) -> Vec<(String, String)> {
    let is_edit = operation.is_edit;
    let reads_first = is_edit && owner == Owner::Resource;
    let nothing = if reads_first { "nothing was changed" } else { "nothing was sent" };
    let mut raises: Vec<(&str, String)> = Vec::new();
    if is_edit {
        raises
            .push(("ValidationError", format!("The changes break rules; `errors` lists all of them, and {nothing}.")));
    } else if has_parameters {
        raises.push(("ValidationError", "An argument breaks a rule; nothing was sent.".to_owned()));
    }
    let client = no_client();
    if owner == Owner::Record {
        raises.push((&client.0, client.1.clone()));
    }
    let refusals: Vec<_> =
        operation.refusals.iter().map(|refusal| (format!("{:?}Error", refusal.kind), refusal.cause)).collect();
    raises.extend(refusals.iter().map(|(name, cause)| (name.as_str(), (*cause).to_owned())));
    if operation.has_id() && !raises.iter().any(|(name, _)| *name == "NotFoundError") {
        raises.push(("NotFoundError", format!("The {} does not exist.", resource.noun)));
    }
    let writes = operation.effect.writes();
    if writes {
        raises.push(("OutcomeUnknownError", format!("The outcome is unknown: {}.", operation.may_have)));
    }
    if operation.waits.is_some() {
        raises.push(("TimeoutError", "`wait` is True, and that is not done after a minute.".to_owned()));
    }
    raises.push(("ApiError", "The service returned an error.".to_owned()));
    let cause = match (writes, reads_first) {
        (false, _) => "No response was received.",
        (true, false) => "Nothing was sent.",
        (true, true) => "Nothing was changed.",
    };
    raises.push(("TransportError", cause.to_owned()));
    raises.into_iter().map(|(name, cause)| (name.to_owned(), cause)).collect()
}

fn example(resource: &'static Resource, operation: &'static Operation, owner: Owner, is_refresh: bool) -> Example {
    let client = if resource.is_client { "client".to_owned() } else { format!("client.{}", resource.name) };
    let example = &operation.example;
    let own = if owner == Owner::Record { example.record_arguments } else { None };
    let given = own.unwrap_or(example.arguments).iter().map(|argument| (*argument).to_owned());
    let id = (owner == Owner::Resource && operation.has_id()).then(|| example_id(resource, operation));
    let noun = resource.noun;
    let (setup, object) = match owner {
        Owner::Resource => (None, (client.clone(), client)),
        Owner::Record => {
            let get = resource.example_of_record;
            let id = example_id(resource, operation);
            let setup =
                (format!("{noun} = {client}.{get}({id})"), format!("{noun} = await {client}.{get}_async({id})"));
            (Some(setup), (noun.to_owned(), noun.to_owned()))
        }
    };
    Example {
        setup,
        object,
        method: if is_refresh { "refresh".to_owned() } else { operation.verb().to_owned() },
        arguments: id.into_iter().chain(given).collect(),
        statements: example.statements.iter().map(|statement| (*statement).to_owned()).collect(),
        output: example.output.to_owned(),
        ..Example::default()
    }
}
