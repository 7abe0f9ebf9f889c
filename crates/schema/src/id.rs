//! Identifiers in the paths of requests.

use std::fmt;

/// An identifier in a path: its placeholder, and the argument that replaces it.
#[derive(Clone, Copy, Debug)]
pub struct IdSpec {
    /// The name of the placeholder, which is `id` for the record of the resource.
    pub placeholder: &'static str,
    /// The name of the argument.
    pub name: &'static str,
    /// The type.
    pub id_type: IdType,
    /// The noun for what it identifies.
    pub noun: &'static str,
    /// An addition to the description of the argument.
    pub about: &'static str,
    /// Identifiers for examples.
    pub samples: &'static [&'static str],
}

/// The type of an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdType {
    /// A whole number greater than 0.
    Integer,
    /// A UUID.
    Uuid,
}

/// An identifier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// A number.
    Number(u64),
    /// A UUID, or the word [`SUMMARY`].
    Text(String),
}

/// The word that some operations take in place of an identifier: all records together.
pub const SUMMARY: &str = "summary";

impl Id {
    /// Returns the number; None for a text.
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(_) => None,
        }
    }
}

impl From<u64> for Id {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Text(text) => text.fmt(formatter),
        }
    }
}

impl IdSpec {
    /// Returns an identifier for examples, as an argument in Python; empty if there is none.
    pub fn example(&self) -> String {
        self.samples.first().map(|sample| self.literal(sample)).unwrap_or_default()
    }

    /// Returns an identifier as an argument in Python.
    pub fn literal(&self, sample: &str) -> String {
        match self.id_type {
            IdType::Integer => sample.to_owned(),
            IdType::Uuid => format!("\"{sample}\""),
        }
    }
}
