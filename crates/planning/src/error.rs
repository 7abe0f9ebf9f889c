//! Errors of planning.

use botdesk_schema::input::Violation;
use botdesk_schema::record::FieldError;

/// The reason why planning failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A field of the record can't be read.
    #[error("{field}; {advice}")]
    Field {
        /// The field.
        field: FieldError,
        /// The advice.
        advice: String,
    },
    /// Values are missing or invalid.
    #[error("{} values prevent a plan", .0.len())]
    Values(Vec<Violation>),
}

impl PlanError {
    /// Returns both values, or the errors of both.
    pub fn both<A, B>(left: Result<A, Self>, right: Result<B, Self>) -> Result<(A, B), Self> {
        match (left, right) {
            (Ok(left), Ok(right)) => Ok((left, right)),
            (Err(left), right) => Err(left.and(right.err())),
            (Ok(_), Err(right)) => Err(right),
        }
    }

    /// Combines two errors by listing the violations of both. A field that can't be read is reported alone.
    #[must_use]
    pub fn and(self, other: Option<Self>) -> Self {
        match (self, other) {
            (Self::Values(violations), Some(Self::Values(others))) => Self::Values([violations, others].concat()),
            (field @ Self::Field { .. }, _) | (_, Some(field @ Self::Field { .. })) | (field, None) => field,
        }
    }
}

impl From<Violation> for PlanError {
    fn from(violation: Violation) -> Self {
        Self::Values(vec![violation])
    }
}
