//! Answers that are written byte for byte, past the server, which would not write them.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use tokio::io::AsyncWrite;
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

/// What is written in place of an answer; afterwards the connection ends.
pub struct Script {
    parts: Box<dyn Iterator<Item = Bytes> + Send>,
    pause: Duration,
}

impl Script {
    /// Nothing: the connection ends at once.
    pub fn nothing() -> Self {
        Self::of(std::iter::empty())
    }

    /// These bytes, part by part, each made when it is its turn.
    pub fn of(parts: impl Iterator<Item = Bytes> + Send + 'static) -> Self {
        Self { parts: Box::new(parts), pause: Duration::ZERO }
    }

    /// The same script with a pause after each part.
    #[must_use]
    pub fn slowly(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }
}

/// A script while it is written.
pub struct Recital {
    script: Script,
    part: Bytes,
    pausing: Option<Pin<Box<Sleep>>>,
}

impl Recital {
    /// Begins to write a script.
    pub fn of(script: Script) -> Self {
        Self { script, part: Bytes::new(), pausing: None }
    }

    /// Writes as much as the stream takes; ready once there is nothing left, or the stream is broken.
    pub fn poll(&mut self, stream: &mut TcpStream, context: &mut Context<'_>) -> Poll<()> {
        loop {
            if let Some(pausing) = &mut self.pausing {
                ready!(pausing.as_mut().poll(context));
                self.pausing = None;
            }
            if self.part.is_empty() {
                let Some(next) = self.script.parts.next() else {
                    return Poll::Ready(());
                };
                self.part = next;
                continue;
            }
            let Ok(written) = ready!(Pin::new(&mut *stream).poll_write(context, &self.part)) else {
                return Poll::Ready(());
            };
            let _ = self.part.split_to(written.min(self.part.len()));
            if self.part.is_empty() && !self.script.pause.is_zero() {
                self.pausing = Some(Box::pin(sleep(self.script.pause)));
            }
        }
    }
}
