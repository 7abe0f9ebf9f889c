//! Errors that a row has a reason or a body of its own for.

use super::error::ApiErrorKind;

/// An error that an operation has a reason of its own for.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// The status.
    pub status: u16,
    /// The kind.
    pub kind: ApiErrorKind,
    /// The reason, in a sentence.
    pub cause: &'static str,
    /// The body of the response; None if it is that of any operation.
    pub body: Option<RefusalBody>,
}

/// Returns a row of [`Operation::refuses`](super::operation::Operation::refuses).
pub const fn refusal(status: u16, kind: ApiErrorKind, cause: &'static str) -> Refusal {
    Refusal { status, kind, cause, body: None }
}

impl Refusal {
    /// Returns the refusal with the body of the response.
    #[must_use]
    pub const fn body(self, body: RefusalBody) -> Self {
        Self { body: Some(body), ..self }
    }
}

/// The body of an error response, as the API reference has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefusalBody {
    /// The member `error`: a code or a sentence.
    pub error: &'static str,
    /// The member `error_description`; empty if the body has none.
    pub description: &'static str,
    /// The inputs in the member `error_attributes`, each with a message.
    pub attributes: &'static [(&'static str, &'static str)],
}

impl RefusalBody {
    /// The body that most operations have for a record that does not exist.
    pub const NOT_FOUND: Self = Self::new("not_found", "Not Found");

    /// Returns a body with a code or a sentence, and a description that may be empty.
    pub const fn new(error: &'static str, description: &'static str) -> Self {
        Self { error, description, attributes: &[] }
    }

    /// Returns the body of an error about inputs, each with a message.
    pub const fn invalid(attributes: &'static [(&'static str, &'static str)]) -> Self {
        Self { error: "record_invalid", description: "Invalid parameters", attributes }
    }
}
