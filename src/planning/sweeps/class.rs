//! The Python class of sweeps.

use std::collections::HashSet;
use std::hash::Hash;

use pyo3::prelude::*;

use super::finished::Finished;
use super::fold::SweepFold;
use super::notes::notes;
use super::objective::{Objective, summary};
use super::plan::SharedPlan;
use super::point::{SweepPoint, parameters};
use super::refused::RefusedCombination;
use super::table::{cells, names};
use crate::arguments::AnyInteger;
use crate::display::table_methods::table_methods;
use crate::pickles::{PickleParts, of_text, restoring, text};
use crate::planning::backtests::{BacktestSummary, NotSimulated};
use crate::planning::plans::{ElementIterator, element};
use crate::raise::OrPyErr as _;
use crate::records::Records;
use crate::values::{NamedValues, typed_objects};
use botdesk_display::figures::{Figures, Rounding, common_quote};
use botdesk_display::text_table::Table;
use botdesk_planning::fraction::fee_text;
use botdesk_planning::sweep::{CombinationNotes, FieldProblem, SweepOutcome};
use pyo3::types::PyAny;
use serde::{Deserialize, Serialize};

/// The number of combinations that `best()` returns.
const BEST: AnyInteger = AnyInteger(10);

/// The figures that the display shows.
const SHOWN: &[&str] = &["profit", "open_profit", "drawdown", "fees", "deals", "profit_percentage", "most_capital"];

/// The backtests of a bot with every combination of some settings.
///
/// `len(sweep)` is the number of combinations that ran. `sweep[i]` and `for point in sweep` return them in the order of the
/// combinations, in which the last setting changes first. As a table it has a column for each setting, and then one for each
/// figure of the summary.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct Sweep {
    plan: SharedPlan,
    objective: Objective,
    results: Results,
    error: Option<Py<PyAny>>,
}

/// The outcomes of a sweep.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
struct Results {
    /// The combinations that ran, each with its index.
    done: Vec<(usize, SweepOutcome)>,
    refused: Vec<(usize, Vec<FieldProblem>)>,
    missing: Vec<usize>,
    interrupted: bool,
}

typed_objects! {
    /// An exception, or None.
    AnyError(PyAny) => type_hint_union!(
        type_hint_identifier!("builtins", "BaseException"),
        NONE
    );
}

