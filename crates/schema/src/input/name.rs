//! The names of inputs.

use super::violation::Violation;
use crate::field::attribute_name;

/// The name of an input. Tables that share a row share its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputName(&'static str);

impl InputName {
    /// Returns the name with which a table declares an input.
    pub const fn new(identifier: &'static str) -> Self {
        Self(attribute_name(identifier))
    }

    /// Returns the name of the argument.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns a violation by the input.
    pub fn violation(self, message: impl Into<String>) -> Violation {
        Violation::new(self.0, message)
    }
}
