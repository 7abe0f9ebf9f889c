//! The same action on many records: concurrently, within the rate limit, and nothing sent twice.
//!
//! Each record is a target with its own outcome. A write that may have been applied has an outcome of its own, so that a run can be
//! continued where it ended.

mod action;
mod job;
mod plan;
mod pool;
mod run;
mod stop;
#[cfg(test)]
mod tests;

pub use action::{BulkAction, Changes, Target};
pub use job::Outcome;
pub use plan::{BulkPlan, TargetPlan};
pub use pool::RunControl;
pub use run::{Bulk, CONCURRENCY, MAX_CONCURRENCY, RunResult};
pub use stop::StopSignal;
