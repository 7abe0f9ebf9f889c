//! The thread that tells event loops which of their coroutines can go on.
//!
//! To tell a loop, a thread has to run Python. A worker of the runtime that did would wait for the GIL instead of minding its
//! connections, and Python would make a new state for it each time. So one thread, which keeps its state, tells all of them.
//!
//! What Python runs on it by itself, such as a `__del__` of others in a collection of garbage, holds all loops up for as long as it
//! takes, and for ever where it waits for one of them.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::thread::{self, ThreadId};
use std::time::Duration;

use pyo3::prelude::*;

use super::exceptions::RustResult;
use botdesk_client::process::PerProcess;
use botdesk_system::lock::locked;

static CARRIER: PerProcess<Carrier> = PerProcess::new();

/// What the carrier is sent.
enum Letter {
    /// A coroutine can go on.
    Wake(Waker),
    /// There is nothing more to carry, which the carrier confirms.
    End(SyncSender<()>),
}

/// Where letters are left, and the thread that carries them.
struct Carrier {
    to: Sender<Letter>,
    runs_on: ThreadId,
}

impl Carrier {
    fn begin() -> io::Result<Self> {
        let (to, letters) = channel();
        let thread = thread::Builder::new().name("botdesk-wakes".to_owned()).spawn(move || carry(letters))?;
        Ok(Self { to, runs_on: thread.thread().id() })
    }
}

/// A waker whose call is carried.
struct Carried {
    to: Sender<Letter>,
    waker: Waker,
}

impl Wake for Carried {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Once the process ends, no coroutine goes on.
        self.to.send(Letter::Wake(self.waker.clone())).rust_ok();
    }
}

/// Polls with a waker whose call is carried. Where there can be no carrier, and on the carrier itself, with the waker as it is: a loop
/// that runs there would wait for letters that only its own thread could bring.
pub(super) fn through<T>(context: &mut Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> T) -> T {
    match CARRIER.get_or_try_init(Carrier::begin).rust_ok() {
        Some(Carrier { to, runs_on }) if *runs_on != thread::current().id() => {
            let carried = Carried { to: to.clone(), waker: context.waker().clone() };
            poll(&mut Context::from_waker(&Arc::new(carried).into()))
        }
        _ => poll(context),
    }
}

/// Carries what was left so far and nothing after it; waits for that, but no longer than so.
pub(super) fn end(patience: Duration) {
    let Some(carrier) = CARRIER.get() else { return };
    let (done, confirmed) = sync_channel(1);
    if carrier.to.send(Letter::End(done)).rust_ok().is_some() {
        // Where patience ends first, there is nothing else to do.
        confirmed.recv_timeout(patience).rust_ok();
    }
}

fn carry(letters: Receiver<Letter>) {
    let letters = Mutex::new(letters);
    let confirm = Python::attach(|py| {
        loop {
            match next(py, &letters)? {
                Letter::Wake(waker) => wake(waker),
                Letter::End(done) => return Some(done),
            }
        }
    });
    if let Some(done) = confirm {
        // Whoever asked for it may have lost patience.
        done.send(()).rust_ok();
    }
}

/// The next letter; the GIL is kept where there is one already.
fn next(py: Python<'_>, letters: &Mutex<Receiver<Letter>>) -> Option<Letter> {
    let waiting = locked(letters).try_recv().rust_ok();
    waiting.or_else(|| py.detach(|| locked(letters).recv()).rust_ok())
}

/// Tells a loop. What one of them fails with has been written out by then, and is no matter of the others.
#[allow(clippy::let_underscore_must_use, reason = "a panic is no exception, and no signal handler runs on this thread")]
fn wake(waker: Waker) {
    let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
}
