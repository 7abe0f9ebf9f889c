//! Reads the frames of the service. Each one that is about a subscription has the API key and the signature in it, so a frame has no
//! `Debug`, and nothing of it but the record is kept.

use std::borrow::Cow;
use std::sync::Arc;

use botdesk_schema::json::{Json, Scanner};
use botdesk_schema::secrets::shown_line;

/// A frame of the service.
pub enum Frame {
    /// The first frame of a connection.
    Welcome,
    /// A sign of life.
    Ping,
    /// A subscription is accepted.
    Confirmation(String),
    /// A subscription is refused.
    Rejection(String),
    /// The service is about to close the connection.
    Disconnect {
        /// The reason.
        reason: String,
        /// True if the client may connect again.
        reconnects: bool,
    },
    /// A record that was created or changed.
    Change {
        /// The name of the subscription.
        identifier: String,
        /// The JSON text of the record.
        record: Box<str>,
    },
    /// A frame of a type that is not known.
    Unknown(String),
}

/// The type of the frame that confirms a subscription.
pub(super) const CONFIRMATION: &str = "confirm_subscription";

/// The type of the frame that rejects a subscription.
pub(super) const REJECTION: &str = "reject_subscription";

/// The longest type of a frame that is shown.
const MAX_SHOWN: usize = 40;

/// The longest reason that is shown.
const MAX_REASON: usize = 200;

/// Reads a text frame; an error says what is wrong with it, without its content.
pub fn read(text: &str) -> Result<Frame, &'static str> {
    let source = Arc::<str>::from(text);
    let whole = Scanner::whole(&source).map_err(|_| "a frame that is not JSON")?;
    let frame = Json::new(&source, whole);
    // The members are found once, because the record among them is large.
    let members = frame.members().ok_or("a frame that is not a JSON object")?;
    let member =
        |name: &str| members.iter().find(|(key, _)| key.string().as_deref() == Some(name)).map(|(_, value)| *value);
    let string = |name: &str| member(name).and_then(Json::string).map(Cow::into_owned);
    let identifier = || string("identifier").ok_or("a frame without the identifier of a subscription");
    match string("type").as_deref() {
        Some("welcome") => Ok(Frame::Welcome),
        Some("ping") => Ok(Frame::Ping),
        Some(CONFIRMATION) => identifier().map(Frame::Confirmation),
        Some(REJECTION) => identifier().map(Frame::Rejection),
        Some("disconnect") => {
            let reason = shown_line(&string("reason").unwrap_or_default(), MAX_REASON);
            let reconnects = member("reconnect").is_none_or(|reconnect| reconnect.text() != "false");
            Ok(Frame::Disconnect { reason, reconnects })
        }
        Some(other) => Ok(Frame::Unknown(shown_line(other, MAX_SHOWN))),
        None if member("type").is_some_and(|kind| kind.text() != "null") => Err("a frame whose type is not a string"),
        None => {
            let message = member("message").filter(|message| message.text().starts_with('{'));
            let message = message.ok_or("a frame without a type and without a record")?;
            Ok(Frame::Change { identifier: identifier()?, record: message.text().into() })
        }
    }
}
