//! Faults: what goes wrong on purpose, with which operation and how often.

mod answers;
mod chance;
mod fault;
mod kind;

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::request::Parts;

pub use fault::{ANY, Fault};
pub use kind::{Details, Kind};

pub(super) use answers::{Spoiled, instead, spoiled};

use botdesk_server::gate::Gate;
use botdesk_system::lock::locked;
use chance::Chance;

/// How many faults that happened are kept.
const MOST_HAPPENED: usize = 10_000;

/// A fault that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// What went wrong.
    pub kind: Kind,
    /// With which operation; None where that is not known.
    pub operation: Option<&'static str>,
    /// The method and the path of the request; None where none was read.
    pub request: Option<(String, String)>,
}

/// The faults of one sandbox.
pub(super) struct Faults {
    gate: Arc<Gate>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Faults to come, the first that fits first, each with a number of its own.
    pending: Vec<(u64, Fault)>,
    added: u64,
    chance: Option<Chance>,
    happened: Vec<Happened>,
}

impl State {
    fn note(&mut self, happened: Happened) {
        if self.happened.len() >= MOST_HAPPENED {
            self.happened.remove(0);
        }
        self.happened.push(happened);
    }

    /// Counts down the first pending fault that fits, and gives it.
    fn use_up(&mut self, fits: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let place = self.pending.iter().position(|(_, fault)| fits(fault))?;
        let (_, fault) = self.pending.get_mut(place)?;
        let found = fault.clone();
        fault.times = fault.times.map(|times| times.saturating_sub(1));
        if fault.times == Some(0) {
            self.pending.remove(place);
        }
        Some(found)
    }
}

impl Faults {
    pub(super) fn new(gate: Arc<Gate>) -> Self {
        Self { gate, state: Mutex::default() }
    }

    /// Has a fault happen, from the next request or connection on.
    pub(super) async fn add(self: &Arc<Self>, fault: Fault) {
        let (kind, seconds) = (fault.kind, fault.details.seconds);
        let number = self.begin(fault);
        if kind.is_of_connections() {
            self.gate.hang_up().await;
        }
        if let Some(seconds) = seconds {
            self.end_later(number, seconds);
        }
    }

    /// Notes a fault to come, and gives its number. The gate is shut under the same lock, so that it is never shut for a
    /// fault that was taken back.
    fn begin(&self, fault: Fault) -> u64 {
        let mut state = locked(&self.state);
        if fault.kind == Kind::Refuse {
            self.gate.shut();
            state.note(Happened { kind: fault.kind, operation: None, request: None });
        }
        state.added += 1;
        let number = state.added;
        state.pending.push((number, fault));
        number
    }

    /// Takes a refusal of connections back after a while.
    fn end_later(self: &Arc<Self>, number: u64, after: Duration) {
        let faults = Arc::downgrade(self);
        self.gate.runtime().spawn(async move {
            tokio::time::sleep(after).await;
            if let Some(faults) = faults.upgrade() {
                locked(&faults.state).pending.retain(|(one, _)| *one != number);
                // Who calls next finds out that the port is lost.
                let _ = faults.listen_unless_refused();
            }
        });
    }

    fn listen_unless_refused(&self) -> io::Result<()> {
        let state = locked(&self.state);
        if state.pending.iter().any(|(_, fault)| fault.kind == Kind::Refuse) {
            return Ok(());
        }
        self.gate.reopen()
    }

    /// Has faults happen by chance, the same ones for the same seed.
    pub(super) fn at_random(&self, share: f64, seed: u64) {
        locked(&self.state).chance = Some(Chance::new(share, seed));
    }

    /// Forgets all faults to come.
    pub(super) fn clear(&self) -> io::Result<()> {
        {
            let mut state = locked(&self.state);
            state.pending.clear();
            state.chance = None;
        }
        self.listen_unless_refused()
    }

    /// The faults to come, the next first.
    pub(super) fn pending(&self) -> Vec<Fault> {
        locked(&self.state).pending.iter().map(|(_, fault)| fault.clone()).collect()
    }

