//! Operations of the API reference. One is a row of its resource: everything that is true of it is said there.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::error::{ApiErrorKind, ErrorBody};
use super::field::{RecordSpec, Schema};
use super::id::{Id, IdSpec};
use super::input::{Input, Inputs};
use super::json::{Json, Scanner};
use super::json_schema;
use super::json_schema::texts;
use super::method::{Effect, Method};
use super::page_inputs::PageInputs;
use super::permission::{Permission, Security};
use super::record::DecodeError;
use super::refusal::{Refusal, RefusalBody};
use super::values::{Any, FieldType};

/// The prefix of every path.
pub const PREFIX: &str = "/public/api";

/// The inputs of an operation, and the part of the request that carries them.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// The operation has no inputs.
    Nothing,
    /// The query string carries the inputs.
    Query(&'static Inputs),
    /// A JSON body carries the inputs.
    Json(&'static Inputs),
}

impl Takes {
    /// Returns the inputs, whichever part of the request carries them.
    pub fn inputs(self) -> Option<&'static Inputs> {
        match self {
            Self::Nothing => None,
            Self::Query(inputs) | Self::Json(inputs) => Some(inputs),
        }
    }
}

/// The way in which a method takes the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentStyle {
    /// By position or name; those that the API reference requires must be given.
    Positional,
    /// Those that the API reference requires by position or name, all others by name.
    RequiredFirst,
    /// By name; those that the API reference requires must be given.
    Keyword,
    /// By name; botdesk reports all that are missing.
    Reported,
    /// By name; botdesk reports all that are missing, and suggests a known name for one that is unknown.
    Named,
}

/// The type of a successful response.
#[derive(Clone, Copy, Debug)]
pub struct Returns {
    /// The schema of the body.
    pub schema: Schema,
    /// The name of its type in messages.
    name: &'static str,
    /// Returns true if a body has that type.
    fits: fn(Json<'_>) -> bool,
    /// The member of the body that has the value; None if the whole body is the value.
    pub within: Option<&'static str>,
    /// True if the service may return a single record in place of a list.
    pub may_be_one: bool,
    /// The list in another record that may be the body: the value is then its element with the highest identifier.
    pub newest_of: Option<(&'static str, Schema)>,
    /// The field of the record that the method returns in place of the record.
    pub field: Option<&'static str>,
    /// The records that the body may be in place of nothing, each with a member that tells it from the others.
    pub one_of: &'static [(&'static str, Schema)],
}

impl Returns {
    /// Anything.
    pub const ANY: Self = Self::of::<Any>();

    const fn of<F: FieldType>() -> Self {
        Self {
            schema: F::SCHEMA,
            name: F::NAME,
            fits: F::fits,
            within: None,
            may_be_one: false,
            newest_of: None,
            field: None,
            one_of: &[],
        }
    }

