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
    channel: &'static str,
}

impl Subscription {
    /// Signs a subscription.
    pub(super) fn new(client: &HttpClient, streamed: &'static Streamed) -> Result<Self, Error> {
        let Ok(api_key) = client.api_key().to_str() else {
            return Err(Error::Configuration("the API key is unusable".to_owned()));
        };
        let signature = client.key().sign(streamed.signed.as_bytes())?;
        let users = json!([{ "api_key": api_key, "signature": signature }]);
        let identifier = json!({ "channel": streamed.channel, "users": users }).to_string();
        Ok(Self { identifier: Zeroizing::new(identifier), channel: streamed.channel })
    }

    /// Returns the frame that subscribes.
    pub(super) fn subscribe(&self) -> String {
        json!({ "command": "subscribe", "identifier": self.identifier.as_str() }).to_string()
    }

    /// Returns true if the service has named this subscription. It repeats the text; a text that was written anew names it by its
    /// channel.
    pub(super) fn is_named(&self, identifier: &str) -> bool {
        if identifier == self.identifier.as_str() {
            return true;
        }
        let channel = serde_json::from_str::<Value>(identifier);
        channel.is_ok_and(|value| value.get("channel").and_then(Value::as_str) == Some(self.channel))
    }
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
