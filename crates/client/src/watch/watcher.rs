//! Polls on a schedule, and keeps the changes and errors until they are taken.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Mutex;
use std::task;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::change::RecordChange;
use super::options::WatchOptions;
use super::poll::{Poll, PollContext, WatchState};
use super::saved_state;
use super::schedule::Schedule;
use super::source::Source;
use crate::error::Error;
use botdesk_system::lock::locked;

/// A watch over the records of a list.
///
/// It has no background task: a poll is made by the caller that waits for news.
pub struct Watcher<S: Source> {
    /// The process that watches. In a forked child a lock may be held by a thread that does not exist there.
    process: u32,
    source: S,
    options: WatchOptions,
    polling: tokio::sync::Mutex<Polling<S>>,
    seen: Mutex<WatchState>,
    closed: watch::Sender<bool>,
}

/// The state of polling.
struct Polling<S: Source> {
    schedule: Schedule,
    /// The current poll. A poll whose caller was cancelled stays here and is continued.
    poll: Option<Poll<S>>,
}

impl<S: Source> Watcher<S> {
    /// Returns a watch that has not polled yet; `since` is the state of an earlier one.
    pub fn new(source: S, options: WatchOptions, since: Option<&str>) -> Result<Self, Error> {
        let seen = match since {
            Some(text) => saved_state::read(text, &options)?,
            None => WatchState::default(),
        };
        let polling = Polling { schedule: Schedule::new(options.every), poll: None };
        Ok(Self {
            process: std::process::id(),
            source,
            options,
            polling: tokio::sync::Mutex::new(polling),
            seen: Mutex::new(seen),
            closed: watch::Sender::new(false),
        })
    }

    /// Returns the source of the records.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// Returns the options.
    pub fn options(&self) -> &WatchOptions {
        &self.options
    }

    /// Polls on schedule until there is news; returns false if the watch is closed.
    ///
    /// The news is not returned but left to be taken, so that none is lost if the future is dropped.
    pub async fn ready(&self) -> Result<bool, Error> {
        self.check_process()?;
        loop {
            if *self.closed.borrow() {
                return Ok(false);
            }
            if self.has_news() {
                return Ok(true);
            }
            if let Some(outcome) = self.until_closed(self.advance()).await {
                outcome?;
            }
        }
    }

    /// Polls now, independently of the schedule; an error means that the list can't be read.
    pub async fn poll(&self) -> Result<(), Error> {
        self.check_process()?;
        if *self.closed.borrow() {
            return Err(closed());
        }
        self.until_closed(self.whole_poll()).await.unwrap_or_else(|| Err(closed()))
    }

    /// Takes the next error.
    pub fn take_failure(&self) -> Result<Option<Error>, Error> {
        self.check_process()?;
        Ok(locked(&self.seen).failures.pop_front())
    }

    /// Puts back an error that could not be reported, as the next to take.
    pub fn put_failure_back(&self, failure: Error) {
        locked(&self.seen).failures.push_front(failure);
    }

    /// Takes the next change.
    pub fn take_change(&self) -> Result<Option<RecordChange>, Error> {
        self.check_process()?;
        Ok(locked(&self.seen).waiting.pop_front())
    }

    /// Closes the watch; waiting callers return.
    pub fn close(&self) {
        if self.check_process().is_ok() {
            self.closed.send_replace(true);
        }
    }

    /// Returns true if the watch is closed.
    pub fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// Returns the state of the watch, to continue it from. Changes that were not taken are part of it.
    pub fn state(&self) -> Result<String, Error> {
        self.check_process()?;
        let (snapshot, waiting) = {
            let seen = locked(&self.seen);
            (seen.snapshot.clone(), seen.waiting.clone())
        };
        Ok(saved_state::write(&snapshot, waiting.iter(), &self.options))
    }

    fn has_news(&self) -> bool {
        let seen = locked(&self.seen);
        !(seen.failures.is_empty() && seen.waiting.is_empty())
    }

    fn context(&self) -> PollContext<'_, S> {
        PollContext { source: &self.source, scope: self.options.scope, nested: self.options.nested, seen: &self.seen }
    }

    /// Waits until a poll is due, or sends the next request of the current poll.
    async fn advance(&self) -> Result<(), Error> {
        let mut polling = self.polling.lock().await;
        // Another caller that waited may have found something meanwhile.
        if self.has_news() {
            return Ok(());
        }
        // A poll that was interrupted long ago would report old states as new.
        polling.poll = polling.poll.take().filter(|poll| poll.touched.elapsed() <= self.options.every);
        if polling.poll.is_none() {
            let now = Instant::now();
            if let Some(due) = polling.schedule.pending(now) {
                drop(polling);
                sleep_until(due).await;
                return Ok(());
            }
            polling.schedule.start(now);
            polling.poll = Some(Poll::start(&self.context())?);
        }
        if let Some(error) = self.step(&mut polling).await?.and_then(|poll| poll.broken) {
            locked(&self.seen).failures.push_back(error);
        }
        Ok(())
    }

    async fn whole_poll(&self) -> Result<(), Error> {
        let mut polling = self.polling.lock().await;
        polling.schedule.restart(Instant::now());
        polling.poll = Some(Poll::start(&self.context())?);
        while polling.poll.is_some() {
            if let Some(error) = self.step(&mut polling).await?.and_then(|poll| poll.broken) {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Sends the next request of the current poll; returns the poll if it has ended.
    async fn step(&self, polling: &mut Polling<S>) -> Result<Option<Poll<S>>, Error> {
        let Some(poll) = polling.poll.as_mut() else { return Ok(None) };
        match poll.step(&self.context()).await {
            Ok(true) => Ok(None),
            Ok(false) => Ok(polling.poll.take()),
            Err(error) => {
                polling.poll = None;
                Err(error)
            }
        }
    }

    /// Returns the output of a future; None if the watch is closed first.
    async fn until_closed<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut receiver = self.closed.subscribe();
        let mut closed = pin!(receiver.wait_for(|closed| *closed));
        let mut future = pin!(future);
        poll_fn(|context| match closed.as_mut().poll(context) {
            task::Poll::Ready(_) => task::Poll::Ready(None),
            task::Poll::Pending => future.as_mut().poll(context).map(Some),
        })
        .await
    }

    fn check_process(&self) -> Result<(), Error> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(Error::Configuration(
            "this watch belongs to the process that created it; create another one after the fork".to_owned(),
        ))
    }
}

fn closed() -> Error {
    Error::Configuration("the watch is closed; start another one, with since= its state to continue it".to_owned())
}
