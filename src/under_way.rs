//! The calls that are under way, which the end of the process waits for.
//!
//! No request begins once the process is ending, and those in flight end or hang before the interpreter finalizes. This is for
//! order: no request is left half sent without need. `thread_exit` is for safety: it covers every thread, and Python code that does
//! not return in time.

use std::cell::Cell;
use std::convert::Infallible;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use botdesk_client::process::PerProcess;

/// How often the end looks whether all stand still.
const LOOK: Duration = Duration::from_millis(1);

/// How many calls are under way.
static COUNT: PerProcess<AtomicIsize> = PerProcess::new();

/// The thread that ends the process; None while there is no end.
static ENDED_BY: PerProcess<ThreadId> = PerProcess::new();

thread_local! {
    /// How many of them are this thread's, and in which process: a forked child has a copy of its parent's number.
    static HERE: Cell<(u32, isize)> = const { Cell::new((0, 0)) };
}

fn count() -> &'static AtomicIsize {
    let Ok(count) = COUNT.get_or_try_init(|| Ok::<_, Infallible>(AtomicIsize::new(0)));
    count
}

fn here() -> isize {
    let (process, number) = HERE.with(Cell::get);
    if process == std::process::id() { number } else { 0 }
}

fn set_here(number: isize) {
    HERE.with(|here| here.set((std::process::id(), number)));
}

/// A call that is under way, for as long as Rust's part of it is on a stack or will be again; or something else of Rust's that
/// runs Python, such as an import that is made when it is first needed.
pub(super) struct UnderWay {
    process: u32,
    thread: ThreadId,
}

impl UnderWay {
    /// Begins a call; a thread that is left behind by the end of the process gets no further.
    pub(super) fn begin(py: Python<'_>) -> Self {
        stand_still_if_left_behind(py);
        count().fetch_add(1, Ordering::SeqCst);
        set_here(here() + 1);
        Self { process: std::process::id(), thread: std::thread::current().id() }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // A forked child has copies of its parent's calls, and an account of its own.
        if self.process != std::process::id() {
            return;
        }
        count().fetch_sub(1, Ordering::SeqCst);
        if self.thread == std::thread::current().id() {
            set_here(here() - 1);
        }
    }
}

/// Whether the process is ending.
pub(super) fn is_ending() -> bool {
    ENDED_BY.get().is_some()
}

/// Has a thread that is left behind by the end of the process stand still for good, as it would at its next attempt to run
/// Python from 3.14 on.
pub(super) fn stand_still_if_left_behind(py: Python<'_>) {
    if !ENDED_BY.get().is_some_and(|thread| *thread != std::thread::current().id()) {
        return;
    }
    let given_up = here();
    set_here(0);
    py.detach(|| {
        count().fetch_sub(given_up, Ordering::SeqCst);
        loop {
            std::thread::park();
        }
    });
}

/// Begins the end, on this thread: from now on, no other one begins a call.
pub(super) fn begin_end() {
    let Ok(_) = ENDED_BY.get_or_try_init(|| Ok::<_, Infallible>(std::thread::current().id()));
}

/// Waits until the calls of all other threads stand still or are over; for no longer than that, because one may be held up by
/// something that is no matter of this crate, such as a hook that sleeps. The caller lets them run Python meanwhile.
pub(super) fn wait_for_others(patience: Duration) {
    let own = here();
    let begun = Instant::now();
    while count().load(Ordering::SeqCst) > own && begun.elapsed() < patience {
        std::thread::sleep(LOOK);
    }
}
