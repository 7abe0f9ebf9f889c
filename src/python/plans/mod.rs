//! Plans: what a bot will do, before it does it.

mod grid;
mod ladder;

pub(super) use grid::{GridLevel, GridPlan, plan_grid};
pub(super) use ladder::{Ladder, Rung, plan_ladder};

use std::marker::PhantomData;

use pyo3::exceptions::PyIndexError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript};

use super::arguments::Gathered;
use crate::client::error::Error;
use crate::service::input::{Draft, Inputs, Violation};

/// The draft of what a caller gave; None means that an input is left out.
fn drafted(inputs: &'static Inputs, gathered: Gathered) -> Draft {
    gathered.none_is_absent().given(None).draft(inputs)
}

fn refused(violations: Vec<Violation>) -> PyErr {
    Error::Validation(violations).into()
}

/// The element of a plan at an index, which counts from the end where it is negative.
fn element<'a, T>(elements: &'a [T], index: isize, what: &str) -> PyResult<&'a T> {
    let counted = if index < 0 { elements.len().checked_add_signed(index) } else { usize::try_from(index).ok() };
    let found = counted.and_then(|index| elements.get(index));
    found.ok_or_else(|| PyIndexError::new_err(format!("there are {} {what}, and none at {index}", elements.len())))
}

/// An iterator over the elements of a plan.
struct Elements<'py, T>(Bound<'py, PyIterator>, PhantomData<T>);

impl<'py, T: IntoPyObject<'py>> Elements<'py, T> {
    fn over(py: Python<'py>, elements: Vec<T>) -> PyResult<Self> {
        let elements = PyList::new(py, elements)?;
        Ok(Self(elements.try_iter()?, PhantomData))
    }
}

impl<'py, T: PyTypeInfo> IntoPyObject<'py> for Elements<'py, T> {
    type Target = PyIterator;
    type Output = Bound<'py, PyIterator>;
    type Error = std::convert::Infallible;

    const OUTPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(type_hint_identifier!("collections.abc", "Iterator"), T::TYPE_HINT);

    fn into_pyobject(self, _: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.0)
    }
}
