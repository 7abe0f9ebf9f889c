//! Errors of reading a field.

use crate::field::FieldSpec;
use crate::secrets::{HIDDEN, redact_secrets};

/// A field whose value does not have its documented type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{record}.{field} is not {expected}: {text}")]
pub struct FieldError {
    /// The name of the record.
    pub record: &'static str,
    /// The name of the attribute.
    pub field: &'static str,
    /// The documented type.
    pub expected: &'static str,
    /// The value in JSON, or a placeholder if it is secret.
    pub text: String,
}

impl FieldError {
    pub(super) fn new(record: &'static str, row: &FieldSpec, expected: &'static str, text: &str) -> Self {
        let text = if row.secret { HIDDEN.to_owned() } else { excerpt(&redact_secrets(text)) };
        Self { record, field: row.name, expected, text }
    }
}

/// The maximum number of characters of an unreadable value in a message.
pub const MAX_EXCERPT_LENGTH: usize = 200;

pub(super) fn excerpt(text: &str) -> String {
    text.chars().take(MAX_EXCERPT_LENGTH).collect()
}
