//! Jobs at work side by side, no more than so many at once.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::brake::{Brake, Pace};
use super::job::{Job, Outcome, UnderWay};
use crate::error::Error;
use crate::http::client::HttpClient;
use botdesk_api::record::Record;

/// Who wants to know how far a run has come, and who may end it.
pub struct Control {
    /// Ends the run before its time.
    pub brake: Arc<Brake>,
    /// Called when a job has ended.
    pub step: Box<dyn Fn() + Send + Sync>,
}

/// Jobs at work.
pub(super) struct Crew<'a, R> {
    road: &'a Arc<HttpClient>,
    control: &'a Control,
    at_once: usize,
    waiting: VecDeque<(usize, Job)>,
    under_way: Vec<UnderWay<R>>,
    /// What became of those that ended, by the places of their targets.
    ended: Vec<(usize, Outcome<R>)>,
    /// Why the others were not begun.
    ended_by: Option<Error>,
}

impl<'a, R: Record + Send + 'static> Crew<'a, R> {
    pub(super) fn new(
        road: &'a Arc<HttpClient>,
        control: &'a Control,
        at_once: usize,
        jobs: Vec<(usize, Job)>,
    ) -> Self {
        let (ended, under_way) = (Vec::with_capacity(jobs.len()), Vec::with_capacity(at_once.min(jobs.len())));
        Self { road, control, at_once, waiting: jobs.into(), under_way, ended, ended_by: None }
    }

    /// Does all jobs, or those that can be done before the end. Those that nothing is told of were not begun.
    pub(super) async fn work(mut self) -> (Vec<(usize, Outcome<R>)>, Option<Error>) {
        poll_fn(|context| self.poll(context)).await;
        (self.ended, self.ended_by)
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            match self.pace(context) {
                Pace::On => self.begin(),
                Pace::Ending => self.under_way.retain(UnderWay::is_writing),
                Pace::Stop => self.give_up(),
            }
            if !self.poll_each(context) {
                let is_done = self.under_way.is_empty();
                return if is_done { Poll::Ready(()) } else { Poll::Pending };
            }
        }
    }

    fn pace(&self, context: &Context<'_>) -> Pace {
        match self.control.brake.watch(context) {
            Pace::On if self.ended_by.is_some() => Pace::Ending,
            pace => pace,
        }
    }

    fn begin(&mut self) {
        while self.under_way.len() < self.at_once
            && let Some((place, job)) = self.waiting.pop_front()
        {
            self.under_way.push(UnderWay::new(self.road, place, job));
        }
    }

    fn give_up(&mut self) {
        let given_up = self.under_way.drain(..).filter_map(|job| Some((job.place, job.give_up(self.road)?)));
        self.ended.extend(given_up);
    }

    /// Lets each job go on; whether any ended.
    fn poll_each(&mut self, context: &mut Context<'_>) -> bool {
        let mut ended = Vec::new();
        self.under_way.retain_mut(|job| match job.poll(context) {
            Poll::Ready(outcome) => {
                ended.push((job.place, outcome));
                false
            }
            Poll::Pending => true,
        });
        let any = !ended.is_empty();
        for (place, outcome) in ended {
            self.end(place, outcome);
        }
        any
    }

    fn end(&mut self, place: usize, outcome: Outcome<R>) {
        (self.control.step)();
        match &outcome {
            // Held back for the reason that ended the run: nothing was sent.
            Outcome::Failed(Error::Throttled { .. }) if self.ended_by.is_some() => return,
            Outcome::Failed(error) if error.is_fatal() => self.ended_by = self.ended_by.take().or(Some(error.clone())),
            _ => {}
        }
        self.ended.push((place, outcome));
    }
}
