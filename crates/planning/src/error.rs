//! The errors of plans.

use botdesk_api::input::Violation;
use botdesk_api::record::FieldError;

/// A reason why a plan can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A field of the record can't be read.
    #[error("{field}; {advice}")]
    Field {
        /// The field.
        field: FieldError,
        /// Advice for the user.
        advice: String,
    },
    /// Values are missing or invalid.
    #[error("{} values make no plan", .0.len())]
    Values(Vec<Violation>),
}

impl PlanError {
    /// Combines the violations of two errors. A field that can't be read is reported alone.
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
