//! The outcome of a combination.

use serde::{Deserialize, Serialize};

use crate::backtest_settings::NotSimulated;
use crate::error::PlanError;
use botdesk_schema::input::Violation;
use botdesk_trading::backtest::Summary;
use botdesk_trading::decimal::Decimal;

/// The figures of a backtest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figures {
    /// The summary of the run.
    pub summary: Summary,
    /// The budget of the bot; None if volumes are in percent.
    pub budget: Option<Decimal>,
}

/// A field, and why its value can't be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldProblem {
    /// The name of the field.
    pub field: String,
    /// The reason.
    pub message: String,
}

/// The notes about the backtest of a combination.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CombinationNotes {
    /// The settings that matter but are not simulated.
    pub not_simulated: Vec<NotSimulated>,
    /// The warnings that are not about the candles, each in a sentence.
    pub warnings: Vec<String>,
}

/// The outcome of a combination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SweepOutcome {
    /// It ran.
    Done {
        /// The figures over all candles.
        whole: Box<Figures>,
        /// The figures of each stretch.
        stretches: Vec<Figures>,
        /// The notes about the run over all candles.
        notes: Box<CombinationNotes>,
    },
    /// It breaks rules, or no bot can have its settings.
    Refused(Vec<FieldProblem>),
    /// The candles or the market don't fit the bot.
    Invalid(Vec<FieldProblem>),
}

impl From<&Violation> for FieldProblem {
    fn from(violation: &Violation) -> Self {
        Self { field: violation.field.clone(), message: violation.plain_message().to_owned() }
    }
}

impl From<&FieldProblem> for Violation {
    fn from(reason: &FieldProblem) -> Self {
        Self::new(&reason.field, &reason.message)
    }
}

/// Returns the reasons of an error.
pub(super) fn reasons(error: &PlanError) -> Vec<FieldProblem> {
    match error {
        PlanError::Values(violations) => violations.iter().map(FieldProblem::from).collect(),
        PlanError::Field { field, advice } => {
            vec![FieldProblem { field: field.field.to_owned(), message: format!("{field}; {advice}") }]
        }
    }
}
