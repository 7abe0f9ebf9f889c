//! The listener of a server.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{self, IncomingStream};
use socket2::SockRef;
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::connection::Connection;
use crate::connection_handle::ConnectionHandle;
use crate::port_guard::PortGuard;

/// The delay after a failed accept, which has a cause such as a lack of file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_secs(1);

/// Accepts connections that end when the server stops.
pub struct ConnectionListener {
    port: Arc<PortGuard>,
    should_reset: ShouldReset,
    pub(crate) running: watch::Receiver<bool>,
}

/// Decides whether the connection that was just accepted is reset.
pub type ShouldReset = Box<dyn Fn() -> bool + Send>;

impl ConnectionListener {
    /// Creates a listener on a port.
    pub fn new(port: Arc<PortGuard>, should_reset: ShouldReset, running: watch::Receiver<bool>) -> Self {
        Self { port, should_reset, running }
    }

    /// Creates a listener on an address that resets no connections. Call it on the runtime that serves the connections.
    pub fn bind(address: SocketAddr, running: watch::Receiver<bool>) -> io::Result<Self> {
        Ok(Self::new(Arc::new(PortGuard::bind(address)?), Box::new(|| false), running))
    }

    /// Returns the local address.
    pub fn address(&self) -> SocketAddr {
        self.port.address()
    }
}

impl serve::Listener for ConnectionListener {
    type Io = Connection;
    type Addr = ConnectionHandle;

    async fn accept(&mut self) -> (Connection, ConnectionHandle) {
        loop {
            match std::future::poll_fn(|context| self.port.poll_accept(context)).await {
                Ok((stream, _)) if (self.should_reset)() => reset(&stream),
                Ok((stream, peer)) => {
                    // Without TCP_NODELAY, a small response may wait for an acknowledgement. If setting it fails, responses are
                    // only slower.
                    let _ = stream.set_nodelay(true);
                    let handle = ConnectionHandle::new(peer);
                    let port = Arc::clone(&self.port);
                    return (Connection::new(stream, handle.clone(), port, self.running.clone()), handle);
                }
                Err(error) if concerns_one_connection(&error) => {}
                Err(_) => tokio::time::sleep(ACCEPT_RETRY_DELAY).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<ConnectionHandle> {
        Ok(ConnectionHandle::new(self.port.address()))
    }
}

impl Drop for ConnectionListener {
    fn drop(&mut self) {
        self.port.release();
    }
}

impl Connected<IncomingStream<'_, ConnectionListener>> for ConnectionHandle {
    fn connect_info(stream: IncomingStream<'_, ConnectionListener>) -> Self {
        stream.remote_addr().clone()
    }
}

fn concerns_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Lets the connection end with a reset when it is dropped.
fn reset(stream: &TcpStream) {
    // If it fails, the connection ends without a reset.
    let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
}