    /// Returns the record that a body is, if the operation may return several or nothing.
    pub fn recognized(&self, body: &str) -> Option<&'static RecordSpec> {
        if self.one_of.is_empty() {
            return None;
        }
        let source: Arc<str> = body.into();
        let body = Json::new(&source, Scanner::whole(&source).ok()?);
        self.one_of.iter().find(|(member, _)| body.member(member).is_some())?.1.record()
    }

    /// Returns the value in a body: a member of it, or the whole.
    pub fn value<'a>(&self, body: &'a str) -> Result<Cow<'a, str>, DecodeError> {
        let Some(name) = self.within else { return self.newest(body) };
        let source: Arc<str> = body.into();
        let found = Json::new(&source, Scanner::whole(&source)?).member(name);
        found.map(|value| Cow::Owned(value.text().to_owned())).ok_or_else(|| self.wrong(body))
    }

    /// Returns the body, or the newest element of its list if the operation may return the record with that list.
    fn newest<'a>(&self, body: &'a str) -> Result<Cow<'a, str>, DecodeError> {
        let Some((name, _)) = self.newest_of else { return Ok(Cow::Borrowed(body)) };
        let source: Arc<str> = body.into();
        let list = Json::new(&source, Scanner::whole(&source)?).member(name);
        let Some(list) = list else { return Ok(Cow::Borrowed(body)) };
        let id = |element: &Json<'_>| element.member("id")?.text().parse::<u64>().ok();
        let newest = list.elements().unwrap_or_default().into_iter().max_by_key(id);
        newest.map(|element| Cow::Owned(element.text().to_owned())).ok_or_else(|| self.wrong(body))
    }

    /// Returns the value in a body if it has the type, or the error that it has another one.
    pub fn check(&self, body: &str) -> Result<Arc<str>, DecodeError> {
        if matches!(self.schema, Schema::Nothing) {
            if self.recognized(body).is_some() {
                return Ok(body.into());
            }
            let error = ErrorBody::parse(body).summary().map(DecodeError::ErrorBody);
            return match error {
                Some(error) => Err(error),
                None if !self.one_of.is_empty() && !says_nothing(body) => Err(self.wrong(body)),
                None => Ok("null".into()),
            };
        }
        let source: Arc<str> = self.value(body)?.into();
        let span = Scanner::whole(&source)?;
        if (self.fits)(Json::new(&source, span)) {
            return Ok(source);
        }
        Err(self.wrong(body))
    }

    fn wrong(&self, body: &str) -> DecodeError {
        let error = ErrorBody::parse(body).summary().map(DecodeError::ErrorBody);
        error.unwrap_or(match self.within {
            Some(member) => DecodeError::Lacking { member },
            None => DecodeError::WrongValue { expected: self.name },
        })
    }

    /// Returns the JSON Schema of the body.
    pub fn to_json(&self) -> Value {
        let value = self.schema.to_json();
        if !self.one_of.is_empty() {
            let records = self.one_of.iter().map(|(_, schema)| schema.to_json());
            let nothing = json_schema! { "type": ["object", "null"], "required": ["status"] };
            return json_schema! { "anyOf": records.chain([nothing]).collect::<Vec<_>>() };
        }
        if let Some((_, other)) = self.newest_of {
            return json_schema! { "anyOf": vec![value, other.to_json()] };
        }
        let Some(name) = self.within else { return value };
        let properties = Value::Object(serde_json::Map::from_iter([(name.to_owned(), value)]));
        json_schema! { "type": "object", "properties": properties, "required": texts(&[name]) }
    }
}

/// Returns true if a body says that there is nothing to return: it is empty, null, or an object such as `{"status": "success"}`.
fn says_nothing(body: &str) -> bool {
    let source: Arc<str> = body.trim().into();
    if ["", "null", "None"].contains(&source.as_ref()) {
        return true;
    }
    Scanner::whole(&source).is_ok_and(|span| Json::new(&source, span).member("status").is_some())
}

/// A rate limit of an operation, in place of the general one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnLimit {
    /// The number of requests.
    pub requests: u32,
    /// The period, in seconds.
    pub seconds: u32,
    /// The time for which the service blocks requests that exceed it, in seconds.
    pub blocked: u32,
}

/// A list that shows what a write has made, for one whose outcome is unknown.
///
/// In a value, `{id}` stands for the identifier in the path, and another name in braces for that input of the write.
#[derive(Clone, Copy, Debug)]
pub struct Trace {
    /// The name of the list, such as `deals.list`. Its identifiers are those of the write.
    pub list: &'static str,
    /// The inputs of the list, each with its value.
    pub asked: &'static [(&'static str, &'static str)],
    /// The fields of what the write has made, each with its value.
    pub has: &'static [(&'static str, &'static str)],
    /// The members that lead to the time of a record.
    pub time: &'static [&'static str],
}

/// Returns a list that shows what a write has made.
pub const fn trace(list: &'static str) -> Trace {
    Trace { list, asked: &[], has: &[], time: &["created_at"] }
}

impl Trace {
    /// Returns it with the inputs of the list.
    #[must_use]
    pub const fn asked(self, asked: &'static [(&'static str, &'static str)]) -> Self {
        Self { asked, ..self }
    }

    /// Returns it with the fields of what the write has made.
    #[must_use]
    pub const fn has(self, has: &'static [(&'static str, &'static str)]) -> Self {
        Self { has, ..self }
    }

    /// Returns it with the members that lead to the time of a record.
    #[must_use]
    pub const fn time(self, time: &'static [&'static str]) -> Self {
        Self { time, ..self }
    }
}

