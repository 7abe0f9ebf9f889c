//! The backtests of a bot before and after an edit.

use pyo3::prelude::*;

use super::class::{Backtest, notes, quote, title};
use super::simulation::{ShouldStop, Simulation};
use super::summary::BacktestSummary;
use crate::pickles::{PickleParts, restoring};
use crate::runtime::computation::compute;
use botdesk_display::figures::DIFFERENCE;
use botdesk_display::text_table::{ShownCell, Table};
use botdesk_trading::backtest::Interrupted;

/// A cell: its string, every digit if it does not show all of them, and true for a better value, false for a worse one.
type Cell = (String, Option<String>, Option<bool>);

/// The heads of a table, its rows and its notes.
type TableParts = (Vec<&'static str>, Vec<Vec<Cell>>, Vec<String>);

/// The backtests of a bot before and after an edit, side by side.
#[pyclass(frozen, eq, module = "botdesk")]
#[derive(PartialEq)]
pub(crate) struct BacktestComparison {
    before: Backtest,
    after: Backtest,
}

#[pymethods]
impl BacktestComparison {
    /// The backtest of the bot as it is.
    #[getter]
    fn before(&self) -> Backtest {
        self.before.clone()
    }

    /// The backtest of the bot after the edit.
    #[getter]
    fn after(&self) -> Backtest {
        self.after.clone()
    }

    /// Each figure of the summary after the edit minus the one before. It is None if one of the two is.
    #[getter]
    fn difference(&self, py: Python<'_>) -> PyResult<BacktestSummary> {
        let [before, after] = self.summaries(py)?;
        Ok(after.minus(&before))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.table(py)?.text(1))
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.table(py)?.html())
    }

    /// Return the heads of the table, its rows and its notes, for `tune`.
    fn _table(&self, py: Python<'_>) -> PyResult<TableParts> {
        let table = self.table(py)?;
        let cell = |cell: ShownCell| (cell.text, cell.whole, cell.is_good);
        let rows = table.shown_rows().into_iter().map(|row| row.into_iter().map(cell).collect()).collect();
        Ok((table.heads, rows, table.notes))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py, (Backtest, Backtest)>> {
        Ok((restoring::<Self>(py)?, (self.before(), self.after())))
    }

    #[staticmethod]
    fn _restore(before: &Bound<'_, Backtest>, after: &Bound<'_, Backtest>) -> Self {
        Self { before: before.get().clone(), after: after.get().clone() }
    }
}

impl BacktestComparison {
    /// Runs two backtests.
    pub(super) fn of(before: Simulation, after: Simulation, should_stop: ShouldStop<'_>) -> Result<Self, Interrupted> {
        before.run(should_stop)?;
        after.run(should_stop)?;
        Ok(Self { before: Backtest(before), after: Backtest(after) })
    }

    fn summaries(&self, py: Python<'_>) -> PyResult<[BacktestSummary; 2]> {
        compute(py, |should_stop| {
            let summary = |backtest: &Backtest| backtest.0.summary(should_stop).cloned();
            Ok([summary(&self.before)?, summary(&self.after)?])
        })
    }

    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        let [before, after] = self.summaries(py)?;
        let difference = after.minus(&before);
        let notes = compute(py, |should_stop| {
            let notes = |backtest: &Backtest| Ok(notes(&backtest.0, backtest.0.warnings(should_stop)?));
            Ok([notes(&self.before)?, notes(&self.after)?])
        })?;
        let [of_before, of_after] = notes;
        let both = of_before.iter().filter(|note| of_after.contains(note)).cloned();
        let only = |name: &'static str, own: &[String], other: &[String]| -> Vec<String> {
            own.iter().filter(|note| !other.contains(note)).map(|note| format!("{name}: {note}")).collect()
        };
        let only = [only("before", &of_before, &of_after), only("after", &of_after, &of_before)].concat();
        Ok(Table {
            title: title(&self.after.0),
            heads: vec!["figure", "before", "after", DIFFERENCE],
            rows: BacktestSummary::side_by_side(&[&before, &after, &difference]),
            figures: BacktestSummary::figures(quote(&self.after.0)),
            ellipsis: None,
            notes: both.chain(only).collect(),
        })
    }
}
