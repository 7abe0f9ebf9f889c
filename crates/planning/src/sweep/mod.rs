//! Sweeps: backtests of a bot with every combination of some values of its settings.

mod bot;
mod combinations;
mod outcome;
mod plan;
mod stretches;

pub use bot::{Setting, SweepBot};
pub use combinations::{Combinations, MAX_COMBINATIONS, SweepParameter};
pub use outcome::{CombinationNotes, FieldProblem, Figures, SweepOutcome};
pub use plan::{SweepDefinition, SweepPlan};
pub use stretches::{MAX_STRETCHES, MIN_STRETCHES, Stretch};

#[cfg(test)]
mod tests;
