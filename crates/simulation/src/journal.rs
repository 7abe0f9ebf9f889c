//! The latest events and the counts of a run.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

/// The number of events that a failure shows.
const KEPT: usize = 60;

/// The latest events and the counts of a run.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    events: VecDeque<String>,
    digest: DefaultHasher,
    pub(crate) summary: SimulationSummary,
}

/// The counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SimulationSummary {
    /// The virtual time that passed.
    pub simulated: Duration,
    /// The requests that the sandbox received.
    pub requests: u64,
    /// The writes that the script started.
    pub writes: u64,
    /// The writes that were reported as done.
    pub done: u64,
    /// The writes that were reported as not applied.
    pub failed: u64,
    /// The writes that were reported as perhaps applied.
    pub unknown: u64,
    /// The writes that were abandoned because the script was killed.
    pub killed: u64,
    /// The reads that the script cancelled.
    pub cancelled: u64,
    /// The requests that were held back on their way.
    pub held_back: u64,
    /// The restarts of the script.
    pub restarts: u64,
    /// The bans (418) that the client received.
    pub bans: u64,
    /// The rejections of the key (429) that the client received.
    pub rejections: u64,
    /// The changes that the watch reported and the script saved.
    pub changes: u64,
    /// The changes that the watch had reported when the script was killed before it saved them.
    pub unsaved: u64,
    /// The faults by kind.
    pub faults: BTreeMap<String, u64>,
    /// A digest of all events: the same seed gives the same digest.
    pub digest: u64,
}

impl Journal {
    /// Adds an event at a virtual time.
    pub(crate) fn add(&mut self, at: Duration, event: &str) {
        let line = format!("{} {event}", clock(at));
        line.hash(&mut self.digest);
        if self.events.len() >= KEPT {
            self.events.pop_front();
        }
        self.events.push_back(line);
    }

    /// Counts a fault.
    pub(crate) fn count_fault(&mut self, name: &str) {
        *self.summary.faults.entry(name.to_owned()).or_default() += 1;
    }

    /// Returns the latest events, oldest first.
    pub(crate) fn events(&self) -> Vec<String> {
        self.events.iter().cloned().collect()
    }

    /// Returns the counts.
    pub(crate) fn summary(&self, simulated: Duration) -> SimulationSummary {
        SimulationSummary { simulated, digest: self.digest.finish(), ..self.summary.clone() }
    }
}

/// Returns a virtual time as day and time of day, such as `day 3 04:05:06.789`.
fn clock(at: Duration) -> String {
    let seconds = at.as_secs();
    let (day, hour, minute) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    format!("day {day} {hour:02}:{minute:02}:{:02}.{:03}", seconds % 60, at.subsec_millis())
}

impl fmt::Display for SimulationSummary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("requests", self.requests),
            ("writes", self.writes),
            ("  done", self.done),
            ("  failed", self.failed),
            ("  unknown outcomes", self.unknown),
            ("  killed", self.killed),
            ("cancelled reads", self.cancelled),
            ("requests held back", self.held_back),
            ("restarts", self.restarts),
            ("bans (418)", self.bans),
            ("rejections (429)", self.rejections),
            ("watched changes", self.changes),
            ("  reported again", self.unsaved),
            ("faults", self.faults.values().sum()),
        ];
        writeln!(formatter, "simulated: {}", clock(self.simulated))?;
        for (name, count) in rows {
            writeln!(formatter, "{name:<20} {count:>8}")?;
        }
        for (name, count) in &self.faults {
            writeln!(formatter, "  {name:<18} {count:>8}")?;
        }
        write!(formatter, "digest of all events: {:016x}", self.digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_events_are_kept_with_their_times() {
        let mut journal = Journal::default();
        for number in 0..100 {
            journal.add(Duration::from_millis(90_061_007), &format!("event {number}"));
        }
        let events = journal.events();
        assert_eq!((events.len(), events[0].as_str()), (KEPT, "day 1 01:01:01.007 event 40"));
    }

    #[test]
    fn the_digest_covers_all_events() {
        let digest = |events: &[&str]| {
            let mut journal = Journal::default();
            for event in events {
                journal.add(Duration::ZERO, event);
            }
            journal.summary(Duration::ZERO).digest
        };
        assert_eq!(digest(&["one", "two"]), digest(&["one", "two"]));
        assert_ne!(digest(&["one", "two"]), digest(&["two", "one"]));
    }

    #[test]
    fn the_summary_has_the_faults_by_kind() {
        let mut journal = Journal::default();
        journal.count_fault("stall");
        journal.count_fault("stall");
        let summary = journal.summary(Duration::from_secs(86_400)).to_string();
        assert!(summary.starts_with("simulated: day 1 00:00:00.000\n"), "{summary}");
        assert!(summary.contains("\n  stall                     2\n"), "{summary}");
    }
}
