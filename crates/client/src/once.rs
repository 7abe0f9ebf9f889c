//! Sends a write at most once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::http::events::{Event, EventKind, observe};

/// A write that is sent at most once, by whichever caller comes first.
#[derive(Debug, Default)]
pub struct OneWrite {
    is_taken: AtomicBool,
}

impl OneWrite {
    /// Returns the permit to send the write; None if another caller has it or has sent the write.
    pub fn acquire(self: Arc<Self>) -> Option<WritePermit> {
        let is_free = !self.is_taken.swap(true, Ordering::AcqRel);
        is_free.then(|| WritePermit { write: self, writing: Arc::default() })
    }
}

/// The permit to send a write. Dropping it returns the permit, unless the write may have arrived.
#[derive(Debug)]
pub struct WritePermit {
    write: Arc<OneWrite>,
    writing: Arc<AtomicBool>,
}

impl WritePermit {
    /// Runs a future that sends the write. Returns the permit if the future fails and the write was certainly not applied.
    pub async fn run<T, E>(
        self,
        future: impl Future<Output = Result<T, E>>,
        may_have_applied: impl FnOnce(&E) -> bool,
    ) -> Result<T, E> {
        let outcome = observe(note_writes(&self.writing), future).await;
        if outcome.as_ref().is_err_and(|error| !may_have_applied(error)) {
            self.writing.store(false, Ordering::Relaxed);
        }
        outcome
    }
}

impl Drop for WritePermit {
    fn drop(&mut self) {
        if !self.writing.load(Ordering::Relaxed) {
            self.write.is_taken.store(false, Ordering::Release);
        }
    }
}

/// Returns an observer that keeps a boolean true while a write was handed to a connection and is not known to have failed without
/// arriving.
pub(crate) fn note_writes(writing: &Arc<AtomicBool>) -> impl Fn(&Event) + Send + Sync + 'static {
    let writing = Arc::clone(writing);
    move |event| match event.kind {
        EventKind::Start if event.effect.writes() => writing.store(true, Ordering::Relaxed),
        // A write is retried only if it certainly was not applied.
        EventKind::Retry { .. } => writing.store(false, Ordering::Relaxed),
        EventKind::Start | EventKind::End { .. } => {}
    }
}
