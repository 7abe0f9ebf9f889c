//! Iteration over all records of a list, page after page: native classes that those of each list inherit from.

use std::sync::Arc;

use crate::raise::OrPyErr as _;
use once_cell::race::OnceBox;
use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};
use tokio::sync::Mutex;

use crate::display::displayed_list::records_type;
use crate::display::tables::{self, Stream, not_an_array};
use crate::exceptions::type_name;
use crate::records::{OneRecord, class_of};
use crate::runtime::active_calls::ActiveCall;
use crate::runtime::bridge::{spawned, wait};
use crate::runtime::tokio_runtime::start;
use crate::subclass::of_class;
use crate::values::typed_objects;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::pages::Paginator;
use botdesk_client::request::spec::InputValues;
use botdesk_display::html;
use botdesk_schema::id::Id;
use botdesk_schema::operation::Operation;
use botdesk_schema::record::RecordSpec;

typed_objects! {
    /// A coroutine that returns a record.
    NextRecord(PyAny) => type_hint_subscript!(COROUTINE, ANY, ANY, ANY);
    /// An iterator of the class of a list.
    IteratorOfList(PyAny) => ANY;
}

/// The calls that make a table of an iterator, and of an asynchronous one.
const TO_TABLE: &str = "botdesk.Records(iterator).to_pandas() or polars.DataFrame(iterator)";
const TO_TABLE_ASYNC: &str = "botdesk.Records([bot async for bot in iterator])";

/// Returns the HTML of an iterator. It fetches no page.
fn hint(class: &str, to_table: &str) -> String {
    html::record(class, &[("for a table".to_owned(), to_table.to_owned())])
}

/// Makes an iterator an object of the Python class of its list, such as `DcaBotIterator`.
fn of_list<'py>(iterator: Bound<'py, PyAny>, list: &Operation, kind: &str) -> PyResult<IteratorOfList<'py>> {
    of_class(iterator, &format!("{}{kind}", list.record().name)).map(IteratorOfList)
}

/// The state of an iteration.
struct Iteration {
    /// The process of the iteration. In a forked child, the lock may be held by a thread that does not exist there.
    process: u32,
    client: Arc<HttpClient>,
    spec: &'static RecordSpec,
    pages: Mutex<Paginator>,
}

impl Iteration {
    fn start(
        client: &Arc<HttpClient>,
        list: &'static Operation,
        ids: Vec<Id>,
        given: InputValues,
    ) -> PyResult<Arc<Self>> {
        // The shared runtime also runs between the calls of a blocking loop.
        let pages = Paginator::new(Arc::clone(client), list, ids, given).or_py_err()?.reading_ahead(start);
        let pages = Mutex::new(pages);
        Ok(Arc::new(Self { process: std::process::id(), client: Arc::clone(client), spec: list.record(), pages }))
    }

    async fn next(self: Arc<Self>) -> Result<Option<OneRecord>, Error> {
        if self.process != std::process::id() {
            return Err(Error::Configuration(
                "this iterator belongs to the process that created it; create another one after the fork".to_owned(),
            ));
        }
        let record = self.pages.lock().await.next().await?;
        Ok(record.map(|fields| OneRecord { fields, client: Some(Arc::clone(&self.client)) }))
    }
}

/// An iterator over all records of a list.
#[pyclass(frozen, subclass, module = "botdesk._native")]
pub(crate) struct RecordIterator {
    iteration: Arc<Iteration>,
    /// The records that were fetched for a table.
    records: OnceBox<Py<PyList>>,
    /// The table of these records. duckdb requests it three times.
    table: OnceBox<Py<PyAny>>,
}

impl RecordIterator {
    /// Returns an iterator over the list with these inputs.
    pub(super) fn start<'py>(
        py: Python<'py>,
        client: &Arc<HttpClient>,
        list: &'static Operation,
        ids: Vec<Id>,
        inputs: InputValues,
    ) -> PyResult<IteratorOfList<'py>> {
        let iteration = Iteration::start(client, list, ids, inputs)?;
        let iterator = Self { iteration, records: OnceBox::new(), table: OnceBox::new() };
        of_list(Bound::new(py, iterator)?.into_any(), list, "Iterator")
    }
}

#[pymethods]
impl RecordIterator {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<OneRecord>> {
        wait(py, Arc::clone(&self.iteration).next())
    }

    /// Return the remaining records as an Arrow stream, for libraries that request one.
    ///
    /// All pages are fetched first. If one of them fails, the next attempt continues there.
    #[pyo3(signature = (requested_schema: "object" = None))]
    fn __arrow_c_stream__<'py>(
        this: &Bound<'py, Self>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Stream<'py>> {
        let py = this.py();
        let _call = ActiveCall::start(py);
        let fetched = this.get().records.get_or_init(|| Box::new(PyList::empty(py).unbind())).bind(py);
        for record in this.try_iter()? {
            fetched.append(record?)?;
        }
        let records = records_type(py)?.call1((fetched, class_of(py, this.get().iteration.spec)?))?.unbind();
        let table = this.get().table.get_or_init(|| Box::new(records)).bind(py);
        tables::stream(table, requested_schema)
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<{}; for a table: {TO_TABLE}>", type_name(this)?))
    }

    fn _repr_html_(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(hint(&type_name(this)?, TO_TABLE))
    }

    /// The class of the elements, for an empty list.
    #[getter]
    fn _kind<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyType>> {
        class_of(py, self.iteration.spec).cloned()
    }
}

not_an_array!(RecordIterator);

/// An asynchronous iterator over all records of a list.
#[pyclass(frozen, subclass, module = "botdesk._native")]
pub(crate) struct RecordAsyncIterator(Arc<Iteration>);

impl RecordAsyncIterator {
    /// Returns an iterator over the list with these inputs.
    pub(super) fn start<'py>(
        py: Python<'py>,
        client: &Arc<HttpClient>,
        list: &'static Operation,
        ids: Vec<Id>,
        inputs: InputValues,
    ) -> PyResult<IteratorOfList<'py>> {
        let iterator = Self(Iteration::start(client, list, ids, inputs)?);
        of_list(Bound::new(py, iterator)?.into_any(), list, "AsyncIterator")
    }
}

#[pymethods]
impl RecordAsyncIterator {
    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    // A slot can't be an `async fn`; an ordinary method can.
    fn __anext__<'py>(this: &Bound<'py, Self>) -> PyResult<NextRecord<'py>> {
        this.call_method0("_next").map(NextRecord)
    }

    async fn _next(&self) -> PyResult<OneRecord> {
        let next = spawned(Arc::clone(&self.0).next()).await?;
        next.ok_or_else(|| PyStopAsyncIteration::new_err(()))
    }

    fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(format!("<{}; for a table: {TO_TABLE_ASYNC}>", type_name(this)?))
    }

    fn _repr_html_(this: &Bound<'_, Self>) -> PyResult<String> {
        Ok(hint(&type_name(this)?, TO_TABLE_ASYNC))
    }
}
