//! Functions for the command line.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use botdesk_api::document;
use botdesk_api::input::{Input, InputType};
use botdesk_api::secrets::redact_secrets;
use botdesk_planning::backtest_market::BacktestMarket;

/// An input for the command line: its name, its type, its choices and its description.
pub(super) type InputRow = (&'static str, &'static str, Vec<&'static str>, &'static str);

/// Return the inputs of an operation, and whether it is a write.
#[pyfunction]
pub(super) fn _operation(name: &str) -> PyResult<(Vec<InputRow>, bool)> {
    let endpoint = document::operations().find(|endpoint| endpoint.operation == name);
    let endpoint = endpoint.ok_or_else(|| PyKeyError::new_err(name.to_owned()))?;
    let rows = endpoint.takes.inputs().map_or(&[][..], |inputs| inputs.rows);
    Ok((rows.iter().map(row).collect(), endpoint.method.writes()))
}

/// Return the inputs of a backtest that describe the market and the account.
#[pyfunction]
pub(super) fn _backtest_inputs() -> Vec<InputRow> {
    BacktestMarket::INPUTS.rows.iter().map(row).collect()
}

/// Returns the description of an input.
pub(super) fn row(input: &Input) -> InputRow {
    let (form, choices) = match input.form {
        InputType::Decimal => ("decimal", &[][..]),
        InputType::Integer => ("integer", &[][..]),
        InputType::Bool => ("bool", &[][..]),
        InputType::Text => ("string", &[][..]),
        InputType::OneOf(choices) => ("string", choices),
        InputType::Time => ("time", &[][..]),
        InputType::Pairs | InputType::Texts => ("strings", &[][..]),
        InputType::Steps | InputType::Strategies | InputType::Object => ("json", &[][..]),
    };
    (input.name, form, choices.to_vec(), input.about)
}

/// Return JSON with its secrets replaced by placeholders.
#[pyfunction]
pub(super) fn _without_secrets(text: &str) -> String {
    redact_secrets(text)
}
