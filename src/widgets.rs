//! The inputs that the notebook widgets offer.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::command_line::{InputRow, row};
use botdesk_api::dca_bots::DcaBotEdit;
use botdesk_api::grid_bots::GridBotEdit;
use botdesk_planning::backtest_market::BacktestMarket;
use botdesk_planning::grid_plan::GridMarket;
use botdesk_planning::ladder_config::LadderMarket;
use botdesk_schema::input::{Input, InputType, Inputs, NumberBound, Rule};

/// Call a function of `botdesk._widgets` with a record or a resource and an option.
#[pyfunction]
pub(crate) fn _widget<'py>(
    py: Python<'py>,
    name: &str,
    shown: &Bound<'py, PyAny>,
    options: Vec<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments: Vec<_> = std::iter::once(shown.clone()).chain(options).collect();
    py.import("botdesk._widgets")?.getattr(name)?.call1(PyTuple::new(py, arguments)?)
}

/// A setting: its description, and its lower and upper bound, each with whether the bound itself is permitted.
type SettingRow = (InputRow, Option<(&'static str, bool)>, Option<(&'static str, bool)>);

/// Return the inputs that `tune` offers for an edit: those of the edit, of the plan and of the backtest.
#[pyfunction]
pub(crate) fn _tuning_inputs(operation: &str) -> PyResult<(Vec<SettingRow>, Vec<SettingRow>, Vec<SettingRow>)> {
    let (edit, plan) = match operation {
        "dca_bots.edit" => (DcaBotEdit::INPUTS, LadderMarket::INPUTS),
        "grid_bots.edit" => (GridBotEdit::INPUTS, GridMarket::INPUTS),
        _ => return Err(PyKeyError::new_err(operation.to_owned())),
    };
    Ok((settings(edit), settings(plan), settings(BacktestMarket::INPUTS)))
}

/// Returns the inputs that are one number, boolean or choice each. Those that an edit sends only if they are given, such as the
/// account, are not settings of a bot.
fn settings(inputs: &Inputs) -> Vec<SettingRow> {
    let is_setting = |input: &&Input| {
        let is_single = matches!(
            input.input_type,
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
