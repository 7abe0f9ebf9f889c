//! One target of a run on its way: what is sent for it, how far it has come, and what became of it.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use crate::edit::Edit;
use crate::error::Error;
use crate::http::client::HttpClient;
use crate::http::events::{Event, EventKind, observe};
use crate::request::spec::RequestSpec;
use botdesk_api::endpoint::Endpoint;
use botdesk_api::record::Record;

/// What became of a target.
#[derive(Clone, Debug)]
pub enum Outcome<R> {
    /// It was carried out; the record is what the service answered.
    Done(R),
    /// It was not carried out.
    Failed(Error),
    /// It may have been carried out, so it is not sent again.
    Unknown(Error),
    /// Nothing was sent for it, or nothing but what only reads.
    NotStarted,
}

impl<R> Outcome<R> {
    /// Whether sending it does nothing twice.
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::NotStarted)
    }

    /// What a call gave.
    fn of(call: &RequestSpec, outcome: Result<R, Error>) -> Self {
        match outcome {
            Ok(record) => Self::Done(record),
            Err(error) if call.method.writes() && error.may_have_applied() => Self::Unknown(error),
            Err(error) => Self::Failed(error),
        }
    }
}

/// What is sent for a target.
pub(super) enum Job {
    /// A call.
    Request(RequestSpec),
    /// An edit, unless the record, which is read first, has changed since it was drawn up.
    IfUnmoved(Box<Edit>, &'static Endpoint),
}

impl Job {
    /// The call that carries it out.
    fn call(&self) -> &RequestSpec {
        match self {
            Self::Request(call) => call,
            Self::IfUnmoved(edit, _) => &edit.call,
        }
    }

    async fn carry_out<R: Record>(self, road: Arc<HttpClient>) -> Outcome<R> {
        if let Self::IfUnmoved(edit, read) = &self
            && let Err(error) = unmoved::<R>(&road, edit, read).await
        {
            return Outcome::Failed(error);
        }
        let call = self.call();
        Outcome::of(call, road.record(call.clone()).await)
    }
}

async fn unmoved<R: Record>(road: &HttpClient, edit: &Edit, reading: &'static Endpoint) -> Result<(), Error> {
    let now: R = road.record(RequestSpec::plain(reading, Some(edit.id))).await?;
    edit.check_against(&now)
}

/// A job under way.
pub(super) struct UnderWay<R> {
    /// The place of its target.
    pub(super) place: usize,
    future: Pin<Box<dyn Future<Output = Outcome<R>> + Send>>,
    call: RequestSpec,
    /// Whether its write was handed to the wire, and is not known to have failed without arriving.
    writing: Arc<AtomicBool>,
}

impl<R: Record + Send + 'static> UnderWay<R> {
    pub(super) fn new(road: &Arc<HttpClient>, place: usize, job: Job) -> Self {
        let writing = Arc::new(AtomicBool::new(false));
        let call = job.call().clone();
        let note = {
            let writing = Arc::clone(&writing);
            move |event: &Event| match event.kind {
                EventKind::Start if event.method.writes() => writing.store(true, Ordering::Relaxed),
                // A write is sent again only where it certainly was not carried out.
                EventKind::Retry { .. } => writing.store(false, Ordering::Relaxed),
                EventKind::Start | EventKind::End { .. } => {}
            }
        };
        let future = Box::pin(observe(note, job.carry_out(Arc::clone(road))));
        Self { place, future, call, writing }
    }

    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Outcome<R>> {
        self.future.as_mut().poll(context)
    }

    /// Whether its write is at the service.
    pub(super) fn is_writing(&self) -> bool {
        self.writing.load(Ordering::Relaxed)
    }

    /// Ends it where it stands; None where nothing was written.
    pub(super) fn give_up(self, road: &HttpClient) -> Option<Outcome<R>> {
        self.is_writing().then(|| Outcome::Unknown(road.given_up(&self.call)))
    }
}
