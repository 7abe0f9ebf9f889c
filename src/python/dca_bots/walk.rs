//! The walk over all DCA bots, page after page.

use std::convert::Infallible;
use std::sync::Arc;

use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::PyType;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript};
use tokio::sync::Mutex;

use crate::client::error::Error;
use crate::client::pages::Pages;
use crate::client::request::Given;
use crate::client::send::Road;
use crate::python::bridge::{spawned, wait};
use crate::python::records::{Acting, DcaBot};
use crate::python::values::ANY;

/// A walk, and where it has come to.
pub(super) struct Walk {
    /// The process that walks. In a forked child the lock may be held by a thread that is not there.
    process: u32,
    road: Arc<Road>,
    pages: Mutex<Pages>,
}

impl Walk {
    /// A walk over what a list is asked for.
    pub(super) fn begin(road: &Arc<Road>, given: Given) -> PyResult<Arc<Self>> {
        let pages = Mutex::new(Pages::new(Arc::clone(road), given)?);
        Ok(Arc::new(Self { process: std::process::id(), road: Arc::clone(road), pages }))
    }

    async fn next(self: Arc<Self>) -> Result<Option<DcaBot>, Error> {
        if self.process != std::process::id() {
            return Err(Error::Configuration(
                "this walk belongs to the process that began it; begin one of your own after the fork".to_owned(),
            ));
        }
        let record = self.pages.lock().await.next().await?;
        Ok(record.map(|record| DcaBot::made_by(Arc::clone(&self.road), record)))
    }
}

/// A walk over all DCA bots.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBotIterator(pub(super) Arc<Walk>);

#[pymethods]
impl DcaBotIterator {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<DcaBot>> {
        wait(py, Arc::clone(&self.0).next())
    }

    /// What it gives, for a list of them that is empty.
    #[classattr]
    fn _kind(py: Python<'_>) -> Bound<'_, PyType> {
        py.get_type::<DcaBot>()
    }
}

/// A walk over all DCA bots under `async for`.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBotAsyncIterator(pub(super) Arc<Walk>);

#[pymethods]
impl DcaBotAsyncIterator {
    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    // A slot can't be an `async fn`; an ordinary method can.
    fn __anext__<'py>(this: &Bound<'py, Self>) -> PyResult<NextBot<'py>> {
        this.call_method0("_next").map(NextBot)
    }

    async fn _next(&self) -> PyResult<DcaBot> {
        let next = spawned(Arc::clone(&self.0).next()).await?;
        next.ok_or_else(|| PyStopAsyncIteration::new_err(()))
    }
}

/// A coroutine that gives a bot.
struct NextBot<'py>(Bound<'py, PyAny>);

impl<'py> IntoPyObject<'py> for NextBot<'py> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = Infallible;

    const OUTPUT_TYPE: PyStaticExpr = type_hint_subscript!(
        type_hint_identifier!("collections.abc", "Coroutine"),
        ANY,
        ANY,
        <DcaBot as PyTypeInfo>::TYPE_HINT
    );

    fn into_pyobject(self, _: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(self.0)
    }
}
