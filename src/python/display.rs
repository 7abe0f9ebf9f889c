//! What notebooks show: the HTML of records and plans, and their pictures. The package's Python half draws them.

use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::type_hint_identifier;

use super::records::{DcaBot, GridBot};
use super::values::hinted;
use crate::service::sheet::Sheet;
use crate::service::view::View;

/// What the stubs call the axes of matplotlib.
const AXES: PyStaticExpr = type_hint_identifier!("matplotlib.axes", "Axes");

hinted! {
    /// The axes that a picture is drawn in.
    Axes(PyAny) => AXES;
}

impl<'py> FromPyObject<'_, 'py> for Axes<'py> {
    type Error = std::convert::Infallible;

    const INPUT_TYPE: PyStaticExpr = AXES;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> Result<Self, Self::Error> {
        Ok(Self(given.to_owned()))
    }
}

/// The HTML of a record.
pub(super) fn record(py: Python<'_>, view: View) -> PyResult<String> {
    let lists: Vec<_> = view.lists.into_iter().map(cells).collect();
    let display = py.import("botdesk._display")?;
    display.getattr("record")?.call1((view.title, view.shown, lists, view.others, view.unknown))?.extract()
}

/// The HTML of a table.
pub(super) fn sheet(py: Python<'_>, sheet: Sheet) -> PyResult<String> {
    py.import("botdesk._display")?.getattr("table")?.call1(cells(sheet))?.extract()
}

fn cells(sheet: Sheet) -> (String, Vec<&'static str>, Vec<Vec<String>>, Vec<String>) {
    (sheet.title, sheet.heads, sheet.rows, sheet.notes)
}

/// A picture, drawn by the function of that name.
pub(super) fn picture<'py>(drawn: &Bound<'py, PyAny>, name: &str, ax: Option<Axes<'py>>) -> PyResult<Axes<'py>> {
    let pictures = drawn.py().import("botdesk._pictures")?;
    pictures.getattr(name)?.call1((drawn, ax)).map(Axes)
}

#[pymethods]
impl DcaBot {
    /// Draw the bot's open deals: the price of each against what it was bought at, its take profit and its stop loss.
    ///
    /// Args:
    ///     ax: The axes to draw in; new ones unless given.
    ///
    /// Returns:
    ///     The axes of matplotlib, in the colours of the style that is in use.
    ///
    /// Raises:
    ///     ConfigurationError: matplotlib is not installed.
    ///     ValidationError: The record does not hold the bot's deals, as those of a list do not.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     bot = sandbox.client().dca_bots.get(41)
    ///     >>> bot.plot().get_xlabel()
    ///     'price, USDT per ETH'
    #[pyo3(signature = (ax = None))]
    fn plot<'py>(this: &Bound<'py, Self>, ax: Option<Axes<'py>>) -> PyResult<Axes<'py>> {
        picture(this, "deals_of", ax)
    }
}

#[pymethods]
impl GridBot {
    /// Draw the bot's grid: its levels against the current price, and the prices at which it stops.
    ///
    /// The levels are those of the record; where it holds none they are planned, as by `levels()`.
    ///
    /// Args:
    ///     ax: The axes to draw in; new ones unless given.
    ///
    /// Returns:
    ///     The axes of matplotlib, in the colours of the style that is in use.
    ///
    /// Raises:
    ///     ConfigurationError: matplotlib is not installed.
    ///     ValidationError: The record holds neither levels nor what they follow from.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     bot = sandbox.client().grid_bots.enable(203)
    ///     >>> bot.plot().get_ylabel()
    ///     'price, USDT per ETH'
    #[pyo3(signature = (ax = None))]
    fn plot<'py>(this: &Bound<'py, Self>, ax: Option<Axes<'py>>) -> PyResult<Axes<'py>> {
        picture(this, "grid_bot", ax)
    }
}
