//! The active calls, which the shutdown waits for.
//!
//! After the start of the shutdown no call starts, and the active ones end or park before the interpreter finalizes. So requests are
//! not interrupted needlessly. `thread_exit` is for safety: it covers every thread, and Python code that does not return in time.

use std::cell::Cell;
use std::convert::Infallible;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use botdesk_client::process::PerProcess;

/// The interval at which the shutdown checks the number of active calls.
const INTERVAL: Duration = Duration::from_millis(1);

/// The number of active calls.
static COUNT: PerProcess<AtomicIsize> = PerProcess::new();

/// The thread that shuts down; None before the shutdown.
static SHUTDOWN_THREAD: PerProcess<ThreadId> = PerProcess::new();

thread_local! {
    /// The process, and the number of active calls of this thread. A forked child has a copy of its parent's number.
    static ON_THREAD: Cell<(u32, isize)> = const { Cell::new((0, 0)) };
}

fn count() -> &'static AtomicIsize {
    let Ok(count) = COUNT.get_or_try_init(|| Ok::<_, Infallible>(AtomicIsize::new(0)));
    count
}

fn on_thread() -> isize {
    let (process, number) = ON_THREAD.with(Cell::get);
    if process == std::process::id() { number } else { 0 }
}

fn set_on_thread(number: isize) {
    ON_THREAD.with(|calls| calls.set((std::process::id(), number)));
}

/// A guard of a call with Rust code on its stack, or of a suspended coroutine of such a call; or of other Rust code that runs Python,
/// such as an import at its first use.
pub(crate) struct ActiveCall {
    process: u32,
    thread: ThreadId,
}

impl ActiveCall {
    /// Starts a call, or parks the thread if the interpreter is finalizing.
    pub(crate) fn start(py: Python<'_>) -> Self {
        park_if_finalizing(py);
        count().fetch_add(1, Ordering::SeqCst);
        set_on_thread(on_thread() + 1);
        Self { process: std::process::id(), thread: std::thread::current().id() }
    }
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        // A forked child has copies of its parent's calls, but its own count.
        if self.process != std::process::id() {
            return;
        }
        count().fetch_sub(1, Ordering::SeqCst);
        if self.thread == std::thread::current().id() {
            set_on_thread(on_thread() - 1);
        }
    }
}

/// Returns true after the start of the shutdown.
pub(crate) fn is_shutting_down() -> bool {
    SHUTDOWN_THREAD.get().is_some()
}

/// Parks this thread for good if another thread shuts down. From Python 3.14 on, the interpreter itself hangs such a thread when it
/// next runs Python.
pub(crate) fn park_if_finalizing(py: Python<'_>) {
    if !SHUTDOWN_THREAD.get().is_some_and(|thread| *thread != std::thread::current().id()) {
        return;
    }
    let abandoned = on_thread();
    set_on_thread(0);
    py.detach(|| {
        count().fetch_sub(abandoned, Ordering::SeqCst);
        loop {
            std::thread::park();
        }
    });
}

/// Starts the shutdown on this thread. From now on, no other thread starts a call.
pub(crate) fn start_shutdown() {
    let Ok(_) = SHUTDOWN_THREAD.get_or_try_init(|| Ok::<_, Infallible>(std::thread::current().id()));
}

/// Waits until the calls of all other threads have ended or are parked. The timeout is for a call that does not return, for example
/// because a hook sleeps. The caller must have released the GIL.
pub(crate) fn wait_for_other_threads(timeout: Duration) {
    let own = on_thread();
    let start = Instant::now();
    while count().load(Ordering::SeqCst) > own && start.elapsed() < timeout {
        std::thread::sleep(INTERVAL);
    }
}