#[pymethods]
impl Sweep {
    /// The figure by which the combinations are compared.
    #[getter]
    fn objective(&self) -> &'static str {
        self.objective.0
    }

    /// The combinations that break a rule or that no bot can have, with the reasons. They were not run.
    #[getter]
    fn refused(&self) -> Vec<RefusedCombination> {
        let refused = self.results.refused.iter().cloned();
        refused.map(|(index, reasons)| RefusedCombination { plan: self.plan.clone(), index, reasons }).collect()
    }

    /// True if combinations are missing: Ctrl-C ended the sweep, or a worker of the executor failed.
    #[getter]
    fn interrupted(&self) -> bool {
        self.results.interrupted
    }

    /// The settings of the combinations that were not run because the sweep was interrupted.
    #[getter]
    fn missing<'py>(&self, py: Python<'py>) -> PyResult<Vec<NamedValues<'py>>> {
        self.results.missing.iter().map(|index| parameters(py, &self.plan, *index)).collect()
    }

    /// The first error of a worker of the executor; None if there was none.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> AnyError<'py> {
        AnyError(self.error.as_ref().map_or_else(|| py.None().into_bound(py), |error| error.bind(py).clone()))
    }

    /// The settings that matter but are not simulated with one of the combinations, each with the reason.
    #[getter]
    fn not_simulated(&self) -> Vec<NotSimulated> {
        self.unique_notes(|notes| &notes.not_simulated).into_iter().cloned().map(NotSimulated).collect()
    }

    /// Notes about the candles and the combinations that ran, each in a sentence and once.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        let of_combinations = self.unique_notes(|notes| &notes.warnings);
        self.plan.0.warnings().iter().chain(of_combinations).cloned().collect()
    }

    /// The best combination of each stretch of the candles but the last one, and what it did on the next stretch. It is empty
    /// without `folds`.
    #[getter]
    fn folds(&self) -> Records<SweepFold> {
        let points = self.results.done.iter().filter_map(|(index, outcome)| match outcome {
            SweepOutcome::Done { stretches, .. } => Some((*index, stretches.as_slice())),
            _ => None,
        });
        SweepFold::all(&self.plan, self.objective, &points.collect::<Vec<_>>()).into_iter().collect()
    }

    /// Return the best combinations.
    ///
    /// Args:
    ///     n: The number of combinations.
    ///
    /// Returns:
    ///     A sweep with these combinations, the best one first. Of equal ones, the first comes first. Combinations without a value
    ///     come last.
    ///
    /// Raises:
    ///     ValidationError: `n` is negative or out of range.
    ///
    /// Example:
    ///     >>> import botdesk
    ///     >>> rows = [[0, 100, 103, 99, 101], [60000, 101, 104, 100, 102]]
    ///     >>> bot = {"base_order_volume": 100, "max_safety_orders": 0}
    ///     >>> sweep = botdesk.sweep(bot, rows, {"take_profit": [1, 2, 3]})
    ///     >>> [point.parameters for point in sweep.best(1)]
    ///     [{'take_profit': Decimal('3')}]
    #[pyo3(signature = (n = BEST))]
    fn best(&self, py: Python<'_>, n: AnyInteger) -> PyResult<Self> {
        let n = n.at_least(0, "n").or_py_err()?;
        let figures: Vec<_> = self.results.done.iter().filter_map(|(_, outcome)| figures(outcome)).collect();
        let best = self.objective.ranking(&figures).into_iter().take(n);
        let done = best.filter_map(|place| self.results.done.get(place).cloned()).collect();
        let results = Results { done, ..self.results.clone() };
        let error = self.error.as_ref().map(|error| error.clone_ref(py));
        Ok(Self { plan: self.plan.clone(), objective: self.objective, results, error })
    }

    fn __len__(&self) -> usize {
        self.results.done.len()
    }

    fn __getitem__(&self, index: isize) -> PyResult<SweepPoint> {
        let points = self.points();
        element(&points, index, "combinations").cloned()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<ElementIterator<'py, SweepPoint>> {
        ElementIterator::over(py, self.points())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.objective == other.objective
            && self.results == other.results
            && self.plan.0.combinations() == other.plan.0.combinations()
    }

    fn __repr__(&self) -> String {
        self.table().text(names(&self.plan).len())
    }

    fn _repr_html_(&self) -> String {
        self.table().html()
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<PickleParts<'py, (SharedPlan, &'static str, String, AnyError<'py>)>> {
        let results = text(&self.results)?;
        Ok((restoring::<Self>(py)?, (self.plan.clone(), self.objective.0, results, self.error(py))))
    }

    #[staticmethod]
    #[pyo3(signature = (plan, objective, results, error: "object"))]
    fn _restore(
        plan: &Bound<'_, SharedPlan>,
        objective: &str,
        results: &str,
        error: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let objective = Objective::of(objective).or_py_err()?;
        Ok(Self { plan: plan.get().clone(), objective, results: of_text(results, "results")?, error })
    }
}

table_methods! {
    Sweep, a "sweep" of SweepPoint, such as "sweep({'base_order_volume': 100, 'max_safety_orders': 0}, [[0, 9, 9, 9, 9]], {'take_profit': [1, 2]})";
}

fn figures(outcome: &SweepOutcome) -> Option<&botdesk_planning::sweep::Figures> {
    match outcome {
        SweepOutcome::Done { whole, .. } => Some(whole),
        _ => None,
    }
}

fn counted_combinations(count: usize) -> String {
    format!("{count} {}", if count == 1 { "combination" } else { "combinations" })
}

