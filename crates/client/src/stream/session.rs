//! The connection of a stream: it connects, subscribes, passes on what comes in, and connects again after each loss.
//!
//! | state | entered by | left by |
//! |---|---|---|
//! | connecting | the start, the end of a delay | the handshake; a failure: a delay |
//! | open | the handshake | the welcome; none in 10 s: a delay |
//! | subscribing | the welcome | all subscriptions confirmed or rejected; none in 10 s: sent once more, then a delay |
//! | live | a confirmation, once the list is read | a loss, or no frame for 10 s: a delay |
//!
//! While there is no connection, the channels are polled.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::backoff::Backoff;
use super::channel::Channel;
use super::command::{Subscription, shown_key};
use super::frame::{self, Frame};
use super::shared::Shared;
use super::socket::{Incoming, Socket};
use crate::error::{Error, TransportFailure};
use crate::http::HttpClient;
use crate::http::recorder::StreamRecording;
use crate::http::upgrade::HandshakeError;
use botdesk_schema::redaction::HIDDEN;

/// The time limit of the welcome, and of the answer to a subscription.
const ANSWER: Duration = Duration::from_secs(10);

/// The number of failures in a row after which the caller is told that the stream is not there, and of refusals after which it is
/// not tried again.
const MANY: u32 = 3;

/// The delay after a ban, and after too many handshakes.
const BAN: Duration = Duration::from_secs(120);

/// The connection of a stream.
pub(super) struct Session {
    client: Arc<HttpClient>,
    shared: Arc<Shared>,
    channels: Vec<Arc<Channel>>,
    backoff: Backoff,
    /// The number of refused handshakes in a row.
    refusals: u32,
    /// The number of failures in a row.
    failures: u32,
}

/// How a connection ended.
enum End {
    /// It is to be made again.
    Lost(String),
    /// It is not to be made again.
    Over(String),
    /// All subscriptions were rejected, which was said of each.
    Rejected,
    /// The stream was closed.
    Closed,
}

/// One connection, from the welcome on.
struct Connection<'a> {
    session: &'a Session,
    socket: Socket,
    subscriptions: Vec<(Subscription, Progress)>,
    /// Until when the answers to the subscriptions have to come; None once there are all.
    answers_due: Option<Instant>,
    is_second_try: bool,
    /// Since when all channels are confirmed or rejected.
    live_since: Option<Instant>,
    has_reported_oddity: bool,
    /// The recording of this connection; None if the client is not recorded.
    recording: Option<StreamRecording>,
}

/// The progress of a subscription.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Asked,
    Confirmed,
    Rejected,
}

impl Session {
    pub(super) fn new(client: &Arc<HttpClient>, shared: &Arc<Shared>, channels: Vec<Arc<Channel>>) -> Self {
        let (client, shared) = (Arc::clone(client), Arc::clone(shared));
        Self { client, shared, channels, backoff: Backoff::new(), refusals: 0, failures: 0 }
    }

    /// Keeps the connection until the stream is closed, or until the service does not offer it.
    pub(super) async fn run(mut self) {
        self.keep().await;
        if self.client.is_closed() {
            for channel in &self.channels {
                let closed = Error::Closed("the client is closed, which ends the stream".to_owned());
                self.shared.end(channel.member, closed);
            }
        }
    }

    async fn keep(&mut self) {
        loop {
            self.shared.connection("connecting", None);
            let opened = self.shared.unless_closed(self.client.unless_closed(Socket::open(&self.client))).await;
            let Some(Some(opened)) = opened else { return };
            let (why, delay, live_since) = match opened {
                Ok(socket) => {
                    self.refusals = 0;
                    let (end, live_since) = self.talk(socket).await;
                    match end {
                        End::Lost(why) => (why, Duration::ZERO, live_since),
                        End::Over(why) => return self.give_up(&why),
                        End::Rejected => return self.shared.connection("polling", Some(("polling", None))),
                        End::Closed => return,
                    }
                }
                Err(HandshakeError::Impossible(error)) => return self.give_up(&error.to_string()),
                Err(HandshakeError::Failed(why)) => (why, Duration::ZERO, None),
                Err(HandshakeError::Refused(status)) => {
                    let why = format!("the service refused the handshake with the status {status}");
                    self.refusals = if [401, 403, 404].contains(&status) { self.refusals + 1 } else { 0 };
                    if self.refusals >= MANY {
                        return self.give_up(&why);
                    }
                    (why, if [418, 429].contains(&status) { BAN } else { Duration::ZERO }, None)
                }
            };
            if !self.wait(why, delay, live_since).await {
                return;
            }
        }
    }

