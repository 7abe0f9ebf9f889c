//! A sweep that is ready to run, for the workers of an executor.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::exceptions::RustResult as _;
use crate::pickles::{PickleParts, restoring, text};
use crate::planning::candles::Candles;
use crate::runtime::computation::compute;
use botdesk_planning::sweep::{SweepOutcome, SweepPlan};
use botdesk_trading::backtest::Interrupted;

/// A sweep that is ready to run: the bot, the combinations, the market and the candles.
#[pyclass(frozen, name = "_SweepPlan", module = "botdesk._native")]
#[derive(Clone)]
pub(crate) struct SharedPlan(pub(super) Arc<SweepPlan>);

#[pymethods]
impl SharedPlan {
    /// Run some of the combinations on this thread, and return their outcomes as JSON.
    fn run(&self, py: Python<'_>, first: usize, last: usize) -> PyResult<String> {
        let outcomes = compute(py, |should_stop| {
            (first..last)
                .map(|index| self.0.outcome(index, should_stop))
                .collect::<Result<Vec<SweepOutcome>, Interrupted>>()
        })?;
        text(&outcomes)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py, (String, Vec<Candles>)>> {
        let json = self.0.to_json().map_rust_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((restoring::<Self>(py)?, (json, self.0.candles().cloned().map(Candles::of).collect())))
    }

    #[staticmethod]
    fn _restore(py: Python<'_>, plan: &str, candles: Vec<Py<Candles>>) -> PyResult<Self> {
        let candles: Vec<_> = candles.iter().map(|candles| candles.bind(py).get().candles.clone()).collect();
        let plan = SweepPlan::from_json(plan, &candles);
        let plan = plan.ok_or_else(|| PyValueError::new_err("the pickle has no sweep"))?;
        Ok(Self(Arc::new(plan)))
    }
}
