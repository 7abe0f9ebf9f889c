//! Plans: what a bot will do, before it does it.

mod columns;
mod grid;
mod ladder;

pub(super) use grid::{GridLevel, GridPlan};
pub(super) use ladder::{Ladder, Rung};

use std::marker::PhantomData;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::arguments::Arguments;
use super::exceptions::RustResult;
use botdesk_api::input::{Inputs, RequestBuilder};

/// Returns the draft of arguments; None leaves one out.
fn drafted(inputs: &'static Inputs, arguments: Arguments) -> RequestBuilder {
    arguments.none_is_absent().given(None).draft(inputs)
}

/// What a pickle makes a plan of anew: a function, and what to call it with.
type Reduced<'py, A> = (Bound<'py, PyAny>, A);

/// The function that makes a plan of its text.
fn restoring<T: PyTypeInfo>(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    py.get_type::<T>().getattr("_restore")
}

/// The text of a plan, for a pickle.
fn text(plan: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(plan).map_rust_err(|error| PyValueError::new_err(error.to_string()))
}

/// The plan of a text out of a pickle.
fn of_text<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_rust_err(|error| PyValueError::new_err(format!("the pickle holds no plan: {error}")))
}

/// The element of a plan at an index, which counts from the end where it is negative.
fn element<'a, T>(elements: &'a [T], index: isize, what: &str) -> PyResult<&'a T> {
    let counted = if index < 0 { elements.len().checked_add_signed(index) } else { usize::try_from(index).rust_ok() };
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