    /// Waits until the next attempt, while the channels are polled; returns false if the stream is closed meanwhile.
    async fn wait(&mut self, why: String, at_least: Duration, live_since: Option<Instant>) -> bool {
        self.channels.iter().for_each(|channel| channel.lost());
        let share = (self.client.settings().random_share)();
        let delay = self.backoff.delay(live_since, share).max(at_least);
        self.failures = if live_since.is_some() { 0 } else { self.failures + 1 };
        if self.failures == MANY {
            self.shared.warn(format!(
                "the live stream can't be reached ({why}); until it can, {} polled every {} s, so events come later",
                self.resources(),
                self.shared.options.every.as_secs_f64()
            ));
        }
        let reason = format!("{why}; connects again in {:.1} s", delay.as_secs_f64());
        self.shared.fail(Error::transport(
            TransportFailure::Broken,
            false,
            format!("the live stream was lost: {reason}"),
        ));
        self.shared.connection("waiting", Some(("disconnected", Some(reason))));
        self.shared.unless_closed(self.client.unless_closed(tokio::time::sleep(delay))).await.flatten().is_some()
    }

    /// Polls from now on, and says so once.
    fn give_up(&self, why: &str) {
        for channel in &self.channels {
            channel.poll_from_now_on();
        }
        let every = self.shared.options.every.as_secs_f64();
        self.shared.warn(format!(
            "there is no live stream ({why}); {} polled every {every} s, so events come later",
            self.resources()
        ));
        self.shared.connection("polling", Some(("polling", Some(why.to_owned()))));
    }

    /// Returns the names of the resources with a verb.
    fn resources(&self) -> String {
        let names: Vec<_> = self.channels.iter().map(|channel| channel.resource.name).collect();
        format!("{} {}", names.join(" and "), if names.len() == 1 { "is" } else { "are" })
    }

    /// Serves a connection until it ends; returns since when it was live.
    async fn talk(&self, socket: Socket) -> (End, Option<Instant>) {
        let subscriptions = self.channels.iter().map(|channel| Subscription::new(&self.client, channel.streamed));
        let subscriptions = match subscriptions.collect::<Result<Vec<_>, _>>() {
            Ok(subscriptions) => {
                // A rejection is never retried by itself.
                let rejected = self.channels.iter().map(|channel| channel.is_rejected());
                let progress = rejected.map(|is| if is { Progress::Rejected } else { Progress::Asked });
                subscriptions.into_iter().zip(progress).collect()
            }
            Err(error) => return (End::Over(error.to_string()), None),
        };
        let mut connection = Connection {
            session: self,
            socket,
            subscriptions,
            answers_due: None,
            is_second_try: false,
            live_since: None,
            has_reported_oddity: false,
            recording: None,
        };
        let end = connection.run().await;
        let live_since = connection.live_since;
        if !matches!(end, End::Lost(_)) {
            connection.socket.close().await;
        }
        (end, live_since)
    }
}

