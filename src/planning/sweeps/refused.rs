//! A combination that breaks rules.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::point::parameters;
use super::table::shown;
use crate::pickles::{PickleParts, of_text, restoring, text};
use crate::planning::sweeps::plan::SharedPlan;
use crate::values::NamedValues;
use botdesk_display::html;
use botdesk_planning::sweep::FieldProblem;

/// A combination that was not run, because it breaks rules of the API or because no bot can have its settings.
#[pyclass(frozen, module = "botdesk")]
#[derive(Clone)]
pub(crate) struct RefusedCombination {
    pub(super) plan: SharedPlan,
    pub(super) index: usize,
    pub(super) reasons: Vec<FieldProblem>,
}

#[pymethods]
impl RefusedCombination {
    /// The settings of the combination, by name.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<NamedValues<'py>> {
        parameters(py, &self.plan, self.index)
    }

    /// The reasons: the messages for each field, as in `ValidationError.errors`.
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> PyResult<NamedValues<'py>> {
        let errors = PyDict::new(py);
        for FieldProblem { field, message } in &self.reasons {
            let mut messages: Vec<String> = match errors.get_item(field)? {
                Some(messages) => messages.extract()?,
                None => Vec::new(),
            };
            messages.push(message.clone());
            errors.set_item(field, messages)?;
        }
        Ok(NamedValues(errors))
    }

    fn __repr__(&self) -> String {
        format!("<RefusedCombination {}: {}>", shown(&self.plan, self.index), self.reason())
    }

    fn _repr_html_(&self) -> String {
        let cells = [("combination".to_owned(), shown(&self.plan, self.index)), ("reason".to_owned(), self.reason())];
        html::record("RefusedCombination", &cells)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.reasons == other.reasons && shown(&self.plan, self.index) == shown(&other.plan, other.index)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py, (SharedPlan, usize, String)>> {
        Ok((restoring::<Self>(py)?, (self.plan.clone(), self.index, text(&self.reasons)?)))
    }

    #[staticmethod]
    fn _restore(plan: &Bound<'_, SharedPlan>, index: usize, reasons: &str) -> PyResult<Self> {
        Ok(Self { plan: plan.get().clone(), index, reasons: of_text(reasons, "reasons")? })
    }
}

impl RefusedCombination {
    fn reason(&self) -> String {
        self.reasons.iter().map(|reason| format!("{}: {}", reason.field, reason.message)).collect::<Vec<_>>().join("; ")
    }
}
