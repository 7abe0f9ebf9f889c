//! The requests of all processes that use an API key, as their shared file has them.

use std::collections::VecDeque;
use std::time::Duration;

use botdesk_system::clock::{ClockReading, ClockTime};
use botdesk_system::process::ProcessIdentity;

use super::codec::{Encoder, SlotDecoder};
use crate::rate_limit::bans;
use crate::rate_limit::error::RateLimitError;
use crate::rate_limit::limit::{Budget, MAX_SHARED_REQUESTS, RateLimit};
use crate::rate_limit::window::{ARRIVES_WITHIN, MAX_LEASE, Window};

/// The highest number of requests in the file.
const MAX_REQUESTS: usize = MAX_SHARED_REQUESTS as usize;

/// The highest number of processes that wait in order. Further ones wait without an order.
const MAX_WAITERS: usize = 256;

/// The time after which a waiting process that has not looked again loses its place, because it was stopped.
const WAITER_TIMEOUT: Duration = Duration::from_secs(5);

const KIND: u64 = u64::from_le_bytes(*b"requests");

/// A request, or a place in the queue, of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) process: ProcessIdentity,
    /// A number that the process has given to nothing else.
    pub(super) number: u64,
}

/// Something that a process holds until a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lease {
    holder: Holder,
    ends: ClockTime,
}

/// A process that waits until its own limit has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WaitingProcess {
    place: Lease,
    limit: RateLimit,
}

/// The requests of all processes that use an API key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SharedState {
    window: Window<ClockTime>,
    rejected_until: Option<ClockTime>,
    /// The requests in flight. One whose lease ends was sent by a process that was killed.
    in_flight: Vec<Lease>,
    /// The processes that wait, in the order in which they came.
    waiters: Vec<WaitingProcess>,
}

impl SharedState {
    /// Starts a request, and gives up its place in the queue.
    pub(super) fn start(
        &mut self,
        now: ClockTime,
        limit: RateLimit,
        request: Holder,
        place: Option<Holder>,
        lease: Duration,
    ) -> Result<(), RateLimitError> {
        if let Some(until) = self.rejected_until.filter(|until| *until > now) {
            return Err(RateLimitError::KeyRejected(until.since(now)));
        }
        self.window.prune(now, limit);
        if let Some(free) = self.window.free_at(now, limit, self.ahead(now, limit, place)) {
            return Err(RateLimitError::LimitReached(free.since(now)));
        }
        self.window.start();
        self.in_flight.push(Lease { holder: request, ends: now + lease.min(MAX_LEASE) });
        if let Some(place) = place {
            self.leave_queue(place);
        }
        Ok(())
    }

    /// Returns the number of processes that are served before a place in the queue, or before a process without one.
    fn ahead(&self, now: ClockTime, limit: RateLimit, place: Option<Holder>) -> usize {
        let before = self.waiters.iter().take_while(|waiter| Some(waiter.place.holder) != place);
        before.fold(0, |ahead, waiter| {
            // One that its own, lower limit blocks can't use the room.
            let counts = waiter.limit == limit || self.window.free_at(now, waiter.limit, ahead).is_none();
            ahead + usize::from(counts)
        })
    }

    /// Ends a request; `arrival` is the latest time at which it arrived, None if it was not sent.
    pub(super) fn end(&mut self, request: Holder, arrival: Option<ClockTime>) {
        let index = self.in_flight.iter().position(|lease| lease.holder == request);
        match index {
            Some(index) => {
                self.in_flight.swap_remove(index);
                self.window.end(arrival);
            }
            // Its lease has ended, or the file was replaced.
            None if arrival.is_some() => {
                self.window.start();
                self.window.end(arrival);
            }
            None => {}
        }
        self.window.keep_latest(MAX_REQUESTS);
    }

    /// Prolongs the lease of a request that is about to be sent, and counts it again if its lease has ended.
    pub(super) fn prolong(&mut self, now: ClockTime, request: Holder, lease: Duration) {
        let ends = now + lease.min(MAX_LEASE);
        if let Some(found) = self.in_flight.iter_mut().find(|lease| lease.holder == request) {
            found.ends = found.ends.max(ends);
        } else if self.in_flight.len() < MAX_REQUESTS {
            self.window.start();
            self.in_flight.push(Lease { holder: request, ends });
        }
    }

    /// Puts a process at the end of the queue, or notes that it still waits.
    pub(super) fn wait_in_queue(&mut self, now: ClockTime, limit: RateLimit, place: Holder) {
        let waiter = WaitingProcess { place: Lease { holder: place, ends: now + WAITER_TIMEOUT }, limit };
        if let Some(found) = self.waiters.iter_mut().find(|waiter| waiter.place.holder == place) {
            *found = waiter;
        } else if self.waiters.len() < MAX_WAITERS {
            self.waiters.push(waiter);
        }
    }

    /// Removes a process from the queue.
    pub(super) fn leave_queue(&mut self, place: Holder) {
        self.waiters.retain(|waiter| waiter.place.holder != place);
    }

    /// Notes that the service rejects the API key until then.
    pub(super) fn reject_key(&mut self, until: ClockTime) {
        self.rejected_until = self.rejected_until.max(Some(until));
    }

