//! The names of inputs.

use super::{Input, Inputs, Violation};
use crate::row::attribute_name;

/// The name of an input. Tables that share a row share its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputName(&'static str);

impl InputName {
    /// Returns the name with which a table declares an input.
    pub const fn new(identifier: &'static str) -> Self {
        Self(attribute_name(identifier))
    }

    /// Returns the name of a row.
    pub(super) const fn of(row: &Input) -> Self {
        Self(row.name)
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

/// An input of a table: its name, or its place for code that walks the rows.
pub trait InputKey: Copy {
    /// Returns the place of the input; None if the table does not have it.
    fn place(self, inputs: &Inputs) -> Option<usize>;
}

impl InputKey for InputName {
    fn place(self, inputs: &Inputs) -> Option<usize> {
        inputs.rows.iter().position(|row| row.name == self.0)
    }
}

impl InputKey for usize {
    fn place(self, inputs: &Inputs) -> Option<usize> {
        Some(self).filter(|place| *place < inputs.rows.len())
    }
}
