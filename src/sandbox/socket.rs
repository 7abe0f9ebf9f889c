//! Connections that end when the sandbox stops.

use std::io;
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::serve::Listener;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

type Stopped = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Completes when the sandbox stops.
pub(super) fn stopped(mut running: watch::Receiver<bool>) -> Stopped {
    Box::pin(async move {
        // An error means that the sandbox is gone, which is the same.
        let _ = running.wait_for(|running| !running).await;
    })
}

/// Hands out connections that end when the sandbox stops.
pub(super) struct Door {
    pub(super) listener: TcpListener,
    pub(super) running: watch::Receiver<bool>,
}

impl Listener for Door {
    type Io = Socket;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Socket, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // Without it a small answer may wait for an acknowledgement; with an error it is merely slower.
        let _ = stream.set_nodelay(true);
        (Socket { stream, stopped: stopped(self.running.clone()) }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        end(&self.listener);
    }
}

/// Ends a socket for all who hold it: a forked child has a copy, which would keep it open.
fn end<'a>(socket: impl Into<SockRef<'a>>) {
    // An error means that it has ended already.
    let _ = socket.into().shutdown(Shutdown::Both);
}

/// A connection that reads as ended, and refuses to write, once the sandbox has stopped.
pub(super) struct Socket {
    stream: TcpStream,
    stopped: Stopped,
}

impl Socket {
    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        // A future that has completed must not be polled again, so a new one that is complete takes its place.
        if self.stopped.as_mut().poll(context).is_ready() {
            self.stopped = Box::pin(std::future::ready(()));
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the sandbox has stopped"));
        }
        Ok(())
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        end(&self.stream);
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
