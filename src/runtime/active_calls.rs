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

/// The active calls of this process.
static CALLS: PerProcess<Calls> = PerProcess::new();

/// The thread that shuts down; None before the shutdown.
static SHUTDOWN_THREAD: PerProcess<ThreadId> = PerProcess::new();

thread_local! {
    /// The process, and the number of active calls of this thread. A forked child has a copy of its parent's number.
    static ON_THREAD: Cell<(u32, isize)> = const { Cell::new((0, 0)) };
}

/// The active calls of a process. It keeps the number of its process: each question for that is a system call.
struct Calls {
    process: u32,
    count: AtomicIsize,
}

impl Calls {
    fn of_this_process() -> &'static Self {
        let make = || Ok::<_, Infallible>(Self { process: std::process::id(), count: AtomicIsize::new(0) });
        let Ok(calls) = CALLS.get_or_try_init(make);
        calls
    }

    /// Returns the number of active calls of this thread.
    fn on_thread(&self) -> isize {
        let (process, number) = ON_THREAD.with(Cell::get);
        if process == self.process { number } else { 0 }
    }

    fn set_on_thread(&self, number: isize) {
        ON_THREAD.with(|calls| calls.set((self.process, number)));
    }
}

/// A guard of a call with Rust code on its stack, or of a suspended coroutine of such a call; or of other Rust code that runs Python,
/// such as an import at its first use.
pub(crate) struct ActiveCall {
    calls: &'static Calls,
    thread: ThreadId,
}

impl ActiveCall {
    /// Starts a call, or parks the thread if the interpreter is finalizing.
    pub(crate) fn start(py: Python<'_>) -> Self {
        park_if_finalizing(py);
        let calls = Calls::of_this_process();
        calls.count.fetch_add(1, Ordering::SeqCst);
        calls.set_on_thread(calls.on_thread() + 1);
        Self { calls, thread: std::thread::current().id() }
    }
}

impl Drop for ActiveCall {
    fn drop(&mut self) {
        // A forked child has copies of its parent's calls, but its own count.
        if self.calls.process != std::process::id() {
            return;
        }
        self.calls.count.fetch_sub(1, Ordering::SeqCst);
        if self.thread == std::thread::current().id() {
            self.calls.set_on_thread(self.calls.on_thread() - 1);
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
    let calls = Calls::of_this_process();
    let abandoned = calls.on_thread();
    calls.set_on_thread(0);
    py.detach(|| {
        calls.count.fetch_sub(abandoned, Ordering::SeqCst);
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
    let calls = Calls::of_this_process();
    let own = calls.on_thread();
    let start = Instant::now();
    while calls.count.load(Ordering::SeqCst) > own && start.elapsed() < timeout {
        std::thread::sleep(INTERVAL);
    }
}
