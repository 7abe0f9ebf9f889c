//! The next page of a list, requested while the caller works on the current one.

use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::error::Error;
use crate::http::client::HttpClient;
use crate::http::events::{EventBuffer, with_listener};
use crate::request::spec::RequestSpec;
use botdesk_schema::record::Fields;

/// Starts work on a runtime that also runs between the calls; returns None if it can't, such as at the exit of the process.
pub type Spawn = fn(Pin<Box<dyn Future<Output = ()> + Send>>) -> Option<JoinHandle<()>>;

/// The result of a request: the records of the page, or None if the page has to be requested again.
type Page = Result<Option<Vec<Fields>>, Error>;

/// A page that is requested in advance; dropping it abandons the request.
pub(crate) struct ReadAhead {
    /// The process of the task. A forked child does not have the task.
    process: u32,
    /// The number of writes that the client had started when the page was requested.
    writes: u64,
    task: JoinHandle<()>,
    page: oneshot::Receiver<Page>,
    /// The events of the request, for the call that takes the page; None if nothing listened to the call that started the request.
    events: Option<EventBuffer>,
}

impl ReadAhead {
    /// Requests a page; returns None if no work can be started.
    pub(crate) fn start(spawn: Spawn, client: &Arc<HttpClient>, spec: RequestSpec) -> Option<Self> {
        let (sender, page) = oneshot::channel();
        let events = EventBuffer::of_this_call();
        let listener = events.as_ref().map(EventBuffer::listener);
        let writes = client.writes();
        let client = Arc::clone(client);
        let task = spawn(Box::pin(async move {
            let request = Box::pin(with_listener(listener, client.records_if_free(spec)));
            if let Some(page) = client.unless_closed(request).await {
                // The receiver is dropped if the iterator was.
                let _ = sender.send(page);
            }
        }))?;
        Some(Self { process: std::process::id(), writes, task, page, events })
    }

    /// Returns true if the client wrote after the page was requested, so that the page may not show what was written.
    pub(crate) fn is_outdated(&self, client: &HttpClient) -> bool {
        self.writes != client.writes()
    }

    /// Abandons the request, and emits the events that it had so far.
    pub(crate) fn abandon(self) {
        self.events.iter().for_each(EventBuffer::emit);
    }

    /// Waits for the page. If this future is dropped, the request is abandoned, as one of the call itself would be.
    pub(crate) async fn page(mut self) -> Page {
        // Without a page, the task has ended early because the client was closed or the process exits; the next request reports it.
        let page = (&mut self.page).await.unwrap_or(Ok(None));
        self.events.iter().for_each(EventBuffer::emit);
        page
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        if self.process == std::process::id() {
            self.task.abort();
        }
    }
}