impl Connection<'_> {
    async fn run(&mut self) -> End {
        let begun = self.welcome().await;
        let begun = match begun {
            Ok(()) => self.subscribe().await,
            Err(end) => Err(end),
        };
        if let Err(end) = begun {
            return end;
        }
        loop {
            let ended = match self.next().await {
                Ok(Some(text)) => self.handle(text.as_str()).await,
                Ok(None) => Ok(()),
                Err(end) => Err(end),
            };
            if let Err(end) = ended {
                return end;
            }
        }
    }

    /// Waits for the welcome. What comes before it is no answer to anything.
    async fn welcome(&mut self) -> Result<(), End> {
        let due = Instant::now() + ANSWER;
        loop {
            let why = || format!("the service did not welcome the client in {} s", ANSWER.as_secs());
            // What comes in without a pause would outlast the time limit.
            let incoming = self.receive(Some(due)).await?.filter(|_| Instant::now() < due);
            let incoming = incoming.ok_or_else(|| End::Lost(why()))?;
            let Incoming::Text(text) = incoming else { continue };
            self.record(false, text.as_str());
            match frame::read(text.as_str()) {
                Ok(Frame::Welcome) => return Ok(()),
                Ok(Frame::Disconnect { reason, reconnects }) => return Err(self.disconnected(&reason, reconnects)),
                _ => {}
            }
        }
    }

    /// Sends what subscribes to each channel that has no answer.
    async fn subscribe(&mut self) -> Result<(), End> {
        let asked = self.subscriptions.iter().filter(|(_, progress)| *progress == Progress::Asked);
        let frames: Vec<_> = asked.map(|(subscription, _)| subscription.subscribe()).collect();
        for frame in frames {
            self.record(true, &frame);
            self.socket.send(frame).await.map_err(End::Lost)?;
        }
        self.answers_due = Some(Instant::now() + ANSWER);
        Ok(())
    }

    /// Returns the next text frame; None after another one.
    async fn next(&mut self) -> Result<Option<Utf8Bytes>, End> {
        let stale = self.session.shared.options.stale_after.map(|limit| Instant::now() + limit);
        let due = [stale, self.answers_due].into_iter().flatten().min();
        match self.receive(due).await? {
            Some(Incoming::Text(text)) => Ok(Some(text)),
            Some(Incoming::Binary) => {
                self.report_oddity("a binary frame");
                self.check_answers().await.map(|()| None)
            }
            Some(Incoming::Protocol) => self.check_answers().await.map(|()| None),
            None if self.answers_due == due && due.is_some() => self.check_answers().await.map(|()| None),
            None => {
                let limit = self.session.shared.options.stale_after.unwrap_or_default().as_secs_f64();
                Err(End::Lost(format!("nothing came in for {limit} s")))
            }
        }
    }

    /// Returns what comes in; None if nothing does until a time.
    async fn receive(&mut self, due: Option<Instant>) -> Result<Option<Incoming>, End> {
        let (client, shared) = (&self.session.client, &self.session.shared);
        let next = async {
            match due {
                Some(due) => timeout_at(due, self.socket.next()).await.ok(),
                None => Some(self.socket.next().await),
            }
        };
        let received = shared.unless_closed(client.unless_closed(next)).await.flatten().ok_or(End::Closed)?;
        received.transpose().map_err(End::Lost)
    }

    /// Subscribes once more if the answers are late; ends the connection if they are late again.
    async fn check_answers(&mut self) -> Result<(), End> {
        if self.answers_due.is_none_or(|due| Instant::now() < due) {
            return Ok(());
        }
        if !std::mem::replace(&mut self.is_second_try, true) {
            return self.subscribe().await;
        }
        // The service does not answer an identifier that it can't read.
        Err(End::Lost(
            "the service did not answer the subscription, neither with a confirmation nor with a rejection".to_owned(),
        ))
    }

    async fn handle(&mut self, text: &str) -> Result<(), End> {
        let frame = frame::read(text);
        if !matches!(frame, Ok(Frame::Ping)) {
            self.record(false, text);
        }
        match frame {
            Ok(Frame::Change { identifier, record }) => self.changed(&identifier, &record),
            Ok(Frame::Confirmation(identifier)) => self.answered(&identifier, Progress::Confirmed)?,
            Ok(Frame::Rejection(identifier)) => self.answered(&identifier, Progress::Rejected)?,
            Ok(Frame::Disconnect { reason, reconnects }) => return Err(self.disconnected(&reason, reconnects)),
            Ok(Frame::Welcome | Frame::Ping) => {}
            Ok(Frame::Unknown(kind)) => {
                let what = format!("a frame of the unknown type {:?}", self.shown(&kind));
                self.report_oddity(&what);
            }
            Err(oddity) => self.report_oddity(oddity),
        }
        self.check_answers().await
    }

    /// Records a text frame, if the client is recorded. A recording that began later has the subscriptions too.
    fn record(&mut self, is_sent: bool, text: &str) {
        let Some(recorder) = self.session.client.recorder() else {
            self.recording = None;
            return;
        };
        if self.recording.as_ref().is_none_or(|recording| !recording.is_of(&recorder)) {
            let url = self.session.client.stream_url().handshake().to_string();
            self.recording = StreamRecording::start(recorder, &url);
            if self.answers_due.is_some() || self.live_since.is_some() {
                self.record_subscriptions();
            }
        }
        if let Some(recording) = &self.recording {
            recording.add(is_sent, text);
        }
    }

    /// Records the subscriptions so far, and the answers to them.
    fn record_subscriptions(&self) {
        let Some(recording) = &self.recording else { return };
        for (subscription, progress) in &self.subscriptions {
            recording.add(true, &subscription.subscribe());
            match progress {
                Progress::Asked => {}
                Progress::Confirmed => recording.add(false, &subscription.answer(frame::CONFIRMATION)),
                Progress::Rejected => recording.add(false, &subscription.answer(frame::REJECTION)),
            }
        }
    }

    /// Passes a record to its channel.
    fn changed(&mut self, identifier: &str, record: &str) {
        let Some(channel) = self.position(identifier).and_then(|index| self.session.channels.get(index)) else {
            return self.report_oddity("a record of a subscription that is not one of this stream");
        };
        match channel.list.record().from_json(record) {
            Ok(record) => channel.frame(record),
            Err(_) => self.report_oddity("a record that can't be read"),
        }
    }

    fn position(&self, identifier: &str) -> Option<usize> {
        self.subscriptions.iter().position(|(subscription, _)| subscription.is_named(identifier))
    }

    /// Notes the answer to a subscription.
    fn answered(&mut self, identifier: &str, answer: Progress) -> Result<(), End> {
        let index = self.position(identifier);
        let Some((index, (_, progress))) = index.and_then(|index| Some((index, self.subscriptions.get_mut(index)?)))
        else {
            self.report_oddity("an answer to a subscription that is not one of this stream");
            return Ok(());
        };
        // A rejection is final, and a confirmation that is repeated says nothing new.
        if *progress == Progress::Rejected || *progress == answer {
            return Ok(());
        }
        *progress = answer;
        if let Some(channel) = self.session.channels.get(index) {
            match answer {
                Progress::Rejected => self.rejected(channel),
                Progress::Confirmed | Progress::Asked => channel.confirmed(),
            }
        }
        if self.subscriptions.iter().all(|(_, progress)| *progress != Progress::Asked) {
            self.answers_due = None;
            if self.subscriptions.iter().all(|(_, progress)| *progress == Progress::Rejected) {
                return Err(End::Rejected);
            }
            self.live_since.get_or_insert_with(Instant::now);
            self.session.shared.connection("live", Some(("connected", None)));
        }
        Ok(())
    }

    /// Polls a channel whose subscription was rejected, and says so.
    fn rejected(&self, channel: &Channel) {
        let (session, streamed) = (self.session, channel.streamed);
        session.shared.warn(format!(
            "the service rejected the live stream of {} for the key {}: it needs the permission {}, and the service may not \
             accept this kind of key; {} is polled every {} s",
            channel.resource.name,
            shown_key(&session.client),
            streamed.permission.as_str(),
            channel.resource.name,
            session.shared.options.every.as_secs_f64()
        ));
        channel.reject();
    }

    /// Reports something that the service is not known to send, once for each connection. It was ignored.
    fn report_oddity(&mut self, what: &str) {
        if !std::mem::replace(&mut self.has_reported_oddity, true) {
            let message = format!("the live stream sent {what}, which was ignored");
            self.session.shared.fail(Error::Decode { message, body: String::new(), method: None, request_id: None });
        }
    }

    fn disconnected(&self, reason: &str, reconnects: bool) -> End {
        let why = format!("the service ends the connection ({})", self.shown(reason));
        if reconnects { End::Lost(why) } else { End::Over(why) }
    }

    /// Returns a text of the service for a message: hidden if it repeats a part of the API key or of a signature.
    fn shown<'a>(&self, text: &'a str) -> &'a str {
        let is_secret = self.subscriptions.iter().any(|(subscription, _)| subscription.is_repeated_in(text));
        if is_secret { HIDDEN } else { text }
    }
}
