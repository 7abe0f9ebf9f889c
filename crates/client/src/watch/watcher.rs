//! Makes polls on schedule, and keeps what they found until it is taken.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Mutex;
use std::task::Poll;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::change::BotChange;
use super::plan::Plan;
use super::round::{Desk, Round, Seen};
use super::schedule::Schedule;
use super::source::Source;
use super::state;
use crate::error::Error;
use botdesk_system::lock::locked;

/// A watch over bots.
///
/// Nothing goes on while nobody waits for it: a poll is made by whoever waits for news.
pub struct Watcher<S: Source> {
    /// The process that watches. In a forked child a lock may be held by a thread that is not there.
    process: u32,
    source: S,
    plan: Plan,
    course: tokio::sync::Mutex<Course<S>>,
    seen: Mutex<Seen>,
    closed: watch::Sender<bool>,
}

/// Where the polls are.
struct Course<S: Source> {
    schedule: Schedule,
    /// The poll that is going on. One that nobody waits for any more stays where it was left.
    round: Option<Round<S>>,
}

impl<S: Source> Watcher<S> {
    /// A watch that has not polled yet. `since` is the state of an earlier one.
    pub fn new(source: S, plan: Plan, since: Option<&str>) -> Result<Self, Error> {
        let seen = match since {
            Some(text) => state::read(text, &plan)?,
            None => Seen::default(),
        };
        let course = Course { schedule: Schedule::new(plan.every), round: None };
        Ok(Self {
            process: std::process::id(),
            source,
            plan,
            course: tokio::sync::Mutex::new(course),
            seen: Mutex::new(seen),
            closed: watch::Sender::new(false),
        })
    }

    /// Who is asked.
    pub fn source(&self) -> &S {
        &self.source
    }

    /// How it watches.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Polls on schedule until there is news; false where the watch is closed.
    ///
    /// The news is not given but left to be taken, so that none is lost where this is dropped at its end.
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

    /// Polls now, whatever the schedule says. It fails where the list can't be read.
    pub async fn poll(&self) -> Result<(), Error> {
        self.check_process()?;
        if *self.closed.borrow() {
            return Err(closed());
        }
        self.until_closed(self.whole_round()).await.unwrap_or_else(|| Err(closed()))
    }

    /// Takes the next failure that nobody was told.
    pub fn take_failure(&self) -> Result<Option<Error>, Error> {
        self.check_process()?;
        Ok(locked(&self.seen).failures.pop_front())
    }

    /// Puts a failure back that could not be reported, as the next to take.
    pub fn put_failure_back(&self, failure: Error) {
        locked(&self.seen).failures.push_front(failure);
    }

    /// Takes the next change.
    pub fn take_change(&self) -> Result<Option<BotChange>, Error> {
        self.check_process()?;
        Ok(locked(&self.seen).waiting.pop_front())
    }

    /// Ends the watch: whoever waits for news gets none.
    pub fn close(&self) {
        if self.check_process().is_ok() {
            self.closed.send_replace(true);
        }
    }

    /// Whether the watch was closed.
    pub fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// What the watch knows, as a text to go on from. Changes that nobody has taken are in it.
    pub fn state(&self) -> Result<String, Error> {
        self.check_process()?;
        let (snapshot, waiting) = {
            let seen = locked(&self.seen);
            (seen.snapshot.clone(), seen.waiting.clone())
        };
        Ok(state::write(&snapshot, waiting.iter(), &self.plan))
    }

    fn has_news(&self) -> bool {
        let seen = locked(&self.seen);
        !(seen.failures.is_empty() && seen.waiting.is_empty())
    }

    fn desk(&self) -> Desk<'_, S> {
        Desk { source: &self.source, scope: self.plan.scope, deals: self.plan.deals, seen: &self.seen }
    }

    /// Waits until a poll is due, or goes on with the one that is going on by a request.
    async fn advance(&self) -> Result<(), Error> {
        let mut course = self.course.lock().await;
        // Another one who waited may have found something meanwhile.
        if self.has_news() {
            return Ok(());
        }
        // What was left long ago would be told as if it were new.
        course.round = course.round.take().filter(|round| round.touched.elapsed() <= self.plan.every);
        if course.round.is_none() {
            let now = Instant::now();
            if let Some(due) = course.schedule.pending(now) {
                drop(course);
                sleep_until(due).await;
                return Ok(());
            }
            course.schedule.begin(now);
            course.round = Some(Round::begin(&self.desk())?);
        }
        if let Some(error) = self.step(&mut course).await?.and_then(|round| round.broken) {
            locked(&self.seen).failures.push_back(error);
        }
        Ok(())
    }

    async fn whole_round(&self) -> Result<(), Error> {
        let mut course = self.course.lock().await;
        course.schedule.begin_anew(Instant::now());
        course.round = Some(Round::begin(&self.desk())?);
        while course.round.is_some() {
            if let Some(error) = self.step(&mut course).await?.and_then(|round| round.broken) {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Goes on with the poll by a request. The poll, where it has ended.
    async fn step(&self, course: &mut Course<S>) -> Result<Option<Round<S>>, Error> {
        let Some(round) = course.round.as_mut() else { return Ok(None) };
        match round.step(&self.desk()).await {
            Ok(true) => Ok(None),
            Ok(false) => Ok(course.round.take()),
            Err(error) => {
                course.round = None;
                Err(error)
            }
        }
    }

    /// What a future gives; None where the watch is closed before that.
    async fn until_closed<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut receiver = self.closed.subscribe();
        let mut closed = pin!(receiver.wait_for(|closed| *closed));
        let mut future = pin!(future);
        poll_fn(|context| match closed.as_mut().poll(context) {
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => future.as_mut().poll(context).map(Some),
        })
        .await
    }

    fn check_process(&self) -> Result<(), Error> {
        if self.process == std::process::id() {
            return Ok(());
        }
        Err(Error::Configuration(
            "this watch belongs to the process that began it; begin one of your own after the fork".to_owned(),
        ))
    }
}

fn closed() -> Error {
    Error::Configuration("the watch is closed; begin another one, with since= its state to go on from it".to_owned())
}