/// An argument that a function of the package converts to the inputs before the request.
#[derive(Clone, Copy, Debug)]
pub struct ShortForm {
    /// The name: that of an input, which then takes more types than the API, or that of another argument.
    pub name: &'static str,
    /// The type in Python.
    pub python: &'static str,
    /// The description.
    pub about: &'static str,
}

/// Returns a row of [`Operation::short_forms`].
pub const fn short_form(name: &'static str, python: &'static str, about: &'static str) -> ShortForm {
    ShortForm { name, python, about }
}

/// A method that shows what a request would do without sending it, written by hand; its arguments are those of the operation.
#[derive(Clone, Copy, Debug)]
pub struct Previewed {
    /// The class that the method returns.
    pub class: &'static str,
    /// The first line of the docstring.
    pub summary: &'static str,
    /// The paragraph after it.
    pub details: &'static str,
    /// What the method returns.
    pub returned: &'static str,
    /// The permissions that it needs.
    pub permissions: &'static str,
    /// The arguments besides those of the operation.
    pub arguments: &'static [ShortForm],
    /// The last statement of the example and its output.
    pub example: (&'static str, &'static str),
}

/// The example of an operation, for all of its methods.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The arguments beside the identifier.
    pub arguments: &'static [&'static str],
    /// The arguments of the record's method if they differ.
    pub record_arguments: Option<&'static [&'static str]>,
    /// Statements with the placeholder `{call}` for the call. The last one is an expression.
    pub statements: &'static [&'static str],
    /// The output of the last statement.
    pub output: &'static str,
    /// The changes that a preview of the record's edit shows.
    pub changes: &'static str,
    /// The arguments and the preview of the same for several records.
    pub many: Option<(&'static str, &'static str)>,
    /// The identifiers, if not every record allows the operation; empty for those of the resource.
    pub ids: &'static [&'static str],
}

/// An operation of the API reference.
///
/// In its summary, `{record}` is a placeholder for one or several records, and `{it}` for the matching pronoun.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an independent statement of a row")]
pub struct Operation {
    /// The name, such as `dca_bots.edit`.
    pub name: &'static str,
    /// The title of its section of the API reference.
    pub section: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// Its effect, which the method alone does not tell.
    pub effect: Effect,
    /// The path in the API reference. A placeholder such as `{id}` stands for an identifier.
    pub path: &'static str,
    /// The identifiers in the path besides that of the resource's record.
    pub more_ids: &'static [IdSpec],
    /// True if the word `summary` may replace the identifier.
    pub takes_summary: bool,
    /// The permission that the API key needs.
    pub permission: Permission,
    /// Whether the request is signed.
    pub security: Security,
    /// The inputs.
    pub takes: Takes,
    /// True if it changes the given fields of a record and keeps all others.
    pub is_edit: bool,
    /// True if an edit sends only what is given, because the service keeps all other fields of the record.
    pub sends_only_given: bool,
    /// The operation that reads the list to which this one adds; None if it adds to none.
    pub adds_to: Option<&'static str>,
    /// True if only an empty page ends its list: a page that is not full may have others after it.
    pub ends_empty: bool,
    /// The sort key of the pages of an iteration, as the input and its value, if the caller names none; None for the service's default.
    pub pages_sorted_by: Option<(&'static str, &'static str)>,
    /// The way in which the methods take the inputs.
    pub style: ArgumentStyle,
    /// The documented status of success. The service may respond with any 2xx status.
    pub success: u16,
    /// What a successful response has.
    pub returns: Returns,
    /// The errors that it has reasons of its own for.
    pub refusals: &'static [Refusal],
    /// The body of the response for a record that does not exist; None if it is that of the resource.
    pub unknown_record: Option<RefusalBody>,
    /// The rate limit of its own; None if the general one applies.
    pub limit: Option<OwnLimit>,
    /// True if there is a `_many` version.
    pub has_many: bool,
    /// The first line of the docstrings, an imperative sentence.
    pub summary: &'static str,
    /// Paragraphs of the docstrings.
    pub details: &'static [&'static str],
    /// What the methods return, in a sentence.
    pub returned: &'static str,
    /// The possible effect if the outcome is unknown; empty if the operation only reads.
    pub may_have: &'static str,
    /// The method of the returned record that waits for the end of what the operation begins; None if it is done at once.
    pub waits: Option<&'static str>,
    /// The lists that show what it has made; empty if a read of its record shows what it has done.
    pub traces: &'static [Trace],
    /// True if nothing can undo it.
    pub is_irreversible: bool,
    /// The fields of the record that say what is at stake, for the question before the request.
    pub stakes: &'static [&'static str],
    /// True if it ends, shrinks, names or hides something, so that nothing more can be bought.
    pub adds_no_volume: bool,
    /// True if it is irreversible, places orders at once, lets a bot do so, or gives up positions.
    pub is_dangerous: bool,
    /// The arguments that the method takes besides the inputs, or in more types.
    pub short_forms: &'static [ShortForm],
    /// The method that shows what the request would do; None if none is written by hand.
    pub previewed: Option<&'static Previewed>,
    /// The example.
    pub example: Example,
}

