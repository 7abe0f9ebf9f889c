//! Watching bots: `client.dca_bots.watch`, and the changes that it gives.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{PyTypeInfo, type_hint_identifier, type_hint_subscript, type_hint_union};
use serde_json::Map;

use super::arguments::{Argument, FilePath, Gathered, NONE, PATH, STR};
use super::bridge::{spawned, wait};
use super::dca_bots::DcaBots;
use super::display;
use super::previews::FieldChange;
use super::records::{Acting, DcaBot, Deal};
use super::values::{ANY, Literal, hinted};
use crate::client::error::Error;
use crate::client::key_source::expanded;
use crate::client::request::{Call, Given};
use crate::client::send::Road;
use crate::client::watch::{BotChange, Kind, Plan, Scope as Watched, Service, Watcher, Whose};
use crate::files::{Existing, write};
use crate::service::dca_bot::{DcaBotList, Direction, LIST, Scope, dca_bot_list_rows};
use crate::service::input::Moment;
use crate::service::sheet::Sheet;
use crate::service::values::{Field, Integer, OneOf, Text};

/// A change of a DCA bot, or of one of its deals, as a watch saw it.
///
/// `kind` says what it is. Its records remember the client, so that `change.bot.disable()` works.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct DcaBotChange {
    change: BotChange,
    road: Arc<Road>,
}

#[pymethods]
impl DcaBotChange {
    /// What it is: `appeared`, `vanished`, `enabled`, `disabled`, `edited`, `deal_opened`, `deal_changed` or `deal_closed`.
    #[getter]
    fn kind(&self) -> KindName {
        KindName(self.change.kind)
    }

    /// The bot as it is now; one that vanished, as it was seen last.
    #[getter]
    fn bot(&self) -> DcaBot {
        DcaBot::made_by(Arc::clone(&self.road), self.change.bot.clone())
    }

    /// The bot as it was before; None where it appeared.
    #[getter]
    fn before(&self) -> Option<DcaBot> {
        let before = self.change.before.clone()?;
        Some(DcaBot::made_by(Arc::clone(&self.road), before))
    }

    /// The deal as it is now; one that is gone, as it was seen last. None where the change is one of the bot.
    #[getter]
    fn deal(&self) -> Option<Deal> {
        self.change.deal.clone().map(Deal::from)
    }

    /// The deal as it was before; None where it was opened, and where the change is one of the bot.
    #[getter]
    fn deal_before(&self) -> Option<Deal> {
        self.change.deal_before.clone().map(Deal::from)
    }

    /// The fields that differ, by their names, each with its `old` and its `new` value.
    ///
    /// What moves by itself, such as the price and the profit, is not in it; `bot` and `deal` have it.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<FieldChanges<'py>> {
        let fields = PyDict::new(py);
        for change in &self.change.fields {
            fields.set_item(change.name, FieldChange(change.clone()))?;
        }
        Ok(FieldChanges(fields))
    }

    /// When the watch saw it, in UTC. It happened some time between the poll before and this time.
    #[getter]
    fn at<'py>(&self, py: Python<'py>) -> PyResult<Time<'py>> {
        Ok(Time(self.change.at.into_pyobject(py)?.into_any()))
    }

    fn __repr__(&self) -> String {
        format!("<DcaBotChange {}>", self.change)
    }

    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let row = |(field, old, new): (&str, String, String)| vec![field.to_owned(), old, new];
        let sheet = Sheet {
            title: format!("{}: {}", self.change.kind.name(), self.change.subject()),
            heads: vec!["field", "old", "new"],
            rows: self.change.fields.iter().map(|change| row(change.cells())).collect(),
            notes: vec![format!("seen {}", self.change.at)],
            gap: None,
        };
        display::sheet(py, sheet)
    }
}

/// The name of a kind of change.
struct KindName(Kind);

impl<'py> IntoPyObject<'py> for KindName {
    type Target = PyString;
    type Output = Bound<'py, PyString>;
    type Error = Infallible;

