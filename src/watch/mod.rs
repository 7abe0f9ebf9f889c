//! Watches over the records of lists: their arguments, and the report of changes and errors.

mod change;
mod iterators;

pub(super) use change::{ChangeOfRecord, FieldChanges, RecordChange, Time, field_changes, time};
pub(super) use iterators::{RecordAsyncWatch, RecordWatch, WatchOfList};

use std::path::PathBuf;
use std::sync::Arc;

use crate::display::displayed_list::DisplayedList;
use crate::hints::input_type;
use crate::raise::{IntoPyErr as _, OrPyErr as _};
use pyo3::prelude::*;
use serde_json::Map;

use crate::arguments::FilePath;
use crate::exceptions::{CatchException, RustResult, catch, exception_object};
use botdesk_client::credentials::key_source::expanded;
use botdesk_client::error::Error;
use botdesk_client::http::HttpClient;
use botdesk_client::request::spec::{InputValues, NO_ID, RequestSpec};
use botdesk_client::watch::{ApiSource, Scope, Subject, WatchOptions, Watcher};
use botdesk_schema::input::InputName;
use botdesk_schema::key_text::{shown_message, shown_path};
use botdesk_schema::operation::Operation;
use botdesk_schema::values::Field;
use botdesk_system::files::{Existing, MAX_DATA_LENGTH, read_to_string, write};

/// A watch, and the callback for its errors.
struct Watch {
    watcher: Arc<Watcher<ApiSource>>,
    on_error: Option<Py<PyAny>>,
}

impl Watch {
    fn start(
        client: &Arc<HttpClient>,
        list: &'static Operation,
        every: f64,
        nested: bool,
        mut given: InputValues,
        since: Option<Since>,
        on_error: OnError,
    ) -> Result<Self, Error> {
        let every = WatchOptions::every(every)?;
        RequestSpec::with(list, NO_ID, given.clone())?;
        let scope = scope(Subject::of(list)?, &mut given);
        let plan = WatchOptions { every, scope, nested, filters: filters(&given), owner: client.account().identity };
        let since = since.map(Since::text).transpose()?;
        let service = ApiSource::new(Arc::clone(client), list, given)?;
        let watcher = Arc::new(Watcher::new(service, plan, since.as_deref())?);
        Ok(Self { watcher, on_error: on_error.0 })
    }

    /// Reports the errors of polls. If Ctrl-C interrupts the report of one, it is reported at the next call.
    fn report(&self, py: Python<'_>) -> PyResult<()> {
        while let Some(failure) = self.watcher.take_failure().or_py_err()? {
            match report(py, self.on_error.as_ref(), "the watch goes on", &failure) {
                Ok(called) => called?,
                Err(raised) => {
                    self.watcher.put_failure_back(failure);
                    return Err(raised);
                }
            }
        }
        Ok(())
    }

    /// Reports the errors of polls, and handles pending signals, which may raise.
    ///
    /// The interpreter handles a signal as soon as the method has returned, before the caller has the changes. A pending signal is
    /// therefore handled here, so that the next call still returns the changes.
    fn before_taking(&self, py: Python<'_>) -> PyResult<()> {
        self.report(py)?;
        py.check_signals()
    }

    fn taken(&self, py: Python<'_>) -> PyResult<Option<ChangeOfRecord>> {
        self.before_taking(py)?;
        let change = self.watcher.take_change().or_py_err()?;
        Ok(change.map(|change| ChangeOfRecord::new(change, self.watcher.source().client())))
    }

    fn all_taken(&self, py: Python<'_>) -> PyResult<DisplayedList<ChangeOfRecord>> {
        self.before_taking(py)?;
        let client = self.watcher.source().client();
        let changes = std::iter::from_fn(|| self.watcher.take_change().transpose());
        let each = changes.map(|change| Ok(ChangeOfRecord::new(change.or_py_err()?, client)));
        each.collect::<PyResult<_>>().map(DisplayedList)
    }

    /// Waits for changes or errors; returns false once the watch is closed.
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
        format!("<{class} every={} s{closed}>", self.watcher.options().every.as_secs_f64())
    }
}

