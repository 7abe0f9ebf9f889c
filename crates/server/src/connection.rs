//! Connections that end when the server stops, and whose responses can be replaced by raw bytes.

use std::io;
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::connection_handle::ConnectionHandle;
use crate::port_guard::{PortGuard, shut_down};
use crate::raw_bytes::RawBytesWriter;

type BoxFuture = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Returns a future that completes when the server stops.
pub(crate) fn until_stopped(mut running: watch::Receiver<bool>) -> BoxFuture {
    Box::pin(async move {
        // `wait_for` fails if the sender was dropped, which also means that the server has stopped.
        let _ = running.wait_for(|running| !running).await;
    })
}

/// A connection that fails to read and to write once the server has stopped.
pub struct Connection {
    stream: TcpStream,
    handle: ConnectionHandle,
    port: Arc<PortGuard>,
    stopped: BoxFuture,
    raw_bytes: Option<RawBytesWriter>,
    write_side_is_closed: bool,
}

impl Connection {
    pub(crate) fn new(
        stream: TcpStream,
        handle: ConnectionHandle,
        port: Arc<PortGuard>,
        running: watch::Receiver<bool>,
    ) -> Self {
        port.add_connection(&handle);
        let stopped = until_stopped(running);
        Self { stream, handle, port, stopped, raw_bytes: None, write_side_is_closed: false }
    }

    fn check_running(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        // A completed future must not be polled again, so replace it by one that is always ready.
        if self.stopped.as_mut().poll(context).is_ready() {
            self.stopped = Box::pin(std::future::ready(()));
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the server has stopped"));
        }
        Ok(())
    }

    /// Writes the raw bytes that replace the response, if there are any, and then returns an error, which closes the connection.
    fn poll_write_raw_bytes(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(bytes) = self.handle.take_raw_bytes() {
            self.raw_bytes = Some(RawBytesWriter::new(bytes));
        }
        let Some(writer) = &mut self.raw_bytes else {
            return Poll::Ready(Ok(()));
        };
        ready!(writer.poll_write_to(&mut self.stream, context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "raw bytes replaced the response")))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        shut_down(&self.stream);
        self.port.remove_connection(&self.handle);
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check_running(context)?;
        if !self.write_side_is_closed && self.handle.is_closing(context.waker()) {
            self.write_side_is_closed = true;
            SockRef::from(&self.stream).shutdown(Shutdown::Write)?;
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check_running(context)?;
        ready!(self.poll_write_raw_bytes(context))?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check_running(context)?;
        ready!(self.poll_write_raw_bytes(context))?;
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