    /// The share of requests that faults befall by chance; None where none do.
    pub(super) fn share(&self) -> Option<f64> {
        locked(&self.state).chance.as_ref().map(Chance::share)
    }

    /// What went wrong, the oldest first.
    pub(super) fn happened(&self) -> Vec<Happened> {
        locked(&self.state).happened.clone()
    }

    /// Whether a connection that was just made is to be reset.
    pub(super) fn resets(&self) -> bool {
        let mut state = locked(&self.state);
        let Some(fault) = state.use_up(|fault| fault.kind == Kind::Reset) else {
            return false;
        };
        state.note(Happened { kind: fault.kind, operation: None, request: None });
        true
    }

    /// What befalls a request.
    pub(super) fn befalling(&self, operation: Option<&'static str>, parts: &Parts) -> Option<Fault> {
        let mut state = locked(&self.state);
        // Chance is asked for every request, so that other faults don't shift what it says.
        let by_chance = state.chance.as_mut().and_then(Chance::next);
        let fault = state.use_up(|fault| fault.befalls(operation)).or(by_chance)?;
        let request = Some((parts.method.to_string(), parts.uri.path().to_owned()));
        state.note(Happened { kind: fault.kind, operation, request });
        Some(fault)
    }
}

#[cfg(test)]
mod tests {
    use botdesk_api::input::Violation;

    use super::*;

    fn described(operation: &str, kind: &str) -> Result<Fault, Vec<Violation>> {
        Fault::described(operation, kind, Some(1), Details::default())
    }

    fn messages(fault: Result<Fault, Vec<Violation>>) -> Vec<String> {
        fault.unwrap_err().into_iter().map(|found| format!("{}: {}", found.field, found.message)).collect()
    }

    #[test]
    fn a_misspelled_name_is_told_with_the_nearest() {
        assert_eq!(
            messages(described("dca_bots.edt", "close_aftr")),
            [
                r#"operation: no operation is called "dca_bots.edt"; did you mean dca_bots.edit?"#,
                r#"kind: no kind of fault is called "close_aftr"; did you mean close_after?"#,
            ]
        );
    }

    #[test]
    fn a_name_like_none_is_told_with_all() {
        let told = messages(described("*", "zzz"));
        assert!(
            told[0].starts_with(r#"kind: no kind of fault is called "zzz"; there are status, refuse, "#),
            "{told:?}"
        );
    }

    #[test]
    fn an_option_of_another_kind_is_refused() {
        let details = Details { interval: Some(Duration::ZERO), location: Some("x".to_owned()), ..Details::default() };
        let told = messages(Fault::described("*", "stall", None, details));
        assert_eq!(told, ["interval: is not for the kind stall", "location: is not for the kind stall"]);
    }

    #[test]
    fn a_status_is_an_error() {
        let with = |status, plan| Fault::described("*", "status", None, Details { status, plan, ..Details::default() });
        assert_eq!(messages(with(None, false)), ["status: is required, such as 429 or 503"]);
        assert_eq!(messages(with(Some(200), false)), ["status: must be between 400 and 599, not 200"]);
        assert_eq!(messages(with(Some(418), true)), ["status: must be 429 where it is about the plan, not 418"]);
        assert!(with(Some(418), false).is_ok() && with(None, true).is_ok() && with(Some(429), true).is_ok());
    }

    #[test]
    fn a_header_has_no_line_ends() {
        let details = Details { status: Some(429), retry_after: Some("1\r\nx: y".to_owned()), ..Details::default() };
        let told = messages(Fault::described("*", "status", None, details));
        assert_eq!(told, ["retry_after: must be a text in ASCII that fits into a header"]);
    }

    #[test]
    fn refused_connections_are_not_counted() {
        let refuse = |times| Fault::described("dca_bots.edit", "refuse", times, Details::default());
        assert_eq!((refuse(Some(1)).unwrap().times, refuse(None).unwrap().operation), (None, ANY));
        assert!(messages(refuse(Some(2)))[0].starts_with("times: can't be counted where connections are refused"));
        assert_eq!(
            messages(Fault::described("*", "stall", Some(0), Details::default())),
            ["times: must be at least 1, or None for always"]
        );
    }
}
