//! Passes the events of requests to logging and to the hooks of a client. Both run on the calling thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use once_cell::race::OnceBox;
use pyo3::prelude::*;

use crate::exceptions::CatchException;
use crate::runtime::fork_safe_lazy::ForkSafeLazy;
use botdesk_client::http::events::{Event, EventKind, Listeners};
use botdesk_schema::key_text::shown_message;

/// A function that a client calls with each event of one kind. Clients that were made from one another share it.
pub(crate) type Hook = Arc<Py<PyAny>>;

/// The hooks of a client.
#[derive(Clone, Default)]
#[allow(clippy::struct_field_names, reason = "the names are those of the options")]
pub(crate) struct Hooks {
    pub(crate) on_request: Option<Hook>,
    pub(crate) on_response: Option<Hook>,
    pub(crate) on_retry: Option<Hook>,
}

/// True once a client of this process has hooks.
static HOOKED: AtomicBool = AtomicBool::new(false);

impl Hooks {
    /// Returns the hooks as the listeners of events; None without hooks.
    pub(crate) fn into_listeners(self) -> Option<Listeners> {
        let Self { on_request, on_response, on_retry } = &self;
        if [on_request, on_response, on_retry].into_iter().all(Option::is_none) {
            return None;
        }
        HOOKED.store(true, Ordering::Relaxed);
        Some(Arc::new(self))
    }

    /// Returns the hooks among the listeners of events.
    pub(crate) fn of_listeners(listeners: Option<&Listeners>) -> Option<&Self> {
        listeners?.downcast_ref()
    }

    fn of(&self, kind: &EventKind) -> Option<&Hook> {
        match kind {
            EventKind::Start => self.on_request.as_ref(),
            EventKind::End { .. } => self.on_response.as_ref(),
            EventKind::Retry { .. } => self.on_retry.as_ref(),
        }
    }
}

/// The levels of Python's `logging`.
const DEBUG: u8 = 10;
const INFO: u8 = 20;
const WARNING: u8 = 30;

/// Returns true if there are hooks or if requests are logged; otherwise no events are created.
pub(crate) fn has_listeners(py: Python<'_>) -> PyResult<bool> {
    Ok(HOOKED.load(Ordering::Relaxed) || is_logged(py).none_if_exception(py)?.unwrap_or(false))
}

/// Returns true if `logging` is enabled for the messages about attempts.
fn is_logged(py: Python<'_>) -> PyResult<bool> {
    match logger(py)? {
        Some(logger) => is_on(&logger, INFO),
        None => Ok(false),
    }
}

/// Returns the logger `botdesk`; None if the program has not imported `logging`, and so has not configured it.
fn logger(py: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    static MODULES: ForkSafeLazy = ForkSafeLazy::new("sys", &["modules"]);
    // No lock is held while it is looked up, for the same reason as in `ForkSafeLazy`.
    static LOGGER: OnceBox<Py<PyAny>> = OnceBox::new();
    if let Some(logger) = LOGGER.get() {
        return Ok(Some(logger.bind(py).clone()));
    }
    if !MODULES.get(py)?.contains("logging")? {
        return Ok(None);
    }
    let logger = py.import("logging")?.call_method1("getLogger", ("botdesk",))?;
    Ok(Some(LOGGER.get_or_init(|| Box::new(logger.unbind())).bind(py).clone()))
}

fn is_on(logger: &Bound<'_, PyAny>, level: u8) -> PyResult<bool> {
    logger.call_method1("isEnabledFor", (level,))?.extract()
}

/// Passes an event to logging and to the hook. If one raises an `Exception`, that is printed, and the call continues.
///
/// Any other exception, such as that of Ctrl-C during a hook, is raised.
pub(crate) fn emit(py: Python<'_>, event: Event) -> PyResult<()> {
    log(py, &event).or_unraisable(py, None)?;
    let listeners = event.listeners.clone();
    let hooks = Hooks::of_listeners(listeners.as_ref());
    let Some(hook) = hooks.and_then(|hooks| hooks.of(&event.kind)) else { return Ok(()) };
    hook.call1(py, (RequestEvent(event),)).or_unraisable(py, Some(hook.bind(py)))?;
    Ok(())
}