/// Returns the row of an operation with the method GET.
pub const fn get(name: &'static str, path: &'static str) -> Operation {
    Operation::new(Method::Get, name, path)
}

/// Returns the row of an operation with the method POST.
pub const fn post(name: &'static str, path: &'static str) -> Operation {
    Operation::new(Method::Post, name, path)
}

/// Returns the row of an operation with the method PATCH.
pub const fn patch(name: &'static str, path: &'static str) -> Operation {
    Operation::new(Method::Patch, name, path)
}

/// Returns the row of an operation with the method DELETE.
pub const fn delete(name: &'static str, path: &'static str) -> Operation {
    Operation::new(Method::Delete, name, path)
}

/// What a row says. Each function adds one statement.
impl Operation {
    const fn new(method: Method, name: &'static str, path: &'static str) -> Self {
        Self {
            name,
            section: "",
            method,
            effect: method.effect(),
            path,
            more_ids: &[],
            takes_summary: false,
            permission: Permission::None,
            security: Security::Signed,
            takes: Takes::Nothing,
            is_edit: false,
            sends_only_given: false,
            adds_to: None,
            ends_empty: false,
            pages_sorted_by: None,
            style: ArgumentStyle::Positional,
            success: 200,
            returns: Returns::ANY,
            refusals: &[],
            unknown_record: None,
            limit: None,
            has_many: false,
            summary: "",
            details: &[],
            returned: "",
            may_have: "",
            waits: None,
            traces: &[],
            is_irreversible: false,
            stakes: &[],
            adds_no_volume: false,
            is_dangerous: false,
            short_forms: &[],
            previewed: None,
            example: Example {
                arguments: &[],
                record_arguments: None,
                statements: &["{call}"],
                output: "",
                changes: "",
                many: None,
                ids: &[],
            },
        }
    }

    /// Returns the row with the title of its section of the API reference.
    #[must_use]
    pub const fn section(self, section: &'static str) -> Self {
        Self { section, ..self }
    }

    /// Returns the row with the first line of the docstrings, and what the methods return.
    #[must_use]
    pub const fn says(self, summary: &'static str, returned: &'static str) -> Self {
        Self { summary, returned, ..self }
    }

    /// Returns the row with arguments that `_methods.py` converts to the inputs.
    #[must_use]
    pub const fn short_forms(self, short_forms: &'static [ShortForm]) -> Self {
        Self { short_forms, ..self }
    }

    /// Returns the row with a method that shows what the request would do.
    #[must_use]
    pub const fn previewed(self, previewed: &'static Previewed) -> Self {
        Self { previewed: Some(previewed), ..self }
    }

