//! The result of a run of a sweep.

use std::ops::Range;

use pyo3::prelude::*;

use botdesk_planning::sweep::SweepOutcome;

/// The outcomes of the combinations; None for those that were not run.
pub(super) struct Finished {
    pub(super) outcomes: Vec<Option<SweepOutcome>>,
    /// The first error of a worker.
    pub(super) error: Option<Py<PyAny>>,
}

impl Finished {
    /// Keeps the outcomes of a chunk.
    pub(super) fn keep(
        &mut self,
        range: Range<usize>,
        outcomes: Vec<SweepOutcome>,
        on_step: &(dyn Fn() + Send + Sync),
    ) {
        let slots = self.outcomes.get_mut(range).unwrap_or_default();
        for (slot, outcome) in slots.iter_mut().zip(outcomes) {
            *slot = Some(outcome);
            on_step();
        }
    }
}