    const OUTPUT_TYPE: PyStaticExpr = Literal::<Kind>::HINT;

    fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
        Ok(PyString::intern(py, self.0.name()))
    }
}

hinted! {
    /// Changes of fields by their names.
    FieldChanges(PyDict) => type_hint_subscript!(
        type_hint_identifier!("builtins", "dict"), STR, <FieldChange as PyTypeInfo>::TYPE_HINT
    );
    /// A point in time.
    Time(PyAny) => type_hint_identifier!("datetime", "datetime");
    /// A coroutine that gives a change.
    NextChange(PyAny) => type_hint_subscript!(
        type_hint_identifier!("collections.abc", "Coroutine"), ANY, ANY, <DcaBotChange as PyTypeInfo>::TYPE_HINT
    );
}

/// A watch, and whom it tells of failures.
struct Watch {
    watcher: Arc<Watcher<Service>>,
    on_error: Option<Py<PyAny>>,
}

impl Watch {
    fn begin(
        road: &Arc<Road>,
        every: f64,
        deals: bool,
        mut given: Given,
        since: Option<Since>,
        on_error: OnError,
    ) -> Result<Self, Error> {
        let every = Plan::every(every)?;
        Call::with(&LIST, None, given.clone())?;
        let scope = scope(&mut given);
        let plan = Plan { every, scope, deals, filters: filters(&given), whose: whose(road) };
        let since = since.map(Since::text).transpose()?;
        let service = Service::new(Arc::clone(road), given)?;
        let watcher = Arc::new(Watcher::new(service, plan, since.as_deref())?);
        Ok(Self { watcher, on_error: on_error.0 })
    }

    /// Tells the failures that nobody was told. What the hook raises is for the caller.
    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        while let Some(failure) = self.watcher.take_failure()? {
            if let Some(hook) = &self.on_error {
                hook.call1(py, (PyErr::from(failure),))?;
                continue;
            }
            let logger = py.import("logging")?.call_method1("getLogger", ("botdesk",))?;
            logger.call_method1("warning", ("%s", format!("the watch goes on: {failure}")))?;
        }
        Ok(())
    }

    fn taken(&self, py: Python<'_>) -> PyResult<Option<DcaBotChange>> {
        self.tell(py)?;
        let change = self.watcher.take_change()?;
        Ok(change.map(|change| DcaBotChange { change, road: Arc::clone(self.watcher.source().road()) }))
    }

    fn all_taken(&self, py: Python<'_>) -> PyResult<Vec<DcaBotChange>> {
        self.tell(py)?;
        let road = self.watcher.source().road();
        let changes = std::iter::from_fn(|| self.watcher.take_change().transpose());
        let each = changes.map(|change| Ok(DcaBotChange { change: change?, road: Arc::clone(road) }));
        each.collect()
    }

    /// Whether there is news; false once the watch is closed.
    fn ready(&self) -> impl Future<Output = Result<bool, Error>> + Send + 'static {
        let watcher = Arc::clone(&self.watcher);
        async move { watcher.ready().await }
    }

    fn poll(&self) -> impl Future<Output = Result<(), Error>> + Send + 'static {
        let watcher = Arc::clone(&self.watcher);
        async move { watcher.poll().await }
    }

    fn repr(&self, class: &str) -> String {
        let closed = if self.watcher.is_closed() { " closed" } else { "" };
        format!("<{class} every={} s{closed}>", self.watcher.plan().every.as_secs_f64())
    }
}

fn saved(watcher: &Watcher<Service>, path: &FilePath) -> Result<(), Error> {
    let state = watcher.state()?;
    write(&path.0, state.as_bytes(), Existing::Replace).map_err(|error| {
        Error::Configuration(format!("the state of the watch can't be written to {}: {error}", path.0.display()))
    })
}

