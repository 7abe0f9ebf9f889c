//! The attempts on their way. Virtual time passes only if each of them waits for a timer.

use std::collections::BTreeMap;

/// The number of a call: one request with its retries, or all requests of a watch.
pub(crate) type CallId = u64;

/// The attempts on their way, at most one for each call.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    attempts: BTreeMap<CallId, Waits>,
}

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
        self.attempts.insert(call, Waits::ForBytes);
    }

    /// Notes that only time can end the attempt of a call. An attempt that has ended is not affected.
    pub(crate) fn stall(&mut self, call: CallId) {
        self.attempts.entry(call).and_modify(|waits| *waits = Waits::ForTime);
    }

    /// Notes that the attempt of a call has ended, or is abandoned.
    pub(crate) fn end(&mut self, call: CallId) {
        self.attempts.remove(&call);
    }

    /// Returns true if the clock has to stand still.
    pub(crate) fn stops_clock(&self) -> bool {
        self.attempts.values().any(|waits| *waits == Waits::ForBytes)
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
        traffic.start(1);
        assert!(traffic.stops_clock());
    }

    #[test]
    fn an_abandoned_attempt_can_not_stall() {
        let mut traffic = Traffic::default();
        traffic.start(1);
        traffic.end(1);
        traffic.stall(1);
        assert!(traffic.attempts.is_empty());
    }
}
