//! A connection of a stream: one task reads its commands, another one writes its frames and pings.

use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::Message;

use crate::server::SandboxService;
use crate::streams::{Outgoing, ping};
use botdesk_server::handshake::Socket;
use botdesk_server::subscription::{Command, StreamAttempt, read};

/// The time between two pings. It is that of this machine: a client measures it, whatever the clock of the sandbox does.
const PING_PERIOD: Duration = Duration::from_secs(3);

/// Serves a connection until it ends.
pub(super) async fn serve(service: Arc<SandboxService>, socket: Socket, attempt: StreamAttempt) {
    let (sink, stream) = socket.split();
    let (sender, receiver) = unbounded_channel();
    let id = service.streams().open(sender);
    let writer = tokio::spawn(write_frames(Arc::clone(&service), sink, receiver));
    let reading = Reading { service: Arc::clone(&service), id, attempt };
    let reader = tokio::spawn(reading.run(stream));
    // The writer ends the connection if a control says so; otherwise the client does.
    let (stop_reading, stop_writing) = (reader.abort_handle(), writer.abort_handle());
    tokio::spawn(async move {
        // A task that was aborted has ended as well.
        let _ = writer.await;
        stop_reading.abort();
    });
    let _ = reader.await;
    stop_writing.abort();
    service.streams().close(id);
}

/// Writes the frames of a connection, and a ping at each period, until the connection ends.
async fn write_frames(
    service: Arc<SandboxService>,
    mut sink: SplitSink<Socket, Message>,
    mut frames: UnboundedReceiver<Outgoing>,
) {
    let mut next_ping = Instant::now() + PING_PERIOD;
    loop {
        let message = match timeout_at(next_ping, frames.recv()).await {
            Ok(Some(Outgoing::Frame(message))) => message,
            Ok(Some(Outgoing::Cut) | None) => return,
            Err(_) => {
                next_ping += PING_PERIOD;
                // What is due by the wall clock happens now, and is published.
                let seconds = service.state().clock.now().as_second();
                if !service.streams().sends_pings() {
                    continue;
                }
                ping(seconds)
            }
        };
        if sink.send(message).await.is_err() {
            return;
        }
    }
}

/// The reader of a connection.
struct Reading {
    service: Arc<SandboxService>,
    id: u64,
    /// The handshake, whose path and subprotocol the attempts repeat.
    attempt: StreamAttempt,
}

impl Reading {
    /// Reads commands until the connection ends.
    async fn run(self, mut stream: SplitStream<Socket>) {
        while let Some(Ok(message)) = stream.next().await {
            match message {
                Message::Text(text) => self.command(text.as_str()),
                Message::Binary(_) => {
                    let cause = "the frame is binary";
                    self.service.streams().note(StreamAttempt { result: "ignored", cause, ..self.attempt.clone() });
                }
                Message::Close(_) => return,
                Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
            }
        }
    }

    fn command(&self, text: &str) {
        let mut attempt = self.attempt.clone();
        let command = read(text, &|api_key| self.service.key_named(api_key), &mut attempt);
        let streams = self.service.streams();
        match command {
            Command::Subscribe(subscription) => {
                let mut state = self.service.state();
                streams.subscribe(self.id, subscription, &mut state, attempt);
            }
            Command::Reject(identifier) => streams.reject(self.id, &identifier, attempt),
            Command::Unsubscribe(identifier) => streams.unsubscribe(self.id, &identifier, attempt),
            Command::Ignore => streams.note(attempt),
        }
    }
}
