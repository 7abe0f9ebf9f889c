//! The combinations of the values of parameters.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bot::{Setting, SweepBot};
use botdesk_schema::decimal;
use botdesk_schema::input::{Input, InputType, RequestBuilder, Violation};
use botdesk_schema::values::Field;

/// The maximum number of combinations of a sweep.
pub const MAX_COMBINATIONS: usize = 1_000_000;

/// A setting of a bot, and the values that are tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SweepParameter {
    /// The name of the input.
    pub name: String,
    /// The values; None for null.
    pub values: Vec<Option<Value>>,
}

/// Every combination of the values of parameters, in the order of nested loops: the last parameter changes first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Combinations {
    parameters: Vec<SweepParameter>,
}

impl SweepParameter {
    /// Returns a parameter of a bot with each value once, as a request has it. `1` and `1.0` are the same decimal.
    pub fn new(bot: &SweepBot, name: &str, values: Vec<Option<Value>>) -> Result<Self, Violation> {
        let (inputs, input) = bot.input(name)?;
        let mut unique: Vec<Option<Value>> = Vec::with_capacity(values.len());
        let mut known = HashSet::new();
        for value in values {
            let value = value.map(|value| {
                let builder = RequestBuilder::new(inputs, [(input.key(), Field::Value(value.clone()))]);
                builder.value(input.key()).cloned().unwrap_or(value)
            });
            if known.insert(value.as_ref().map(|value| identity(input.input_type, value))) {
                unique.push(value);
            }
        }
        if unique.is_empty() {
            return Err(Violation::new(name, "has no values; pass at least one"));
        }
        Ok(Self { name: name.to_owned(), values: unique })
    }

    /// Returns the input of a bot that the parameter sets.
    pub fn input(&self, bot: &SweepBot) -> Option<&'static Input> {
        bot.input(&self.name).ok().map(|(_, input)| input)
    }
}

/// Returns a string that is the same for equal decimals, and for objects with the same members in any order.
fn identity(input_type: InputType, value: &Value) -> String {
    let number = if input_type == InputType::Decimal { decimal::of(value) } else { None };
    number.map_or_else(|| sorted(value.clone()).to_string(), |number| number.normalized().to_string())
}

fn sorted(mut value: Value) -> Value {
    value.sort_all_objects();
    value
}

impl Combinations {
    /// Returns the combinations of the values of parameters, or the violation if there are too many.
    pub fn new(parameters: Vec<SweepParameter>) -> Result<Self, Violation> {
        if parameters.is_empty() {
            return Err(Violation::new("parameters", "is empty; pass at least one setting and its values"));
        }
        let count = parameters.iter().try_fold(1_usize, |count, parameter| count.checked_mul(parameter.values.len()));
        if count.is_none_or(|count| count > MAX_COMBINATIONS) {
            let message = format!("make more than {MAX_COMBINATIONS} combinations; pass fewer values");
            return Err(Violation::new("parameters", message));
        }
        Ok(Self { parameters })
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &[SweepParameter] {
        &self.parameters
    }

    /// Returns the number of combinations.
    pub fn count(&self) -> usize {
        self.parameters.iter().map(|parameter| parameter.values.len()).product()
    }

    /// Returns the place of each parameter's value of the combination at an index, in the order of the parameters.
    pub fn places(&self, index: usize) -> Vec<usize> {
        let mut rest = index;
        let places = self.parameters.iter().rev().map(|parameter| {
            let count = parameter.values.len().max(1);
            let place = rest % count;
            rest /= count;
            place
        });
        let mut places: Vec<_> = places.collect();
        places.reverse();
        places
    }

    /// Returns the values of the combination at an index, in the order of the parameters.
    pub fn values(&self, index: usize) -> Vec<Option<&Value>> {
        let places = self.parameters.iter().zip(self.places(index));
        places.map(|(parameter, place)| parameter.values.get(place).and_then(Option::as_ref)).collect()
    }

    /// Returns the settings of the combination at an index.
    pub(super) fn settings(&self, index: usize) -> impl Iterator<Item = Setting> {
        let values = self.values(index).into_iter().map(Option::<&Value>::cloned);
        self.parameters.iter().map(|parameter| parameter.name.clone()).zip(values)
    }
}
