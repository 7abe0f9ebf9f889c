//! One connection: it is welcomed, subscribes to the channels of all streams, and passes on what comes in.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, select};
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::channel::Channel;
use super::command::{Subscription, shown_key};
use super::frame::{self, Frame};
use super::hub::{Hub, Members, by_stream};
use super::socket::{Incoming, Socket};
use crate::error::Error;
use crate::http::HttpClient;
use crate::http::recorder::StreamRecording;
use botdesk_schema::redaction::HIDDEN;
use botdesk_schema::streamed::Streamed;

/// The time limit of the welcome, and of the answer to a subscription.
const ANSWER: Duration = Duration::from_secs(10);

/// How a connection ended.
pub(super) enum End {
    /// It is to be made again.
    Lost(String),
    /// It is not to be made again.
    Over(String),
    /// The client is closed, or no stream is left.
    Closed,
}

/// What came first.
enum Received {
    Frame(Incoming),
    /// A stream has joined or left.
    Members,
    /// Nothing came in time.
    Late,
}

/// One connection.
pub(super) struct Connection<'a> {
    client: &'a Arc<HttpClient>,
    hub: &'a Hub,
    members: watch::Receiver<Members>,
    socket: Socket,
    /// The channels that are served.
    channels: Vec<Arc<Channel>>,
    subscriptions: Vec<Subscribed>,
    /// When the last frame came in.
    heard: Instant,
    /// Since when the first stream is live.
    live_since: Option<Instant>,
    has_reported_oddity: bool,
    /// The recording of this connection; None if the client is not recorded.
    recording: Option<StreamRecording>,
}

/// A subscription, which the channels of several streams may share.
struct Subscribed {
    subscription: Subscription,
    streamed: &'static Streamed,
    progress: Progress,
    /// Until when the answer has to come, once it is asked for.
    due: Option<Instant>,
    is_second_try: bool,
    /// True once the service has confirmed it on this connection.
    was_confirmed: bool,
}

/// The progress of a subscription.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// It has to be sent.
    Needed,
    Asked,
    Confirmed,
    Rejected,
    /// No stream needs it any more. What still comes in is dropped.
    Left,
}

impl Subscribed {
    fn new(client: &HttpClient, streamed: &'static Streamed) -> Result<Self, Error> {
        let subscription = Subscription::new(client, streamed)?;
        let (progress, due, is_second_try, was_confirmed) = (Progress::Needed, None, false, false);
        Ok(Self { subscription, streamed, progress, due, is_second_try, was_confirmed })
    }

    /// Notes that it is asked for, or how it was answered.
    fn note(&mut self, progress: Progress) {
        self.progress = progress;
        self.due = (progress == Progress::Asked).then(|| Instant::now() + ANSWER);
        self.is_second_try &= progress == Progress::Asked;
        self.was_confirmed |= progress == Progress::Confirmed;
    }

    /// Returns true if its answer is late.
    fn is_late(&self) -> bool {
        self.due.is_some_and(|due| due <= Instant::now())
    }

    fn is_of(&self, channel: &Channel) -> bool {
        self.streamed.channel == channel.streamed.channel
    }
}

impl<'a> Connection<'a> {
    pub(super) fn new(client: &'a Arc<HttpClient>, hub: &'a Hub, socket: Socket) -> Self {
        Self {
            client,
            hub,
            members: hub.subscribe(),
            socket,
            channels: Vec::new(),
            subscriptions: Vec::new(),
            heard: Instant::now(),
            live_since: None,
            has_reported_oddity: false,
            recording: None,
        }
    }

    /// Serves the connection until it ends; returns since when it was live.
    pub(super) async fn serve(mut self) -> (End, Option<Instant>) {
        let Err(end) = self.run().await;
        if !matches!(end, End::Lost(_)) {
            self.socket.close().await;
        }
        (end, self.live_since)
    }

