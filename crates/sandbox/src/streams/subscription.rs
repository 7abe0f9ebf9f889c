//! The check of a subscribe command.

use std::sync::Arc;

use serde_json::Value;

use super::attempt::{StreamAttempt, last_characters};
use botdesk_api::document::RESOURCES;
use botdesk_schema::resource::Resource;
use botdesk_schema::streamed::Streamed;
use botdesk_server::authenticator::RegisteredKey;

/// A subscription of a connection: the text that names it, and the resource whose records it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subscription {
    /// The text of the client, which confirmations and data frames repeat.
    pub(crate) identifier: String,
    /// The name of the resource.
    pub(crate) resource: &'static str,
}

/// What a command asks for.
#[derive(Debug)]
pub(crate) enum Command {
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
pub(crate) fn read(text: &str, find_key: FindKey<'_>, attempt: &mut StreamAttempt) -> Command {
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
    let channel = identifier.get("channel").and_then(Value::as_str);
    attempt.channel = channel.map(ToOwned::to_owned);
    let Some((resource, streamed)) = channel.and_then(of_channel) else {
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
