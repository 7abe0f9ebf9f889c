//! What the tasks of a stream and its callers share.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Mutex;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;

use super::event::StreamEvent;
use super::options::StreamOptions;
use super::queue::Queue;
use crate::error::Error;
use botdesk_system::lock::locked;

/// The number of errors that are kept for a caller who takes none; the oldest are dropped first.
const MAX_FAILURES: usize = 1_000;

/// What the tasks of a stream and its callers share.
pub(super) struct Shared {
    pub(super) options: StreamOptions,
    news: Mutex<News>,
    /// Counts the news, to wake the callers.
    changes: watch::Sender<u64>,
    closed: watch::Sender<bool>,
}

/// What was not taken yet.
#[derive(Default)]
struct News {
    queue: Queue,
    failures: VecDeque<Error>,
    warnings: VecDeque<String>,
    members: Vec<Member>,
    /// The state of the connection; None without one.
    connection: Option<&'static str>,
    /// The number of failures in a row of the connection.
    failed_attempts: u32,
}

/// A resource of a stream.
#[derive(Default)]
struct Member {
    /// True once changes of its records are seen: from here on none is missed.
    is_settled: bool,
    /// True if it has events of its own that wait.
    has_news: bool,
    /// The error that ended it.
    ended: Option<Error>,
}

impl Shared {
    /// Returns what the tasks of a stream of some resources share.
    pub(super) fn new(options: StreamOptions, members: usize) -> Self {
        let members = (0..members).map(|_| Member::default()).collect();
        let news = News { members, ..News::default() };
        Self { options, news: Mutex::new(news), changes: watch::Sender::new(0), closed: watch::Sender::new(false) }
    }

    fn change<T>(&self, change: impl FnOnce(&mut News) -> T) -> T {
        let result = change(&mut locked(&self.news));
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
        result
    }

    /// Adds events.
    pub(super) fn push(&self, events: impl IntoIterator<Item = StreamEvent>) {
        let mut events = events.into_iter().peekable();
        if events.peek().is_some() {
            self.change(|news| events.for_each(|event| news.queue.push(event)));
        }
    }