impl Sweep {
    /// Returns the sweep of a run that has ended.
    pub(super) fn new(plan: SharedPlan, objective: Objective, finished: Finished, is_interrupted: bool) -> Self {
        let mut results = Results::default();
        let mut outcomes = finished.outcomes.into_iter();
        for index in 0..plan.0.combinations().count() {
            match outcomes.next().and_then(|outcome| outcome) {
                Some(outcome @ SweepOutcome::Done { .. }) => results.done.push((index, outcome)),
                Some(SweepOutcome::Refused(reasons) | SweepOutcome::Invalid(reasons)) => {
                    results.refused.push((index, reasons));
                }
                None => results.missing.push(index),
            }
        }
        results.interrupted = is_interrupted || !results.missing.is_empty();
        Self { plan, objective, results, error: finished.error }
    }

    /// Returns the plan of the sweep.
    pub(super) fn plan(&self) -> &SharedPlan {
        &self.plan
    }

    /// Returns the name of the objective.
    pub(super) fn figure_name(&self) -> &'static str {
        self.objective.0
    }

    /// Returns the indices of the combinations that ran, of the refused ones, and of the missing ones.
    pub(super) fn indices(&self) -> [Vec<usize>; 3] {
        let done = self.results.done.iter().map(|(index, _)| *index).collect();
        let refused = self.results.refused.iter().map(|(index, _)| *index).collect();
        [done, refused, self.results.missing.clone()]
    }

    /// Returns the notes of one kind about the combinations that ran, each once.
    fn unique_notes<T: Eq + Hash>(&self, of: impl Fn(&CombinationNotes) -> &[T]) -> Vec<&T> {
        let outcomes = self.results.done.iter().filter_map(|(_, outcome)| match outcome {
            SweepOutcome::Done { notes, .. } => Some(notes),
            _ => None,
        });
        let mut known = HashSet::new();
        outcomes.flat_map(|notes| of(notes)).filter(|note| known.insert(*note)).collect()
    }

    fn points(&self) -> Vec<SweepPoint> {
        let point = |(index, outcome): &(usize, SweepOutcome)| {
            Some(SweepPoint { plan: self.plan.clone(), index: *index, figures: figures(outcome)?.clone() })
        };
        self.results.done.iter().filter_map(point).collect()
    }

    fn table(&self) -> Table {
        let mut shown = SHOWN.to_vec();
        if !shown.contains(&self.objective.0) {
            shown.insert(0, self.objective.0);
        }
        let row = |point: SweepPoint| {
            let figures = BacktestSummary::side_by_side(&[&summary(&point.figures)]);
            let figure = |name: &&str| {
                figures.iter().find_map(|row| match row.as_slice() {
                    [known, value] if known == name => Some(value.clone()),
                    _ => None,
                })
            };
            let settings = cells(&self.plan, point.index).into_iter().map(|(_, value)| value);
            settings.chain(shown.iter().filter_map(figure)).collect()
        };
        let rows = self.points().into_iter().map(row).collect();
        let pairs = self.plan.0.definition().pairs();
        let quote = common_quote(pairs.iter().map(String::as_str));
        let settings = names(&self.plan).into_iter().map(|_| Rounding::Exact);
        let figure = |name: &str| Rounding::of_figure(name, quote);
        let table = Table {
            title: format!(
                "Sweep of {} by {}, {}",
                counted_combinations(self.plan.0.combinations().count()),
                self.objective.0,
                fee_text(&self.plan.0.market().fee)
            ),
            heads: [names(&self.plan), shown.clone()].concat(),
            figures: Figures::Columns(settings.chain(shown.iter().map(|name| figure(name))).collect()),
            rows,
            ellipsis: None,
            notes: notes(
                &self.plan,
                self.indices().map(|indices| indices.len()),
                &self.unique_notes(|notes| &notes.not_simulated),
                &self.unique_notes(|notes| &notes.warnings),
            ),
        };
        table.shortened()
    }
}