    async fn run(&mut self) -> Result<std::convert::Infallible, End> {
        // Before the first frame, so that one that repeats a key is recognized.
        let channels = self.members.borrow().channels.clone();
        for channel in channels {
            self.add(&channel)?;
        }
        self.welcome().await?;
        self.update().await?;
        loop {
            let stale = self.stale_after().map(|limit| self.heard + limit);
            let due = self.subscriptions.iter().filter_map(|known| known.due).chain(stale).min();
            match self.receive(due).await? {
                Received::Frame(Incoming::Text(text)) => self.handle(text.as_str())?,
                Received::Frame(Incoming::Binary) => self.report_oddity("a binary frame"),
                Received::Members => self.update().await?,
                Received::Late if stale.is_some_and(|stale| stale <= Instant::now()) => {
                    let limit = self.stale_after().unwrap_or_default().as_secs_f64();
                    return Err(End::Lost(format!("nothing came in for {limit} s")));
                }
                Received::Frame(Incoming::Protocol) | Received::Late => {}
            }
            self.check_answers().await?;
            self.unsubscribe().await?;
        }
    }

    /// Returns the time after which a silent connection counts as dead, the shortest of all streams.
    fn stale_after(&self) -> Option<Duration> {
        self.channels.iter().filter_map(|channel| channel.shared.options.stale_after).min()
    }

    /// Waits for the welcome. What comes before it is no answer to anything.
    async fn welcome(&mut self) -> Result<(), End> {
        let due = Instant::now() + ANSWER;
        loop {
            let received = self.receive(Some(due)).await?;
            // What comes in without a pause would outlast the time limit.
            if matches!(received, Received::Late) || Instant::now() >= due {
                let limit = ANSWER.as_secs();
                return Err(End::Lost(format!("the service did not welcome the client in {limit} s")));
            }
            let Received::Frame(Incoming::Text(text)) = received else { continue };
            self.record(false, text.as_str());
            match frame::read(text.as_str()) {
                Ok(Frame::Welcome) => return Ok(()),
                Ok(Frame::Disconnect { reason, reconnects }) => return Err(self.disconnected(&reason, reconnects)),
                _ => {}
            }
        }
    }

    /// Subscribes to what streams that joined need, and unsubscribes from what only those that left needed.
    async fn update(&mut self) -> Result<(), End> {
        let channels = self.members.borrow_and_update().channels.clone();
        if channels.is_empty() {
            return Err(End::Closed);
        }
        let known = std::mem::replace(&mut self.channels, channels);
        self.unsubscribe().await?;
        let is_new = |channel: &&Arc<Channel>| !known.iter().any(|known| Arc::ptr_eq(known, channel));
        let joined: Vec<_> = self.channels.iter().filter(is_new).cloned().collect();
        for channel in joined {
            self.add(&channel)?;
        }
        self.subscribe().await?;
        self.note_live();
        Ok(())
    }

    /// Adds a channel, whose subscription another stream may have.
    fn add(&mut self, channel: &Channel) -> Result<(), End> {
        let Some(known) = self.subscriptions.iter_mut().find(|known| known.is_of(channel)) else {
            let known = Subscribed::new(self.client, channel.streamed);
            self.subscriptions.push(known.map_err(|error| End::Over(error.to_string()))?);
            return Ok(());
        };
        match known.progress {
            Progress::Needed | Progress::Asked => {}
            Progress::Confirmed => channel.confirmed(),
            // The channels of a rejection are polled and not here any more, so this one is asked for anew.
            Progress::Rejected | Progress::Left => known.note(Progress::Needed),
        }
        Ok(())
    }

    /// Sends what subscribes to each channel that needs it.
    async fn subscribe(&mut self) -> Result<(), End> {
        let mut frames = Vec::new();
        for needed in self.subscriptions.iter_mut().filter(|known| known.progress == Progress::Needed) {
            needed.note(Progress::Asked);
            frames.push(needed.subscription.subscribe());
        }
        self.send_all(frames).await
    }

    /// Sends what unsubscribes from each channel that no stream needs any more. One that is not confirmed yet waits for that, so that no
    /// later subscription takes its confirmation.
    async fn unsubscribe(&mut self) -> Result<(), End> {
        let mut frames = Vec::new();
        for known in self.subscriptions.iter_mut().filter(|known| known.progress == Progress::Confirmed) {
            if !self.channels.iter().any(|channel| known.is_of(channel)) {
                known.note(Progress::Left);
                frames.push(known.subscription.unsubscribe());
            }
        }
        self.send_all(frames).await
    }

    async fn send_all(&mut self, frames: Vec<String>) -> Result<(), End> {
        for frame in frames {
            self.record(true, &frame);
            self.socket.send(frame).await.map_err(End::Lost)?;
        }
        Ok(())
    }

