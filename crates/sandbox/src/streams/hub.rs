//! The connections of the streams, their list of attempts and their controls.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::UnboundedSender;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use super::attempt::AttemptLog;
use super::controls::Controls;
use super::publishing::{Change, Published};
use crate::state::State;
use botdesk_server::subscription::{StreamAttempt, Subscription};
use botdesk_system::lock::locked;

/// What the writer of a connection sends.
pub(crate) enum Outgoing {
    /// A frame.
    Frame(Message),
    /// The end of the connection, without a close frame.
    Cut,
}

/// The streams of a sandbox.
#[derive(Default)]
pub struct StreamHub {
    inner: Mutex<Hub>,
    /// The number of subscriptions, so that a sandbox without any compares no records.
    subscriptions: AtomicU64,
}

#[derive(Default)]
struct Hub {
    next_connection: u64,
    connections: Vec<Connection>,
    attempts: AttemptLog,
    controls: Controls,
    published: Published,
    /// The changes that a control keeps back.
    held: Vec<Change>,
}

/// A connection: what it has subscribed to, and the queue of its writer.
struct Connection {
    id: u64,
    sender: UnboundedSender<Outgoing>,
    subscriptions: Vec<Subscription>,
}

impl Connection {
    /// Sends a frame. A writer that has ended receives nothing more.
    fn send(&self, message: Message) {
        let _ = self.sender.send(Outgoing::Frame(message));
    }
}

impl Hub {
    fn publish(&mut self, changes: &[Change]) {
        if self.controls.is_silent {
            return;
        }
        let times = 1 + self.controls.repeats;
        for change in changes {
            for connection in &self.connections {
                let subscriptions = connection.subscriptions.iter();
                for subscription in subscriptions.filter(|subscription| subscription.resource == change.resource) {
                    let frame = serde_json::json!({ "identifier": subscription.identifier, "message": change.record });
                    (0..times).for_each(|_| connection.send(Message::text(frame.to_string())));
                }
            }
        }
    }
}

impl StreamHub {
    /// Returns the status that refuses the next handshake; None if it is accepted. Notes the attempt.
    pub(crate) fn admit(&self, attempt: StreamAttempt) -> Option<u16> {
        let mut hub = locked(&self.inner);
        let refusal = hub.controls.take_refusal();
        let (result, cause) = match refusal {
            Some(_) => ("refused", "a control refuses handshakes"),
            None => ("connected", ""),
        };
        hub.attempts.add(StreamAttempt { result, cause, ..attempt });
        refusal
    }

