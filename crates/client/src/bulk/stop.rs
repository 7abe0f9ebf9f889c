//! Stopping a run early.

use std::task::{Context, Waker};

use crate::sync::{AtomicU8, Mutex, Ordering, locked};

/// Stops a run early: the first request lets jobs in flight finish, the second drops them.
#[derive(Debug, Default)]
pub struct StopSignal {
    requests: AtomicU8,
    /// Wakes the run when a stop is requested.
    waker: Mutex<Option<Waker>>,
}

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunState {
    /// New jobs are started.
    Running,
    /// Writes in flight are awaited; nothing new is started.
    Finishing,
    /// Everything in flight is dropped.
    Stopped,
}

impl StopSignal {
    /// Requests a stop, or, the second time, an immediate stop.
    pub fn request(&self) {
        // A third request changes nothing.
        let more = |requests: u8| Some(requests.saturating_add(1));
        let _ = self.requests.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        let waker = locked(&self.waker).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Returns true if a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.state() != RunState::Running
    }

    /// Returns the state of the run, which is woken when the state changes.
    pub(super) fn watch(&self, context: &Context<'_>) -> RunState {
        // Store the waker before reading the state, so that a stop requested in between wakes the run.
        *locked(&self.waker) = Some(context.waker().clone());
        self.state()
    }

    fn state(&self) -> RunState {
        match self.requests.load(Ordering::Acquire) {
            0 => RunState::Running,
            1 => RunState::Finishing,
            _ => RunState::Stopped,
        }
    }
}
