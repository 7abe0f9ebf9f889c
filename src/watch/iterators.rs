//! Watches for `for` and for `async for`: what `client.dca_bots.watch` and its `_async` version return.

use std::sync::Arc;

use crate::display::displayed_list::DisplayedList;
use crate::raise::OrPyErr as _;
use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;

use super::{DcaBotChange, OnError, Since, Watch, saved};
use crate::arguments::FilePath;
use crate::runtime::bridge::{spawned, wait};
use crate::values::typed_objects;
use botdesk_api::operation::Operation;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::InputValues;

typed_objects! {
    /// A coroutine that returns a change.
    NextChange(PyAny) => type_hint_subscript!(COROUTINE, ANY, ANY, DcaBotChange::TYPE_HINT);
}

/// A watch over DCA bots: iterate over it, or `poll()` it yourself.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBotWatch(Watch);

/// A watch over DCA bots for `async for`.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBotAsyncWatch(Watch);

#[pymethods]
impl DcaBotWatch {
    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<DcaBotChange>> {
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
impl DcaBotAsyncWatch {
    fn __aiter__(this: Py<Self>) -> Py<Self> {
        this
    }

    // A slot can't be an `async fn`; an ordinary method can.
    fn __anext__<'py>(this: &Bound<'py, Self>) -> PyResult<NextChange<'py>> {
        this.call_method0("_next").map(NextChange)
    }

    async fn _next(&self) -> PyResult<DcaBotChange> {
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

/// Defines the methods of both classes of watches. The examples contain the names of the class and of the method that starts a watch.
macro_rules! watches {
    ($($class:ident started by $method:literal;)*) => {$(
        impl $class {
            /// Starts a watch.
            pub(crate) fn start(
                py: Python<'_>,
                client: &Arc<HttpClient>,
                list: &'static Operation,
                every: f64,
                deals: bool,
                filters: InputValues,
                since: Option<Since>,
                on_error: OnError,
            ) -> PyResult<Self> {
                py.detach(|| Watch::start(client, list, every, deals, filters, since, on_error)).map(Self).or_py_err()
            }
        }

        #[pymethods]
        impl $class {
            /// Poll now, and return the changes.
            ///
            /// The changes that earlier polls found and the iterator has not returned yet are among them.
            ///
            /// API reference: Get the list of DCA Bots, Get DCA Bot. Permission BOTS_READ.
            ///
            /// Returns:
            ///     The changes in the order in which they were found; an empty list at the first poll. If a single bot could
            ///     not be read, `on_error` is called, and a later poll returns its changes.
            ///
            /// Raises:
            ///     ConfigurationError: The watch is closed, or belongs to another process.
            ///     DecodeError: The list is malformed.
            ///     ApiError: The service returned an error.
            ///     TransportError: The list could not be read. The next poll returns the changes that were found.
            ///
            /// Example:
            ///     >>> import botdesk
            ///     >>> with botdesk.Sandbox() as sandbox:
            ///     ...     client = sandbox.client()
            #[doc = concat!("    ...     watch = client.dca_bots.", $method, "()")]
            ///     ...     first = watch.poll()
            ///     ...     bot = client.dca_bots.edit(41, take_profit="2.5")
            ///     ...     (change,) = watch.poll()
            ///     >>> first, change.kind, change.fields
            ///     ([], 'edited', {'take_profit': <FieldChange take_profit: 1.0 → 2.5>})
            fn poll(&self, py: Python<'_>) -> PyResult<DisplayedList<DcaBotChange>> {
                wait(py, self.0.poll())?;
                self.0.all_taken(py)
            }

            /// Poll now, and return the changes: the `_async` version of `poll`.
            ///
            /// API reference: Get the list of DCA Bots, Get DCA Bot. Permission BOTS_READ.
            ///
            /// Returns:
            ///     The changes in the order in which they were found; an empty list at the first poll.
            ///
            /// Raises:
            ///     ConfigurationError: The watch is closed, or belongs to another process.
            ///     DecodeError: The list is malformed.
            ///     ApiError: The service returned an error.
            ///     TransportError: The list could not be read. The next poll returns the changes that were found.
            ///
            /// Example:
            ///     >>> import asyncio
            ///     >>> import botdesk
            ///     >>> with botdesk.Sandbox() as sandbox:
            #[doc = concat!("    ...     watch = sandbox.client().dca_bots.", $method, "()")]
            ///     ...     asyncio.run(watch.poll_async())
            ///     []
            async fn poll_async(&self) -> PyResult<DisplayedList<DcaBotChange>> {
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
            ///     ...     watch
            #[doc = concat!("    <", stringify!($class), " every=30 s closed>")]
            fn close(&self) {
                self.0.watcher.close();
            }

            fn __repr__(&self) -> String {
                self.0.repr(stringify!($class))
            }
        }
    )*};
}

watches! {
    DcaBotWatch started by "watch";
    DcaBotAsyncWatch started by "watch_async";
}
