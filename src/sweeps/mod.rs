//! Sweeps: backtests of a bot with every combination of some settings.

mod arguments;
mod class;
mod drawing;
mod finished;
mod fold;
mod notes;
mod objective;
mod plan;
mod point;
mod pool;
mod refused;
mod run;
mod table;

pub(super) use arguments::{SweepBotArgument, SweepExecutor, SweepOptions, SweepParameters};
pub(super) use class::Sweep;
pub(super) use fold::SweepFold;
pub(super) use plan::SharedPlan;
pub(super) use point::SweepPoint;
pub(super) use pool::ChunkListener;
pub(super) use refused::RefusedCombination;
pub(super) use run::SweepRun;
