//! Comparison of values.

use serde_json::Value;

use crate::decimal;

/// Returns true if two values are the same. `1.50`, `"1.5"` and `1.5` are the same number.
pub(super) fn is_same_number_or_value(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| is_same_number_or_value(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, left)| right.get(name).is_some_and(|right| is_same_number_or_value(left, right)))
        }
        _ => left == right || decimal::of(left).is_some_and(|number| decimal::of(right) == Some(number)),
    }
}
