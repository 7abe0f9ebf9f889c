//! The time that rate limits use.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The time since a sandbox started. Advancing the sandbox's clock advances it too.
pub(super) struct Uptime {
    started: Instant,
    skipped_milliseconds: AtomicU64,
}

impl Uptime {
    pub(super) fn start() -> Self {
        Self { started: Instant::now(), skipped_milliseconds: AtomicU64::new(0) }
    }

    /// Returns the time since the start.
    pub(super) fn now(&self) -> Duration {
        self.started.elapsed() + Duration::from_millis(self.skipped_milliseconds.load(Ordering::Relaxed))
    }

    /// Advances the time.
    pub(super) fn skip(&self, time: Duration) {
        let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.skipped_milliseconds.fetch_add(milliseconds, Ordering::Relaxed);
    }
}
