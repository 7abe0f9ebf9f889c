//! The best combination of a stretch, tried on the next one.

use pyo3::prelude::*;
use pyo3::types::PyAny;

use super::objective::{Objective, summary};
use super::plan::SharedPlan;
use super::point::parameters;
use super::table::shown;
use crate::display::tables::{ArrowTable, DecimalsArgument, WithIssues, all};
use crate::pickles::{PickleParts, of_text, restoring, text};
use crate::planning::backtests::BacktestSummary;
use crate::planning::candles::timestamp;
use crate::protocols::import_datetime;
use crate::raise::OrPyErr as _;
use crate::values::{NamedValues, typed_objects};
use botdesk_display::arrow::Calculated;
use botdesk_display::figures::{Rounding, common_quote};
use botdesk_display::html;
use botdesk_planning::sweep::{Figures, Stretch};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The name of the figure on the next stretch.
const NEXT: &str = "next";

/// The best combination of a stretch of the candles, and what it did on the next stretch.
///
/// A setting that is good by luck is best on one stretch and ordinary on the next one: compare `value` with `next_value`, and
/// `next_rank` with `combinations`.
#[pyclass(frozen, module = "botdesk")]
#[derive(Clone)]
pub(crate) struct SweepFold {
    plan: SharedPlan,
    objective: Objective,
    results: FoldResults,
}

/// The results of the best combination of a stretch.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct FoldResults {
    /// The number of the stretch, from 0 on.
    stretch: usize,
    /// The index of the combination.
    index: usize,
    figures: Figures,
    next: Figures,
    next_rank: usize,
    combinations: usize,
}

typed_objects! {
    /// A figure of any type.
    AnyFigure(PyAny) => ANY;
}

#[pymethods]
impl SweepFold {
    /// The start of the stretch, in UTC.
    #[getter]
    fn start(&self, py: Python<'_>) -> PyResult<Timestamp> {
        import_datetime(py)?;
        Ok(timestamp(self.stretch().start))
    }

    /// The end of the stretch, at which the next one starts, in UTC.
    #[getter]
    fn end(&self, py: Python<'_>) -> PyResult<Timestamp> {
        import_datetime(py)?;
        Ok(timestamp(self.stretch().end))
    }

    /// The settings of the combination that is the best of the stretch, by name.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<NamedValues<'py>> {
        parameters(py, &self.plan, self.results.index)
    }

    /// The figures of the combination on the stretch.
    #[getter]
    fn summary(&self) -> BacktestSummary {
        summary(&self.results.figures)
    }

    /// The figures of the same combination on the next stretch.
    #[getter]
    fn next_summary(&self) -> BacktestSummary {
        summary(&self.results.next)
    }

    /// The objective on the stretch.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<AnyFigure<'py>> {
        self.figure(py, self.summary())
    }

    /// The objective on the next stretch.
    #[getter]
    fn next_value<'py>(&self, py: Python<'py>) -> PyResult<AnyFigure<'py>> {
        self.figure(py, self.next_summary())
    }

    /// The rank of the combination on the next stretch: 1 if none is better there. Equal ones have the same rank.
    #[getter]
    fn next_rank(&self) -> usize {
        self.results.next_rank
    }

    /// The number of combinations that are ranked.
    #[getter]
    fn combinations(&self) -> usize {
        self.results.combinations
    }

    fn __repr__(&self) -> String {
        let cell = |(name, value): (String, String)| format!(" {name}={}", self.rounding(&name).round(&value));
        let cells: String = self.cells().into_iter().map(cell).collect();
        format!("<SweepFold {}{cells}>", shown(&self.plan, self.results.index))
    }

    fn _repr_html_(&self) -> String {
        let mut cells = vec![("combination".to_owned(), shown(&self.plan, self.results.index))];
        cells.extend(self.cells());
        html::figures("SweepFold", &cells, |name| self.rounding(name))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.objective == other.objective && self.results == other.results
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py, (SharedPlan, &'static str, String)>> {
        Ok((restoring::<Self>(py)?, (self.plan.clone(), self.objective.0, text(&self.results)?)))
    }

    #[staticmethod]
    fn _restore(plan: &Bound<'_, SharedPlan>, objective: &str, results: &str) -> PyResult<Self> {
        let objective = Objective::of(objective).or_py_err()?;
        Ok(Self { plan: plan.get().clone(), objective, results: of_text(results, "results")? })
    }

    /// Return the table of these folds, and the values that it can't represent.
    #[staticmethod]
    fn _table(elements: &Bound<'_, PyAny>, decimals: DecimalsArgument) -> PyResult<WithIssues> {
        let folds = all::<Self>(elements, &elements.py().get_type::<Self>())?;
        let folds: Vec<_> = folds.iter().map(Bound::get).collect();
        ArrowTable::of_calculated(columns(&folds), decimals.0)
    }

    /// The attributes that are rounded for people.
    #[classattr]
    fn _figures() -> Vec<&'static str> {
        vec!["value", "next_value"]
    }

    /// The attributes that a table shows. A narrow terminal keeps the first one, and of the numbers those at the ends.
    #[classattr]
    fn _shown() -> Vec<&'static str> {
        vec!["parameters", "start", "end", "value", "combinations", "next_rank", "next_value"]
    }
}

