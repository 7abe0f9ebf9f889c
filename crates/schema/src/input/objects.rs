//! Lists of objects as inputs, such as take-profit steps.

use serde_json::Value;

use crate::decimal;
use crate::field::RecordSpec;
use crate::record::Record;

/// What a list of objects takes.
#[derive(Debug)]
pub struct Objects {
    /// The record that an element is.
    pub record: &'static RecordSpec,
    /// The noun for an element.
    pub noun: &'static str,
    /// The decimals that each element needs, and the JSON type in which each is sent.
    pub members: &'static [(&'static str, Sent)],
    /// The members that the service sets itself, so that they are not sent.
    pub unsent: &'static [&'static str],
    /// Returns the message about an element of a list that is malformed although it has all members.
    pub problem: fn(&Value, &[Value]) -> Option<String>,
}

/// Two lists of the same records are the same type.
impl PartialEq for Objects {
    fn eq(&self, other: &Self) -> bool {
        self.record.name == other.record.name
    }
}

impl Eq for Objects {}

/// A record that a list in an input consists of.
pub trait ListedObject: Record {
    /// What the list takes.
    const OBJECTS: &'static Objects;
}

impl Objects {
    /// Returns the names of the members that each element needs.
    pub(super) fn names(&self) -> Vec<&'static str> {
        self.members.iter().map(|(name, _)| *name).collect()
    }

    /// Returns an element without the members that the service sets itself.
    pub(super) fn without_unsent(&self, element: Value) -> Value {
        match element {
            Value::Object(mut object) => {
                for member in self.unsent {
                    object.shift_remove(*member);
                }
                Value::Object(object)
            }
            other => other,
        }
    }
}

/// The JSON type in which a decimal of an object is sent.
#[derive(Clone, Copy, Debug)]
pub enum Sent {
    /// A string.
    Text,
    /// A number, unless it has more digits than one can hold.
    Number,
    /// A number if it is whole, else a string.
    NumberIfWhole,
}

impl Sent {
    /// Converts a decimal, which is a string, to this type.
    pub(super) fn of(self, decimal: Value) -> Value {
        let text = decimal.as_str();
        let number = match self {
            Self::Text => None,
            Self::Number => text.and_then(decimal::plain_number).map(Value::Number),
            Self::NumberIfWhole => text.and_then(|text| text.parse::<u32>().ok()).map(Value::from),
        };
        number.unwrap_or(decimal)
    }
}
