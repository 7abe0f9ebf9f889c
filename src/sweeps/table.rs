//! The combinations of a sweep as columns and as strings.

use serde_json::Value;

use super::objective::summary;
use super::plan::SharedPlan;
use super::point::SweepPoint;
use crate::backtests::BacktestSummary;
use crate::columns::Columns as _;
use botdesk_api::input::{Input, InputType};
use botdesk_api::tables::Calculated;

/// Returns the columns of points: the settings, then the figures.
pub(super) fn columns(points: &[&SweepPoint]) -> Vec<(&'static str, Calculated)> {
    let summaries: Vec<BacktestSummary> = points.iter().map(|point| summary(&point.figures)).collect();
    let figures = BacktestSummary::columns(&summaries.iter().collect::<Vec<_>>());
    let settings = points.first().map_or(Vec::new(), |point| inputs(&point.plan));
    let settings = settings.into_iter().enumerate().map(|(place, input)| {
        let values =
            points.iter().map(|point| point.plan.0.combinations().values(point.index).get(place).copied().flatten());
        (input.name, column(input.form, values))
    });
    settings.chain(figures).collect()
}

fn column<'a>(form: InputType, values: impl Iterator<Item = Option<&'a Value>>) -> Calculated {
    match form {
        InputType::Integer => Calculated::Integers(values.map(|value| value.and_then(integer)).collect()),
        InputType::Decimal => Calculated::Decimals(values.map(|value| value.map(text)).collect()),
        _ => Calculated::Texts(values.map(|value| value.map(|value| text(value).into())).collect()),
    }
}

fn integer(value: &Value) -> Option<i64> {
    use crate::exceptions::RustResult as _;
    value.as_i64().or_else(|| value.as_str()?.parse().rust_ok())
}

/// Returns a value as a string: strings without quotes, lists and objects as JSON.
fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the inputs of the parameters.
fn inputs(plan: &SharedPlan) -> Vec<&'static Input> {
    let bot = &plan.0.definition().bot;
    plan.0.combinations().parameters().iter().filter_map(|parameter| parameter.input(bot)).collect()
}

/// Returns the names of the parameters.
pub(super) fn names(plan: &SharedPlan) -> Vec<&'static str> {
    inputs(plan).iter().map(|input| input.name).collect()
}

/// Returns the settings of a combination, each with its name.
pub(super) fn cells(plan: &SharedPlan, index: usize) -> Vec<(String, String)> {
    let values = plan.0.combinations().values(index).into_iter();
    let values = values.map(|value| value.map_or_else(|| "None".to_owned(), text));
    inputs(plan).iter().map(|input| input.name.to_owned()).zip(values).collect()
}

/// Returns the settings of a combination in one line.
pub(super) fn shown(plan: &SharedPlan, index: usize) -> String {
    cells(plan, index).into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}
