//! A resource with a stream: its list, its records so far, and whether the stream sends them now.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::Instant;

use super::event::StreamEvent;
use super::merge::{Begin, MARGIN, Merge, NewState, Returned};
use super::records::{Asked, Mode, Records};
use super::shared::Shared;
use crate::error::Error;
use crate::http::client::HttpClient;
use crate::watch::Subject;
use botdesk_schema::operation::Operation;
use botdesk_schema::record::Fields;
use botdesk_schema::resource::Resource;
use botdesk_schema::streamed::Streamed;
use botdesk_system::lock::locked;

/// A resource with a stream.
pub(super) struct Channel {
    pub(super) client: Arc<HttpClient>,
    pub(super) shared: Arc<Shared>,
    /// The number of the resource among those of the stream.
    pub(super) member: usize,
    pub(super) resource: &'static Resource,
    pub(super) list: &'static Operation,
    /// The input of the list, and its value, that select the records that have not ended.
    pub(super) open: Option<(&'static str, &'static str)>,
    pub(super) streamed: &'static Streamed,
    /// What the channel does now; the records have it too.
    pub(super) mode: watch::Sender<Mode>,
    /// Since when changes are returned although the first list could not be read, by two clocks.
    began: OnceLock<(Instant, Timestamp)>,
    records: Mutex<Records>,
}

/// How much earlier than the first failure a stream begins: a `Date` has whole seconds.
const TOLERANCE: i64 = 2_000_000;

impl Channel {
    /// Returns a channel that knows nothing; `begin` is where it begins, if that is not now.
    pub(super) fn new(
        client: &Arc<HttpClient>,
        shared: &Arc<Shared>,
        member: usize,
        resource: &'static Resource,
        begin: Option<Begin>,
    ) -> Result<Self, Error> {
        let missing = || Error::Configuration(format!("{} has no stream", resource.name));
        let list = resource.listing().ok_or_else(missing)?;
        let streamed = resource.streamed.ok_or_else(missing)?;
        let subject = Subject::listed(list)?;
        let records = Records::new(Merge::new(subject, streamed, begin));
        Ok(Self {
            client: Arc::clone(client),
            shared: Arc::clone(shared),
            member,
            resource,
            list,
            open: subject.open(),
            streamed,
            mode: watch::Sender::new(records.mode()),
            began: OnceLock::new(),
            records: Mutex::new(records),
        })
    }

    /// Returns the time of the service in microseconds; that of this machine if no response has told it.
    fn now(&self) -> i64 {
        self.client.service_time(Instant::now()).unwrap_or_else(Timestamp::now).as_microsecond()
    }

    /// Changes the records, and then the mode, both before anyone else does.
    fn change<T>(&self, change: impl FnOnce(&mut Records) -> T) -> T {
        let mut records = locked(&self.records);
        let result = change(&mut records);
        self.mode.send_if_modified(|mode| std::mem::replace(mode, records.mode()) != records.mode());
        result
    }

    /// Notes that the service sends the records from now on: the list that fills the gap can be read.
    pub(super) fn confirmed(&self) {
        self.change(Records::confirmed);
    }

    /// Notes that the service does not send the records any more: they are polled.
    pub(super) fn lost(&self) {
        self.change(Records::lost);
    }

    /// Polls at once, and from then on.
    pub(super) fn poll_from_now_on(&self) {
        self.change(Records::poll_from_now_on);
    }

    /// Takes a record that the service sent.
    pub(super) fn frame(&self, record: Fields) {
        let now = self.now();
        self.change(|records| self.deliver(records.frame(record, now)));
    }

    /// Notes that a list is about to be read.
    pub(super) fn ask(&self) -> Asked {
        let now = self.now();
        locked(&self.records).ask(now)
    }

    /// Returns the time up to which all changes are known, in microseconds, and the known states, by identifier; None before the first
    /// list.
    pub(super) fn place(&self) -> Option<(i64, HashMap<i64, Returned>)> {
        let records = locked(&self.records);
        Some((records.watermark()?, records.states()))
    }

    /// Returns the time when a record last changed, in microseconds.
    pub(super) fn updated(&self, record: &Fields) -> Option<i64> {
        self.streamed.updated(record)
    }

    /// Returns true if records that have not ended are polled although there is a stream, because it sends some changes only.
    pub(super) fn polls_open(&self) -> bool {
        self.shared.options.targets && self.streamed.is_partial
    }

    /// Takes the records that have not ended. They say nothing about others.
    pub(super) fn polled(&self, listed: Vec<Fields>) {
        let now = self.now();
        self.change(|records| self.deliver(records.polled(listed, now)));
    }

    /// Takes the records of a list, and the frames that waited for it.
    pub(super) fn listed(&self, listed: Vec<Fields>, is_whole: bool, asked: Asked) {
        let now = self.now();
        if asked.from.is_none()
            && let Some(time) = self.began()
        {
            // The list has to be read further back than the first one is.
            return self.change(|records| records.begin_at(time));
        }
        let is_filled = self.change(|records| {
            self.deliver(records.listed(listed, is_whole, asked, now));
            records.mode() == Mode::Live
        });
        if is_filled && asked.from.is_some() {
            self.shared.connection_event("gap_filled", Some(self.resource.name.to_owned()));
        }
        self.shared.settle(self.member);
    }

    /// Notes that a list could not be read: the frames wait for it no longer. If it was the first, changes are returned from now on.
    pub(super) fn not_listed(&self) {
        let now = self.now();
        if self.ask().from.is_none() {
            self.began.get_or_init(|| (Instant::now(), Timestamp::now()));
        }
        self.change(|records| {
            records.not_listed();
            // Without a first list it is unknown where the stream begins; the frames wait for it.
            if records.watermark().is_some() {
                self.deliver(records.release(now));
            }
        });
    }

    /// Returns since when changes are returned although the first list could not be read, in microseconds; None if it could.
    fn began(&self) -> Option<i64> {
        let (instant, local) = self.began.get()?;
        let time = self.client.service_time(*instant);
        Some(time.map_or_else(
            || local.as_microsecond().saturating_sub(MARGIN),
            |time| time.as_microsecond().saturating_sub(TOLERANCE),
        ))
    }

    /// Adds the new states to the events, while the records are locked, so that they stay in order.
    fn deliver(&self, new: impl IntoIterator<Item = NewState>) {
        let at = Timestamp::now();
        self.shared.push(new.into_iter().map(|state| StreamEvent {
            resource: Some(self.resource.name),
            kind: state.kind,
            record: Some(state.record),
            pair: None,
            before: state.before,
            fields: state.fields,
            origin: Some(state.origin),
            at,
            reason: None,
        }));
    }
}
