//! The combinations of a sweep as columns and as strings.

use serde_json::Value;

use super::plan::SharedPlan;
use botdesk_display::arrow::Calculated;
use botdesk_schema::input::{Input, InputType};

/// Returns the column of a setting.
pub(super) fn column<'a>(input_type: InputType, values: impl Iterator<Item = Option<&'a Value>>) -> Calculated {
    match input_type {
        InputType::Integer => Calculated::Integers(values.map(|value| value.and_then(integer)).collect()),
        InputType::Bool => Calculated::Booleans(values.map(|value| value.and_then(Value::as_bool)).collect()),
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

/// Returns a value of a setting as a string; None is null.
pub(super) fn shown_value(value: Option<&Value>) -> String {
    value.map_or_else(|| "None".to_owned(), text)
}

/// Returns the inputs of the parameters.
pub(super) fn inputs(plan: &SharedPlan) -> Vec<&'static Input> {
    let bot = &plan.0.definition().bot;
    plan.0.combinations().parameters().iter().filter_map(|parameter| parameter.input(bot)).collect()
}

/// Returns the names of the parameters.
pub(super) fn names(plan: &SharedPlan) -> Vec<&'static str> {
    inputs(plan).iter().map(|input| input.name).collect()
}

/// Returns the settings of a combination, each with its name.
pub(super) fn cells(plan: &SharedPlan, index: usize) -> Vec<(String, String)> {
    let values = plan.0.combinations().values(index).into_iter().map(shown_value);
    inputs(plan).iter().map(|input| input.name.to_owned()).zip(values).collect()
}

/// Returns the settings of a combination in one line.
pub(super) fn shown(plan: &SharedPlan, index: usize) -> String {
    cells(plan, index).into_iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
}