    /// Removes what belongs to processes that were stopped or killed: requests whose lease has ended, and places in the queue.
    /// A removed request counts as one that may arrive until [`ARRIVES_WITHIN`] after its end.
    ///
    /// `has_ended` returns true if a process has certainly ended.
    pub(super) fn settle(&mut self, now: ClockTime, has_ended: impl Fn(&ProcessIdentity) -> bool) {
        let is_over = |lease: &mut Lease| lease.ends <= now || has_ended(&lease.holder.process);
        for lease in self.in_flight.extract_if(.., is_over) {
            self.window.end(Some(lease.ends.min(now) + ARRIVES_WITHIN));
        }
        self.window.keep_latest(MAX_REQUESTS);
        self.waiters.retain_mut(|waiter| !is_over(&mut waiter.place));
    }

    /// Returns when a request may be sent if no request in flight comes to count, or when the service accepts the key again.
    pub(super) fn free_at_soonest(&self, now: ClockTime, limit: RateLimit) -> Option<RateLimitError> {
        if let Some(until) = self.rejected_until.filter(|until| *until > now) {
            return Some(RateLimitError::KeyRejected(until.since(now)));
        }
        Some(RateLimitError::LimitReached(self.window.free_at_soonest(limit)?.since(now)))
    }

    /// Returns how much of a limit is left.
    pub(super) fn budget(&self, now: ClockTime, limit: RateLimit) -> Budget {
        let rejected_until = self.rejected_until.filter(|until| *until > now);
        let resets_at = rejected_until.or(self.window.free_at(now, limit, 0)).or(self.window.next_expiry(now, limit));
        Budget {
            used: u32::try_from(self.window.used(now, limit)).unwrap_or(u32::MAX),
            limit: limit.requests,
            resets_in: resets_at.map_or(Duration::ZERO, |until| until.since(now)),
        }
    }

    /// Returns true if nothing is in the file that a process could need.
    pub(super) fn is_unused(&self, now: ClockTime) -> bool {
        let counts = |arrival: &ClockTime| *arrival + self.window.longest() > now;
        let is_rejected = self.rejected_until.is_some_and(|until| until > now);
        !is_rejected && self.in_flight.is_empty() && !self.window.arrivals().back().is_some_and(counts)
    }

    /// Returns the contents of the file.
    pub(super) fn encode(&self, reading: ClockReading) -> Vec<u8> {
        let mut encoder = Encoder::new(KIND, reading);
        encoder.optional_time(self.rejected_until);
        encoder.duration(self.window.longest());
        encoder.length(self.in_flight.len());
        self.in_flight.iter().for_each(|lease| encode_lease(&mut encoder, lease));
        encoder.length(self.waiters.len());
        for WaitingProcess { place, limit } in &self.waiters {
            encode_lease(&mut encoder, place);
            encoder.word(u64::from(limit.requests));
            encoder.duration(limit.per);
        }
        encoder.length(self.window.arrivals().len());
        self.window.arrivals().iter().for_each(|arrival| encoder.time(*arrival));
        encoder.finish()
    }

    /// Decodes the contents of the file; None if they are invalid.
    pub(super) fn decode(bytes: &[u8], reading: ClockReading) -> Option<Self> {
        Self::decode_adjusted(bytes, reading).map(|(state, _)| state)
    }

    /// Decodes the contents of the file, and returns true with them if a time in them was adjusted and must be written again.
    pub(super) fn decode_adjusted(bytes: &[u8], reading: ClockReading) -> Option<(Self, bool)> {
        let mut decoder = SlotDecoder::new(KIND, bytes, reading)?;
        // A wait of the service is at most the longest ban, whatever the file has.
        let latest = reading.now + bans::MAX_BAN;
        let rejected_until = Some(decoder.time_at_most(latest)?).filter(|until| *until > reading.now);
        let longest = decoder.duration()?;
        let count = decoder.length(MAX_REQUESTS)?;
        let latest = reading.now + MAX_LEASE;
        let in_flight = (0..count).map(|_| decode_lease(&mut decoder, latest)).collect::<Option<Vec<_>>>()?;
        let count = decoder.length(MAX_WAITERS)?;
        let latest = reading.now + WAITER_TIMEOUT;
        let waiters = (0..count).map(|_| decode_waiter(&mut decoder, latest)).collect::<Option<_>>()?;
        let count = decoder.length(MAX_REQUESTS)?;
        let latest = reading.now + MAX_LEASE + ARRIVES_WITHIN;
        let arrivals = (0..count).map(|_| decoder.time_at_most(latest));
        let mut arrivals = arrivals.collect::<Option<VecDeque<_>>>()?;
        arrivals.make_contiguous().sort_unstable();
        let window = Window::restored(in_flight.len(), arrivals, longest);
        Some((Self { window, rejected_until, in_flight, waiters }, decoder.is_adjusted()))
    }
}

fn encode_lease(encoder: &mut Encoder, lease: &Lease) {
    let Lease { holder: Holder { process, number }, ends } = lease;
    encoder.word(u64::from(process.pid));
    encoder.word(process.started);
    encoder.word(process.namespace);
    encoder.word(*number);
    encoder.time(*ends);
}

fn decode_lease(decoder: &mut SlotDecoder<'_>, latest: ClockTime) -> Option<Lease> {
    let pid = u32::try_from(decoder.word()?).ok()?;
    let process = ProcessIdentity { pid, started: decoder.word()?, namespace: decoder.word()? };
    Some(Lease { holder: Holder { process, number: decoder.word()? }, ends: decoder.time_at_most(latest)? })
}

fn decode_waiter(decoder: &mut SlotDecoder<'_>, latest: ClockTime) -> Option<WaitingProcess> {
    let place = decode_lease(decoder, latest)?;
    let limit = RateLimit { requests: u32::try_from(decoder.word()?).ok()?, per: decoder.duration()? };
    Some(WaitingProcess { place, limit })
}

#[cfg(test)]
mod tests;
