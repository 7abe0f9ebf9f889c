//! Opens the connection of a stream, and reads and writes its frames.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use reqwest::Upgraded;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error as SocketError};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use crate::http::HttpClient;
use crate::http::upgrade::HandshakeError;

/// The time limit of a handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The size limit of a frame, in bytes. A deal with many events is large.
const MAX_FRAME: usize = 16 << 20;

/// The time limit of a frame that is sent.
const SENDING: Duration = Duration::from_secs(10);

/// The time limit of the close frame at the end.
const CLOSING: Duration = Duration::from_secs(1);

/// The connection of a stream.
pub(super) struct Socket(WebSocketStream<Upgraded>);

/// What came in.
pub(super) enum Incoming {
    /// A text frame.
    Text(Utf8Bytes),
    /// A binary frame, which the service is not known to send.
    Binary,
    /// A frame of the protocol, which is answered already.
    Protocol,
}

impl Socket {
    /// Opens a connection.
    pub(super) async fn open(client: &HttpClient) -> Result<Self, HandshakeError> {
        let url = client.stream_url();
        let upgraded = timeout(HANDSHAKE, client.upgrade(url.handshake())).await;
        let late = || HandshakeError::Failed(format!("no answer to the handshake in {} s", HANDSHAKE.as_secs()));
        let upgraded = upgraded.unwrap_or_else(|_| Err(late()))?;
        let config = WebSocketConfig::default().max_message_size(Some(MAX_FRAME)).max_frame_size(Some(MAX_FRAME));
        Ok(Self(WebSocketStream::from_raw_socket(upgraded, Role::Client, Some(config)).await))
    }

    /// Returns what comes in next; an error says why the connection has ended.
    pub(super) async fn next(&mut self) -> Result<Incoming, String> {
        match self.0.next().await {
            Some(Ok(Message::Text(text))) => Ok(Incoming::Text(text)),
            Some(Ok(Message::Binary(_))) => Ok(Incoming::Binary),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Ok(Incoming::Protocol),
            Some(Ok(Message::Close(frame))) => Err(match frame {
                Some(frame) => format!("the service closed the connection with the code {}", u16::from(frame.code)),
                None => "the service closed the connection without a code".to_owned(),
            }),
            Some(Err(error)) => Err(why(&error)),
            None => Err(BROKEN.to_owned()),
        }
    }

    /// Sends a text frame.
    pub(super) async fn send(&mut self, text: String) -> Result<(), String> {
        match timeout(SENDING, self.0.send(Message::text(text))).await {
            Ok(sent) => sent.map_err(|error| why(&error)),
            Err(_) => Err(format!("nothing could be sent for {} s", SENDING.as_secs())),
        }
    }

    /// Closes the connection.
    pub(super) async fn close(mut self) {
        // The connection is dropped in any case.
        let _ = timeout(CLOSING, self.0.close(None)).await;
    }
}

/// The reason of a connection that ended without a close frame (1006).
const BROKEN: &str = "the connection broke without a close frame (1006)";

/// Returns why a connection has ended. The message of an error may have a part of a frame, so it is not repeated.
fn why(error: &SocketError) -> String {
    match error {
        SocketError::Capacity(CapacityError::MessageTooLong { .. }) => {
            format!("a frame is larger than {} MiB", MAX_FRAME >> 20)
        }
        SocketError::Utf8(_) => "a text frame is not UTF-8".to_owned(),
        SocketError::Io(error) => format!("the connection broke ({})", error.kind()),
        SocketError::ConnectionClosed | SocketError::AlreadyClosed => BROKEN.to_owned(),
        SocketError::Protocol(error) => match error {
            tokio_tungstenite::tungstenite::error::ProtocolError::ResetWithoutClosingHandshake => BROKEN.to_owned(),
            _ => "the service broke the protocol of WebSockets".to_owned(),
        },
        _ => "the connection failed".to_owned(),
    }
}
