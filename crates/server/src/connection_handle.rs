//! Handles of connections, for actions that axum does not offer.

use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;

use crate::raw_bytes::RawBytes;
use botdesk_system::lock::locked;

/// A handle of a connection, which request handlers receive.
#[derive(Clone)]
pub struct ConnectionHandle(Arc<Shared>);

struct Shared {
    peer: SocketAddr,
    raw_bytes: Mutex<Option<RawBytes>>,
    closing: AtomicBool,
    reader: Mutex<Option<Waker>>,
}

impl ConnectionHandle {
    /// Creates the handle of a new connection with a peer.
    pub fn new(peer: SocketAddr) -> Self {
        Self(Arc::new(Shared {
            peer,
            raw_bytes: Mutex::default(),
            closing: AtomicBool::new(false),
            reader: Mutex::default(),
        }))
    }

    /// Returns true if both are handles of the same connection.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Returns the address of the peer.
    pub fn peer(&self) -> SocketAddr {
        self.0.peer
    }

    /// Writes these bytes in place of the next response.
    pub fn replace_response(&self, bytes: RawBytes) {
        *locked(&self.0.raw_bytes) = Some(bytes);
    }

    /// Takes the bytes to write in place of the next response, if there are any.
    pub fn take_raw_bytes(&self) -> Option<RawBytes> {
        locked(&self.0.raw_bytes).take()
    }

    /// Shuts down the sending side, so that the client closes the connection.
    pub fn start_closing(&self) {
        self.0.closing.store(true, Ordering::Release);
        if let Some(reader) = locked(&self.0.reader).take() {
            reader.wake();
        }
    }

    /// Returns true if `start_closing` was called. If not, the call will wake the reader.
    pub fn is_closing(&self, reader: &Waker) -> bool {
        let mut known = locked(&self.0.reader);
        if !known.as_ref().is_some_and(|known| known.will_wake(reader)) {
            *known = Some(reader.clone());
        }
        self.0.closing.load(Ordering::Acquire)
    }
}

impl fmt::Debug for ConnectionHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ConnectionHandle").field(&self.0.peer).finish()
    }
}
