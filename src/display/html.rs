//! Tables, as HTML and as text, of the objects that are written in Python.

use pyo3::prelude::*;
use pyo3::types::PyString;

use botdesk_display::figures::{Figures, Rounding};
use botdesk_display::html;
use botdesk_display::text_table::{Table, leave_out};
use botdesk_display::words::class_words;
use botdesk_schema::input::Violation;
use botdesk_schema::text::one_line;

use crate::hints::input_type;

/// A string that is shown. Half of a surrogate pair, which only Python strings hold, becomes a replacement character.
pub(crate) struct ShownText(pub(crate) String);

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
    Table { title: title.0, heads: strings(heads), rows, notes: strings(notes), ..Table::default() }
}

/// Return the HTML of a table, with notes below it.
#[pyfunction]
pub(crate) fn _table_html(
    title: ShownText,
    heads: Vec<ShownText>,
    rows: Vec<Vec<ShownText>>,
    notes: Vec<ShownText>,
) -> String {
    table(title, heads, rows, notes).html()
}

/// Return the HTML of changes, with every digit, and with notes below it.
#[pyfunction]
pub(crate) fn _changes_html(
    title: ShownText,
    heads: Vec<ShownText>,
    rows: Vec<Vec<ShownText>>,
    notes: Vec<ShownText>,
) -> String {
    table(title, heads, rows, notes).changes_html(&[])
}

/// Return the HTML of an object that has these fields.
#[pyfunction]
pub(crate) fn _record_html(title: ShownText, fields: Vec<(ShownText, ShownText)>) -> String {
    let fields: Vec<_> = fields.into_iter().map(|(name, value)| (name.0, value.0)).collect();
    html::record(&title.0, &fields)
}

/// Return the name of a class as words.
#[pyfunction]
pub(crate) fn _class_words(name: &str) -> String {
    class_words(name)
}

/// Return the places of the records that the table of a list of `count` records shows.
#[pyfunction]
pub(crate) fn _places_shown(count: usize) -> Vec<usize> {
    leave_out(count).0.collect()
}

/// Returns the roundings of columns, of which some are figures.
fn roundings(columns: &[ShownText], figures: &[ShownText], quote: Option<&ShownText>) -> Vec<Rounding> {
    let quote = quote.map(|quote| quote.0.as_str());
    let rounding = |column: &ShownText| {
        let is_figure = figures.iter().any(|figure| figure.0 == column.0);
        if is_figure { Rounding::of_figure(&column.0, quote) } else { Rounding::Exact }
    };
    columns.iter().map(rounding).collect()
}

/// Return the HTML of a list of `count` records; `rows` holds those at the places that are shown, and `figures` names the columns
/// of figures, whose amounts are in the currency `quote`.
#[pyfunction]
pub(crate) fn _records_html(
    title: ShownText,
    columns: Vec<ShownText>,
    rows: Vec<Vec<ShownText>>,
    count: usize,
    figures: Vec<ShownText>,
    quote: Option<ShownText>,
    notes: Vec<ShownText>,
) -> String {
    let roundings = roundings(&columns, &figures, quote.as_ref());
    html::records(&title.0, strings(columns), rows.into_iter().map(strings).collect(), count, roundings, strings(notes))
}

/// Return the text of a list of `count` records; its arguments are those of `_records_html`.
#[pyfunction]
pub(crate) fn _records_text(
    columns: Vec<ShownText>,
    rows: Vec<Vec<ShownText>>,
    count: usize,
    figures: Vec<ShownText>,
    quote: Option<ShownText>,
    notes: Vec<ShownText>,
) -> String {
    let figures = Figures::Columns(roundings(&columns, &figures, quote.as_ref()));
    let rows = rows.into_iter().map(strings).collect();
    let (heads, notes) = (strings(columns), strings(notes));
    Table { heads, rows, ellipsis: leave_out(count).1, figures, notes, ..Table::default() }.list_text()
}

/// Return the cells of a column of figures, or of other numbers, as people read them. Different values stay different.
#[pyfunction]
pub(crate) fn _shown_column(
    name: &str,
    cells: Vec<ShownText>,
    is_figure: bool,
    quote: Option<ShownText>,
) -> Vec<String> {
    let cells = strings(cells);
    let other = || html::list_cells(&cells);
    let rounded = |cells: &[String]| Rounding::of_figure(name, quote.as_ref().map(|quote| &*quote.0)).round_all(cells);
    if is_figure { rounded(&cells) } else { other() }
}

/// Return a duration as every digit of it is shown.
#[pyfunction]
pub(crate) fn _duration_text(duration: jiff::SignedDuration) -> String {
    botdesk_display::figures::duration_text(duration)
}

/// Return a string in one line, without control characters, and cut after `longest` characters.
#[pyfunction]
pub(crate) fn _one_line(text: ShownText, longest: usize) -> String {
    one_line(&text.0, longest)
}

/// Return the value and the rule of a message of a `ValidationError`.
#[pyfunction]
pub(crate) fn _value_and_rule(message: ShownText) -> (String, String) {
    Violation::value_and_rule(&message.0)
}
