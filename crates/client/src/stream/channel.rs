//! A resource with a stream: its list, its records so far, and whether the stream sends them now.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::Instant;

use super::event::{Origin, StreamEvent};
use super::merge::{Merge, NewState};
use super::shared::Shared;
use crate::error::Error;
use crate::http::client::HttpClient;
use crate::watch::Subject;
use botdesk_schema::operation::Operation;
use botdesk_schema::record::Fields;
use botdesk_schema::resource::Resource;
use botdesk_schema::streamed::Streamed;
use botdesk_system::lock::locked;

/// What a channel does now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// It is connecting for the first time.
    Connecting,
    /// The stream sends its records. A list has to be read once for what it may not have sent; the number tells one gap from the next.
    Filling(u64),
    /// The stream sends its records, and nothing is missing.
    Live,
    /// There is no stream: it is polled, at once or when the next poll is due.
    Polling {
        /// True to poll at once.
        at_once: bool,
    },
}

/// A resource with a stream.
pub(super) struct Channel {
    pub(super) client: Arc<HttpClient>,
    pub(super) shared: Arc<Shared>,
    /// The number of the resource among those of the stream.
    pub(super) member: usize,
    pub(super) resource: &'static Resource,
    pub(super) list: &'static Operation,
    pub(super) streamed: &'static Streamed,
    pub(super) mode: watch::Sender<Mode>,
    is_rejected: AtomicBool,
    records: Mutex<Records>,
}

/// The records of a channel, and the frames that wait for a list.
struct Records {
    merge: Merge,
    held: Vec<Fields>,
    gap: u64,
}

impl Channel {
    /// Returns a channel that knows nothing; `since` is the time, in microseconds, from which on changes are returned.
    pub(super) fn new(
        client: &Arc<HttpClient>,
        shared: &Arc<Shared>,
        member: usize,
        resource: &'static Resource,
        since: Option<i64>,
    ) -> Result<Self, Error> {
        let missing = || Error::Configuration(format!("{} has no stream", resource.name));
        let list = resource.listing().ok_or_else(missing)?;
        let streamed = resource.streamed.ok_or_else(missing)?;
        let merge = Merge::new(Subject::listed(list)?, streamed, since);
        Ok(Self {
            client: Arc::clone(client),
            shared: Arc::clone(shared),
            member,
            resource,
            list,
            streamed,
            mode: watch::Sender::new(Mode::Connecting),
            is_rejected: AtomicBool::new(false),
            records: Mutex::new(Records { merge, held: Vec::new(), gap: 0 }),
        })
    }

    /// Returns the time of the service in microseconds; None if no response has told it.
    fn now(&self) -> Option<i64> {
        Some(self.client.service_time(Instant::now())?.as_microsecond())
    }

    /// Notes that the service sends the records from now on: the list that fills the gap can be read.
    pub(super) fn confirmed(&self) {
        let gap = {
            let mut records = locked(&self.records);
            records.gap += 1;
            records.merge.open_gap();
            records.gap
        };
        self.mode.send_replace(Mode::Filling(gap));
    }

    /// Notes that the service does not send the records any more: they are polled.
    pub(super) fn lost(&self) {
        let is_known = {
            let mut records = locked(&self.records);
            records.merge.open_gap();
            records.merge.watermark().is_some()
        };
        self.mode.send_if_modified(|mode| match mode {
            Mode::Polling { .. } => false,
            Mode::Connecting | Mode::Filling(_) | Mode::Live => {
                *mode = Mode::Polling { at_once: !is_known };
                true
            }
        });
    }

    /// Polls at once, and from then on.
    pub(super) fn poll_from_now_on(&self) {
        self.lost();
        self.mode.send_replace(Mode::Polling { at_once: true });
    }

    /// Notes that the service rejected the subscription: the channel is polled from now on.
    pub(super) fn reject(&self) {
        self.is_rejected.store(true, Ordering::Release);
        self.poll_from_now_on();
    }

    /// Returns true if the service rejected the subscription.
    pub(super) fn is_rejected(&self) -> bool {
        self.is_rejected.load(Ordering::Acquire)
    }

    /// Takes a record that the service sent.
    pub(super) fn frame(&self, record: Fields) {
        let now = self.now();
        let mut records = locked(&self.records);
        if matches!(*self.mode.borrow(), Mode::Filling(_)) {
            records.held.push(record);
            return;
        }
        let new = records.merge.take_frame(record, now);
        self.deliver(new);
    }

    /// Returns the time back to which the list has to be read; None if it is the first.
    pub(super) fn list_from(&self) -> Option<i64> {
        locked(&self.records).merge.list_from()
    }

    /// Returns the time up to which all changes are known, in microseconds; None before the first list.
    pub(super) fn watermark(&self) -> Option<i64> {
        locked(&self.records).merge.watermark()
    }

    /// Returns the time when a record last changed, in microseconds.
    pub(super) fn updated(&self, record: &Fields) -> Option<i64> {
        self.streamed.updated(record)
    }

    /// Takes the records of a list, and the frames that waited for it. `asked` is when it was requested: a stream that was lost or
    /// confirmed since may have left out more.
    pub(super) fn listed(&self, listed: Vec<Fields>, is_first: bool, origin: Origin, asked: Mode) {
        let now = self.now();
        let mut records = locked(&self.records);
        let held = std::mem::take(&mut records.held);
        let new = if is_first {
            records.merge.begin(held, listed, now)
        } else {
            records.merge.fill(held, listed, origin, now)
        };
        let is_live = self.mode.send_if_modified(|mode| {
            let is_filled = *mode == asked && matches!(asked, Mode::Filling(_));
            if is_filled {
                *mode = Mode::Live;
            }
            is_filled
        });
        if !is_live {
            records.merge.open_gap();
        }
        self.deliver(new);
        drop(records);
        if is_live && !is_first {
            self.shared.connection("live", Some(("gap_filled", Some(self.resource.name.to_owned()))));
        }
        self.shared.settle(self.member);
    }

    /// Delivers the frames that wait for a list that could not be read. The gap stays open.
    pub(super) fn not_listed(&self) {
        let mut records = locked(&self.records);
        let held = std::mem::take(&mut records.held);
        if records.merge.watermark().is_some() {
            let new = records.merge.release(held);
            self.deliver(new);
        } else {
            // Without a first list it is unknown where the stream begins; the frames wait for it.
            records.held = held;
        }
    }

    /// Adds the new states to the events, while the records are locked, so that they stay in order.
    fn deliver(&self, new: impl IntoIterator<Item = NewState>) {
        let at = Timestamp::now();
        self.shared.push(new.into_iter().map(|state| StreamEvent {
            resource: Some(self.resource.name),
            kind: state.kind,
            record: Some(state.record),
            before: state.before,
            fields: state.fields,
            origin: Some(state.origin),
            at,
            reason: None,
        }));
    }
}
