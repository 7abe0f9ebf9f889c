//! What subscribes to a channel. Its text has the API key and a signature that anybody could use again, so nothing shows it.

use serde_json::{Value, json};
use zeroize::Zeroizing;

use crate::credentials::signing_key::SigningKey;
use crate::error::Error;
use crate::http::client::HttpClient;
use botdesk_schema::streamed::Streamed;

/// A subscription of one key to a channel.
pub(super) struct Subscription {
    /// The name of the subscription, which the service repeats in each frame.
    identifier: Zeroizing<String>,
    /// Pieces of the API key and of the signature, in lower case, by which a text that repeats them is recognized.
    traces: Vec<Zeroizing<String>>,
}

/// The number of characters of a secret by which it is recognized.
const TRACE: usize = 8;

impl Subscription {
    /// Signs a subscription.
    pub(super) fn new(client: &HttpClient, streamed: &'static Streamed) -> Result<Self, Error> {
        let Ok(api_key) = client.api_key().to_str() else {
            return Err(Error::Configuration("the API key is unusable".to_owned()));
        };
        let signature = client.key().sign(streamed.signed.as_bytes())?;
        let users = json!([{ "api_key": api_key, "signature": signature }]);
        let identifier = json!({ "channel": streamed.channel, "users": users }).to_string();
        let traces = traces(api_key).chain(traces(&signature)).collect();
        Ok(Self { identifier: Zeroizing::new(identifier), traces })
    }

    /// Returns the frame that subscribes.
    pub(super) fn subscribe(&self) -> String {
        json!({ "command": "subscribe", "identifier": self.identifier.as_str() }).to_string()
    }

    /// Returns the frame that unsubscribes.
    pub(super) fn unsubscribe(&self) -> String {
        json!({ "command": "unsubscribe", "identifier": self.identifier.as_str() }).to_string()
    }

    /// Returns the frame of the service that answers it, by its type.
    pub(super) fn answer(&self, kind: &str) -> String {
        json!({ "type": kind, "identifier": self.identifier.as_str() }).to_string()
    }

    /// Returns true if the service has named this subscription: it repeats the text, or writes the same anew. The channel alone does not
    /// name it, because another key may be subscribed to it as well.
    pub(super) fn is_named(&self, identifier: &str) -> bool {
        let read = serde_json::from_str::<Value>;
        identifier == self.identifier.as_str()
            || read(identifier).is_ok_and(|named| read(&self.identifier).is_ok_and(|own| own == named))
    }

    /// Returns true if a text of the service repeats a part of the API key or of the signature, in capitals or not. One with escapes
    /// might.
    pub(super) fn is_repeated_in(&self, text: &str) -> bool {
        let lower = Zeroizing::new(text.to_ascii_lowercase());
        text.contains('%') || self.traces.iter().any(|trace| lower.contains(trace.as_str()))
    }
}

/// Returns all pieces of a secret, within the parts that no encoding changes.
fn traces(secret: &str) -> impl Iterator<Item = Zeroizing<String>> {
    let parts = secret.split(|character: char| !character.is_ascii_alphanumeric());
    let pieces = parts.flat_map(|part| part.as_bytes().windows(TRACE));
    pieces.map(|piece| Zeroizing::new(String::from_utf8_lossy(piece).to_ascii_lowercase()))
}

/// Returns the last four characters of an API key, and the kind of key, for messages.
pub(super) fn shown_key(client: &HttpClient) -> String {
    const SHOWN: usize = 4;
    const SHORTEST: usize = 16;
    let key = client.api_key().to_str().unwrap_or_default();
    let hidden = key.len().saturating_sub(SHOWN);
    let last = key.get(hidden..).filter(|_| key.len() >= SHORTEST).unwrap_or_default();
    let kind = match client.key() {
        SigningKey::Rsa(_) => "self-generated, RSA",
        SigningKey::Hmac(_) => "system-generated, HMAC",
        SigningKey::Absent => "absent",
    };
    format!("…{last} ({kind})")
}
