//! Watches for `for` and for `async for`: what `client.dca_bots.watch` and its `_async` version return.

use std::sync::Arc;

use crate::display::displayed_list::DisplayedList;
use crate::raise::OrPyErr as _;
use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;

use super::{ChangeOfRecord, OnError, Since, Watch, saved};
use crate::arguments::FilePath;
use crate::exceptions::type_name;
use crate::runtime::bridge::{spawned, wait};
use crate::subclass::of_class;
use crate::values::typed_objects;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::InputValues;
use botdesk_schema::operation::Operation;

typed_objects! {
    /// A coroutine that returns a change.
    NextChange(PyAny) => type_hint_subscript!(COROUTINE, ANY, ANY, ANY);
    /// A watch of the class of a list.
    WatchOfList(PyAny) => ANY;
}

/// A watch over the records of a list: iterate over it, or `poll()` it yourself.
#[pyclass(frozen, subclass, module = "botdesk")]
pub(crate) struct RecordWatch(Watch);

/// A watch over the records of a list for `async for`.
#[pyclass(frozen, subclass, module = "botdesk")]
pub(crate) struct RecordAsyncWatch(Watch);

#[pymethods]
impl RecordWatch {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<ChangeOfRecord>> {
        while wait(py, self.0.ready())? {
            if let Some(change) = self.0.taken(py)? {
                return Ok(Some(change));
            }
        }
        Ok(None)
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (_class: "object", _error: "object", _traceback: "object") -> "None")]
    fn __exit__(&self, _class: &Bound<'_, PyAny>, _error: &Bound<'_, PyAny>, _traceback: &Bound<'_, PyAny>) {
        self.0.watcher.close();
    }
}

#[pymethods]
impl RecordAsyncWatch {
    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    // A slot can't be an `async fn`; an ordinary method can.
    fn __anext__<'py>(this: &Bound<'py, Self>) -> PyResult<NextChange<'py>> {
        this.call_method0("_next").map(NextChange)
    }

    async fn _next(&self) -> PyResult<ChangeOfRecord> {
        while spawned(self.0.ready()).await? {
            if let Some(change) = Python::attach(|py| self.0.taken(py))? {
                return Ok(change);
            }
        }
        Err(PyStopAsyncIteration::new_err(()))
    }

    #[allow(clippy::unused_async, reason = "Python awaits it")]
    async fn __aenter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (_class: "object", _error: "object", _traceback: "object") -> "None")]
    #[allow(clippy::unused_async, reason = "Python awaits it")]
    async fn __aexit__(&self, _class: Py<PyAny>, _error: Py<PyAny>, _traceback: Py<PyAny>) {
        self.0.watcher.close();
    }
}

/// Defines the methods of both classes of watches. The examples contain the method that starts a watch.
macro_rules! watches {
    ($($class:ident, named $kind:literal, started by $method:literal;)*) => {$(
        impl $class {
            /// Starts a watch.
            pub(crate) fn start<'py>(
                py: Python<'py>,
                client: &Arc<HttpClient>,
                list: &'static Operation,
                every: f64,
                nested: bool,
                filters: InputValues,
                since: Option<Since>,
                on_error: OnError,
            ) -> PyResult<WatchOfList<'py>> {
                let start = || Watch::start(client, list, every, nested, filters, since, on_error);
                let watch = Bound::new(py, Self(py.detach(start).or_py_err()?))?.into_any();
                of_class(watch, &format!("{}{}", list.record().name, $kind)).map(WatchOfList)
            }
        }

        #[pymethods]
        impl $class {
            fn _poll(&self, py: Python<'_>) -> PyResult<DisplayedList<ChangeOfRecord>> {
                wait(py, self.0.poll())?;
                self.0.all_taken(py)
            }

            async fn _poll_async(&self) -> PyResult<DisplayedList<ChangeOfRecord>> {
                spawned(self.0.poll()).await?;
                Python::attach(|py| self.0.all_taken(py))
            }

            /// The state of the watch as a string for `since`: a later watch continues from it, also in another process.
            ///
            /// It includes the changes that were found and not returned yet. It has no secrets.
            #[getter]
            fn state(&self, py: Python<'_>) -> PyResult<String> {
                let watcher = &self.0.watcher;
                py.detach(|| watcher.state()).or_py_err()
            }

            /// Write the state to a file for `since`, atomically and readable only by its owner.
            ///
            /// Args:
            ///     path: The path of the file; an existing file is replaced.
            ///
            /// Raises:
            ///     ConfigurationError: The file can't be written.
            ///
            /// Example:
            ///     >>> import botdesk, tempfile, pathlib
            ///     >>> with botdesk.Sandbox() as sandbox, tempfile.TemporaryDirectory() as folder:
            ///     ...     dca_bots = sandbox.client().dca_bots
            ///     ...     path = pathlib.Path(folder, "watch.json")
            #[doc = concat!("    ...     watch = dca_bots.", $method, "()")]
            ///     ...     _ = watch.poll()
            ///     ...     watch.save(path)
            ///     ...     _ = dca_bots.disable(41)
            #[doc = concat!("    ...     (change,) = dca_bots.", $method, "(since=path).poll()")]
            ///     >>> change.kind
            ///     'disabled'
            fn save(&self, py: Python<'_>, path: FilePath) -> PyResult<()> {
                let watcher = &self.0.watcher;
                py.detach(|| saved(watcher, &path)).or_py_err()
            }

            /// End the watch: iterations over it end, and the state stays readable.
            ///
            /// Example:
            ///     >>> import botdesk
            ///     >>> with botdesk.Sandbox() as sandbox:
            #[doc = concat!("    ...     watch = sandbox.client().dca_bots.", $method, "()")]
            ///     ...     watch.close()
            ///     ...     repr(watch).endswith("every=30 s closed>")
            ///     True
            fn close(&self) {
                self.0.watcher.close();
            }

            fn __repr__(this: &Bound<'_, Self>) -> PyResult<String> {
                Ok(this.get().0.repr(&type_name(this)?))
            }
        }
    )*};
}

watches! {
    RecordWatch, named "Watch", started by "watch";
    RecordAsyncWatch, named "AsyncWatch", started by "watch_async";
}
