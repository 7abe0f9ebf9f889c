//! The commands of a stream: which subscription is confirmed, rejected or not answered, and why.

use std::sync::Arc;

use serde_json::Value;

use crate::authenticator::RegisteredKey;
use botdesk_api::reference::RESOURCES;
use botdesk_schema::resource::Resource;
use botdesk_schema::streamed::Streamed;

/// A handshake or a command of a stream, without its API key and its signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamAttempt {
    /// The path of the connection.
    pub path: String,
    /// The subprotocols that the client offered; None if it offered none.
    pub subprotocol: Option<String>,
    /// The channel; None for a handshake, and for a command that names none.
    pub channel: Option<String>,
    /// The last four characters of the API key; None if there is none.
    pub key: Option<String>,
    /// The text whose signature was checked; None if none was.
    pub signed_text: Option<&'static str>,
    /// The algorithm of the key: `RSA` or `HMAC`; None if the key is unknown.
    pub algorithm: Option<&'static str>,
    /// The outcome: `connected`, `refused`, `confirmed`, `rejected`, `unsubscribed` or `ignored`.
    pub result: &'static str,
    /// The reason of the outcome; empty for a success.
    pub cause: &'static str,
}

/// A subscription of a connection: the text that names it, and the resource whose records it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// The text of the client, which confirmations and data frames repeat.
    pub identifier: String,
    /// The name of the resource.
    pub resource: &'static str,
}

/// What a command asks for.
#[derive(Debug)]
pub enum Command {
    /// A subscription that is valid.
    Subscribe(Subscription),
    /// A subscription that is rejected, by its text.
    Reject(String),
    /// The end of a subscription, by its text.
    Unsubscribe(String),
    /// Nothing that is answered.
    Ignore,
}

/// Finds the key with an API key.
type FindKey<'a> = &'a dyn Fn(&str) -> Option<Arc<RegisteredKey>>;

/// Reads a text frame; notes the outcome and its cause in the attempt.
pub fn read(text: &str, find_key: FindKey<'_>, attempt: &mut StreamAttempt) -> Command {
    attempt.result = "ignored";
    let Ok(frame) = serde_json::from_str::<Value>(text) else {
        attempt.cause = "the frame is not JSON";
        return Command::Ignore;
    };
    let Some(Value::String(identifier)) = frame.get("identifier") else {
        attempt.cause = "the identifier is not a string";
        return Command::Ignore;
    };
    match frame.get("command").and_then(Value::as_str) {
        Some("subscribe") => subscribe(identifier, find_key, attempt),
        Some("unsubscribe") => {
            attempt.result = "unsubscribed";
            attempt.channel = channel(&serde_json::from_str(identifier).unwrap_or_default());
            Command::Unsubscribe(identifier.clone())
        }
        _ => {
            attempt.cause = "the command is unknown";
            Command::Ignore
        }
    }
}

fn subscribe(text: &str, find_key: FindKey<'_>, attempt: &mut StreamAttempt) -> Command {
    let Ok(identifier) = serde_json::from_str::<Value>(text) else {
        attempt.cause = "the identifier is not JSON";
        return Command::Ignore;
    };
    attempt.channel = channel(&identifier);
    let Some((resource, streamed)) = attempt.channel.as_deref().and_then(of_channel) else {
        attempt.cause = "the channel is unknown";
        return Command::Ignore;
    };
    let users = identifier.get("users").and_then(Value::as_array);
    match check_users(users.map(Vec::as_slice).unwrap_or_default(), streamed, find_key, attempt) {
        Ok(()) => {
            attempt.result = "confirmed";
            Command::Subscribe(Subscription { identifier: text.to_owned(), resource: resource.name })
        }
        Err(cause) => {
            (attempt.result, attempt.cause) = ("rejected", cause);
            Command::Reject(text.to_owned())
        }
    }
}

/// Returns the channel that an identifier names.
fn channel(identifier: &Value) -> Option<String> {
    identifier.get("channel").and_then(Value::as_str).map(ToOwned::to_owned)
}

/// Returns the resource of a channel, and its stream.
fn of_channel(channel: &str) -> Option<(&'static Resource, &'static Streamed)> {
    let mut streamed = RESOURCES.iter().filter_map(|resource| Some((resource, resource.streamed?)));
    streamed.find(|(_, streamed)| streamed.channel == channel)
}

/// Checks the users of a subscription, all of which have to be valid; an error is the reason of the rejection.
fn check_users(
    users: &[Value],
    streamed: &'static Streamed,
    find_key: FindKey<'_>,
    attempt: &mut StreamAttempt,
) -> Result<(), &'static str> {
    if users.is_empty() {
        return Err("there are no users");
    }
    for user in users {
        let text = |name: &str| user.get(name).and_then(Value::as_str).unwrap_or_default();
        attempt.key = Some(last_characters(text("api_key")));
        let key = find_key(text("api_key")).ok_or("the API key is unknown")?;
        (attempt.algorithm, attempt.signed_text) = (Some(key.algorithm()), Some(streamed.signed));
        if !key.has_signed(streamed.signed, text("signature")) {
            return Err("the signature is wrong");
        }
        key.check_permission(streamed.permission).map_err(|_| "the API key lacks the permission")?;
    }
    Ok(())
}

/// Returns the last four characters of an API key that is long enough to stay secret.
fn last_characters(api_key: &str) -> String {
    const SHOWN: usize = 4;
    const SHORTEST: usize = 16;
    if api_key.chars().count() < SHORTEST {
        return "…".to_owned();
    }
    let skipped = api_key.chars().count() - SHOWN;
    format!("…{}", api_key.chars().skip(skipped).collect::<String>())
}