    /// Adds a connection, and welcomes it; returns its number.
    pub(crate) fn open(&self, sender: UnboundedSender<Outgoing>) -> u64 {
        let mut hub = locked(&self.inner);
        hub.next_connection += 1;
        let connection = Connection { id: hub.next_connection, sender, subscriptions: Vec::new() };
        if !hub.controls.withholds_welcome && !hub.controls.is_silent {
            connection.send(Message::text(r#"{"type":"welcome"}"#));
        }
        let id = connection.id;
        hub.connections.push(connection);
        id
    }

    /// Removes a connection that has ended.
    pub(crate) fn close(&self, id: u64) {
        let mut hub = locked(&self.inner);
        hub.connections.retain(|connection| connection.id != id);
        self.count(&hub);
    }

    /// Returns true if a connection may send pings.
    pub(crate) fn sends_pings(&self) -> bool {
        !locked(&self.inner).controls.is_silent
    }

    /// Notes an attempt.
    pub(crate) fn note(&self, attempt: StreamAttempt) {
        locked(&self.inner).attempts.add(attempt);
    }

    /// Adds a subscription to a connection and confirms it. `state` is that of which it gets the changes from now on. A control
    /// may reject it, or leave it unanswered.
    pub(crate) fn subscribe(&self, id: u64, subscription: Subscription, state: &mut State, attempt: StreamAttempt) {
        let mut hub = locked(&self.inner);
        if hub.controls.take_rejection() {
            hub.attempts.add(StreamAttempt { result: "rejected", cause: "a control rejects subscriptions", ..attempt });
            hub.reply(id, "reject_subscription", &subscription.identifier);
            return;
        }
        if hub.controls.withholds_confirmation {
            hub.attempts.add(StreamAttempt {
                result: "ignored",
                cause: "a control withholds confirmations",
                ..attempt
            });
            return;
        }
        if self.subscriptions.load(Ordering::Acquire) == 0 {
            hub.published = Published::of(state);
        }
        let found = hub.connections.iter_mut().find(|connection| connection.id == id);
        let Some(connection) = found else { return };
        if connection.subscriptions.contains(&subscription) {
            hub.attempts.add(StreamAttempt { result: "ignored", cause: "it is subscribed already", ..attempt });
            return;
        }
        let identifier = subscription.identifier.clone();
        connection.subscriptions.push(subscription);
        hub.attempts.add(attempt);
        hub.reply(id, "confirm_subscription", &identifier);
        self.count(&hub);
    }

    /// Rejects a subscription of a connection.
    pub(crate) fn reject(&self, id: u64, identifier: &str, attempt: StreamAttempt) {
        let mut hub = locked(&self.inner);
        hub.attempts.add(attempt);
        hub.reply(id, "reject_subscription", identifier);
    }

    /// Ends a subscription of a connection, without an answer.
    pub(crate) fn unsubscribe(&self, id: u64, identifier: &str, attempt: StreamAttempt) {
        let mut hub = locked(&self.inner);
        hub.attempts.add(attempt);
        if let Some(connection) = hub.connections.iter_mut().find(|connection| connection.id == id) {
            connection.subscriptions.retain(|subscription| subscription.identifier != identifier);
        }
        self.count(&hub);
    }

    fn count(&self, hub: &Hub) {
        let subscriptions: usize = hub.connections.iter().map(|connection| connection.subscriptions.len()).sum();
        self.subscriptions.store(subscriptions as u64, Ordering::Release);
    }

    /// Publishes what has changed since the last time. Without subscriptions it does nothing.
    pub(crate) fn publish(&self, state: &mut State) {
        if self.subscriptions.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut hub = locked(&self.inner);
        let ticks = hub.controls.publishes_ticks;
        let changes = hub.published.update(state, ticks);
        if hub.controls.holds {
            hub.held.extend(changes);
        } else {
            hub.publish(&changes);
        }
    }

    /// Forgets the attempts and the controls, and takes a state as the one that was published.
    pub(crate) fn reset(&self, state: &mut State) {
        let mut hub = locked(&self.inner);
        (hub.attempts, hub.controls, hub.held) = (AttemptLog::default(), Controls::default(), Vec::new());
        // The first subscription takes a state, too, which writes the finished deals; that takes long.
        if self.subscriptions.load(Ordering::Acquire) > 0 {
            hub.published = Published::of(state);
        }
    }

    /// Returns the attempts, oldest first: the newest 10 000.
    pub fn attempts(&self) -> Vec<StreamAttempt> {
        locked(&self.inner).attempts.all()
    }

    /// Returns the number of open connections.
    pub fn connections(&self) -> usize {
        locked(&self.inner).connections.len()
    }

    /// Drops all connections, with a close code, or without a close frame.
    pub fn drop_connections(&self, code: Option<u16>) {
        for connection in &locked(&self.inner).connections {
            if let Some(code) = code {
                connection.send(Message::Close(Some(CloseFrame { code: code.into(), reason: "".into() })));
            }
            let _ = connection.sender.send(Outgoing::Cut);
        }
    }

    /// Announces the end of all connections with a reason, and closes them.
    pub fn disconnect(&self, reason: &str, reconnect: bool) {
        const GOING_AWAY: u16 = 1001;
        let frame = serde_json::json!({ "type": "disconnect", "reason": reason, "reconnect": reconnect });
        self.send_to_all(&Message::text(frame.to_string()));
        self.drop_connections(Some(GOING_AWAY));
    }

    /// Sends a text to all connections, as it is.
    pub fn send_text(&self, text: &str) {
        self.send_to_all(&Message::text(text));
    }

    /// Sends a binary frame to all connections.
    pub fn send_binary(&self, bytes: &[u8]) {
        self.send_to_all(&Message::binary(bytes.to_vec()));
    }

    /// Sends a ping to all connections.
    pub(crate) fn ping(&self, seconds: i64) {
        if self.sends_pings() {
            self.send_to_all(&ping(seconds));
        }
    }

    fn send_to_all(&self, message: &Message) {
        locked(&self.inner).connections.iter().for_each(|connection| connection.send(message.clone()));
    }

    /// Sends nothing at all from now on, or sends again.
    pub fn set_silent(&self, is_silent: bool) {
        locked(&self.inner).controls.is_silent = is_silent;
    }

    /// Sends each data frame this many times more.
    pub fn repeat(&self, times: u32) {
        locked(&self.inner).controls.repeats = times;
    }

    /// Keeps data frames back from now on.
    pub fn hold(&self) {
        locked(&self.inner).controls.holds = true;
    }

    /// Sends the data frames that were kept back, perhaps the newest first, and keeps none back any more.
    pub fn release(&self, reversed: bool) {
        let mut hub = locked(&self.inner);
        hub.controls.holds = false;
        let mut held = std::mem::take(&mut hub.held);
        if reversed {
            held.reverse();
        }
        hub.publish(&held);
    }

    /// Rejects the next subscriptions.
    pub fn reject_next(&self, times: u32) {
        locked(&self.inner).controls.rejections = times;
    }

    /// Refuses the next handshakes with a status; all of them without a number.
    pub fn refuse(&self, status: u16, times: Option<u32>) {
        locked(&self.inner).controls.refusal = Some((status, times));
    }

    /// Withholds the welcome of new connections, or their confirmations.
    pub fn withhold(&self, welcome: bool, confirmation: bool) {
        let controls = &mut locked(&self.inner).controls;
        (controls.withholds_welcome, controls.withholds_confirmation) = (welcome, confirmation);
    }

    /// Publishes a deal at a mere price tick too, or no longer.
    pub fn publish_ticks(&self, publishes: bool) {
        locked(&self.inner).controls.publishes_ticks = publishes;
    }

    /// Ends the effects of all controls, and sends the data frames that were kept back.
    pub fn clear(&self) {
        locked(&self.inner).controls = Controls::default();
        self.release(false);
    }
}

impl Hub {
    /// Sends an answer about a subscription.
    fn reply(&self, id: u64, kind: &str, identifier: &str) {
        let frame = serde_json::json!({ "identifier": identifier, "type": kind });
        let found = self.connections.iter().find(|connection| connection.id == id);
        if let Some(connection) = found {
            connection.send(Message::text(frame.to_string()));
        }
    }
}

/// Returns the frame of a ping with the time in seconds since 1970.
pub(crate) fn ping(seconds: i64) -> Message {
    Message::text(serde_json::json!({ "type": "ping", "message": seconds }).to_string())
}