/// Reports an error to a callback or to the logger, and returns the exception of either. An exception before that is raised.
pub(super) fn report(
    py: Python<'_>,
    on_error: Option<&Py<PyAny>>,
    what_goes_on: &str,
    failure: &Error,
) -> PyResult<PyResult<()>> {
    if let Some(hook) = on_error {
        let error = exception_object(py, failure.clone())?;
        return Ok(hook.call1(py, (error,)).map(|_| ()));
    }
    let logger = py.import("logging")?.call_method1("getLogger", ("botdesk",))?;
    match logger.call_method1("warning", ("%s", shown_message(&format!("{what_goes_on}: {failure}")))) {
        Ok(_) => Ok(Ok(())),
        // Whether Ctrl-C came before the line was written is unknown, and two lines are better than none.
        Err(error) => Ok(Err(catch(py, error)?)),
    }
}

fn saved(watcher: &Watcher<ApiSource>, path: &FilePath) -> Result<(), Error> {
    save(&watcher.state()?, "watch", path)
}

/// Writes the state of a watch or a stream to a file, atomically.
pub(super) fn save(state: &str, of: &str, path: &FilePath) -> Result<(), Error> {
    write(&path.0, state.as_bytes(), Existing::Replace).map_rust_err(|error| {
        Error::Configuration(format!("the state of the {of} can't be written to {}: {error}", shown_path(&path.0)))
    })
}

/// Removes the scope from the inputs of the list, because the watch applies it itself.
fn scope(subject: Subject, given: &mut InputValues) -> Scope {
    let is_scope = |name: &InputName| Some(name.as_str()) == subject.scope();
    let named = given.inputs.iter().find(|(name, _)| is_scope(name)).map(|(_, value)| value);
    let scope = match named {
        Some(Field::Value(name)) => Scope::named(subject, name.as_str().unwrap_or_default()),
        _ => Scope::all(subject),
    };
    given.inputs.retain(|(name, _)| !is_scope(name));
    scope
}

fn filters(given: &InputValues) -> Map<String, serde_json::Value> {
    let named = given.inputs.iter().filter_map(|(name, value)| match value {
        Field::Value(value) => Some((name.as_str().to_owned(), value.clone())),
        Field::Absent | Field::Null => None,
    });
    named.collect()
}

/// The state of an earlier watch: a string, or the path of a file with it.
pub(super) enum Since {
    Text(String),
    File(PathBuf),
}

impl<'py> FromPyObject<'_, 'py> for Since {
    type Error = PyErr;

    input_type!(type_hint_union!(STR, PATH));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Some(text) = given.extract::<String>().none_if_exception(given.py())?
            && text.trim_start().starts_with('{')
        {
            return Ok(Self::Text(text));
        }
        let path: PathBuf = given.extract()?;
        Ok(Self::File(expanded(&path)))
    }
}

impl Since {
    /// Returns the state.
    pub(super) fn text(self) -> Result<String, Error> {
        match self {
            Self::Text(text) => Ok(text),
            Self::File(path) => read_to_string(&path, MAX_DATA_LENGTH).map_rust_err(|error| {
                Error::Configuration(format!(
                    "the state given as since= can't be read from {}: {error}; pass a path that save() wrote to, or \
                    omit since to start a new watch",
                    shown_path(&path)
                ))
            }),
        }
    }
}

/// The callback for errors.
pub(super) struct OnError(pub(super) Option<Py<PyAny>>);

impl<'py> FromPyObject<'_, 'py> for OnError {
    type Error = PyErr;

    input_type!(type_hint_union!(
        type_hint_subscript!(
            CALLABLE,
            PyStaticExpr::List { elts: &[type_hint_identifier!("botdesk.errors", "BotdeskError")] },
            type_hint_identifier!("builtins", "object")
        ),
        NONE
    ));

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_none() {
            return Ok(Self(None));
        }
        if !given.is_callable() {
            let needed = "on_error must be a function that takes an error".to_owned();
            return Err(Error::Configuration(needed).into_py_err());
        }
        Ok(Self(Some(given.to_owned().unbind())))
    }
}
