//! A handle on each connection, for what the server itself has no means to do to one.

use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;

use crate::script::Script;
use botdesk_system::lock::locked;

/// A connection, as a request that came over it knows it.
#[derive(Clone)]
pub struct Line(Arc<State>);

struct State {
    address: SocketAddr,
    script: Mutex<Option<Script>>,
    leaving: AtomicBool,
    reader: Mutex<Option<Waker>>,
}

impl Line {
    /// The handle of a new connection with the caller at an address.
    pub fn from(address: SocketAddr) -> Self {
        Self(Arc::new(State {
            address,
            script: Mutex::default(),
            leaving: AtomicBool::new(false),
            reader: Mutex::default(),
        }))
    }

    /// Whether both are the same connection.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Where the caller is.
    pub fn address(&self) -> SocketAddr {
        self.0.address
    }

    /// Has a script written in place of what the server writes next.
    pub fn follow(&self, script: Script) {
        *locked(&self.0.script) = Some(script);
    }

    /// The script to write, if there is one.
    pub fn script(&self) -> Option<Script> {
        locked(&self.0.script).take()
    }

    /// Has the sandbox say that it sends no more, upon which a caller closes.
    pub fn leave(&self) {
        self.0.leaving.store(true, Ordering::Release);
        if let Some(reader) = locked(&self.0.reader).take() {
            reader.wake();
        }
    }

    /// Whether the sandbox is to send no more; if not yet, the reader is woken when it is.
    pub fn is_leaving(&self, reader: &Waker) -> bool {
        let mut known = locked(&self.0.reader);
        if !known.as_ref().is_some_and(|known| known.will_wake(reader)) {
            *known = Some(reader.clone());
        }
        self.0.leaving.load(Ordering::Acquire)
    }
}

impl fmt::Debug for Line {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Line").field(&self.0.address).finish()
    }
}
