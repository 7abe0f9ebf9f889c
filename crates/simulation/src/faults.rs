//! Random faults, and those that are pending in the sandbox.

use std::collections::VecDeque;
use std::time::Duration;

use botdesk_sandbox::{ANY, Fault, FaultKind, FaultOptions, Random};

/// A fault that a request can trigger, with its weight.
struct FaultChoice {
    weight: i64,
    kind: FaultKind,
    status: Option<u16>,
    /// The values of `Retry-After` to choose from; empty for no header.
    retry_after: &'static [&'static str],
    plan: bool,
    /// The pause between two bytes, in milliseconds.
    interval: Option<u64>,
}

const fn of(weight: i64, kind: FaultKind) -> FaultChoice {
    FaultChoice { weight, kind, status: None, retry_after: &[], plan: false, interval: None }
}

const fn status(weight: i64, status: u16) -> FaultChoice {
    FaultChoice { status: Some(status), ..of(weight, FaultKind::Status) }
}

const fn status_with(weight: i64, code: u16, retry_after: &'static [&'static str]) -> FaultChoice {
    FaultChoice { retry_after, ..status(weight, code) }
}

/// All faults that a request can trigger. Those that take long to send or to read are rare.
const CHOICES: &[FaultChoice] = &[
    status(4, 400),
    status(3, 401),
    status(3, 403),
    status(3, 404),
    status(4, 409),
    status(3, 418),
    status_with(6, 418, &["1", "30", "120", "900", "3600"]),
    status(4, 422),
    status(4, 429),
    status_with(12, 429, &["0", "0.01", "1", "7", "60", "300"]),
    FaultChoice { plan: true, ..status(3, 429) },
    status(8, 500),
    status(8, 502),
    status(8, 503),
    status_with(4, 503, &["0", "2", "40", "3600"]),
    status(8, 504),
    of(16, FaultKind::CloseBefore),
    of(16, FaultKind::CloseAfter),
    of(20, FaultKind::Stall),
    FaultChoice { interval: Some(100), ..of(6, FaultKind::Trickle) },
    FaultChoice { interval: Some(1), ..of(2, FaultKind::Trickle) },
    of(10, FaultKind::CutBody),
    of(6, FaultKind::WrongJson),
    of(6, FaultKind::WrongLength),
    of(1, FaultKind::HugeBody),
    of(6, FaultKind::Redirect),
    of(6, FaultKind::BadUtf8),
    of(1, FaultKind::GzipBomb),
    of(4, FaultKind::HeaderFlood),
    of(4, FaultKind::DeepJson),
];

/// The share of attempts that get a fault, in percent.
const SHARE: i64 = 14;

/// Draws faults, and keeps those that no request has triggered yet.
pub(crate) struct FaultSource {
    random: Random,
    pending: VecDeque<Fault>,
}

impl FaultSource {
    pub(crate) fn new(random: Random) -> Self {
        Self { random, pending: VecDeque::new() }
    }

    /// Returns a fault for the next request, if it gets one and none is pending. It is pending from now on.
    pub(crate) fn draw(&mut self) -> Option<Fault> {
        let gets_one = self.random.between(1, 100) <= SHARE;
        if !gets_one || !self.pending.is_empty() {
            return None;
        }
        let fault = self.any()?;
        self.pending.push_back(fault.clone());
        Some(fault)
    }

    /// Removes the fault that a request has triggered, and returns it.
    pub(crate) fn take(&mut self, kind: &str) -> Option<Fault> {
        let index = self.pending.iter().position(|fault| fault.kind.as_str() == kind)?;
        self.pending.remove(index)
    }

    fn any(&mut self) -> Option<Fault> {
        let total: i64 = CHOICES.iter().map(|choice| choice.weight).sum();
        let mut left = self.random.between(1, total);
        let choice = CHOICES.iter().find(|choice| {
            left -= choice.weight;
            left <= 0
        })?;
        let retry_after = self.random.choose(choice.retry_after, "");
        let options = FaultOptions {
            status: choice.status,
            retry_after: Some(retry_after.to_owned()).filter(|wait| !wait.is_empty()),
            plan: choice.plan,
            interval: choice.interval.map(Duration::from_millis),
            ..FaultOptions::default()
        };
        Some(Fault { operation: ANY, kind: choice.kind, times: Some(1), options })
    }
}

/// Returns true if only time ends the request that triggers a fault.
pub(crate) fn takes_time(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Stall | FaultKind::Trickle)
}

/// Returns the name of a fault for counts, such as `close_after` or `status 429`.
pub(crate) fn name(fault: &Fault) -> String {
    match fault.options.status {
        Some(status) => format!("{} {status}", fault.kind.as_str()),
        None => fault.kind.as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn drawn(seed: u64) -> Vec<Option<Fault>> {
        let mut faults = FaultSource::new(Random::new(seed, 0));
        (0..20_000)
            .map(|_| {
                let fault = faults.draw();
                faults.pending.clear();
                fault
            })
            .collect()
    }

    #[test]
    fn the_same_seed_draws_the_same_faults() {
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
    }

    #[test]
    fn every_choice_is_a_valid_fault_and_is_drawn() {
        let names: BTreeSet<_> = drawn(1).iter().flatten().map(name).collect();
        let kinds: BTreeSet<_> = CHOICES.iter().map(|choice| (choice.kind.as_str(), choice.status)).collect();
        assert_eq!(names.len(), kinds.len());
        for fault in drawn(1).into_iter().flatten() {
            let (kind, options) = (fault.kind.as_str(), fault.options.clone());
            assert_eq!(Fault::new(ANY, kind, fault.times, options), Ok(fault));
        }
    }

    #[test]
    fn a_fault_is_pending_until_a_request_triggers_it() {
        let mut faults = FaultSource::new(Random::new(1, 0));
        let fault = std::iter::repeat_with(|| faults.draw()).flatten().next().unwrap();
        assert!((0..1_000).all(|_| faults.draw().is_none()));
        assert_eq!(faults.take("no kind"), None);
        assert_eq!(faults.take(fault.kind.as_str()), Some(fault));
        assert!((0..1_000).any(|_| faults.draw().is_some()));
    }
}