    /// Notes a change of the connection, and returns it as an event if the options ask for it.
    pub(super) fn connection(&self, state: &'static str, event: Option<(&'static str, Option<String>)>) {
        self.change(|news| news.connection = Some(state));
        if let Some((kind, reason)) = event {
            self.connection_event(kind, reason);
        }
    }

    /// Counts a failure of the connection, which may have been live before; returns the number of those in a row.
    pub(super) fn attempt_failed(&self, was_live: bool) -> u32 {
        let mut news = locked(&self.news);
        news.failed_attempts = if was_live { 0 } else { news.failed_attempts + 1 };
        news.failed_attempts
    }

    /// Adds an event of the connection if the options ask for it.
    pub(super) fn connection_event(&self, kind: &'static str, reason: Option<String>) {
        self.push(self.options.states.then(|| StreamEvent::of_connection(kind, reason)));
    }

    /// Reports an error that does not end the stream.
    pub(super) fn fail(&self, error: Error) {
        self.change(|news| {
            news.failures.push_back(error);
            if news.failures.len() > MAX_FAILURES {
                news.failures.pop_front();
            }
        });
    }

    /// Warns the caller, once for each call of this.
    pub(super) fn warn(&self, message: String) {
        self.change(|news| news.warnings.push_back(message));
    }

    /// Notes that from here on no change of a resource is missed.
    pub(super) fn settle(&self, member: usize) {
        if locked(&self.news).members.get(member).is_some_and(|member| member.is_settled) {
            return;
        }
        self.change(|news| news.members.get_mut(member).into_iter().for_each(|member| member.is_settled = true));
    }

    /// Offers the events that a resource keeps itself, and waits until all are taken.
    pub(super) async fn offer(&self, member: usize) {
        let change =
            |news: &mut News| news.members.get_mut(member).into_iter().for_each(|member| member.has_news = true);
        self.change(change);
        self.until(|news| (!news.members.get(member).is_some_and(|member| member.has_news)).then_some(())).await;
    }

    /// Notes that all events which a resource keeps itself are taken.
    pub(super) fn all_taken(&self, member: usize) {
        if locked(&self.news).members.get(member).is_some_and(|member| member.has_news) {
            self.change(|news| news.members.get_mut(member).into_iter().for_each(|member| member.has_news = false));
        }
    }

    /// Ends a resource with an error. The others go on.
    pub(super) fn end(&self, member: usize, error: Error) {
        self.change(|news| {
            let goes_on =
                news.members.iter().enumerate().any(|(index, other)| index != member && other.ended.is_none());
            if goes_on {
                news.failures.push_back(error.clone());
            }
            if let Some(member) = news.members.get_mut(member) {
                (member.is_settled, member.ended) = (true, Some(error));
            }
        });
    }

    /// Closes the stream.
    pub(super) fn close(&self) {
        self.closed.send_replace(true);
        self.change(|_| ());
    }

    pub(super) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// Waits until there is something to take; returns false if the stream is closed. The error is that which ended the last resource.
    pub(super) async fn ready(&self) -> Result<bool, Error> {
        self.until(|news| {
            let has_own = news.members.iter().any(|member| member.has_news);
            if has_own || !(news.queue.is_empty() && news.failures.is_empty() && news.warnings.is_empty()) {
                return Some(Ok(true));
            }
            let ended = news.members.iter().map(|member| member.ended.as_ref());
            let ended: Option<Vec<&Error>> = ended.collect();
            ended.and_then(|errors| errors.last().map(|error| Err((*error).clone())))
        })
        .await
        .unwrap_or(Ok(false))
    }

    /// Waits until no change of any resource is missed any more.
    pub(super) async fn settled(&self) {
        self.until(|news| news.members.iter().all(|member| member.is_settled).then_some(())).await;
    }

    /// Waits until the news are as wanted; None if the stream is closed first.
    async fn until<T>(&self, wanted: impl Fn(&News) -> Option<T>) -> Option<T> {
        let mut changes = self.changes.subscribe();
        loop {
            if self.is_closed() {
                return None;
            }
            if let Some(found) = wanted(&locked(&self.news)) {
                return Some(found);
            }
            // It fails only if the sender is dropped, which is `self`.
            let _ = changes.changed().await;
        }
    }

    /// Awaits a future of a task; None if the stream is closed first.
    pub(super) async fn unless_closed<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut receiver = self.closed.subscribe();
        let (mut future, mut closed) = (pin!(future), pin!(receiver.wait_for(|closed| *closed)));
        poll_fn(|context| match closed.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => future.as_mut().poll(context).map(Some),
        })
        .await
    }

    /// Waits; returns false if the stream is closed first.
    pub(super) async fn sleep(&self, duration: Duration) -> bool {
        self.unless_closed(sleep(duration)).await.is_some()
    }

    /// Takes the next error.
    pub(super) fn take_failure(&self) -> Option<Error> {
        locked(&self.news).failures.pop_front()
    }

    /// Puts back an error that could not be reported.
    pub(super) fn put_failure_back(&self, failure: Error) {
        self.change(|news| news.failures.push_front(failure));
    }

    /// Takes the next warning.
    pub(super) fn take_warning(&self) -> Option<String> {
        locked(&self.news).warnings.pop_front()
    }

    /// Puts back a warning that could not be given.
    pub(super) fn put_warning_back(&self, warning: String) {
        self.change(|news| news.warnings.push_front(warning));
    }

    /// Takes the next event.
    pub(super) fn take_event(&self) -> Option<StreamEvent> {
        locked(&self.news).queue.pop()
    }

    /// Returns the state of the connection; None without one.
    pub(super) fn connection_state(&self) -> Option<&'static str> {
        locked(&self.news).connection
    }

    /// Returns the number of events that newer ones of the same record have replaced.
    pub(super) fn merged(&self) -> u64 {
        locked(&self.news).queue.merged()
    }

    /// Calls a function with the events that wait.
    pub(super) fn with_waiting<T>(&self, read: impl FnOnce(&mut dyn Iterator<Item = &StreamEvent>) -> T) -> T {
        read(&mut locked(&self.news).queue.waiting())
    }
}
