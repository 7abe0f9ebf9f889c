//! What happens on the road, told to whoever listens.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use crate::request::spec::RequestSpec;
use botdesk_api::endpoint::Method;

/// Something that happened to a request. It holds no secret.
#[derive(Clone, Debug)]
pub struct Event {
    /// What the operation is called, such as `dca_bots.edit`.
    pub operation: String,
    /// How the request asks.
    pub method: Method,
    /// Its path, from `/public/api` on, without the query.
    pub path: String,
    /// Which attempt it is: 1, 2, …
    pub attempt: u32,
    /// What happened.
    pub kind: EventKind,
    /// What the client that sent it was given for its listeners.
    pub listeners: Option<Listeners>,
}

/// What happened to a request.
#[derive(Clone, Debug)]
pub enum EventKind {
    /// It is about to be sent.
    Start,
    /// It came to its end.
    End {
        /// The status of the answer; None where none came.
        status: Option<u16>,
        /// Why it failed, if it did.
        failure: Option<String>,
        /// How long it took.
        took: Duration,
    },
    /// It will be sent again.
    Retry {
        /// Why it failed.
        failure: String,
        /// After how long.
        wait: Duration,
    },
}

/// What a client was given for its listeners; the road only hands it on.
pub type Listeners = Arc<dyn Any + Send + Sync>;

/// Where events are told.
pub type Listener = Arc<dyn Fn(Event) + Send + Sync>;

tokio::task_local! {
    static LISTENER: Listener;
}

/// Runs a future, and tells what happens on the road in it where there is somebody to tell.
pub async fn with_listener<F: Future>(to: Option<Listener>, future: F) -> F::Output {
    match to {
        Some(listener) => LISTENER.scope(listener, future).await,
        None => future.await,
    }
}

/// Runs a future and notes what happens on the road in it; whoever listens already is told as before.
pub(crate) async fn observe<F: Future>(note: impl Fn(&Event) + Send + Sync + 'static, future: F) -> F::Output {
    let outer = LISTENER.try_with(Arc::clone).ok();
    let both: Listener = Arc::new(move |event| {
        note(&event);
        if let Some(outer) = &outer {
            outer(event);
        }
    });
    LISTENER.scope(both, future).await
}

/// The events of one call.
pub(crate) struct EventEmitter<'a> {
    pub(crate) call: &'a RequestSpec,
    pub(crate) listeners: &'a Option<Listeners>,
}

impl EventEmitter<'_> {
    /// Tells what happened, if anybody listens.
    pub(crate) fn emit(&self, attempt: u32, kind: impl FnOnce() -> EventKind) {
        let emit = |to: &Listener| {
            to(Event {
                operation: self.call.operation.to_string(),
                method: self.call.method,
                path: self.call.path.clone(),
                attempt,
                kind: kind(),
                listeners: self.listeners.clone(),
            });
        };
        // An error means that nobody listens.
        let _ = LISTENER.try_with(emit);
    }
}
