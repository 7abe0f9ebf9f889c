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

pub(crate) use arguments::{SweepBotArgument, SweepExecutor, SweepOptions, SweepParameters};
pub(crate) use class::Sweep;
pub(crate) use fold::SweepFold;
pub(crate) use plan::SharedPlan;
pub(crate) use point::SweepPoint;
pub(crate) use pool::ChunkListener;
pub(crate) use refused::RefusedCombination;
pub(crate) use run::SweepRun;
