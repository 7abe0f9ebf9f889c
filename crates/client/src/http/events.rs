//! The events of requests, and the listeners that receive them.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use crate::error::Error;
use crate::request::spec::RequestSpec;
use crate::sync::{Mutex, locked};
use botdesk_schema::method::{Effect, Method};

/// An event of a request, without secrets.
#[derive(Clone, Debug)]
pub struct Event {
    /// The operation, such as `dca_bots.edit`.
    pub operation: String,
    /// The method of the request.
    pub method: Method,
    /// What the request does at the service.
    pub effect: Effect,
    /// The path of the request, from `/public/api` on, without the query string.
    pub path: String,
    /// The number of the attempt: 1, 2, …
    pub attempt: u32,
    /// The kind of the event.
    pub kind: EventKind,
    /// The listeners of the client that sent the request.
    pub listeners: Option<Listeners>,
}

/// The kind of an event.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// An attempt starts.
    Start,
    /// An attempt ended.
    End {
        /// The status of the response; None if no response came.
        status: Option<u16>,
        /// The error message, if the attempt failed.
        failure: Option<String>,
        /// The duration of the attempt.
        took: Duration,
        /// The id that the service gave the request; None if no response came, or none with an id.
        request_id: Option<String>,
    },
    /// The request will be retried.
    Retry {
        /// The error of the attempt that failed.
        error: Error,
        /// The time until the retry.
        wait: Duration,
    },
}

/// The listeners of a client, in a type of the caller's; events carry them.
pub type Listeners = Arc<dyn Any + Send + Sync>;

/// A callback for events.
pub type Listener = Arc<dyn Fn(Event) + Send + Sync>;

tokio::task_local! {
    static LISTENER: Listener;
}

/// Runs a future and passes the events of its requests to a listener, if there is one.
pub async fn with_listener<F: Future>(listener: Option<Listener>, future: F) -> F::Output {
    match listener {
        Some(listener) => LISTENER.scope(listener, future).await,
        None => future.await,
    }
}

/// Runs a future and passes the events of its requests to an observer, and to the listener around it as well.
pub(crate) async fn observe<F: Future>(observer: impl Fn(&Event) + Send + Sync + 'static, future: F) -> F::Output {
    let outer = LISTENER.try_with(Arc::clone).ok();
    let both: Listener = Arc::new(move |event| {
        observer(&event);
        if let Some(outer) = &outer {
            outer(event);
        }
    });
    LISTENER.scope(both, future).await
}

/// The events of a request that runs beside the calls, kept until one of them emits these events.
#[derive(Default)]
pub(crate) struct EventBuffer(Arc<Mutex<Vec<Event>>>);

impl EventBuffer {
    /// Returns a buffer if something listens to the current call.
    pub(crate) fn of_this_call() -> Option<Self> {
        LISTENER.try_with(|_| Self::default()).ok()
    }

    /// Returns the listener that fills the buffer.
    pub(crate) fn listener(&self) -> Listener {
        let events = Arc::clone(&self.0);
        Arc::new(move |event| locked(&events).push(event))
    }

    /// Passes the events to the listener of the current call, if there is one.
    pub(crate) fn emit(&self) {
        let events = std::mem::take(&mut *locked(&self.0));
        // An error means that nothing listens.
        let _ = LISTENER.try_with(|listener| events.into_iter().for_each(|event| listener(event)));
    }
}

/// Emits the events of one request.
pub(crate) struct EventEmitter<'a> {
    pub(crate) spec: &'a RequestSpec,
    pub(crate) listeners: Option<&'a Listeners>,
}

impl EventEmitter<'_> {
    /// Emits an event, which is built only if there is a listener.
    pub(crate) fn emit(&self, attempt: u32, kind: impl FnOnce() -> EventKind) {
        let emit = |listener: &Listener| {
            listener(Event {
                operation: self.spec.operation.to_string(),
                method: self.spec.method,
                effect: self.spec.effect,
                path: self.spec.path.clone(),
                attempt,
                kind: kind(),
                listeners: self.listeners.cloned(),
            });
        };
        // An error means that nothing listens.
        let _ = LISTENER.try_with(emit);
    }
}
