//! The attempts on their way. Virtual time passes only if each of them waits for a timer.

use std::collections::BTreeMap;

/// The number of a call: one request with its retries, or all requests of a watch.
pub(crate) type CallId = u64;

/// The attempts on their way, at most one for each call.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    attempts: BTreeMap<CallId, AttemptInFlight>,
    started: u64,
}

/// An attempt on its way.
#[derive(Clone, Copy, Debug)]
struct AttemptInFlight {
    number: AttemptNumber,
    waits: Waits,
}

/// The number of an attempt, among those of all calls.
pub(crate) type AttemptNumber = u64;

/// The reason why an attempt has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// Client and sandbox still work on it; no time passes.
    ForBytes,
    /// The sandbox has stopped responding, or responds slowly, so that only time can end the attempt.
    ForTime,
}

impl Traffic {
    /// Notes that a call starts an attempt.
    pub(crate) fn start(&mut self, call: CallId) {
        self.started += 1;
        self.attempts.insert(call, AttemptInFlight { number: self.started, waits: Waits::ForBytes });
    }

    /// Notes that only time can end the attempt of a call; returns the number of the attempt, unless it has ended.
    pub(crate) fn stall(&mut self, call: CallId) -> Option<AttemptNumber> {
        let attempt = self.attempts.get_mut(&call)?;
        attempt.waits = Waits::ForTime;
        Some(attempt.number)
    }

    /// Notes that an attempt of a call no longer waits for time. If the call has made another attempt since, nothing changes.
    pub(crate) fn release(&mut self, call: CallId, number: AttemptNumber) {
        let attempt = self.attempts.get_mut(&call).filter(|attempt| attempt.number == number);
        if let Some(attempt) = attempt {
            attempt.waits = Waits::ForBytes;
        }
    }

    /// Notes that the attempt of a call has ended, or is abandoned.
    pub(crate) fn end(&mut self, call: CallId) {
        self.attempts.remove(&call);
    }

    /// Returns true if the clock must not advance.
    pub(crate) fn stops_clock(&self) -> bool {
        self.attempts.values().any(|attempt| attempt.waits == Waits::ForBytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_stands_still_until_each_attempt_has_ended_or_waits_for_time() {
        let mut traffic = Traffic::default();
        assert!(!traffic.stops_clock());
        traffic.start(1);
        traffic.start(2);
        traffic.stall(1);
        assert!(traffic.stops_clock());
        traffic.end(2);
        assert!(!traffic.stops_clock());
    }

    #[test]
    fn only_the_attempt_that_was_stalled_is_released() {
        let mut traffic = Traffic::default();
        traffic.start(1);
        let first = traffic.stall(1).unwrap();
        traffic.start(1);
        let second = traffic.stall(1).unwrap();
        traffic.release(1, first);
        assert!(!traffic.stops_clock());
        traffic.release(1, second);
        assert!(traffic.stops_clock());
    }

    #[test]
    fn an_abandoned_attempt_can_not_stall() {
        let mut traffic = Traffic::default();
        traffic.start(1);
        traffic.end(1);
        assert_eq!(traffic.stall(1), None);
        assert!(!traffic.stops_clock());
    }
}
