//! Replays the frames of a stream: as soon as a client has subscribed to their channels, in the order of the recording.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::Message;

use super::stream_frames::{CONFIRMATION, REJECTION, StreamFrame, answer};
use botdesk_server::authenticator::RegisteredKey;
use botdesk_server::handshake::Socket;
use botdesk_server::subscription::{Command, StreamAttempt, read};

/// The time between two pings.
const PING_PERIOD: Duration = Duration::from_secs(3);

const WELCOME: &str = r#"{"type":"welcome"}"#;

/// A connection that is replayed.
pub(super) struct ReplayedStream {
    /// The frames that were not sent yet; None if all were replayed before: this connection has no changes.
    frames: Option<VecDeque<StreamFrame>>,
    /// The channels that were recorded.
    channels: HashSet<String>,
    /// True if the recording has a later connection, so this one ended.
    ends: bool,
    /// The identifiers of the subscriptions, by channel.
    subscriptions: HashMap<String, String>,
}

impl ReplayedStream {
    /// Returns the connection with a number, of all that were recorded.
    pub(super) fn new(recorded: &[Vec<StreamFrame>], number: usize) -> Self {
        let frames = recorded.get(number);
        let all = frames.map_or(recorded, std::slice::from_ref).iter().flatten();
        Self {
            channels: all.map(|frame| frame.channel.clone()).collect(),
            frames: frames.map(|frames| frames.clone().into()),
            ends: number + 1 < recorded.len(),
            subscriptions: HashMap::new(),
        }
    }

    /// Serves the connection until it ends.
    pub(super) async fn serve(
        mut self,
        mut socket: Socket,
        find_key: impl Fn(&str) -> Option<Arc<RegisteredKey>> + Send + Sync,
    ) {
        let mut next_ping = Instant::now() + PING_PERIOD;
        let mut outgoing = vec![WELCOME.to_owned()];
        loop {
            for text in outgoing.drain(..) {
                if socket.send(Message::text(text)).await.is_err() {
                    return;
                }
            }
            if self.ends && self.frames.as_ref().is_none_or(VecDeque::is_empty) {
                return;
            }
            match timeout_at(next_ping, socket.next()).await {
                Err(_) => {
                    next_ping += PING_PERIOD;
                    outgoing.push(r#"{"type":"ping","message":0}"#.to_owned());
                }
                Ok(Some(Ok(Message::Text(text)))) => outgoing = self.replies(text.as_str(), &find_key),
                Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => return,
                Ok(Some(Ok(_))) => {}
            }
        }
    }

    /// Returns the frames that follow a command.
    fn replies(&mut self, text: &str, find_key: &dyn Fn(&str) -> Option<Arc<RegisteredKey>>) -> Vec<String> {
        let mut attempt = StreamAttempt::default();
        match read(text, find_key, &mut attempt) {
            Command::Subscribe(subscription) => {
                let channel = attempt.channel.unwrap_or_default();
                self.subscribe(channel, subscription.identifier)
            }
            Command::Reject(identifier) => vec![answer(REJECTION, &identifier)],
            Command::Unsubscribe(identifier) => {
                self.subscriptions.retain(|_, other| *other != identifier);
                Vec::new()
            }
            Command::Ignore => Vec::new(),
        }
    }

    fn subscribe(&mut self, channel: String, identifier: String) -> Vec<String> {
        if !self.channels.contains(&channel) {
            return vec![answer(REJECTION, &identifier)];
        }
        let Some(frames) = &mut self.frames else {
            return vec![answer(CONFIRMATION, &identifier)];
        };
        let mut replies = Vec::new();
        if frames.iter().all(|frame| frame.channel != channel) {
            // A second stream of the channel, or one that came back: the recorded confirmation was sent before.
            replies.push(answer(CONFIRMATION, &identifier));
        }
        self.subscriptions.insert(channel, identifier);
        while let Some(frame) = frames.front()
            && let Some(identifier) = self.subscriptions.get(&frame.channel)
        {
            replies.push(frame.text(identifier));
            frames.pop_front();
        }
        replies
    }
}
