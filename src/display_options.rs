//! `botdesk.display`: how much tables show.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

use crate::arguments::read_integer;
use crate::exceptions::{RustResult as _, repr_of};
use crate::hints::input_type;
use crate::protocols::cast;
use crate::raise::IntoPyErr as _;
use botdesk_client::error::Error;
use botdesk_display::display_options::DisplayOptions as Core;
use botdesk_schema::input::Violation;
use botdesk_system::lock::locked;

/// An argument of `display`: left out, None, or a number.
pub(crate) struct CountArgument(Option<ChosenOption>);

enum ChosenOption {
    Default,
    Number(i128),
    /// Anything else, for the error.
    Other(String),
}

impl CountArgument {
    fn left_out() -> Self {
        Self(None)
    }

    /// Returns the new value of an option, or the old one if the argument was left out.
    fn read(self, old: Option<usize>, name: &str, range: (usize, usize)) -> Result<Option<usize>, Violation> {
        let given = match self.0 {
            None => return Ok(old),
            Some(ChosenOption::Default) => return Ok(None),
            Some(ChosenOption::Other(text)) => text,
            Some(ChosenOption::Number(number)) => {
                let fitting = usize::try_from(number).rust_ok().filter(|number| (range.0..=range.1).contains(number));
                match fitting {
                    Some(number) => return Ok(Some(number)),
                    None => number.to_string(),
                }
            }
        };
        let (least, most) = range;
        let message =
            format!("must be a whole number between {least} and {most}, or None for the default, not {given}");
        Err(Violation::new(name, message))
    }
}

impl<'py> FromPyObject<'_, 'py> for CountArgument {
    type Error = PyErr;

    input_type!(type_hint_union!(INT, NONE));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        // True and False are integers of Python.
        let is_number = cast::<PyInt>(&given).is_some() && cast::<PyBool>(&given).is_none();
        Ok(Self(Some(match given {
            none if none.is_none() => ChosenOption::Default,
            number if is_number => ChosenOption::Number(read_integer(&number)?),
            other => ChosenOption::Other(repr_of(&other)?),
        })))
    }
}

/// The options of the display of tables, as `botdesk.display` set them.
///
/// A `with` block restores the options from before the call at its end.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DisplayOptions {
    options: Core,
    blocks: Mutex<Blocks>,
}

/// The blocks of a context manager.
struct Blocks {
    /// The options from before each block that is open; the first ones are those from before the call.
    before: Vec<Core>,
    /// True once a block was entered.
    entered: bool,
}

#[pymethods]
impl DisplayOptions {
    /// The most rows of a table; None for 60.
    #[getter]
    fn rows(&self) -> Option<usize> {
        self.options.rows
    }

    /// The most columns of a table; None for all.
    #[getter]
    fn columns(&self) -> Option<usize> {
        self.options.columns
    }

    /// The most decimal places of a number; None to round figures as usual, and to show every digit of settings.
    #[getter]
    fn decimals(&self) -> Option<usize> {
        self.options.decimals
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this.get().enter();
        this
    }

    #[pyo3(signature = (*_error: "object") -> "None")]
    fn __exit__(&self, _error: &Bound<'_, PyAny>) {
        if let Some(before) = locked(&self.blocks).before.pop() {
            before.apply();
        }
    }

    fn __repr__(&self) -> String {
        let [rows, columns, decimals] = [self.options.rows, self.options.columns, self.options.decimals]
            .map(|value| value.map_or_else(|| "None".to_owned(), |value| value.to_string()));
        format!("<DisplayOptions rows={rows} columns={columns} decimals={decimals}>")
    }
}

impl DisplayOptions {
    fn enter(&self) {
        let mut blocks = locked(&self.blocks);
        // The first block begins with the call itself.
        if std::mem::replace(&mut blocks.entered, true) {
            blocks.before.push(Core::current());
        }
        self.options.apply();
    }
}

/// The limits of the options.
const ROWS: (usize, usize) = (1, 100_000);
const COLUMNS: (usize, usize) = (1, 1_000);
const DECIMALS: (usize, usize) = (0, 1_000);

/// Set how much tables show, in terminals and notebooks, for the whole process.
///
/// The call takes effect at once. As a context manager, it restores the former options at the end of the block. Options that
/// are left out stay as they are. Values never change. Without `decimals`, figures such as profits are rounded, but never so
/// far that two different values of a column look the same. `decimals` cuts numbers instead, marks each cut number with `…`,
/// and a note below the table says so. Previews of edits and errors always show every digit.
///
/// Args:
///     rows: Most rows of a table, 1 to 100 000: the first, and up to five of the last; None for 60.
///     columns: Most columns of a table, 1 to 1 000: the first and the last; None for all.
///     decimals: Most decimal places of a number, 0 to 1 000. A number close to zero keeps its first digit that is not
///         zero. None rounds figures as usual; settings show every digit, in the lists of notebooks six places.
///
/// Returns:
///     The options, which are also the context manager.
///
/// Raises:
///     ValidationError: A number is out of range.
///
/// Example:
///     >>> import botdesk
///     >>> bots = botdesk.DcaBot.list_from_json('[{"id": 1, "take_profit": "1.25"}, {"id": 2}, {"id": 3}]')
///     >>> with botdesk.display(rows=2, columns=1):
///     ...     bots
///     id  …
///      1  …
///     … 1 more …
///      3  …
///     ! 7 columns are not shown; botdesk.display(columns=…) shows more
#[pyfunction]
#[pyo3(signature = (
    *, rows = CountArgument::left_out(), columns = CountArgument::left_out(), decimals = CountArgument::left_out()
))]
pub(crate) fn display(
    rows: CountArgument,
    columns: CountArgument,
    decimals: CountArgument,
) -> PyResult<DisplayOptions> {
    let before = Core::current();
    let read = [
        rows.read(before.rows, "rows", ROWS),
        columns.read(before.columns, "columns", COLUMNS),
        decimals.read(before.decimals, "decimals", DECIMALS),
    ];
    let mut violations = Vec::new();
    let mut keep = |read: Result<Option<usize>, Violation>| {
        read.map_rust_err(|violation| violations.push(violation)).rust_ok().unwrap_or_default()
    };
    let [rows, columns, decimals] = read.map(&mut keep);
    if !violations.is_empty() {
        return Err(Error::Validation(violations).into_py_err());
    }
    let options = Core { rows, columns, decimals };
    options.apply();
    Ok(DisplayOptions { options, blocks: Mutex::new(Blocks { before: vec![before], entered: false }) })
}