    /// Returns the row with more paragraphs of the docstrings.
    #[must_use]
    pub const fn details(self, details: &'static [&'static str]) -> Self {
        Self { details, ..self }
    }

    /// Returns the row with identifiers besides that of the resource's record.
    #[must_use]
    pub const fn more_ids(self, more_ids: &'static [IdSpec]) -> Self {
        Self { more_ids, ..self }
    }

    /// Returns the row of an operation that takes the word `summary` in place of the identifier.
    #[must_use]
    pub const fn or_summary(self) -> Self {
        Self { takes_summary: true, ..self }
    }

    /// Returns the row with inputs in the query string.
    #[must_use]
    pub const fn query(self, inputs: &'static Inputs) -> Self {
        Self { takes: Takes::Query(inputs), ..self }
    }

    /// Returns the row with inputs in a JSON body.
    #[must_use]
    pub const fn json(self, inputs: &'static Inputs) -> Self {
        Self { takes: Takes::Json(inputs), ..self }
    }

    /// Returns the row of an edit: it changes the given fields of a record and keeps all others.
    #[must_use]
    pub const fn edits(self, inputs: &'static Inputs) -> Self {
        Self { takes: Takes::Json(inputs), is_edit: true, style: ArgumentStyle::Named, ..self }
    }

    /// Returns the row of an edit that sends only what is given: the service keeps all other fields.
    #[must_use]
    pub const fn sends_only_given(self) -> Self {
        Self { sends_only_given: true, ..self }
    }

    /// Returns the row of an operation that adds to a list, which an operation reads: what the list has is sent along.
    #[must_use]
    pub const fn adds_to(self, read: &'static str) -> Self {
        Self { adds_to: Some(read), ..self }
    }

    /// Returns the row with another way in which the methods take the inputs.
    #[must_use]
    pub const fn style(self, style: ArgumentStyle) -> Self {
        Self { style, ..self }
    }

    /// Returns the row of a list that only an empty page ends.
    #[must_use]
    pub const fn until_empty(self) -> Self {
        Self { ends_empty: true, ..self }
    }

    /// Returns the row of a list whose default order changes with its records, so that an iteration over its pages names a sort key.
    #[must_use]
    pub const fn pages_sorted_by(self, input: &'static str, key: &'static str) -> Self {
        Self { pages_sorted_by: Some((input, key)), ..self }
    }

    /// Returns the row of an operation that only reads, although its method is not GET.
    #[must_use]
    pub const fn reads(self) -> Self {
        Self { effect: Effect::Read, ..self }
    }

    /// Returns the row with the possible effect of a request whose outcome is unknown.
    #[must_use]
    pub const fn may_have(self, effect: &'static str) -> Self {
        Self { may_have: effect, ..self }
    }

    /// Returns the row of a write that goes on after its response, with the method of the returned record that waits for its end.
    #[must_use]
    pub const fn waits(self, method: &'static str) -> Self {
        Self { waits: Some(method), ..self }
    }

    /// Returns the row of a write that lists show the effect of.
    #[must_use]
    pub const fn traces(self, traces: &'static [Trace]) -> Self {
        Self { traces, ..self }
    }

    /// Returns the row with the permission that the API key needs.
    #[must_use]
    pub const fn needs(self, permission: Permission) -> Self {
        Self { permission, ..self }
    }

    /// Returns the row of an operation whose requests are not signed.
    #[must_use]
    pub const fn unsigned(self) -> Self {
        Self { security: Security::None, ..self }
    }

    /// Returns the row of an operation that responds with the status 201.
    #[must_use]
    pub const fn created(self) -> Self {
        Self { success: 201, ..self }
    }

    /// Returns the row with the type of the response.
    #[must_use]
    pub const fn returns<F: FieldType>(self) -> Self {
        Self { returns: Returns::of::<F>(), ..self }
    }

    /// Returns the row of an operation that may return a single record in place of a list.
    #[must_use]
    pub const fn or_one(self) -> Self {
        Self { returns: Returns { may_be_one: true, ..self.returns }, ..self }
    }

    /// Returns the row of an operation that may return, in place of the record, another one with a list of such records: the
    /// newest of them is the result.
    #[must_use]
    pub const fn or_newest_of<F: FieldType>(self, list: &'static str) -> Self {
        Self { returns: Returns { newest_of: Some((list, F::SCHEMA)), ..self.returns }, ..self }
    }

    /// Returns the row of an operation whose response has the value in a member of an object.
    #[must_use]
    pub const fn within(self, name: &'static str) -> Self {
        Self { returns: Returns { within: Some(name), ..self.returns }, ..self }
    }

    /// Returns the row of an operation that returns nothing, or one of these records, each with a member that only it has.
    #[must_use]
    pub const fn or_one_of(self, one_of: &'static [(&'static str, Schema)]) -> Self {
        Self { returns: Returns { one_of, ..self.returns }, ..self }
    }

    /// Returns the row of an operation whose methods return a field of the record.
    #[must_use]
    pub const fn field(self, name: &'static str) -> Self {
        Self { returns: Returns { field: Some(name), ..self.returns }, ..self }
    }

    /// Returns the row with the errors that the operation has reasons of its own for.
    #[must_use]
    pub const fn refuses(self, refusals: &'static [Refusal]) -> Self {
        Self { refusals, ..self }
    }

    /// Returns the row with the body of the response for a record that does not exist.
    #[must_use]
    pub const fn unknown_record(self, body: RefusalBody) -> Self {
        Self { unknown_record: Some(body), ..self }
    }

    /// Returns the row of an operation with a rate limit of its own.
    #[must_use]
    pub const fn limit(self, requests: u32, seconds: u32, blocked: u32) -> Self {
        Self { limit: Some(OwnLimit { requests, seconds, blocked }), ..self }
    }

    /// Returns the row of an operation with a `_many` version.
    #[must_use]
    pub const fn many(self) -> Self {
        Self { has_many: true, ..self }
    }

    /// Returns the row of an operation that nothing can undo, with the fields of the record that say what is at stake.
    #[must_use]
    pub const fn irreversible(self, stakes: &'static [&'static str]) -> Self {
        Self { is_irreversible: true, is_dangerous: true, stakes, ..self }
    }

    /// Returns the row of a write after which nothing more can be bought: it ends, shrinks, names or hides something.
    #[must_use]
    pub const fn adds_no_volume(self) -> Self {
        Self { adds_no_volume: true, ..self }
    }

    /// Returns the row of a write that places orders at once, lets a bot do so, or gives up positions.
    #[must_use]
    pub const fn dangerous(self) -> Self {
        Self { is_dangerous: true, ..self }
    }

    /// Returns the row with the identifiers in examples.
    #[must_use]
    pub const fn example_ids(self, ids: &'static [&'static str]) -> Self {
        Self { example: Example { ids, ..self.example }, ..self }
    }

    /// Returns the row with an example: the arguments, the statements and the output of the last one.
    #[must_use]
    pub const fn example(
        self,
        arguments: &'static [&'static str],
        statements: &'static [&'static str],
        output: &'static str,
    ) -> Self {
        Self { example: Example { arguments, statements, output, ..self.example }, ..self }
    }

    /// Returns the row with other arguments in the example of the record's method.
    #[must_use]
    pub const fn example_of_record(self, arguments: &'static [&'static str]) -> Self {
        Self { example: Example { record_arguments: Some(arguments), ..self.example }, ..self }
    }

    /// Returns the row with the changes that the preview of the example shows.
    #[must_use]
    pub const fn example_changes(self, changes: &'static str) -> Self {
        Self { example: Example { changes, ..self.example }, ..self }
    }

    /// Returns the row with an example for several records: its arguments, and the preview.
    #[must_use]
    pub const fn example_of_many(self, arguments: &'static str, preview: &'static str) -> Self {
        Self { example: Example { many: Some((arguments, preview)), ..self.example }, ..self }
    }
}

