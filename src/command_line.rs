//! Functions for the command line.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use crate::client::Client;
use crate::display::html::ShownText;
use crate::raise::OrPyErr as _;
use crate::resources::Resource;
use crate::stream::Stream;
use crate::watch::OnError;
use botdesk_api::reference;
use botdesk_client::credentials::signing_key::SigningKey;
use botdesk_client::last_write::take_last_write;
use botdesk_display::view::account_of;
use botdesk_planning::backtest_market::BacktestMarket;
use botdesk_schema::input::{Input, InputType};
use botdesk_schema::key_text;
use botdesk_schema::mode::Mode;
use botdesk_schema::operation::ShortForm;
use botdesk_schema::record::RecordSpec;
use botdesk_schema::secrets::{redact_secrets, shown_line};
use botdesk_schema::text::with_escapes;

/// An input for the command line: its name, its type, its choices and its description.
pub(super) type InputRow = (&'static str, &'static str, Vec<&'static str>, &'static str);

/// The fields that say what an irreversible operation takes away; None for one that can be undone.
type Stakes = Option<Vec<&'static str>>;

/// What an operation does: whether it writes, is dangerous, and adds no volume.
type Effects = (bool, bool, bool);

/// Return the inputs of an operation, what is at stake, and what it does.
#[pyfunction]
pub(super) fn _operation(name: &str) -> PyResult<(Vec<InputRow>, Stakes, Effects)> {
    let operation = reference::operation(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
    let rows = operation.inputs().map_or(&[][..], |inputs| inputs.rows);
    let stakes = operation.is_irreversible.then(|| operation.stakes.to_vec());
    let effects = (operation.effect.writes(), operation.is_dangerous, operation.adds_no_volume);
    Ok((rows.iter().map(row).collect(), stakes, effects))
}

/// Return the arguments of an operation that are converted to its inputs, and have other names than those.
#[pyfunction]
pub(super) fn _short_forms(name: &str) -> Vec<InputRow> {
    let Some(operation) = reference::operation(name) else { return Vec::new() };
    let rows = operation.inputs().map_or(&[][..], |inputs| inputs.rows);
    let forms = operation.short_forms.iter().filter(|form| rows.iter().all(|row| row.name != form.name));
    forms.map(form_row).collect()
}

/// Returns the description of a short form. One that takes several types is text: a class of Python can't be written in a shell.
fn form_row(form: &ShortForm) -> InputRow {
    let python = form.python.strip_suffix(" | None").unwrap_or(form.python);
    let choices = python.strip_prefix("Literal[\"").and_then(|rest| rest.strip_suffix("\"]"));
    let kind = match python {
        "bool" => "bool",
        "Number" => "decimal",
        _ => "string",
    };
    (form.name, kind, choices.map(|choices| choices.split("\", \"").collect()).unwrap_or_default(), form.about)
}

/// What a table that follows the records of a resource has to know: the class of a record, the noun for one, the inputs of the list
/// that select the records, and the fields whose sum is the profit in USD.
pub(super) type WatchedRow = (&'static str, &'static str, Vec<(&'static str, &'static str)>, Vec<&'static str>);

/// Return how the records of a resource are followed.
#[pyfunction]
pub(super) fn _watched(resource: &str) -> PyResult<WatchedRow> {
    let found = reference::resource(resource).and_then(|found| Some((found, found.watched?)));
    let (found, watched) = found.ok_or_else(|| PyKeyError::new_err(resource.to_owned()))?;
    let open = watched.ending.map(|ending| ending.open);
    Ok((found.record_name(), found.noun, open.into_iter().collect(), watched.profits.to_vec()))
}

/// Follow the records of a resource live, with changes of the connection; None if the service does not send them.
#[pyfunction]
pub(super) fn _stream(
    py: Python<'_>,
    records: &Bound<'_, Resource>,
    name: String,
    every: f64,
    on_error: OnError,
) -> PyResult<Option<Stream>> {
    let is_sent = reference::resource(&name).is_some_and(|resource| resource.streamed.is_some());
    let stream = || Stream::of_resource(py, &records.get().client, name, every, on_error);
    is_sent.then(stream).transpose()
}

/// Return the names of all operations.
#[pyfunction]
pub(super) fn _operation_names() -> Vec<&'static str> {
    reference::operations().map(|operation| operation.name).collect()
}

/// Return the inputs of a backtest that describe the market and the account.
#[pyfunction]
pub(super) fn _backtest_inputs() -> Vec<InputRow> {
    BacktestMarket::INPUTS.rows.iter().map(row).collect()
}

/// Returns the description of an input.
pub(super) fn row(input: &Input) -> InputRow {
    let (form, choices) = match input.input_type {
        InputType::Decimal | InputType::Fraction => ("decimal", &[][..]),
        InputType::Integer => ("integer", &[][..]),
        InputType::Bool => ("bool", &[][..]),
        InputType::Text => ("string", &[][..]),
        InputType::OneOf(choices) => ("string", choices),
        InputType::Time | InputType::IsoTime => ("time", &[][..]),
        InputType::Pairs | InputType::Texts => ("strings", &[][..]),
        InputType::Objects(_) | InputType::Group(_) | InputType::Groups(_) | InputType::Object => ("json", &[][..]),
    };
    (input.name, form, choices.to_vec(), input.about)
}

/// Return text with its secrets replaced by placeholders, and with escapes for characters that control a terminal. JSON keeps its
/// meaning.
#[pyfunction]
pub(super) fn _printable(text: ShownText, secrets: bool) -> String {
    let text = with_escapes(&text.0);
    if secrets { text } else { redact_secrets(&text) }
}

/// Return foreign text in one line, without secrets, and cut after `longest` characters.
#[pyfunction]
pub(super) fn _shown_line(text: ShownText, longest: usize) -> String {
    shown_line(&text.0, longest)
}

/// Return where the requests of a client go: the URL of the service, and the profile or the fingerprint of the key.
#[pyfunction]
pub(super) fn _destination(client: &Client) -> String {
    client.http().destination()
}

/// The settings of a client that a diagnosis shows: the base URL, the fingerprint and the kind of its key, its proxy and its mode.
type ClientFacts = (String, String, &'static str, Option<String>, Option<&'static str>);

/// Return the settings of a client that a diagnosis shows, without secrets.
#[pyfunction]
pub(super) fn _client_facts(client: &Client) -> ClientFacts {
    let http = client.http();
    let kind = match http.key() {
        SigningKey::Rsa(_) => "self-generated, RSA",
        SigningKey::Hmac(_) => "system-generated, HMAC-SHA256",
        SigningKey::Absent => "none",
    };
    let settings = http.settings();
    let proxy = http.proxy().map(ToString::to_string);
    let base_url = key_text::shown(&settings.base_url.to_string());
    (base_url, http.fingerprint().to_owned(), kind, proxy, settings.mode.map(Mode::as_str))
}

/// Return the account of a record in JSON: its id, its name and its kind, as far as the record has them.
#[pyfunction]
pub(super) fn _account_of(record: ShownText) -> PyResult<Option<String>> {
    // The fields are found by their names in the JSON, whatever record it is.
    Ok(account_of(&RecordSpec::NOTHING.from_json(&record.0).or_py_err()?))
}

/// Return the number of requests that a client may send in a period, and the period in seconds; None without a limit.
#[pyfunction]
pub(super) fn _rate_limit(client: &Client) -> Option<(u32, f64)> {
    let limit = client.http().settings().rate_limit.as_ref()?.limit;
    Some((limit.requests, limit.per.as_secs_f64()))
}

/// Return the method and the path of the last write of this process that was not rejected, once.
#[pyfunction]
pub(super) fn _take_last_write() -> Option<String> {
    take_last_write()
}

/// Return a message in one line, without PEM blocks.
#[pyfunction]
pub(super) fn _shown_message(text: ShownText) -> String {
    key_text::shown_message(&text.0)
}

/// Return whether text looks like a key, where a path, a name or a URL is expected.
#[pyfunction]
pub(super) fn _looks_like_key(text: ShownText) -> bool {
    key_text::looks_like_key(&text.0)
}

/// Return a path, a name or a URL in one line, or a placeholder if it looks like a key.
#[pyfunction]
pub(super) fn _shown_path(path: ShownText) -> String {
    key_text::shown(&path.0)
}
