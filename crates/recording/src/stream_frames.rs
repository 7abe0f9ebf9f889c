//! The frames that a replay sends over a stream.

use std::sync::Arc;

use serde_json::{Value, json};

use botdesk_client::http::recorder::RecordedMessage;
use botdesk_schema::json::{Json, Scanner};

/// A recorded frame about a subscription. Its identifier names the channel only: each client has one of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StreamFrame {
    /// The name of the channel.
    pub(super) channel: String,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    /// The answer to a subscription, by its type.
    Answer(String),
    /// The JSON text of a record.
    Record(Box<str>),
}

/// The type of the frame that confirms a subscription.
pub(super) const CONFIRMATION: &str = "confirm_subscription";

/// The type of the frame that rejects a subscription.
pub(super) const REJECTION: &str = "reject_subscription";

impl StreamFrame {
    /// Returns the frames about subscriptions that the service has sent.
    pub(super) fn received(messages: &[RecordedMessage]) -> Vec<Self> {
        messages.iter().filter(|message| !message.is_sent).filter_map(|message| Self::read(&message.text)).collect()
    }

    /// Reads a frame; None if it is not about a subscription.
    fn read(text: &str) -> Option<Self> {
        let source = Arc::<str>::from(text);
        let frame = Json::new(&source, Scanner::whole(&source).ok()?);
        let identifier: Value = serde_json::from_str(&frame.member("identifier")?.string()?).ok()?;
        let channel = identifier.get("channel")?.as_str()?.to_owned();
        let content = match frame.member("type") {
            Some(kind) => Content::Answer(kind.string()?.into_owned()),
            None => Content::Record(frame.member("message")?.text().into()),
        };
        Some(Self { channel, content })
    }

    /// Returns the text of the frame for a client, by the identifier of its subscription.
    pub(super) fn text(&self, identifier: &str) -> String {
        match &self.content {
            Content::Answer(kind) => answer(kind, identifier),
            Content::Record(record) => format!("{{\"identifier\":{},\"message\":{record}}}", Value::from(identifier)),
        }
    }
}

/// Returns the text of an answer to a subscription.
pub(super) fn answer(kind: &str, identifier: &str) -> String {
    json!({ "type": kind, "identifier": identifier }).to_string()
}