/// What follows from a row.
impl Operation {
    /// Returns the name of the resource, such as `dca_bots`.
    pub fn resource(&self) -> &'static str {
        self.name.split_once('.').map_or(self.name, |(resource, _)| resource)
    }

    /// Returns the name of the method, such as `edit`.
    pub fn verb(&self) -> &'static str {
        self.name.split_once('.').map_or("", |(_, verb)| verb)
    }

    /// Returns the placeholders of the path, in order.
    pub fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(placeholder)
    }

    /// Returns true if the path has an identifier.
    pub fn has_id(&self) -> bool {
        self.path.contains('{')
    }

    /// Returns the inputs, whichever part of the request carries them; None if it has none.
    pub fn inputs(&self) -> Option<&'static Inputs> {
        self.takes.inputs()
    }

    /// Returns the inputs that choose a page; None if it returns no page of a list.
    pub fn page_inputs(&self) -> Option<PageInputs> {
        self.inputs().and_then(PageInputs::of)
    }

    /// Returns true if it returns a page of a list of records.
    pub fn is_paged(&self) -> bool {
        matches!(self.returns.schema, Schema::List(&Schema::Record(_))) && self.page_inputs().is_some()
    }

    /// Returns true if it returns a page of the records of its resource.
    pub fn is_list(&self) -> bool {
        self.verb() == "list" && self.is_paged()
    }

    /// Returns the name of the method that iterates over all records of its list.
    pub fn iterator(&self) -> String {
        if self.verb() == "list" { "iter".to_owned() } else { format!("iter_{}", self.verb()) }
    }

    /// Returns the status of the response for a record that does not exist.
    pub fn unknown_record_status(&self) -> u16 {
        let refusal = self.refusals.iter().find(|refusal| refusal.kind == ApiErrorKind::NotFound);
        refusal.map_or(404, |refusal| refusal.status)
    }

    /// Returns true if a caller may leave the rules to the service: those of an edit, and of a new record with named inputs.
    pub fn may_skip_rules(&self) -> bool {
        self.is_edit || (matches!(self.takes, Takes::Json(_)) && self.style == ArgumentStyle::Named)
    }

    /// Returns true if it reads one record by its identifier.
    pub fn is_reading(&self) -> bool {
        self.verb() == "get" && self.has_id()
    }

    /// Returns true if None omits an argument. In an edit it is null, as it is if every input is required.
    pub fn none_is_absent(&self) -> bool {
        let all_are_required = |inputs: &Inputs| inputs.rows.iter().all(Input::is_required);
        !(self.is_edit || matches!(self.takes, Takes::Json(inputs) if self.has_id() && all_are_required(inputs)))
    }

    /// Returns the record that the response has, alone or in a list.
    pub fn record(&self) -> &'static RecordSpec {
        match self.returns.schema {
            Schema::Record(spec) | Schema::List(&Schema::Record(spec)) => spec,
            _ => &RecordSpec::NOTHING,
        }
    }

    /// Returns true if a path, without `/public/api`, is that of a request of the operation.
    pub fn has_path(&self, path: &str) -> bool {
        let (own, given) = (self.path.split('/'), path.split('/'));
        own.clone().count() == given.clone().count()
            && own.zip(given).all(|(own, given)| placeholder(own).is_some() || own == given)
    }

    /// Returns the path of a request with these identifiers in place of the placeholders, starting with `/public/api`.
    pub fn path(&self, ids: &[Id]) -> String {
        let mut ids = ids.iter();
        let segments = self.path.split('/').map(|segment| match (placeholder(segment), segment) {
            (Some(_), segment) => ids.next().map_or_else(|| segment.to_owned(), Id::to_string),
            (None, segment) => segment.to_owned(),
        });
        format!("{PREFIX}{}", segments.collect::<Vec<_>>().join("/"))
    }
}

