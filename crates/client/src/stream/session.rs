//! Keeps the connection of the streams of a client: it connects, and connects again after each loss.
//!
//! | state | entered by | left by |
//! |---|---|---|
//! | connecting | the start, the end of a delay, of a ban | the handshake; a failure: a delay |
//! | open | the handshake | the welcome; none in 10 s: a delay |
//! | subscribing | the welcome | all subscriptions confirmed or rejected; none in 10 s: sent once more, then a delay |
//! | live | a confirmation, once the list is read | a loss, or no frame for 10 s: a delay |
//!
//! While there is no connection, the channels are polled. It ends with the last stream.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::backoff::Backoff;
use super::channel::Channel;
use super::connection::{Connection, End};
use super::fill::client_closed;
use super::hub::Hub;
use super::shared::Shared;
use super::socket::Socket;
use crate::error::{Error, TransportFailure};
use crate::http::HttpClient;
use crate::http::upgrade::HandshakeError;

/// The number of failures in a row after which a stream is warned that the service can't be reached, and of refusals after which it is
/// not tried again.
const MANY: u32 = 3;

/// The shortest delay after a ban, and after too many handshakes.
const BAN: Duration = Duration::from_secs(120);

/// Keeps the connection of the streams of a client.
pub(super) struct Session {
    client: Arc<HttpClient>,
    hub: Arc<Hub>,
    backoff: Backoff,
    /// The number of refused handshakes in a row.
    refusals: u32,
}

impl Session {
    pub(super) fn new(client: &Arc<HttpClient>, hub: &Arc<Hub>) -> Self {
        Self { client: Arc::clone(client), hub: Arc::clone(hub), backoff: Backoff::new(), refusals: 0 }
    }

    /// Keeps the connection until no stream needs it, or until the service does not offer it.
    pub(super) async fn run(mut self) {
        while !self.hub.end_if_unused() {
            if self.client.is_closed() {
                return self.end_all();
            }
            if let Some(left) = self.client.banned_for() {
                self.wait("the service has banned this IP address for a while", left, None).await;
                continue;
            }
            let Some(opened) = self.open().await else { continue };
            let (why, delay, live_since) = match opened {
                Ok(socket) => {
                    self.refusals = 0;
                    let (end, live_since) = Connection::new(&self.client, &self.hub, socket).serve().await;
                    match end {
                        End::Lost(why) => (why, Duration::ZERO, live_since),
                        End::Over(why) => return self.give_up(&why),
                        End::Closed => continue,
                    }
                }
                Err(HandshakeError::Impossible(error)) => return self.give_up(&error.to_string()),
                Err(HandshakeError::Failed(why)) => (why, Duration::ZERO, None),
                Err(HandshakeError::Refused { status, wait }) => {
                    let why = format!("the service refused the handshake with the status {status}");
                    self.refusals = if [401, 403, 404].contains(&status) { self.refusals + 1 } else { 0 };
                    if self.refusals >= MANY {
                        return self.give_up(&why);
                    }
                    let least = if [418, 429].contains(&status) { BAN } else { Duration::ZERO };
                    (why, wait.unwrap_or_default().max(least), None)
                }
            };
            self.wait(&why, delay, live_since).await;
        }
    }

    /// Opens a connection; None if the client is closed, or no stream is left.
    async fn open(&self) -> Option<Result<Socket, HandshakeError>> {
        for (stream, _) in self.hub.streams() {
            stream.connection("connecting", None);
        }
        let mut members = self.hub.subscribe();
        let unused = members.wait_for(|members| members.channels.is_empty());
        let opening = self.client.unless_closed(Socket::open(&self.client));
        match futures_util::future::select(Box::pin(unused), Box::pin(opening)).await {
            futures_util::future::Either::Left(_) => None,
            futures_util::future::Either::Right((opened, _)) => opened,
        }
    }

    /// Waits until the next attempt, while the channels are polled, also those that join meanwhile.
    async fn wait(&mut self, why: &str, at_least: Duration, live_since: Option<Instant>) {
        let share = (self.client.settings().random_share)();
        let delay = self.backoff.delay(live_since, share).max(at_least);
        let reason = format!("{why}; connects again in {:.1} s", delay.as_secs_f64());
        let mut members = self.hub.subscribe();
        for (stream, channels) in self.hub.streams() {
            let was_live = stream.connection_state() == Some("live");
            if stream.attempt_failed(was_live) == MANY {
                stream.warn(format!(
                    "the live stream can't be reached ({why}); until it can, {}, so events come later",
                    are_polled(&stream, &channels)
                ));
            }
            let what = if was_live { "was lost" } else { "is not open" };
            let message = format!("the live stream {what}: {reason}");
            stream.fail(Error::transport(TransportFailure::Broken, false, message));
            stream.connection("waiting", Some(("disconnected", Some(reason.clone()))));
        }
        let due = Instant::now() + delay;
        loop {
            let channels = members.borrow_and_update().channels.clone();
            if channels.is_empty() {
                return;
            }
            for channel in &channels {
                channel.lost();
                channel.shared.connection("waiting", None);
            }
            let changed = timeout_at(due, self.client.unless_closed(members.changed())).await;
            if !matches!(changed, Ok(Some(Ok(())))) {
                return;
            }
        }
    }

    /// Polls from now on, and says so once to each stream.
    fn give_up(&self, why: &str) {
        for (stream, channels) in self.hub.end() {
            for channel in &channels {
                channel.poll_from_now_on();
            }
            stream.warn(format!(
                "there is no live stream ({why}); {}, so events come later",
                are_polled(&stream, &channels)
            ));
            stream.connection("polling", Some(("polling", Some(why.to_owned()))));
        }
    }

    /// Ends all channels, because the client is closed.
    fn end_all(&self) {
        for (stream, channels) in self.hub.end() {
            for channel in channels {
                stream.end(channel.member, client_closed());
            }
        }
    }
}

impl Drop for Session {
    /// Polls what is left if the task ends before its time, because nobody else would serve it.
    fn drop(&mut self) {
        for (_, channels) in self.hub.end() {
            for channel in channels {
                channel.poll_from_now_on();
            }
        }
    }
}

/// Says which resources of a stream are polled how often.
fn are_polled(stream: &Shared, channels: &[Arc<Channel>]) -> String {
    let names: Vec<_> = channels.iter().map(|channel| channel.resource.name).collect();
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb} polled every {} s", names.join(" and "), stream.options.every.as_secs_f64())
}