impl SweepFold {
    /// Returns the best combination of each stretch but the last one. `points` are the combinations that ran over all stretches.
    pub(super) fn all(plan: &SharedPlan, objective: Objective, points: &[(usize, &[Figures])]) -> Vec<Self> {
        let count = plan.0.stretches().len();
        let of = |stretch: usize| points.iter().filter_map(|(_, figures)| figures.get(stretch)).collect::<Vec<_>>();
        let ranks: Vec<_> = (0..count).map(|stretch| objective.ranks(&of(stretch))).collect();
        let fold = |(stretch, pair): (usize, &[Vec<usize>])| {
            let [ranks, next] = pair else { return None };
            let best = ranks.iter().position(|rank| *rank == 1)?;
            let (index, figures) = points.get(best)?;
            let results = FoldResults {
                stretch,
                index: *index,
                figures: figures.get(stretch)?.clone(),
                next: figures.get(stretch + 1)?.clone(),
                next_rank: *next.get(best)?,
                combinations: points.len(),
            };
            Some(Self { plan: plan.clone(), objective, results })
        };
        ranks.windows(2).enumerate().filter_map(fold).collect()
    }

    fn stretch(&self) -> Stretch {
        self.plan.0.stretches().get(self.results.stretch).copied().unwrap_or(Stretch { start: 0, end: 0 })
    }

    fn figure<'py>(&self, py: Python<'py>, summary: BacktestSummary) -> PyResult<AnyFigure<'py>> {
        Bound::new(py, summary)?.getattr(self.objective.0).map(AnyFigure)
    }

    fn cells(&self) -> Vec<(String, String)> {
        let name = self.objective.0;
        let both = BacktestSummary::side_by_side(&[&self.summary(), &self.next_summary()]);
        let of_objective = both.into_iter().find(|row| row.first().is_some_and(|known| known == name));
        let mut values = of_objective.unwrap_or_default().into_iter().skip(1);
        let mut value = || values.next().unwrap_or_default();
        vec![
            (name.to_owned(), value()),
            (NEXT.to_owned(), value()),
            ("next_rank".to_owned(), format!("{}/{}", self.results.next_rank, self.results.combinations)),
        ]
    }

    /// Returns the rounding of a cell.
    fn rounding(&self, name: &str) -> Rounding {
        let is_figure = name == self.objective.0 || name == NEXT;
        if !is_figure {
            return Rounding::Exact;
        }
        let pairs = self.plan.0.definition().pairs();
        Rounding::of_figure(self.objective.0, common_quote(pairs.iter().map(String::as_str)))
    }
}

fn columns(folds: &[&SweepFold]) -> Vec<(&'static str, Calculated)> {
    let numbers = |number: fn(&FoldResults) -> usize| {
        use crate::exceptions::RustResult as _;
        Calculated::Integers(folds.iter().map(|fold| i64::try_from(number(&fold.results)).rust_ok()).collect())
    };
    let times =
        |time: fn(Stretch) -> i64| Calculated::Times(folds.iter().map(|fold| Some(time(fold.stretch()))).collect());
    let figure = |of: fn(&SweepFold) -> BacktestSummary| {
        let summaries: Vec<_> = folds.iter().map(|fold| of(fold)).collect();
        let objective = folds.first().map(|fold| fold.objective);
        objective.and_then(|objective| objective.column(&summaries.iter().collect::<Vec<_>>()))
    };
    let parameters = folds.iter().map(|fold| Some(shown(&fold.plan, fold.results.index).into()));
    let mut columns = vec![
        ("start", times(|stretch| stretch.start)),
        ("end", times(|stretch| stretch.end)),
        ("parameters", Calculated::Texts(parameters.collect())),
    ];
    columns.extend(figure(SweepFold::summary).map(|column| ("value", column)));
    columns.extend(figure(SweepFold::next_summary).map(|column| ("next_value", column)));
    columns.push(("next_rank", numbers(|results| results.next_rank)));
    columns.push(("combinations", numbers(|results| results.combinations)));
    columns
}
