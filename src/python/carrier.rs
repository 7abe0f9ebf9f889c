//! The thread that tells event loops which of their coroutines can go on.
//!
//! To tell a loop, a thread has to run Python. A worker of the runtime that did would wait for the GIL instead of minding its
//! connections, and Python would make a new state for it each time. So one thread, which keeps its state, tells all of them.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

use crate::client::process::PerProcess;
use crate::lock::locked;

static CARRIER: PerProcess<Carrier> = PerProcess::new();

/// What the carrier is sent.
enum Letter {
    /// A coroutine can go on.
    Wake(Waker),
    /// There is nothing more to carry, which the carrier confirms.
    End(SyncSender<()>),
}

/// Where letters are left.
struct Carrier(Sender<Letter>);

impl Carrier {
    fn begin() -> io::Result<Self> {
        let (sender, letters) = channel();
        thread::Builder::new().name("botdesk-wakes".to_owned()).spawn(move || carry(letters))?;
        Ok(Self(sender))
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
        let _ = self.to.send(Letter::Wake(self.waker.clone()));
    }
}

/// Polls with a waker whose call is carried; where there can be no carrier, with the waker itself.
pub(super) fn through<T>(context: &mut Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> T) -> T {
    match CARRIER.get_or_try_init(Carrier::begin) {
        Ok(Carrier(to)) => {
            let carried = Carried { to: to.clone(), waker: context.waker().clone() };
            poll(&mut Context::from_waker(&Arc::new(carried).into()))
        }
        Err(_) => poll(context),
    }
}

/// Carries what was left so far and nothing after it; waits for that, but no longer than so.
pub(super) fn end(patience: Duration) {
    let Some(Carrier(to)) = CARRIER.get() else { return };
    let (done, confirmed) = sync_channel(1);
    if to.send(Letter::End(done)).is_ok() {
        // Where patience ends first, there is nothing else to do.
        let _ = confirmed.recv_timeout(patience);
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
        let _ = done.send(());
    }
}

/// The next letter; the GIL is kept where there is one already.
fn next(py: Python<'_>, letters: &Mutex<Receiver<Letter>>) -> Option<Letter> {
    let waiting = locked(letters).try_recv();
    waiting.or_else(|_| py.detach(|| locked(letters).recv())).ok()
}

/// Tells a loop. What one of them fails with has been written out by then, and is no matter of the others.
fn wake(waker: Waker) {
    let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
}
