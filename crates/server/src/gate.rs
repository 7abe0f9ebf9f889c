//! Whether the sandbox listens. A listener that is merely left alone still accepts, in the kernel: to be refused, a caller
//! must find a port on which nobody listens.

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

use crate::line::Line;
use botdesk_system::lock::locked;

/// How long callers have to close their ends when the sandbox closes its own.
const FAREWELL: Duration = Duration::from_millis(250);

/// How many callers may wait to be accepted.
const WAITING: i32 = 1_024;

/// The port of a sandbox, and the connections made over it.
pub struct Gate {
    address: SocketAddr,
    runtime: Handle,
    state: Mutex<State>,
    lines: watch::Sender<Vec<Line>>,
}

struct State {
    port: Port,
    /// Who waits for the next connection.
    waiting: Option<Waker>,
}

enum Port {
    Open(TcpListener),
    /// Bound, so that nobody else takes it, and refusing; None where even that failed.
    Shut(Option<Socket>),
    Gone,
}

impl Gate {
    /// Listens on an address. It must be called on the runtime that is to serve.
    pub fn open(address: SocketAddr) -> io::Result<Self> {
        let listener = listen(bind(address)?)?;
        Ok(Self {
            address: listener.local_addr()?,
            runtime: Handle::current(),
            state: Mutex::new(State { port: Port::Open(listener), waiting: None }),
            lines: watch::Sender::default(),
        })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The runtime that serves.
    pub fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// The next connection; none come while the gate is shut.
    pub fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        let mut state = locked(&self.state);
        let accepted = match &state.port {
            Port::Open(listener) => listener.poll_accept(context),
            Port::Shut(_) | Port::Gone => Poll::Pending,
        };
        state.waiting = Some(context.waker().clone());
        accepted
    }

    /// Refuses connections from now on.
    pub fn shut(&self) {
        let mut state = locked(&self.state);
        if let Port::Open(listener) = &state.port {
            end(listener);
            state.port = Port::Shut(None);
            // What it was is dropped by now, so the port can be bound anew.
            state.port = Port::Shut(bind(self.address).ok());
        }
    }

    /// Accepts connections again; an error where the port was lost meanwhile.
    pub fn reopen(&self) -> io::Result<()> {
        let mut state = locked(&self.state);
        let Port::Shut(held) = &mut state.port else {
            return Ok(());
        };
        let socket = match held.take() {
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

    /// Gives the port back for good.
    pub fn close(&self) {
        let mut state = locked(&self.state);
        if let Port::Open(listener) = &state.port {
            end(listener);
        }
        state.port = Port::Gone;
    }

    /// Notes a connection.
    pub fn entered(&self, line: &Line) {
        self.lines.send_modify(|lines| lines.push(line.clone()));
    }

    /// Notes that a connection has ended.
    pub fn left(&self, line: &Line) {
        self.lines.send_modify(|lines| lines.retain(|one| !one.is(line)));
    }

    /// Ends all connections, so that callers must connect anew, and waits a little until they have noticed.
    pub async fn hang_up(&self) {
        let mut left = self.lines.subscribe();
        for line in left.borrow().iter() {
            line.leave();
        }
        // A caller that keeps its end open is none that would use it again.
        let _ = timeout(FAREWELL, left.wait_for(Vec::is_empty)).await;
    }
}

fn bind(address: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // Connections that ended a moment ago would keep the port otherwise.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    Ok(socket)
}

fn listen(socket: Socket) -> io::Result<TcpListener> {
    socket.listen(WAITING)?;
    socket.set_nonblocking(true)?;
    TcpListener::from_std(socket.into())
}

/// Ends a socket for all who hold it: a forked child has a copy, which would keep it open.
pub fn end<'a>(socket: impl Into<SockRef<'a>>) {
    // An error means that it has ended already.
    let _ = socket.into().shutdown(Shutdown::Both);
}
