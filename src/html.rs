//! Tables, as HTML and as text, of the objects that are written in Python.

use pyo3::prelude::*;
use pyo3::types::PyString;

use botdesk_api::html;
use botdesk_api::input::Violation;
use botdesk_api::table::{Table, leave_out};
use botdesk_api::text::one_line;

use crate::hints::input_type;

/// A string that is shown. Half of a surrogate pair, which only Python strings hold, becomes a replacement character.
pub(super) struct ShownText(pub(super) String);

impl<'py> FromPyObject<'_, 'py> for ShownText {
    type Error = PyErr;

    input_type!(STR);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(given.cast::<PyString>()?.to_string_lossy().into_owned()))
    }
}

fn strings(texts: Vec<ShownText>) -> Vec<String> {
    texts.into_iter().map(|text| text.0).collect()
}

fn table(title: ShownText, heads: Vec<ShownText>, rows: Vec<Vec<ShownText>>, notes: Vec<ShownText>) -> Table<String> {
    let rows = rows.into_iter().map(strings).collect();
    Table { title: title.0, heads: strings(heads), rows, ellipsis: None, notes: strings(notes) }
}

/// Return the HTML of a table, with notes below it.
#[pyfunction]
pub(super) fn _table_html(
    title: ShownText,
    heads: Vec<ShownText>,
    rows: Vec<Vec<ShownText>>,
    notes: Vec<ShownText>,
) -> String {
    table(title, heads, rows, notes).html()
}

/// Return the HTML of changes, with every digit, and with notes below it.
#[pyfunction]
pub(super) fn _changes_html(
    title: ShownText,
    heads: Vec<ShownText>,
    rows: Vec<Vec<ShownText>>,
    notes: Vec<ShownText>,
) -> String {
    table(title, heads, rows, notes).changes_html(&[])
}

/// Return the HTML of an object that has these fields.
#[pyfunction]
pub(super) fn _record_html(title: ShownText, fields: Vec<(ShownText, ShownText)>) -> String {
    let fields: Vec<_> = fields.into_iter().map(|(name, value)| (name.0, value.0)).collect();
    html::record(&title.0, &fields)
}

/// Return the places of the records that the table of a list of `count` records shows.
#[pyfunction]
pub(super) fn _places_shown(count: usize) -> Vec<usize> {
    leave_out(count).0.collect()
}

/// Return the HTML of a list of `count` records; `rows` holds those at the places that are shown.
#[pyfunction]
pub(super) fn _records_html(
    title: ShownText,
    columns: Vec<ShownText>,
    rows: Vec<Vec<ShownText>>,
    count: usize,
    notes: Vec<ShownText>,
) -> String {
    html::records(&title.0, strings(columns), rows.into_iter().map(strings).collect(), count, strings(notes))
}

/// Return the text of a list of `count` records; `rows` holds those at the places that are shown.
#[pyfunction]
pub(super) fn _records_text(
    columns: Vec<ShownText>,
    rows: Vec<Vec<ShownText>>,
    count: usize,
    notes: Vec<ShownText>,
) -> String {
    let rows = rows.into_iter().map(strings).collect();
    let (heads, notes) = (strings(columns), strings(notes));
    Table { heads, rows, ellipsis: leave_out(count).1, notes, ..Table::default() }.list_text()
}

/// Return a string in one line, without control characters, and cut after `longest` characters.
#[pyfunction]
pub(super) fn _one_line(text: ShownText, longest: usize) -> String {
    one_line(&text.0, longest)
}

/// Return the value and the rule of a message of a `ValidationError`.
#[pyfunction]
pub(super) fn _value_and_rule(message: ShownText) -> (String, String) {
    Violation::value_and_rule(&message.0)
}
