//! The combinations of the values of parameters.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::bot::{Setting, SweepBot};
use botdesk_api::input::{Input, RequestBuilder, Violation};
use botdesk_api::values::Field;

/// The maximum number of combinations of a sweep.
const MAX_COMBINATIONS: usize = 1_000_000;

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
    /// Returns a parameter of a bot with each value once, as a request has it.
    pub fn new(bot: &SweepBot, name: &str, values: Vec<Option<Value>>) -> Result<Self, Violation> {
        let (inputs, index) = bot.input(name)?;
        let mut unique: Vec<Option<Value>> = Vec::with_capacity(values.len());
        for value in values {
            let value = value.map(|value| {
                let builder = RequestBuilder::new(inputs, [(index, Field::Value(value.clone()))]);
                builder.value(index).cloned().unwrap_or(value)
            });
            if !unique.contains(&value) {
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
        let (inputs, index) = bot.input(&self.name).ok()?;
        inputs.rows.get(index)
    }
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

    /// Returns the values of the combination at an index, in the order of the parameters.
    pub fn values(&self, index: usize) -> Vec<Option<&Value>> {
        let mut rest = index;
        let mut values: Vec<_> = self
            .parameters
            .iter()
            .rev()
            .map(|parameter| {
                let count = parameter.values.len().max(1);
                let value = parameter.values.get(rest % count).and_then(Option::as_ref);
                rest /= count;
                value
            })
            .collect();
        values.reverse();
        values
    }

    /// Returns the settings of the combination at an index.
    pub(super) fn settings(&self, index: usize) -> impl Iterator<Item = Setting> {
        let values = self.values(index).into_iter().map(Option::<&Value>::cloned);
        self.parameters.iter().map(|parameter| parameter.name.clone()).zip(values)
    }
}
