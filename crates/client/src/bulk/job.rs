//! One job of a run: its requests, its progress and its outcome.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use crate::edit::Edit;
use crate::error::{Delivery, Error};
use crate::http::client::HttpClient;
use crate::http::errors::RequestErrors;
use crate::http::events::{Event, EventKind, observe};
use crate::once::note_writes;
use crate::request::spec::RequestSpec;
use botdesk_schema::record::Fields;
use botdesk_system::lock::locked;

/// The outcome of one target.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Success, with the record that the service returned.
    Done(Fields),
    /// Failure without any effect.
    Failed(Error),
    /// Failure of a write that may have been applied, so it is not sent again.
    Unknown(Error),
    /// Nothing was sent, or only reads.
    NotStarted,
}

impl Outcome {
    /// Returns true if the write can be sent again without applying it twice.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::NotStarted)
    }

    /// Returns the outcome of a request.
    fn of(request: &RequestSpec, outcome: Result<Fields, Error>) -> Self {
        match outcome {
            Ok(record) => Self::Done(record),
            Err(error) if request.effect.writes() && error.may_have_applied() => Self::Unknown(error),
            Err(error) => Self::Failed(error),
        }
    }
}

/// The requests for one target.
pub(super) enum Job {
    /// One request.
    Request(Box<RequestSpec>),
    /// An edit; the record is fetched first, and the edit is sent only if it has not changed since the edit was made.
    IfUnchanged(Box<Edit>),
}

impl Job {
    /// Returns the request of the write.
    fn request(&self) -> &RequestSpec {
        match self {
            Self::Request(request) => request,
            Self::IfUnchanged(edit) => &edit.request,
        }
    }

    async fn run(self, client: Arc<HttpClient>) -> Outcome {
        if let Self::IfUnchanged(edit) = &self
            && let Err(error) = edit.check_unchanged(&client).await
        {
            return Outcome::Failed(error);
        }
        let request = self.request();
        Outcome::of(request, client.record(request.clone()).await)
    }
}

/// A job in flight.
pub(super) struct InFlight {
    /// The index of its target.
    pub(super) index: usize,
    future: Pin<Box<dyn Future<Output = Outcome> + Send>>,
    request: RequestSpec,
    /// True while a write was handed to a connection and is not known to have failed without arriving.
    writing: Arc<AtomicBool>,
    /// The error with which the service rejected its write, which waits for a retry since.
    rejected: Arc<Mutex<Option<Error>>>,
}

impl InFlight {
    pub(super) fn new(client: &Arc<HttpClient>, index: usize, job: Job) -> Self {
        let writing = Arc::new(AtomicBool::new(false));
        let rejected = Arc::new(Mutex::new(None));
        let request = job.request().clone();
        let note = {
            let (note_writes, rejected) = (note_writes(&writing), Arc::clone(&rejected));
            move |event: &Event| {
                note_writes(event);
                if let EventKind::Retry { error, .. } = &event.kind
                    && event.effect.writes()
                    && error.delivery() != Delivery::NotSent
                {
                    *locked(&rejected) = Some(error.clone());
                }
            }
        };
        let future = Box::pin(observe(note, job.run(Arc::clone(client))));
        Self { index, future, request, writing, rejected }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Outcome> {
        self.future.as_mut().poll(context)
    }

    /// Returns true if its write may be at the service.
    pub(super) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Relaxed)
    }

    /// Returns the outcome if no other request of the job is sent: a failure if the service rejected its write, and None if nothing
    /// was written.
    pub(super) fn outcome_so_far(&self) -> Option<Outcome> {
        locked(&self.rejected).clone().map(Outcome::Failed)
    }

    /// Drops the job; returns an outcome if its write was sent.
    pub(super) fn abandon(self, client: &HttpClient) -> Option<Outcome> {
        if self.is_writing() {
            return Some(Outcome::Unknown(RequestErrors::new(client, &self.request, None).abandoned()));
        }
        self.outcome_so_far()
    }
}
