//! Iteration over all DCA bots, page after page.

use std::sync::Arc;

use crate::raise::OrPyErr as _;
use once_cell::race::OnceBox;
use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};
use tokio::sync::Mutex;

use crate::active_calls::ActiveCall;
use crate::bridge::{spawned, wait};
use crate::records::{RecordAs, class_of, records_type};
use crate::tables::{self, Stream, not_an_array};
use crate::values::typed_objects;
use botdesk_api::dca_bots::DcaBot;
use botdesk_api::html;
use botdesk_api::operation::Operation;
use botdesk_api::record::Record as _;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::pages::Paginator;
use botdesk_client::request::spec::InputValues;

typed_objects! {
    /// A coroutine that returns a bot.
    NextBot(PyAny) => type_hint_subscript!(COROUTINE, ANY, ANY, type_hint_identifier!("botdesk", "DcaBot"));
}

/// The calls that make a table of an iterator, and of an asynchronous one.
const TO_TABLE: &str = "botdesk.Records(iterator).to_pandas() or polars.DataFrame(iterator)";
const TO_TABLE_ASYNC: &str = "botdesk.Records([bot async for bot in iterator])";

/// Returns the HTML of an iterator. It fetches no page.
fn hint(class: &str, to_table: &str) -> String {
    html::record(class, &[("for a table".to_owned(), to_table.to_owned())])
}

/// The state of an iteration.
struct Iteration {
    /// The process of the iteration. In a forked child, the lock may be held by a thread that does not exist there.
    process: u32,
    client: Arc<HttpClient>,
    pages: Mutex<Paginator>,
}

impl Iteration {
    fn start(client: &Arc<HttpClient>, list: &'static Operation, given: InputValues) -> PyResult<Arc<Self>> {
        let pages = Mutex::new(Paginator::new(Arc::clone(client), list, given).or_py_err()?);
        Ok(Arc::new(Self { process: std::process::id(), client: Arc::clone(client), pages }))
    }

    async fn next(self: Arc<Self>) -> Result<Option<RecordAs<DcaBot>>, Error> {
        if self.process != std::process::id() {
            return Err(Error::Configuration(
                "this iterator belongs to the process that created it; create another one after the fork".to_owned(),
            ));
        }
        let record = self.pages.lock().await.next().await?;
        Ok(record.map(|record| RecordAs::new(&self.client, record)))
    }
}

/// An iterator over all DCA bots.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBotIterator {
    iteration: Arc<Iteration>,
    /// The bots that were fetched for a table.
    bots: OnceBox<Py<PyList>>,
    /// The table of these bots. duckdb requests it three times.
    table: OnceBox<Py<PyAny>>,
}

impl DcaBotIterator {
    /// Returns an iterator over the list with these inputs.
    pub(super) fn start(client: &Arc<HttpClient>, list: &'static Operation, inputs: InputValues) -> PyResult<Self> {
        let iteration = Iteration::start(client, list, inputs)?;
        Ok(Self { iteration, bots: OnceBox::new(), table: OnceBox::new() })
    }
}

#[pymethods]
impl DcaBotIterator {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<RecordAs<DcaBot>>> {
        wait(py, Arc::clone(&self.iteration).next())
    }

    /// Return the remaining bots as an Arrow stream, for libraries that request one.
    ///
    /// All pages are fetched first. If one of them fails, the next attempt continues there.
    #[pyo3(signature = (requested_schema: "object" = None))]
    fn __arrow_c_stream__<'py>(
        this: &Bound<'py, Self>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Stream<'py>> {
        let py = this.py();
        let _call = ActiveCall::start(py);
        let bots = this.get().bots.get_or_init(|| Box::new(PyList::empty(py).unbind())).bind(py);
        for bot in this.try_iter()? {
            bots.append(bot?)?;
        }
        let records = records_type(py)?.call1((bots, class_of(py, DcaBot::SPEC)?))?.unbind();
        let table = this.get().table.get_or_init(|| Box::new(records)).bind(py);
        tables::stream(table, requested_schema)
    }

    #[allow(clippy::unused_self, reason = "Python calls it on an object")]
    fn __repr__(&self) -> String {
        format!("<DcaBotIterator; for a table: {TO_TABLE}>")
    }

    #[allow(clippy::unused_self, reason = "Python calls it on an object")]
    fn _repr_html_(&self) -> String {
        hint("DcaBotIterator", TO_TABLE)
    }

    /// The class of the elements, for an empty list.
    #[getter]
    #[allow(clippy::unused_self, reason = "Python reads it from an object")]
    fn _kind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyType>> {
        class_of(py, DcaBot::SPEC).cloned()
    }
}

not_an_array!(DcaBotIterator);

/// An asynchronous iterator over all DCA bots.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBotAsyncIterator(Arc<Iteration>);

impl DcaBotAsyncIterator {
    /// Returns an iterator over the list with these inputs.
    pub(super) fn start(client: &Arc<HttpClient>, list: &'static Operation, inputs: InputValues) -> PyResult<Self> {
        Iteration::start(client, list, inputs).map(Self)
    }
}

#[pymethods]
impl DcaBotAsyncIterator {
    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    // A slot can't be an `async fn`; an ordinary method can.
    fn __anext__<'py>(this: &Bound<'py, Self>) -> PyResult<NextBot<'py>> {
        this.call_method0("_next").map(NextBot)
    }

    async fn _next(&self) -> PyResult<RecordAs<DcaBot>> {
        let next = spawned(Arc::clone(&self.0).next()).await?;
        next.ok_or_else(|| PyStopAsyncIteration::new_err(()))
    }

    #[allow(clippy::unused_self, reason = "Python calls it on an object")]
    fn __repr__(&self) -> String {
        format!("<DcaBotAsyncIterator; for a table: {TO_TABLE_ASYNC}>")
    }

    #[allow(clippy::unused_self, reason = "Python calls it on an object")]
    fn _repr_html_(&self) -> String {
        hint("DcaBotAsyncIterator", TO_TABLE_ASYNC)
    }
}
