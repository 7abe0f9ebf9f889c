//! The thread that wakes the coroutines of event loops.
//!
//! Waking a coroutine runs Python code. If a worker of the runtime did that, it would wait for the GIL while its connections wait for
//! it, and Python would create a thread state for it each time. So one thread, which keeps its thread state, wakes all coroutines.
//!
//! Python may run other code on this thread, such as a `__del__` in a garbage collection. No event loop is woken in that time. If
//! that code waits for an event loop, it waits forever.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pyo3::prelude::*;

use crate::exceptions::RustResult;
use botdesk_client::process::PerProcess;
use botdesk_system::lock::locked;

static WAKER_THREAD: PerProcess<WakerThread> = PerProcess::new();

/// A message to the waker thread.
enum WakerMessage {
    /// Call the waker of a coroutine.
    Wake(Waker),
    /// Stop, and confirm it.
    Stop(SyncSender<()>),
}

/// The waker thread, and the sender of its messages.
struct WakerThread {
    sender: Sender<WakerMessage>,
    id: ThreadId,
}

impl WakerThread {
    fn start() -> io::Result<Self> {
        let (sender, messages) = channel();
        let thread = thread::Builder::new().name("botdesk-wakes".to_owned()).spawn(move || run(messages))?;
        Ok(Self { sender, id: thread.thread().id() })
    }
}

/// A waker that the waker thread calls.
struct ForwardedWaker {
    sender: Sender<WakerMessage>,
    waker: Waker,
}

impl Wake for ForwardedWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // The thread is gone once the process ends, and then no coroutine continues.
        self.sender.send(WakerMessage::Wake(self.waker.clone())).rust_ok();
    }
}

/// Polls with a waker that the waker thread calls. The original waker is used if the thread can't be started, and on the waker thread
/// itself: an event loop there would wait for messages that only its own thread could handle.
pub(crate) fn with_forwarded_waker<T>(context: &mut Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> T) -> T {
    match WAKER_THREAD.get_or_try_init(WakerThread::start).rust_ok() {
        Some(WakerThread { sender, id }) if *id != thread::current().id() => {
            let forwarded = ForwardedWaker { sender: sender.clone(), waker: context.waker().clone() };
            poll(&mut Context::from_waker(&Arc::new(forwarded).into()))
        }
        _ => poll(context),
    }
}

/// Stops the thread after the messages sent so far, and waits for that until the timeout.
pub(crate) fn stop(timeout: Duration) {
    let Some(thread) = WAKER_THREAD.get() else { return };
    let (done, confirmed) = sync_channel(1);
    if thread.sender.send(WakerMessage::Stop(done)).rust_ok().is_some() {
        // At a timeout there is nothing else to do.
        confirmed.recv_timeout(timeout).rust_ok();
    }
}

fn run(messages: Receiver<WakerMessage>) {
    let messages = Mutex::new(messages);
    let confirm = Python::attach(|py| {
        loop {
            match next(py, &messages)? {
                WakerMessage::Wake(waker) => wake(waker),
                WakerMessage::Stop(done) => return Some(done),
            }
        }
    });
    if let Some(done) = confirm {
        // The receiver is dropped after a timeout.
        done.send(()).rust_ok();
    }
}

/// Returns the next message. The GIL is released only if none is there yet.
fn next(py: Python<'_>, messages: &Mutex<Receiver<WakerMessage>>) -> Option<WakerMessage> {
    let waiting = locked(messages).try_recv().rust_ok();
    waiting.or_else(|| py.detach(|| locked(messages).recv()).rust_ok())
}

/// Calls a waker. A panic has been printed already, and must not affect other event loops.
#[allow(
    clippy::let_underscore_must_use,
    reason = "it is a panic, not an exception; no signal handler runs on this thread"
)]
fn wake(waker: Waker) {
    let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
}