fn log(py: Python<'_>, event: &Event) -> PyResult<()> {
    let Some(logger) = logger(py)? else { return Ok(()) };
    let Event { method, path, attempt, kind, .. } = event;
    let (level, line) = match kind {
        EventKind::Start => return Ok(()),
        EventKind::End { status, failure, took, request_id } => {
            log_request_id(&logger, event, request_id.as_deref())?;
            let outcome = match (status, failure) {
                (Some(status), _) => status.to_string(),
                (None, Some(failure)) => format!("failed ({failure})"),
                (None, None) => "failed".to_owned(),
            };
            let milliseconds = took.as_secs_f64() * 1_000.0;
            (INFO, format!("{} {path} {outcome} in {milliseconds:.1} ms, attempt {attempt}", method.as_str()))
        }
        EventKind::Retry { wait, .. } => {
            let seconds = wait.as_secs_f64();
            (WARNING, format!("{} {path} again in {seconds:.1} s, after attempt {attempt}", method.as_str()))
        }
    };
    if is_on(&logger, level)? {
        // The line is an argument, so that percent signs in it are not formatted.
        logger.call_method1("log", (level, "%s", shown_message(&line)))?;
    }
    Ok(())
}

/// Logs the id that the service gave a request, for a question to its support.
fn log_request_id(logger: &Bound<'_, PyAny>, event: &Event, request_id: Option<&str>) -> PyResult<()> {
    let Some(id) = request_id else { return Ok(()) };
    if is_on(logger, DEBUG)? {
        let line = format!("{} {} has the request id {id}", event.method.as_str(), event.path);
        logger.call_method1("log", (DEBUG, "%s", shown_message(&line)))?;
    }
    Ok(())
}

/// An event of a request, as hooks receive it. It has no secrets.
#[pyclass(frozen, module = "botdesk")]
pub(crate) struct RequestEvent(Event);

#[pymethods]
impl RequestEvent {
    /// The name of the operation, such as `dca_bots.edit`.
    #[getter]
    fn operation(&self) -> &str {
        &self.0.operation
    }

    /// The method.
    #[getter]
    fn method(&self) -> &'static str {
        self.0.method.as_str()
    }

    /// The path, from `/public/api` on, without the query string.
    #[getter]
    fn path(&self) -> &str {
        &self.0.path
    }

    /// The number of the attempt, from 1 on.
    #[getter]
    fn attempt(&self) -> u32 {
        self.0.attempt
    }

    /// The status of the response; None before the response, or without one.
    #[getter]
    fn status(&self) -> Option<u16> {
        match self.0.kind {
            EventKind::End { status, .. } => status,
            _ => None,
        }
    }

    /// The duration of the attempt in milliseconds; None before its end.
    #[getter]
    fn milliseconds(&self) -> Option<f64> {
        match self.0.kind {
            EventKind::End { took, .. } => Some(took.as_secs_f64() * 1_000.0),
            _ => None,
        }
    }

    /// The reason why the attempt failed; None if it did not fail.
    #[getter]
    fn failure(&self) -> Option<String> {
        match &self.0.kind {
            EventKind::End { failure, .. } => failure.as_deref().map(shown_message),
            EventKind::Retry { error, .. } => Some(shown_message(&error.to_string())),
            EventKind::Start => None,
        }
    }

    /// The id that the service gave the request, `X-Request-Id`, for a question to its support; None before the response, or
    /// without one.
    #[getter]
    fn request_id(&self) -> Option<String> {
        match &self.0.kind {
            EventKind::End { request_id, .. } => request_id.as_deref().map(shown_message),
            EventKind::Retry { error, .. } => error.request_id().map(shown_message),
            EventKind::Start => None,
        }
    }

    /// The seconds until the request is retried; None if it is not.
    #[getter]
    fn wait(&self) -> Option<f64> {
        match self.0.kind {
            EventKind::Retry { wait, .. } => Some(wait.as_secs_f64()),
            _ => None,
        }
    }

    fn __repr__(&self) -> String {
        let outcome = match &self.0.kind {
            EventKind::Start => "being sent".to_owned(),
            EventKind::End { status: Some(status), .. } => status.to_string(),
            EventKind::End { .. } => "failed".to_owned(),
            EventKind::Retry { wait, .. } => format!("again in {:.1} s", wait.as_secs_f64()),
        };
        format!("<RequestEvent {} attempt {} {outcome}>", self.0.operation, self.0.attempt)
    }
}