/// Takes the scope out of what is given to the list: the watch minds it itself.
fn scope(given: &mut Given) -> Watched {
    let is_scope = |index: usize| index == DcaBotList::scope as usize;
    let named = given.inputs.iter().find(|(index, _)| is_scope(*index)).map(|(_, value)| value);
    let scope = match named {
        Some(Field::Value(name)) => Watched::named(name.as_str().unwrap_or_default()),
        _ => Watched::default(),
    };
    given.inputs.retain(|(index, _)| !is_scope(*index));
    scope
}

fn whose(road: &Road) -> Whose {
    let base_url = &road.settings().base_url;
    Whose { service: format!("{}{}", base_url.origin(), base_url.prefix()), key: road.key().fingerprint().to_owned() }
}

fn filters(given: &Given) -> Map<String, serde_json::Value> {
    let named = given.inputs.iter().filter_map(|(index, value)| match value {
        Field::Value(value) => Some((DcaBotList::INPUTS.rows.get(*index)?.name.to_owned(), value.clone())),
        Field::Absent | Field::Null => None,
    });
    named.collect()
}

/// The state of an earlier watch: its text, or the path of a file that holds it.
enum Since {
    Text(String),
    File(PathBuf),
}

impl<'py> FromPyObject<'_, 'py> for Since {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(STR, PATH);

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(text) = given.extract::<String>()
            && text.trim_start().starts_with('{')
        {
            return Ok(Self::Text(text));
        }
        let path: PathBuf = given.extract()?;
        Ok(Self::File(expanded(&path)))
    }
}

impl Since {
    fn text(self) -> Result<String, Error> {
        match self {
            Self::Text(text) => Ok(text),
            Self::File(path) => std::fs::read_to_string(&path).map_err(|error| {
                Error::Configuration(format!(
                    "the state given as since= can't be read from {}: {error}; give a path that save() wrote to, or \
                     leave since out to begin anew",
                    path.display()
                ))
            }),
        }
    }
}

/// Whom to tell of failures.
struct OnError(Option<Py<PyAny>>);

impl<'py> FromPyObject<'_, 'py> for OnError {
    type Error = PyErr;

    const INPUT_TYPE: PyStaticExpr = type_hint_union!(
        type_hint_subscript!(
            type_hint_identifier!("collections.abc", "Callable"),
            PyStaticExpr::List { elts: &[type_hint_identifier!("botdesk.errors", "BotdeskError")] },
            type_hint_identifier!("builtins", "object")
        ),
        NONE
    );

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_none() {
            return Ok(Self(None));
        }
        if !given.is_callable() {
            let needed = "on_error is a function that takes an error".to_owned();
            return Err(Error::Configuration(needed).into());
        }
        Ok(Self(Some(given.to_owned().unbind())))
    }
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
            /// A poll takes a request for each 100 bots, one for each bot with open deals, and one for each bot that
            /// the list lacks. It waits its turn within the rate limit like any call.
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
                *, every = 30.0, $($field = Argument::absent(),)* deals = true, since = None, on_error = OnError(None)
            ))]
            fn watch(
                &self, py: Python<'_>, every: f64, $($field: Argument<$kind>,)* deals: bool, since: Option<Since>,
                on_error: OnError
            ) -> PyResult<DcaBotWatch> {
                let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                let given = given.none_is_absent().given(None);
                let road = &self.road;
                Ok(DcaBotWatch(py.detach(|| Watch::begin(road, every, deals, given, since, on_error))?))
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
                *, every = 30.0, $($field = Argument::absent(),)* deals = true, since = None, on_error = OnError(None)
            ))]
            fn watch_async(
                &self, py: Python<'_>, every: f64, $($field: Argument<$kind>,)* deals: bool, since: Option<Since>,
                on_error: OnError
            ) -> PyResult<DcaBotAsyncWatch> {
                let given = Gathered::new($inputs::INPUTS, true)$(.with($inputs::$field as usize, $field))*;
                let given = given.none_is_absent().given(None);
                let road = &self.road;
                Ok(DcaBotAsyncWatch(py.detach(|| Watch::begin(road, every, deals, given, since, on_error))?))
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
                Ok(py.detach(|| watcher.state())?)
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
                Ok(py.detach(|| saved(watcher, &path))?)
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
