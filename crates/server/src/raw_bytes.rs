//! Bytes that are written to a connection as they are, for responses that an HTTP server would refuse to send.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use tokio::io::AsyncWrite;
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// Bytes to write in place of a response, in chunks. The connection ends after the last one.
pub struct RawBytes {
    chunks: Box<dyn Iterator<Item = Bytes> + Send>,
    pause: Duration,
}

impl RawBytes {
    /// Writes nothing: the connection ends at once.
    pub fn empty() -> Self {
        Self::new(std::iter::empty())
    }

    /// Writes these chunks. Each is computed when it is due.
    pub fn new(chunks: impl Iterator<Item = Bytes> + Send + 'static) -> Self {
        Self { chunks: Box::new(chunks), pause: Duration::ZERO }
    }

    /// Returns the same bytes with a pause after each chunk.
    #[must_use]
    pub fn with_pause(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }
}

/// The progress of writing `RawBytes` to a connection.
pub struct RawBytesWriter {
    bytes: RawBytes,
    chunk: Bytes,
    pausing: Option<Pin<Box<Sleep>>>,
}

impl RawBytesWriter {
    /// Creates a writer that has written nothing yet.
    pub fn new(bytes: RawBytes) -> Self {
        Self { bytes, chunk: Bytes::new(), pausing: None }
    }

    /// Writes as much as the stream accepts; ready once everything is written or the stream is broken.
    pub fn poll_write_to(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Some(pausing) = &mut self.pausing {
                ready!(pausing.as_mut().poll(context));
                self.pausing = None;
            }
            if self.chunk.is_empty() {
                let Some(next) = self.bytes.chunks.next() else {
                    return Poll::Ready(());
                };
                self.chunk = next;
                continue;
            }
            let Ok(written) = ready!(Pin::new(&mut *stream).poll_write(context, &self.chunk)) else {
                return Poll::Ready(());
            };
            let _ = self.chunk.split_to(written.min(self.chunk.len()));
            if self.chunk.is_empty() && !self.bytes.pause.is_zero() {
                self.pausing = Some(Box::pin(sleep(self.bytes.pause)));
            }
        }
    }
}
