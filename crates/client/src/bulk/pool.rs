//! Runs jobs concurrently, up to a limit.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::job::{InFlight, Job, Outcome};
use super::stop::{RunState, StopSignal};
use crate::error::Error;
use crate::http::client::HttpClient;

/// The means of a caller to follow a run and to stop it.
pub struct RunControl {
    /// Stops the run early.
    pub stop: Arc<StopSignal>,
    /// Called after each job.
    pub step: Box<dyn Fn() + Send + Sync>,
}

/// Runs jobs concurrently.
pub(super) struct JobPool<'a> {
    client: &'a Arc<HttpClient>,
    control: &'a RunControl,
    concurrency: usize,
    waiting: VecDeque<(usize, Job)>,
    in_flight: Vec<InFlight>,
    /// The outcomes, each with the index of its target.
    ended: Vec<(usize, Outcome)>,
    /// The fatal error after which no job was started.
    ended_by: Option<Error>,
}

impl<'a> JobPool<'a> {
    pub(super) fn new(
        client: &'a Arc<HttpClient>,
        control: &'a RunControl,
        concurrency: usize,
        jobs: Vec<(usize, Job)>,
    ) -> Self {
        let (ended, in_flight) = (Vec::with_capacity(jobs.len()), Vec::with_capacity(concurrency.min(jobs.len())));
        Self { client, control, concurrency, waiting: jobs.into(), in_flight, ended, ended_by: None }
    }

    /// Runs the jobs until all have ended or the run is stopped. Jobs without an outcome were not started.
    pub(super) async fn run(mut self) -> (Vec<(usize, Outcome)>, Option<Error>) {
        poll_fn(|context| self.poll(context)).await;
        (self.ended, self.ended_by)
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            match self.state(context) {
                RunState::Running => self.start(),
                RunState::Finishing => self.drop_waiting(),
                RunState::Stopped => self.abandon(),
            }
            if !self.poll_each(context) {
                let is_done = self.in_flight.is_empty();
                return if is_done { Poll::Ready(()) } else { Poll::Pending };
            }
        }
    }

    fn state(&self, context: &Context<'_>) -> RunState {
        match self.control.stop.watch(context) {
            RunState::Running if self.ended_by.is_some() => RunState::Finishing,
            state => state,
        }
    }

    fn start(&mut self) {
        while self.in_flight.len() < self.concurrency
            && let Some((index, job)) = self.waiting.pop_front()
        {
            self.in_flight.push(InFlight::new(self.client, index, job));
        }
    }

    /// Drops the jobs that wait, for the rate limit or for a retry.
    fn drop_waiting(&mut self) {
        let ended = &mut self.ended;
        self.in_flight.retain(|job| {
            if !job.is_writing() {
                ended.extend(job.outcome_so_far().map(|outcome| (job.index, outcome)));
            }
            job.is_writing()
        });
    }

    fn abandon(&mut self) {
        let abandoned = self.in_flight.drain(..).filter_map(|job| Some((job.index, job.abandon(self.client)?)));
        self.ended.extend(abandoned);
    }

    /// Polls each job; returns true if any ended.
    fn poll_each(&mut self, context: &mut Context<'_>) -> bool {
        let mut ended = Vec::new();
        self.in_flight.retain_mut(|job| match job.poll(context) {
            Poll::Ready(outcome) => {
                ended.push((job.index, outcome, job.outcome_so_far()));
                false
            }
            Poll::Pending => true,
        });
        let any = !ended.is_empty();
        for (index, outcome, before) in ended {
            self.end(index, outcome, before);
        }
        any
    }

    /// Takes the outcome of a job, and the one that it would have had without its last request.
    fn end(&mut self, index: usize, outcome: Outcome, before: Option<Outcome>) {
        (self.control.step)();
        match &outcome {
            // The last request was not sent either.
            Outcome::Failed(error @ Error::Closed(_)) => {
                self.ended_by.get_or_insert_with(|| error.clone());
                self.ended.extend(before.map(|outcome| (index, outcome)));
                return;
            }
            // Throttled by what ended the run: nothing was sent, so the target counts as not started.
            Outcome::Failed(Error::Throttled { .. }) if self.ended_by.is_some() => return,
            Outcome::Failed(error) if error.is_fatal() => self.ended_by = self.ended_by.take().or(Some(error.clone())),
            _ => {}
        }
        self.ended.push((index, outcome));
    }
}