/// Returns the name in a segment of a path that is a placeholder.
fn placeholder(segment: &'static str) -> Option<&'static str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::{Decimal, List, Map, Nothing, Text};

    const CANCEL: Operation = post("smart_trades.cancel_trade", "/v2/smart_trades/{id}/trades/{trade_id}").reads();

    #[test]
    fn a_placeholder_stands_for_any_identifier() {
        let path = CANCEL.path.replace("{id}", "7").replace("{trade_id}", "9");
        assert!(CANCEL.has_path(&path));
        assert!(!CANCEL.has_path(&format!("{path}/more")) && !CANCEL.has_path("/ver1/7/other/9"));
    }

    #[test]
    fn each_identifier_of_a_path_replaces_its_placeholder() {
        let ids = [Id::Number(301), Id::Text("5ed7c4d2-4d3b-4c2c-8b4a-6e0a3f1f9f00".to_owned())];
        let expected = "/public/api/v2/smart_trades/301/trades/5ed7c4d2-4d3b-4c2c-8b4a-6e0a3f1f9f00";
        assert_eq!(CANCEL.path(&ids), expected);
        assert!(CANCEL.placeholders().eq(["id", "trade_id"]));
    }

    #[test]
    fn a_value_in_a_member_of_the_body_is_taken_out() {
        const ACTIVE: Operation = get("trades.active", "/ver1/trades").returns::<List<Text>>().within("trades");
        let check = |body: &str| ACTIVE.returns.check(body).map_err(|error| error.to_string());
        assert_eq!(check(r#"{"trades": ["a", "b"], "total": 2}"#).as_deref(), Ok(r#"["a", "b"]"#));
        assert_eq!(check(r#"{"error": "not_found"}"#), Err("the body is an error: not_found".to_owned()));
        assert!(check(r#"["a"]"#).unwrap_err().contains("an object with the member trades"));
        assert_eq!(ACTIVE.returns.to_json()["properties"]["trades"]["type"], "array");
        assert_eq!(ACTIVE.returns.to_json()["required"][0], "trades");
    }

    #[test]
    fn a_map_has_values_of_one_type_under_any_name() {
        const RATES: Operation = get("markets.all_rates", "/rates").returns::<Map<Decimal>>();
        assert!(RATES.returns.check(r#"{"USDT_BTC": "1.50", "USDT_ETH": 2}"#).is_ok());
        assert!(RATES.returns.check(r#"{"USDT_BTC": "much"}"#).is_err());
        assert_eq!(RATES.returns.to_json()["additionalProperties"]["type"][0], "string");
    }

    #[test]
    fn an_operation_that_returns_nothing_accepts_any_body() {
        const REMOVE: Operation = post("accounts.remove", "/ver1/accounts/{id}/remove").returns::<Nothing>();
        for body in ["", "null", "{}", "removed"] {
            assert_eq!(REMOVE.returns.check(body).as_deref(), Ok("null"), "{body}");
        }
        assert!(REMOVE.returns.check(r#"{"error": "Forbidden"}"#).is_err());
    }

    #[test]
    fn a_record_may_be_the_newest_of_a_list_in_another_record() {
        const START: Operation =
            post("dca_bots.start_deal", "/x").returns::<Text>().or_newest_of::<Text>("active_deals");
        let value = |body: &str| START.returns.value(body).map(Cow::into_owned);
        assert_eq!(value(r#"{"id": 7, "bot_id": 41}"#).as_deref(), Ok(r#"{"id": 7, "bot_id": 41}"#));
        let bot = r#"{"id": 41, "active_deals": [{"id": 6}, {"id": 8}, {"id": 7}]}"#;
        assert_eq!(value(bot).as_deref(), Ok(r#"{"id": 8}"#));
        assert!(value(r#"{"id": 41, "active_deals": []}"#).is_err());
    }

    #[test]
    fn an_operation_may_return_one_of_several_records_or_nothing() {
        const SPEC: &RecordSpec = &RecordSpec { name: "Order", ..RecordSpec::NOTHING };
        const ADD: Operation = post("deals.add_funds", "/deals/{id}/add_funds")
            .returns::<Nothing>()
            .or_one_of(&[("order_id", Schema::Record(SPEC))]);
        for body in ["", "null", "None", r#"{"status": "success"}"#] {
            assert_eq!(ADD.returns.check(body).as_deref(), Ok("null"), "{body}");
        }
        let order = r#"{"order_id": "5"}"#;
        assert_eq!(ADD.returns.check(order).as_deref(), Ok(order));
        assert_eq!(ADD.returns.recognized(order).map(|spec| spec.name), Some("Order"));
        for body in ["true", "41", "[]", "<html>", r#"{"error": "not_found"}"#] {
            assert!(ADD.returns.check(body).is_err(), "{body}");
        }
    }

    #[test]
    fn a_row_may_have_a_rate_limit_of_its_own() {
        const LIST: Operation = get("deals.list", "/ver1/deals").limit(120, 60, 60);
        assert_eq!(LIST.limit, Some(OwnLimit { requests: 120, seconds: 60, blocked: 60 }));
        assert_eq!(CANCEL.limit, None);
    }

    #[test]
    fn the_effect_is_that_of_the_method_unless_the_row_says_otherwise() {
        assert_eq!(post("accounts.pie_chart_data", "/x").effect, Effect::Write);
        assert_eq!(CANCEL.effect, Effect::Read);
    }
}
