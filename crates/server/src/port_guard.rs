//! The port of a server, which can refuse connections for a while.
//!
//! Not polling a listener is not enough for that: the kernel still accepts connections. They are refused only while no socket
//! listens on the port.

use std::io;
use std::net::{Shutdown, SocketAddr};
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use socket2::{Domain, SockRef, Socket, Type};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::connection_handle::ConnectionHandle;
use botdesk_system::lock::locked;

/// The time that clients have to close their side of the connections that the server closes.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(250);

/// The number of connections that may wait to be accepted.
const BACKLOG: i32 = 1_024;

/// Owns the port of a server and tracks its connections.
pub struct PortGuard {
    address: SocketAddr,
    runtime: Handle,
    state: Mutex<State>,
    connections: watch::Sender<Vec<ConnectionHandle>>,
}

struct State {
    port: Port,
    /// The task that waits for the next connection.
    waiting: Option<Waker>,
}

enum Port {
    Open(TcpListener),
    /// Bound, so that no other process takes it, but not listening; None if binding failed.
    Refusing(Option<Socket>),
    Released,
}

impl PortGuard {
    /// Listens on an address. Call it on the runtime that serves the connections.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = listen(bind(address)?)?;
        Ok(Self {
            address: listener.local_addr()?,
            runtime: Handle::current(),
            state: Mutex::new(State { port: Port::Open(listener), waiting: None }),
            connections: watch::Sender::default(),
        })
    }

    /// Returns the local address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the runtime that serves the connections.
    pub fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Polls for the next connection; pending while connections are refused.
    pub fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        let mut state = locked(&self.state);
        let accepted = match &state.port {
            Port::Open(listener) => listener.poll_accept(context),
            Port::Refusing(_) | Port::Released => Poll::Pending,
        };
        state.waiting = Some(context.waker().clone());
        accepted
    }

    /// Refuses new connections until `reopen` is called.
    pub fn refuse_connections(&self) {
        let mut state = locked(&self.state);
        if let Port::Open(listener) = &state.port {
            shut_down(listener);
            state.port = Port::Refusing(None);
            // The assignment dropped the listener, so the port can be bound again.
            state.port = Port::Refusing(bind(self.address).ok());
        }
    }

    /// Accepts connections again; fails if the port was lost meanwhile.
    pub fn reopen(&self) -> io::Result<()> {
        let mut state = locked(&self.state);
        let Port::Refusing(bound) = &mut state.port else {
            return Ok(());
        };
        let socket = match bound.take() {
            Some(socket) => socket,
            None => bind(self.address)?,
        };
        let _entered = self.runtime.enter();
        state.port = Port::Open(listen(socket)?);
        if let Some(waiting) = state.waiting.take() {
            waiting.wake();
        }
        Ok(())
    }

    /// Releases the port for good.
    pub fn release(&self) {
        let mut state = locked(&self.state);
        if let Port::Open(listener) = &state.port {
            shut_down(listener);
        }
        state.port = Port::Released;
    }

    /// Adds a connection to those that `close_connections` closes.
    pub fn add_connection(&self, connection: &ConnectionHandle) {
        self.connections.send_modify(|connections| connections.push(connection.clone()));
    }

    /// Removes a connection that has ended.
    pub fn remove_connection(&self, connection: &ConnectionHandle) {
        self.connections.send_modify(|connections| connections.retain(|one| !one.is_same(connection)));
    }

    /// Closes all connections except those that are kept open, and waits a moment until the clients have closed their side.
    pub async fn close_connections(&self) {
        let mut remaining = self.connections.subscribe();
        for connection in remaining.borrow().iter().filter(|connection| !connection.is_kept_open()) {
            connection.start_closing();
        }
        // A client that ignores the end of the stream would not send another request on this connection either.
        let _ = timeout(
            CLOSE_TIMEOUT,
            remaining.wait_for(|connections| connections.iter().all(ConnectionHandle::is_kept_open)),
        )
        .await;
    }
}

fn bind(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // Without this option, connections that ended a moment ago would block the port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    Ok(socket)
}

fn listen(socket: Socket) -> io::Result<TcpListener> {
    socket.listen(BACKLOG)?;
    socket.set_nonblocking(true)?;
    TcpListener::from_std(socket.into())
}

/// Shuts down a socket in all processes: closing it would not be enough, because a forked child has a copy.
pub fn shut_down<'a>(socket: impl Into<SockRef<'a>>) {
    // `shutdown` fails if the socket is already shut down.
    let _ = socket.into().shutdown(Shutdown::Both);
}
