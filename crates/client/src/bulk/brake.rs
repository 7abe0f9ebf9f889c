//! How a run is ended before its time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Waker};

use botdesk_system::lock::locked;

/// Ends a run before its time: gently at first, at once when it is pressed again.
#[derive(Debug, Default)]
pub struct Brake {
    pressed: AtomicU8,
    /// Wakes the run.
    waker: Mutex<Option<Waker>>,
}

/// How a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// As far as there is something to do.
    On,
    /// Until what is under way has ended.
    Ending,
    /// Not at all.
    Stop,
}

impl Brake {
    /// Presses the brake.
    pub fn press(&self) {
        // Past the second time nothing is left to end.
        let more = |pressed: u8| Some(pressed.saturating_add(1));
        let _ = self.pressed.fetch_update(Ordering::AcqRel, Ordering::Acquire, more);
        let waker = locked(&self.waker).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Whether it was pressed.
    pub fn is_pressed(&self) -> bool {
        self.pace() != Pace::On
    }

    /// How the run goes on; it is woken when that changes.
    pub(super) fn watch(&self, context: &Context<'_>) -> Pace {
        // Before the look, so that what is pressed in between wakes it.
        *locked(&self.waker) = Some(context.waker().clone());
        self.pace()
    }

    fn pace(&self) -> Pace {
        match self.pressed.load(Ordering::Acquire) {
            0 => Pace::On,
            1 => Pace::Ending,
            _ => Pace::Stop,
        }
    }
}
