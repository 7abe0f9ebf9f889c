//! The time that limits are counted in.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a sandbox has run, with the time that its clock was moved on by hand.
pub(super) struct Time {
    started: Instant,
    /// In milliseconds.
    skipped: AtomicU64,
}

impl Time {
    pub(super) fn begin() -> Self {
        Self { started: Instant::now(), skipped: AtomicU64::new(0) }
    }

    /// The time since the sandbox started.
    pub(super) fn now(&self) -> Duration {
        self.started.elapsed() + Duration::from_millis(self.skipped.load(Ordering::Relaxed))
    }

    /// Counts so much time as passed.
    pub(super) fn skip(&self, time: Duration) {
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.skipped.fetch_add(milliseconds, Ordering::Relaxed);
    }
}
