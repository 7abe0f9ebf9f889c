//! The records of a channel: their states, the frames that wait for a list, and what the channel does now. It does no I/O and has no
//! clock.

use std::collections::HashMap;

use super::event::Origin;
use super::merge::{Listing, Merge, NewState, Returned};
use botdesk_schema::record::Fields;

/// The number of frames that wait for a list. If there are more, they wait no longer.
const MAX_HELD: usize = 1_000;

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

/// A list that is about to be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// The time back to which it has to be read; None if it is the first.
    pub(super) from: Option<i64>,
    /// What the channel does when it is requested.
    pub(super) mode: Mode,
    /// The time of the service.
    pub(super) at: i64,
}

impl Asked {
    /// Returns why the list is read.
    pub(super) fn origin(&self) -> Origin {
        if matches!(self.mode, Mode::Filling(_)) { Origin::List } else { Origin::Poll }
    }
}

/// The records of a channel.
#[derive(Debug)]
pub(super) struct Records {
    merge: Merge,
    held: Vec<Fields>,
    mode: Mode,
    gap: u64,
}

impl Records {
    pub(super) fn new(merge: Merge) -> Self {
        Self { merge, held: Vec::new(), mode: Mode::Connecting, gap: 0 }
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the time up to which all changes are known; None before the first list.
    pub(super) fn watermark(&self) -> Option<i64> {
        self.merge.watermark()
    }

    /// Returns the known states, by identifier.
    pub(super) fn states(&self) -> HashMap<i64, Returned> {
        self.merge.states()
    }

    /// Notes that the service sends the records from now on: the list that fills the gap can be read.
    pub(super) fn confirmed(&mut self) {
        self.gap += 1;
        self.merge.open_gap();
        self.mode = Mode::Filling(self.gap);
    }

    /// Notes that the service does not send the records any more: they are polled.
    pub(super) fn lost(&mut self) {
        self.merge.open_gap();
        if !matches!(self.mode, Mode::Polling { .. }) {
            let has_begun = self.mode != Mode::Connecting && self.watermark().is_some();
            self.mode = Mode::Polling { at_once: !has_begun };
        }
    }

    /// Polls at once, and from then on.
    pub(super) fn poll_from_now_on(&mut self) {
        self.merge.open_gap();
        self.mode = Mode::Polling { at_once: true };
    }

    /// Takes a record that the service sent; returns what is new.
    pub(super) fn frame(&mut self, record: Fields, now: i64) -> Vec<NewState> {
        if !matches!(self.mode, Mode::Filling(_)) {
            return self.merge.take_frame(record, now).into_iter().collect();
        }
        self.held.push(record);
        if self.held.len() < MAX_HELD { Vec::new() } else { self.release(now) }
    }

    /// Notes that a list is about to be read.
    pub(super) fn ask(&self, now: i64) -> Asked {
        Asked { from: self.merge.list_from(), mode: self.mode, at: now }
    }

    /// Takes the records of a list, with the frames that waited for it; returns what is new. A stream that was lost or confirmed since
    /// the list was requested may have left out more, so then the gap stays open.
    pub(super) fn listed(&mut self, records: Vec<Fields>, is_whole: bool, asked: Asked, now: i64) -> Vec<NewState> {
        let is_continuous = matches!(asked.mode, Mode::Filling(_)) && asked.mode == self.mode;
        let listing = Listing { records, is_whole, origin: asked.origin(), asked: asked.at, is_continuous };
        let held = std::mem::take(&mut self.held);
        let new = match asked.from {
            Some(_) => self.merge.fill(held, listing, now),
            None => self.merge.begin(held, listing, now),
        };
        match self.mode {
            Mode::Filling(_) if is_continuous => self.mode = Mode::Live,
            Mode::Polling { at_once: true } if asked.mode == self.mode => self.mode = Mode::Polling { at_once: false },
            _ => {}
        }
        new
    }

    /// Takes the records that have not ended, and returns what is new. They say nothing about others, so a gap stays open.
    pub(super) fn polled(&mut self, records: Vec<Fields>, now: i64) -> Vec<NewState> {
        self.merge.poll(records, now)
    }

    /// Notes that a list could not be read, so that the next one is read when it is due.
    pub(super) fn not_listed(&mut self) {
        if self.mode == (Mode::Polling { at_once: true }) {
            self.mode = Mode::Polling { at_once: false };
        }
    }

    /// Begins at a time, because an attempt to read the first list has failed.
    pub(super) fn begin_at(&mut self, time: i64) {
        self.merge.begin_at(time);
    }

    /// Returns what is new in the frames that wait for a list. The gap stays open.
    pub(super) fn release(&mut self, now: i64) -> Vec<NewState> {
        let held = std::mem::take(&mut self.held);
        self.merge.release(held, now)
    }
}
