//! Connections that end when the sandbox stops, and that a fault can take in hand.

use std::io;
use std::net::{Shutdown, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::gate::{Gate, end};
use crate::line::Line;
use crate::script::Recital;

type Stopped = Pin<Box<dyn Future<Output = ()> + Send>>;

/// How long to wait where no connection can be accepted, such as for want of file descriptors.
const NO_ACCEPTING: Duration = Duration::from_secs(1);

/// Completes when the sandbox stops.
pub fn stopped(mut running: watch::Receiver<bool>) -> Stopped {
    Box::pin(async move {
        // An error means that the sandbox is gone, which is the same.
        let _ = running.wait_for(|running| !running).await;
    })
}

/// Hands out connections that end when the sandbox stops.
pub struct Door {
    gate: Arc<Gate>,
    resets: Resets,
    pub(crate) running: watch::Receiver<bool>,
}

/// Whether the next connection is reset as soon as it is accepted.
pub type Resets = Box<dyn Fn() -> bool + Send>;

impl Door {
    /// A door at a gate.
    pub fn at(gate: Arc<Gate>, resets: Resets, running: watch::Receiver<bool>) -> Self {
        Self { gate, resets, running }
    }

    /// A door on an address, where no connection is reset. It must be made on the runtime that is to serve.
    pub fn open(address: SocketAddr, running: watch::Receiver<bool>) -> io::Result<Self> {
        Ok(Self::at(Arc::new(Gate::open(address)?), Box::new(|| false), running))
    }

    /// Where it is.
    pub fn address(&self) -> SocketAddr {
        self.gate.address()
    }
}

impl Listener for Door {
    type Io = Socket;
    type Addr = Line;

    async fn accept(&mut self) -> (Socket, Line) {
        loop {
            match std::future::poll_fn(|context| self.gate.poll_accept(context)).await {
                Ok((stream, _)) if (self.resets)() => reset(&stream),
                Ok((stream, address)) => {
                    // Without it a small answer may wait for an acknowledgement; with an error it is merely slower.
                    let _ = stream.set_nodelay(true);
                    let line = Line::from(address);
                    return (Socket::new(stream, line.clone(), self), line);
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(_) => tokio::time::sleep(NO_ACCEPTING).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<Line> {
        Ok(Line::from(self.gate.address()))
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.gate.close();
    }
}

impl Connected<IncomingStream<'_, Door>> for Line {
    fn connect_info(stream: IncomingStream<'_, Door>) -> Self {
        stream.remote_addr().clone()
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// Has a connection end with a reset when it is dropped.
fn reset(stream: &TcpStream) {
    // With an error it ends as others do.
    let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
}

/// A connection that reads as ended, and refuses to write, once the sandbox has stopped.
pub struct Socket {
    stream: TcpStream,
    stopped: Stopped,
    gate: Arc<Gate>,
    line: Line,
    recital: Option<Recital>,
    farewell_said: bool,
}

impl Socket {
    fn new(stream: TcpStream, line: Line, door: &Door) -> Self {
        door.gate.entered(&line);
        let (stopped, gate) = (stopped(door.running.clone()), Arc::clone(&door.gate));
        Self { stream, stopped, gate, line, recital: None, farewell_said: false }
    }

    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        // A future that has completed must not be polled again, so a new one that is complete takes its place.
        if self.stopped.as_mut().poll(context).is_ready() {
            self.stopped = Box::pin(std::future::ready(()));
            return Err(io::Error::new(io::ErrorKind::ConnectionAborted, "the sandbox has stopped"));
        }
        Ok(())
    }

    /// Writes the script that a fault has left, if there is one. It ends in an error, which ends the connection.
    fn poll_recital(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(script) = self.line.script() {
            self.recital = Some(Recital::of(script));
        }
        let Some(recital) = &mut self.recital else {
            return Poll::Ready(Ok(()));
        };
        ready!(recital.poll(&mut self.stream, context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::ConnectionAborted, "a fault ends the connection")))
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        end(&self.stream);
        self.gate.left(&self.line);
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        if !self.farewell_said && self.line.is_leaving(context.waker()) {
            self.farewell_said = true;
            SockRef::from(&self.stream).shutdown(Shutdown::Write)?;
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check(context)?;
        ready!(self.poll_recital(context))?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        ready!(self.poll_recital(context))?;
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
