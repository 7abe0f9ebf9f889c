//! Watches for loops and for `async for`: `client.dca_bots.watch` and its twin.

use crate::raise::OrPyErr as _;
use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript};

use super::{DcaBotChange, OnError, Since, Watch, saved};
use crate::arguments::{Argument, FilePath, Gathered, Unknown};
use crate::bridge::{spawned, wait};
use crate::dca_bots::DcaBots;
use crate::values::{ANY, hinted};
use botdesk_api::dca_bot::{DcaBotList, Direction, Scope};
use botdesk_api::dca_bot_list_rows;
use botdesk_api::input::Moment;
use botdesk_api::values::{Integer, OneOf, Text};

hinted! {
    /// A coroutine that gives a change.
    NextChange(PyAny) => type_hint_subscript!(
        type_hint_identifier!("collections.abc", "Coroutine"), ANY, ANY, <DcaBotChange as PyTypeInfo>::TYPE_HINT
    );
}

/// Hands the inputs of the list on, but for those that order it and cut it into pages.
macro_rules! filters {
    ($inputs:ident { $($rows:tt)* }) => { filters! { @ $inputs [] $($rows)* } };
    (@ $inputs:ident [$($kept:tt)*]) => { watch_methods! { $inputs { $($kept)* } } };
    (@ $inputs:ident $kept:tt $(#[doc = $doc:literal])* limit: $kind:ty; $($rest:tt)*) => {
        filters! { @ $inputs $kept $($rest)* }
    };
    (@ $inputs:ident $kept:tt $(#[doc = $doc:literal])* offset: $kind:ty; $($rest:tt)*) => {
        filters! { @ $inputs $kept $($rest)* }
    };
    (@ $inputs:ident $kept:tt $(#[doc = $doc:literal])* sort_by: $kind:ty; $($rest:tt)*) => {
        filters! { @ $inputs $kept $($rest)* }
    };
    (@ $inputs:ident $kept:tt $(#[doc = $doc:literal])* order_direction: $kind:ty; $($rest:tt)*) => {
        filters! { @ $inputs $kept $($rest)* }
    };
    (@ $inputs:ident [$($kept:tt)*] $(#[doc = $doc:literal])* $field:ident: $kind:ty; $($rest:tt)*) => {
        filters! { @ $inputs [$($kept)* $(#[doc = $doc])* $field: $kind;] $($rest)* }
    };
}

macro_rules! watch_methods {
    ($inputs:ident { $($(#[doc = $doc:literal])* $field:ident: $kind:ty;)* }) => {
        #[pymethods]
        impl DcaBots {
            /// Watch DCA bots: give what changes, as it changes.
            ///
            /// The bots are asked for every so often. The first poll is the base and gives nothing, unless `since` says
            /// what was known before. A poll that fails ends nothing: `on_error` is told, and the next one finds what
            /// this one missed. Nothing is asked for while the caller is busy with a change.
            ///
            /// A poll takes a request for each 100 bots and one that finds the end of the list, one for each bot with
            /// open deals, and one for each bot that the list lacks. It waits its turn within the rate limit like any call.
            ///
            /// Document: Get the list of DCA Bots, Get DCA Bot. Permission BOTS_READ.
            ///
            /// Args:
            ///     every: How often to poll, in seconds; 1 or more.
            $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
            ///     deals: Whether deals are watched as well; without them a poll is the list alone.
            ///     since: What the `state` of an earlier watch was, or the path that it was saved to: the first poll
            ///         gives what changed since.
            ///     on_error: What to call with an error that may pass; it is logged as a warning unless given. What it
            ///         raises is raised.
            ///
            /// Returns:
            ///     An iterator that ends when it is closed. It is a context manager as well, which closes it. With a
            ///     scope, a bot that leaves it is told as `enabled` or `disabled` and is not told of from then on.
            ///
            /// Raises:
            ///     ConfigurationError: `every` or `since` can't be used.
            ///     ValidationError: A filter breaks a rule.
            ///     ApiError: The service refused in a way that does not pass by itself, at the step that asked: the key
            ///         is not accepted, lacks the permission, or the address is banned.
            ///
            /// Example:
            ///     >>> import botdesk
            ///     >>> with botdesk.Sandbox() as sandbox:
            ///     ...     client = sandbox.client()
            ///     ...     with client.dca_bots.watch(every=30) as watch:
            ///     ...         _ = watch.poll()
            ///     ...         _ = client.dca_bots.disable(41)
            ///     ...         watch.poll()[0].kind
            ///     'disabled'
            #[pyo3(signature = (
                *, every = 30.0, $($field = Argument::absent(),)* deals = true, since = None, on_error = OnError(None),
                **unknown: "None"
            ))]
            fn watch(
                &self, py: Python<'_>, every: f64, $($field: Argument<$kind>,)* deals: bool, since: Option<Since>,
                on_error: OnError, unknown: Option<Unknown>
            ) -> PyResult<DcaBotWatch> {
                let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                let given = given.none_is_absent().given(unknown);
                let road = &self.road;
                Ok(DcaBotWatch(py.detach(|| Watch::begin(road, every, deals, given, since, on_error)).or_py_err()?))
            }

            /// Watch DCA bots under `async for`: the asyncio twin of `watch`.
            ///
            /// A step that is cancelled loses nothing: what it found is given by the next one.
            ///
            /// Document: Get the list of DCA Bots, Get DCA Bot. Permission BOTS_READ.
            ///
            /// Args:
            ///     every: How often to poll, in seconds; 1 or more.
            $(#[doc = concat!("    ", stringify!($field), ":", $($doc),*)])*
            ///     deals: Whether deals are watched as well; without them a poll is the list alone.
            ///     since: What the `state` of an earlier watch was, or the path that it was saved to: the first poll
            ///         gives what changed since.
            ///     on_error: What to call with an error that may pass; it is logged as a warning unless given. What it
            ///         raises is raised.
            ///
            /// Returns:
            ///     An asynchronous iterator that ends when it is closed. It is an asynchronous context manager as well,
            ///     which closes it.
            ///
            /// Raises:
            ///     ConfigurationError: `every` or `since` can't be used.
            ///     ValidationError: A filter breaks a rule.
            ///     ApiError: The service refused in a way that does not pass by itself, at the step that asked: the key
            ///         is not accepted, lacks the permission, or the address is banned.
            ///
            /// Example:
            ///     >>> import asyncio
            ///     >>> import botdesk
            ///     >>> async def first(client):
            ///     ...     base = client.dca_bots.watch_async()
            ///     ...     await base.poll_async()
            ///     ...     await client.dca_bots.disable_async(41)
            ///     ...     async for change in client.dca_bots.watch_async(since=base.state):
            ///     ...         return change.kind
            ///     >>> with botdesk.Sandbox() as sandbox:
            ///     ...     asyncio.run(first(sandbox.client()))
            ///     'disabled'
            #[pyo3(signature = (
                *, every = 30.0, $($field = Argument::absent(),)* deals = true, since = None, on_error = OnError(None),
                **unknown: "None"
            ))]
            fn watch_async(
                &self, py: Python<'_>, every: f64, $($field: Argument<$kind>,)* deals: bool, since: Option<Since>,
                on_error: OnError, unknown: Option<Unknown>
            ) -> PyResult<DcaBotAsyncWatch> {
                let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                let given = given.none_is_absent().given(unknown);
                let road = &self.road;
                Ok(DcaBotAsyncWatch(py.detach(|| Watch::begin(road, every, deals, given, since, on_error)).or_py_err()?))
            }
        }
    };
}

dca_bot_list_rows!(filters);

/// A watch over DCA bots: iterate over it, or `poll()` it yourself.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBotWatch(Watch);

/// A watch over DCA bots under `async for`.
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

/// What both kinds of watches can do; the class's own name and that of the method that begins one stand in the examples.
macro_rules! watches {
    ($($class:ident begun by $method:literal;)*) => {$(
        #[pymethods]
        impl $class {
            /// Poll now, and give what changed.
            ///
            /// It gives what earlier polls found and nobody has taken as well. The steps of the iterator go on from it.
            ///
            /// Document: Get the list of DCA Bots, Get DCA Bot. Permission BOTS_READ.
            ///
            /// Returns:
            ///     The changes in the order in which they were seen; nothing at the first poll. Where a single bot
            ///     could not be read, `on_error` is told, and its changes come later.
            ///
            /// Raises:
            ///     ConfigurationError: The watch is closed, or belongs to another process.
            ///     DecodeError: The list is not what the document says.
            ///     ApiError: The service refused.
            ///     TransportError: The list could not be read. What was found is given by the next poll.
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
            fn poll(&self, py: Python<'_>) -> PyResult<Vec<DcaBotChange>> {
                wait(py, self.0.poll())?;
                self.0.all_taken(py)
            }

            /// Poll now, and give what changed: the asyncio twin of `poll`.
            ///
            /// Document: Get the list of DCA Bots, Get DCA Bot. Permission BOTS_READ.
            ///
            /// Returns:
            ///     The changes in the order in which they were seen; nothing at the first poll.
            ///
            /// Raises:
            ///     ConfigurationError: The watch is closed, or belongs to another process.
            ///     DecodeError: The list is not what the document says.
            ///     ApiError: The service refused.
            ///     TransportError: The list could not be read. What was found is given by the next poll.
            ///
            /// Example:
            ///     >>> import asyncio
            ///     >>> import botdesk
            ///     >>> with botdesk.Sandbox() as sandbox:
            #[doc = concat!("    ...     watch = sandbox.client().dca_bots.", $method, "()")]
            ///     ...     asyncio.run(watch.poll_async())
            ///     []
            async fn poll_async(&self) -> PyResult<Vec<DcaBotChange>> {
                spawned(self.0.poll()).await?;
                Python::attach(|py| self.0.all_taken(py))
            }

            /// What the watch knows, as a text for `since`: a later watch goes on from it, in another process as well.
            ///
            /// Changes that were found and not given yet are in it. It holds no secret.
            #[getter]
            fn state(&self, py: Python<'_>) -> PyResult<String> {
                let watcher = &self.0.watcher;
                py.detach(|| watcher.state()).or_py_err()
            }

            /// Write the state into a file, for `since`: whole or not at all, and for its owner alone.
            ///
            /// Args:
            ///     path: The path of the file; one that is there is replaced.
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

            /// End the watch: who waits for its next change is let go, and its state stays.
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
    DcaBotWatch begun by "watch";
    DcaBotAsyncWatch begun by "watch_async";
}