    /// Returns what comes first: a frame, or a stream that joins or leaves; or that neither came until a time.
    async fn receive(&mut self, due: Option<Instant>) -> Result<Received, End> {
        let (members, socket) = (&mut self.members, &mut self.socket);
        let first = async {
            // The members come first, because a service may send without a pause.
            match select(Box::pin(members.changed()), Box::pin(socket.next())).await {
                Either::Left(_) => Ok(Received::Members),
                Either::Right((incoming, _)) => incoming.map(Received::Frame).map_err(End::Lost),
            }
        };
        let received = async {
            match due {
                Some(due) => timeout_at(due, first).await.unwrap_or(Ok(Received::Late)),
                None => first.await,
            }
        };
        let received = self.client.unless_closed(received).await.ok_or(End::Closed)??;
        match received {
            Received::Frame(_) => self.heard = Instant::now(),
            Received::Members if self.members.borrow().channels.is_empty() => return Err(End::Closed),
            Received::Members | Received::Late => {}
        }
        Ok(received)
    }

    /// Subscribes once more if an answer is late; ends the connection if it is late again.
    async fn check_answers(&mut self) -> Result<(), End> {
        for index in 0..self.subscriptions.len() {
            let Some(late) = self.subscriptions.get_mut(index).filter(|known| known.is_late()) else { continue };
            if late.was_confirmed {
                // The service knows no unsubscribing, so for it nothing is new.
                self.confirmed(index);
            } else if late.is_second_try {
                // The service does not answer an identifier that it can't read.
                let why =
                    "the service did not answer the subscription, neither with a confirmation nor with a rejection";
                return Err(End::Lost(why.to_owned()));
            } else {
                late.note(Progress::Needed);
                late.is_second_try = true;
            }
        }
        self.subscribe().await
    }

    fn handle(&mut self, text: &str) -> Result<(), End> {
        let frame = frame::read(text);
        if !matches!(frame, Ok(Frame::Ping)) {
            self.record(false, text);
        }
        match frame {
            Ok(Frame::Change { identifier, record }) => self.changed(&identifier, &record),
            Ok(Frame::Confirmation(identifier)) => self.answered(&identifier, Progress::Confirmed),
            Ok(Frame::Rejection(identifier)) => self.answered(&identifier, Progress::Rejected),
            Ok(Frame::Disconnect { reason, reconnects }) => return Err(self.disconnected(&reason, reconnects)),
            Ok(Frame::Welcome | Frame::Ping) => {}
            Ok(Frame::Unknown(kind)) => {
                let what = format!("a frame of the unknown type {:?}", self.shown(&kind));
                self.report_oddity(&what);
            }
            Err(oddity) => self.report_oddity(oddity),
        }
        Ok(())
    }

    /// Records a text frame, if the client is recorded. A recording that began later has the subscriptions too.
    fn record(&mut self, is_sent: bool, text: &str) {
        let Some(recorder) = self.client.recorder() else {
            self.recording = None;
            return;
        };
        if self.recording.as_ref().is_none_or(|recording| !recording.is_of(&recorder)) {
            let url = self.client.stream_url().handshake().to_string();
            self.recording = StreamRecording::start(recorder, &url);
            self.record_subscriptions();
        }
        if let Some(recording) = &self.recording {
            recording.add(is_sent, text);
        }
    }

    /// Records the subscriptions so far, and the answers to them.
    fn record_subscriptions(&self) {
        let Some(recording) = &self.recording else { return };
        for Subscribed { subscription, progress, .. } in &self.subscriptions {
            let answer = match progress {
                Progress::Needed | Progress::Left => continue,
                Progress::Asked => None,
                Progress::Confirmed => Some(frame::CONFIRMATION),
                Progress::Rejected => Some(frame::REJECTION),
            };
            recording.add(true, &subscription.subscribe());
            if let Some(answer) = answer {
                recording.add(false, &subscription.answer(answer));
            }
        }
    }

    /// Passes a record to the channels of its subscription.
    fn changed(&mut self, identifier: &str, record: &str) {
        let Some(index) = self.subscription(identifier) else {
            return self.report_oddity("a record of a subscription that is not one of this connection");
        };
        let channels = self.channels_of(index);
        let Some(first) = channels.first() else { return };
        match first.list.record().from_json(record) {
            Ok(record) => channels.iter().for_each(|channel| channel.frame(record.clone())),
            Err(_) => self.report_oddity("a record that can't be read"),
        }
    }

