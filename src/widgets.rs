//! The notebook widgets, which are written in Python: the methods that show them, and the inputs that they offer.

use pyo3::call::PyCallArgs;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use super::command_line::{InputRow, row};
use super::generated::dca_bots::DcaBots;
use super::generated_records::dca_bot::DcaBot;
use super::generated_records::grid_bot::GridBot;
use super::values::typed_objects;
use botdesk_api::input::{Input, InputType, Inputs, NumberBound, Rule};
use botdesk_api::{dca_bot, grid_bot};
use botdesk_planning::backtest_market::BacktestMarket;
use botdesk_planning::grid_plan::GridMarket;
use botdesk_planning::ladder_config::LadderMarket;

typed_objects! {
    /// The widget of `tune`.
    TuneWidget(PyAny) => type_hint_identifier!("botdesk._widgets.tune_widget", "TuneWidget");
    /// The widget of `live`.
    LiveTable(PyAny) => type_hint_identifier!("botdesk._widgets.live_widget", "LiveTable");
}

/// Calls a function of `botdesk._widgets`.
fn widget<'py>(py: Python<'py>, name: &str, arguments: impl PyCallArgs<'py>) -> PyResult<Bound<'py, PyAny>> {
    py.import("botdesk._widgets")?.getattr(name)?.call1(arguments)
}

/// Defines the method `tune` of a class of records: the plan that it draws, and the example.
macro_rules! tune_methods {
    ($($class:ident draws $plan:literal: $(#[doc = $example:literal])*;)*) => {$(
        #[pymethods]
        impl $class {
            /// Show the settings of the bot as sliders and fields in a notebook, and the effect of each change.
            ///
            #[doc = $plan]
            /// Nothing is sent until *Apply* is pressed and confirmed in the widget; that sends what `apply()` of the preview
            /// sends.
            ///
            /// Args:
            ///     candles: Candles to backtest the bot over, before and after the changes: anything that `backtest` takes; the
            ///         default makes none.
            ///     fee: Fee of the exchange for the plan and the backtests, as a fraction such as 0.001 or in percent such as
            ///         `"0.1%"`; none by default. The widget has a field for it.
            ///
            /// Returns:
            ///     The widget. `preview` is the edit with the current values, and `bot` the bot that it edits.
            ///
            /// Raises:
            ///     ConfigurationError: anywidget is not installed.
            ///     ValidationError: The candles can't be read.
            ///
            /// Example:
            ///     >>> import botdesk
            $(#[doc = $example])*
            #[pyo3(signature = (candles = None, *, fee: "str | Decimal | float | None" = None))]
            fn tune<'py>(
                this: &Bound<'py, Self>,
                candles: Option<Bound<'py, PyAny>>,
                fee: Option<Bound<'py, PyAny>>,
            ) -> PyResult<TuneWidget<'py>> {
                widget(this.py(), "tune", (this, candles, fee)).map(TuneWidget)
            }
        }
    )*};
}

tune_methods! {
    DcaBot draws "Beside them are the ladder, the budget, the deepest price covered, the preview of the edit, and warnings.":
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     widget = sandbox.client().dca_bots.get(41).tune()
    ///     >>> widget.bot.id
    ///     41
    ;
    GridBot draws "Beside them are the levels, the investment, the profit of a level, the preview of the edit, and warnings.":
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     widget = sandbox.client().grid_bots.enable(203).tune()
    ///     >>> widget.bot.id
    ///     203
    ;
}

#[pymethods]
impl DcaBots {
    /// Show all DCA bots in a notebook as a table that follows them.
    ///
    /// A poll takes one request for each 100 bots, and like all requests waits for the rate limit. The table is polled while it is
    /// visible on the page. Changed values are marked for a moment. A failed poll is shown in the table, and polling goes on.
    ///
    /// API reference: Get the list of DCA Bots. Permission BOTS_READ.
    ///
    /// Args:
    ///     interval: Seconds between two polls, 1 to 86 400.
    ///
    /// Returns:
    ///     The widget. `selected` lists the selected bots, and `close()` ends the polls.
    ///
    /// Raises:
    ///     ConfigurationError: anywidget is not installed, or `interval` is invalid.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> with botdesk.Sandbox() as sandbox:
    ///     ...     table = sandbox.client().dca_bots.live(interval=30)
    ///     >>> table.selected
    ///     []
    #[pyo3(signature = (*, interval = 10.0))]
    fn live<'py>(this: &Bound<'py, Self>, interval: f64) -> PyResult<LiveTable<'py>> {
        widget(this.py(), "live", (this, interval)).map(LiveTable)
    }
}

/// A setting: its description, and its lower and upper bound, each with whether the bound itself is permitted.
type SettingRow = (InputRow, Option<(&'static str, bool)>, Option<(&'static str, bool)>);

/// Return the inputs that `tune` offers for an edit: those of the edit, of the plan and of the backtest.
#[pyfunction]
pub(super) fn _tuning_inputs(operation: &str) -> PyResult<(Vec<SettingRow>, Vec<SettingRow>, Vec<SettingRow>)> {
    let tables = [(&dca_bot::EDIT, LadderMarket::INPUTS), (&grid_bot::EDIT, GridMarket::INPUTS)];
    let table = tables.into_iter().find(|(endpoint, _)| endpoint.operation == operation);
    let (endpoint, plan) = table.ok_or_else(|| PyKeyError::new_err(operation.to_owned()))?;
    let edit = endpoint.takes.inputs().unwrap_or(&Inputs::NONE);
    Ok((settings(edit), settings(plan), settings(BacktestMarket::INPUTS)))
}

/// Returns the inputs that are one number, boolean or choice each. Those that an edit sends only if they are given, such as the
/// account, are not settings of a bot.
fn settings(inputs: &Inputs) -> Vec<SettingRow> {
    let is_setting = |input: &&Input| {
        let is_single = matches!(
            input.form,
            InputType::Decimal | InputType::Fraction | InputType::Integer | InputType::Bool | InputType::OneOf(_)
        );
        is_single && !input.rules.iter().any(|rule| matches!(rule, Rule::OnlyIfGiven))
    };
    inputs.rows.iter().filter(is_setting).map(setting).collect()
}

fn setting(input: &Input) -> SettingRow {
    let [least, most] =
        input.bounds().map(|bound| bound.map(|NumberBound { value, is_inclusive }| (value, is_inclusive)));
    (row(input), least, most)
}
