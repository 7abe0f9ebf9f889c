//! Plans of ladders and grids.

mod grid;
mod ladder;

pub(crate) use grid::{GridLevel, GridPlan};
pub(crate) use ladder::{Ladder, Rung};

use std::marker::PhantomData;

use pyo3::PyTypeInfo;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use crate::exceptions::RustResult;
use crate::hints::output_type;

/// Returns the element of a plan at an index, which counts from the end if it is negative.
pub(crate) fn element<'a, T>(elements: &'a [T], index: isize, what: &str) -> PyResult<&'a T> {
    let counted = if index < 0 { elements.len().checked_add_signed(index) } else { usize::try_from(index).rust_ok() };
    let found = counted.and_then(|index| elements.get(index));
    found.ok_or_else(|| PyIndexError::new_err(format!("index {index} is out of range for {} {what}", elements.len())))
}

/// An iterator over the elements of a plan.
pub(crate) struct ElementIterator<'py, T>(Bound<'py, PyIterator>, PhantomData<T>);

impl<'py, T: IntoPyObject<'py>> ElementIterator<'py, T> {
    pub(crate) fn over(py: Python<'py>, elements: Vec<T>) -> PyResult<Self> {
        let elements = PyList::new(py, elements)?;
        Ok(Self(elements.try_iter()?, PhantomData))
    }
}

impl<'py, T: PyTypeInfo> IntoPyObject<'py> for ElementIterator<'py, T> {
    type Target = PyIterator;
    type Output = Bound<'py, PyIterator>;
    type Error = std::convert::Infallible;

    output_type!(type_hint_subscript!(ITERATOR, T::TYPE_HINT));

    fn into_pyobject(self, _: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.0)
    }
}
