//! Checks that the market can calculate with the values of a record. A value that it does not understand is an error, never a guess.

use serde_json::Value;

use botdesk_schema::decimal;
use botdesk_schema::field::FieldSpec;
use botdesk_schema::field::Schema;
use botdesk_schema::secrets::shown_value;

/// The fields of bots and deals that determine orders.
const FIELDS: [&str; 22] = [
    "strategy",
    "base_order_volume",
    "base_order_volume_type",
    "safety_order_volume",
    "safety_order_volume_type",
    "safety_order_step_percentage",
    "martingale_step_coefficient",
    "martingale_volume_coefficient",
    CUSTOM_SAFETY_STEPS,
    "max_safety_orders",
    "active_safety_orders_count",
    "max_active_deals",
    "take_profit",
    TAKE_PROFIT_STEPS,
    "take_profit_type",
    "trailing_deviation",
    "stop_loss_percentage",
    "grid_type",
    "grids_quantity",
    "quantity_per_grid",
    "order_currency_type",
    MODE,
];

const TAKE_PROFIT_STEPS: &str = "take_profit_steps";

const CUSTOM_SAFETY_STEPS: &str = "custom_safety_steps";

/// The direction of a grid bot, which is null on a spot account.
const MODE: &str = "mode";

/// The fields among them that may be null: the take profit if steps are used, and the steps of a bot without them.
const NULLABLE: [&str; 3] = ["take_profit", CUSTOM_SAFETY_STEPS, MODE];

/// Returns what is wrong with a value of the row's type if the market can't calculate with it.
pub(crate) fn problem(row: &FieldSpec, value: &Value) -> Option<String> {
    if !FIELDS.contains(&row.wire) {
        return None;
    }
    match (row.schema, value) {
        (_, Value::Null) if NULLABLE.contains(&row.wire) => None,
        (_, Value::Null) => Some("must not be null: the market calculates with it".to_owned()),
        (Schema::OneOf(choices), value) => {
            let is_known = value.as_str().is_some_and(|choice| choices.contains(&choice));
            (!is_known).then(|| format!("must be one of {}, not {value}", choices.join(", ")))
        }
        (Schema::Decimal, value) => (decimal::of(value).is_none()).then(|| not_finite(value)),
        (_, Value::Array(steps)) => {
            let members = if row.wire == CUSTOM_SAFETY_STEPS { CUSTOM_MEMBERS } else { TARGET_MEMBERS };
            steps.iter().find_map(|step| step_problem(step, members))
        }
        _ => None,
    }
}

/// The numbers of a take-profit step.
const TARGET_MEMBERS: [&str; 2] = ["amount_percentage", "profit_percentage"];

/// The numbers of a custom safety step.
const CUSTOM_MEMBERS: [&str; 2] = ["deviation", "size"];

fn step_problem(step: &Value, members: [&str; 2]) -> Option<String> {
    let mut problems = members.into_iter().filter_map(|member| match step.get(member) {
        None | Some(Value::Null) => Some(format!("each step needs {member}")),
        Some(value) if decimal::of(value).is_none() => Some(format!("{member} {}", not_finite(value))),
        Some(_) => None,
    });
    problems.next()
}

fn not_finite(value: &Value) -> String {
    format!("must be a finite number, not {}", shown_value(&value.to_string()))
}
