//! Fields that can't be read.

use crate::row::Row;
use crate::secrets::{HIDDEN, without_secrets};

/// A field whose value is not of its documented type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{record}.{field} is not {expected}: {text}")]
pub struct FieldError {
    /// The name of the record.
    pub record: &'static str,
    /// The name of the attribute.
    pub field: &'static str,
    /// What the document says it holds.
    pub expected: &'static str,
    /// What it holds; a placeholder where it is a secret.
    pub text: String,
}

impl FieldError {
    pub(super) fn new(record: &'static str, row: &Row, expected: &'static str, text: &str) -> Self {
        let text = if row.secret { HIDDEN.to_owned() } else { excerpt(&without_secrets(text)) };
        Self { record, field: row.name, expected, text }
    }
}

/// How much of an unreadable value a message shows.
pub(super) const LONGEST_EXCERPT: usize = 200;

pub(super) fn excerpt(text: &str) -> String {
    text.chars().take(LONGEST_EXCERPT).collect()
}