    fn subscription(&self, identifier: &str) -> Option<usize> {
        self.subscriptions.iter().position(|known| known.subscription.is_named(identifier))
    }

    /// Notes the answer to a subscription.
    fn answered(&mut self, identifier: &str, answer: Progress) {
        let index = self.subscription(identifier);
        let Some((index, known)) = index.and_then(|index| Some((index, self.subscriptions.get_mut(index)?))) else {
            return self.report_oddity("an answer to a subscription that is not one of this connection");
        };
        // A rejection is final, a confirmation that is repeated says nothing new, and nobody waits for what was left.
        match known.progress {
            Progress::Rejected | Progress::Left => {}
            Progress::Confirmed if answer == Progress::Confirmed => {}
            _ if answer == Progress::Confirmed => self.confirmed(index),
            _ => self.rejected(index),
        }
    }

    /// Returns the channels of a subscription.
    fn channels_of(&self, index: usize) -> Vec<Arc<Channel>> {
        let Some(known) = self.subscriptions.get(index) else { return Vec::new() };
        self.channels.iter().filter(|channel| known.is_of(channel)).cloned().collect()
    }

    /// Notes that the service sends the records of a subscription.
    fn confirmed(&mut self, index: usize) {
        if let Some(known) = self.subscriptions.get_mut(index) {
            known.note(Progress::Confirmed);
        }
        for channel in self.channels_of(index) {
            channel.confirmed();
        }
        self.note_live();
    }

    /// Polls the channels of a subscription that was rejected. That is never retried by itself.
    fn rejected(&mut self, index: usize) {
        if let Some(known) = self.subscriptions.get_mut(index) {
            known.note(Progress::Rejected);
        }
        for channel in self.channels_of(index) {
            self.reject(&channel);
        }
        self.note_live();
    }

    /// Tells each stream whose subscriptions are all answered that it is live.
    fn note_live(&mut self) {
        for (stream, channels) in by_stream(&self.channels) {
            // Each connection begins with another state.
            let is_told = stream.connection_state() == Some("live");
            let is_confirmed = |channel: &Arc<Channel>| {
                let mut of_channel = self.subscriptions.iter().filter(|known| known.is_of(channel));
                of_channel.any(|known| known.progress == Progress::Confirmed)
            };
            if !is_told && channels.iter().all(is_confirmed) {
                stream.connection("live", Some(("connected", None)));
                self.live_since.get_or_insert_with(Instant::now);
            }
        }
    }

    /// Polls a channel whose subscription was rejected, and says so.
    fn reject(&mut self, rejected: &Arc<Channel>) {
        let stream = &rejected.shared;
        stream.warn(format!(
            "the service rejected the live stream of {} for the key {}: it needs the permission {}, and the service may not \
             accept this kind of key; {} is polled every {} s",
            rejected.resource.name,
            shown_key(self.client),
            rejected.streamed.permission.as_str(),
            rejected.resource.name,
            stream.options.every.as_secs_f64()
        ));
        self.channels.retain(|channel| !Arc::ptr_eq(channel, rejected));
        self.hub.remove(|channel| std::ptr::eq(channel, Arc::as_ptr(rejected)));
        rejected.poll_from_now_on();
        if !self.channels.iter().any(|channel| Arc::ptr_eq(&channel.shared, stream)) {
            stream.connection("polling", Some(("polling", None)));
        }
    }

    /// Reports something that the service is not known to send, once for each connection. It was ignored.
    fn report_oddity(&mut self, what: &str) {
        if std::mem::replace(&mut self.has_reported_oddity, true) {
            return;
        }
        for (stream, _) in by_stream(&self.channels) {
            let message = format!("the live stream sent {what}, which was ignored");
            stream.fail(Error::Decode { message, body: String::new(), method: None, request_id: None });
        }
    }

    fn disconnected(&self, reason: &str, reconnects: bool) -> End {
        let why = format!("the service ends the connection ({})", self.shown(reason));
        if reconnects { End::Lost(why) } else { End::Over(why) }
    }

    /// Returns a text of the service for a message: hidden if it repeats a part of the API key or of a signature.
    fn shown<'b>(&self, text: &'b str) -> &'b str {
        let is_secret = self.subscriptions.iter().any(|known| known.subscription.is_repeated_in(text));
        if is_secret { HIDDEN } else { text }
    }
}
