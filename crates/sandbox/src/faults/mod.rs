//! Fault injection.

mod fault;
mod kind;
mod random;
mod responses;

use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::http::request::Parts;

pub use fault::{ANY, Fault};
pub use kind::{FaultKind, FaultOptions};

pub(super) use responses::{CorruptedResponse, corrupt, replacement};

use botdesk_server::port_guard::PortGuard;
use botdesk_system::lock::locked;
use random::RandomFaults;

/// The maximum number of injected faults in the log.
const MAX_INJECTED: usize = 10_000;

/// A fault that was injected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InjectedFault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// The operation; None if it is unknown.
    pub operation: Option<&'static str>,
    /// The method and the path of the request; None if no request was read.
    pub request: Option<(String, String)>,
}

/// The faults of one sandbox.
pub(super) struct FaultInjector {
    port: Arc<PortGuard>,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    /// The pending faults in order, each with a number that identifies it.
    pending: Vec<(u64, Fault)>,
    added: u64,
    random: Option<RandomFaults>,
    injected: Vec<InjectedFault>,
}

impl Queue {
    fn record(&mut self, injected: InjectedFault) {
        if self.injected.len() >= MAX_INJECTED {
            self.injected.remove(0);
        }
        self.injected.push(injected);
    }

    /// Returns the first pending fault that matches, and removes it after its last time.
    fn take_next(&mut self, matches: impl Fn(&Fault) -> bool) -> Option<Fault> {
        let index = self.pending.iter().position(|(_, fault)| matches(fault))?;
        let (_, fault) = self.pending.get_mut(index)?;
        let found = fault.clone();
        fault.times = fault.times.map(|times| times.saturating_sub(1));
        if fault.times == Some(0) {
            self.pending.remove(index);
        }
        Some(found)
    }
}

impl FaultInjector {
    pub(super) fn new(port: Arc<PortGuard>) -> Self {
        Self { port, queue: Mutex::default() }
    }

    /// Adds a fault, which takes effect with the next request or connection.
    pub(super) async fn add(self: &Arc<Self>, fault: Fault) {
        let (kind, seconds) = (fault.kind, fault.options.seconds);
        let number = self.enqueue(fault);
        if kind.affects_connections() {
            self.port.close_connections().await;
        }
        if let Some(seconds) = seconds {
            self.end_refusal_later(number, seconds);
        }
    }

    /// Adds a fault to the queue, and returns its number. Connections are refused under the same lock, so that they are never
    /// refused for a fault that was already removed.
    fn enqueue(&self, fault: Fault) -> u64 {
        let mut queue = locked(&self.queue);
        if fault.kind == FaultKind::Refuse {
            self.port.refuse_connections();
            queue.record(InjectedFault { kind: fault.kind, operation: None, request: None });
        }
        queue.added += 1;
        let number = queue.added;
        queue.pending.push((number, fault));
        number
    }

    /// Removes a `refuse` fault after a duration.
    fn end_refusal_later(self: &Arc<Self>, number: u64, after: Duration) {
        let faults = Arc::downgrade(self);
        self.port.runtime().spawn(async move {
            tokio::time::sleep(after).await;
            if let Some(faults) = faults.upgrade() {
                locked(&faults.queue).pending.retain(|(one, _)| *one != number);
                // If the port was lost, the next client notices it.
                let _ = faults.reopen_unless_refused();
            }
        });
    }

    fn reopen_unless_refused(&self) -> io::Result<()> {
        let queue = locked(&self.queue);
        if queue.pending.iter().any(|(_, fault)| fault.kind == FaultKind::Refuse) {
            return Ok(());
        }
        self.port.reopen()
    }

    /// Injects random faults into a share of the requests. The same seed gives the same faults.
    pub(super) fn set_random(&self, share: f64, seed: u64) {
        locked(&self.queue).random = Some(RandomFaults::new(share, seed));
    }

    /// Removes all pending faults.
    pub(super) fn clear(&self) -> io::Result<()> {
        {
            let mut queue = locked(&self.queue);
            queue.pending.clear();
            queue.random = None;
        }
        self.reopen_unless_refused()
    }

    /// Removes all pending faults, and forgets the injected ones.
    pub(super) fn reset(&self) -> io::Result<()> {
        locked(&self.queue).injected.clear();
        self.clear()
    }

    /// Returns the pending faults, the next one first.
    pub(super) fn pending(&self) -> Vec<Fault> {
        locked(&self.queue).pending.iter().map(|(_, fault)| fault.clone()).collect()
    }

    /// Returns the share of requests that get a random fault; None if random faults are off.
    pub(super) fn random_share(&self) -> Option<f64> {
        locked(&self.queue).random.as_ref().map(RandomFaults::share)
    }

    /// Returns the injected faults, oldest first.
    pub(super) fn injected(&self) -> Vec<InjectedFault> {
        locked(&self.queue).injected.clone()
    }

    /// Returns true if the connection that was just accepted must be reset.
    pub(super) fn should_reset(&self) -> bool {
        let mut queue = locked(&self.queue);
        let Some(fault) = queue.take_next(|fault| fault.kind == FaultKind::Reset) else {
            return false;
        };
        queue.record(InjectedFault { kind: fault.kind, operation: None, request: None });
        true
    }

    /// Returns the fault that a request triggers.
    pub(super) fn next_fault(&self, operation: Option<&'static str>, parts: &Parts) -> Option<Fault> {
        let mut queue = locked(&self.queue);
        // Drawn for every request, so that other faults don't shift the random ones.
        let random_fault = queue.random.as_mut().and_then(RandomFaults::next);
        let fault = queue.take_next(|fault| fault.applies_to(operation)).or(random_fault)?;
        let request = Some((parts.method.to_string(), parts.uri.path().to_owned()));
        queue.record(InjectedFault { kind: fault.kind, operation, request });
        Some(fault)
    }
}

#[cfg(test)]
mod tests {
    use botdesk_schema::input::Violation;

    use super::*;

    fn fault(operation: &str, kind: &str) -> Result<Fault, Vec<Violation>> {
        Fault::new(operation, kind, Some(1), FaultOptions::default())
    }

    fn messages(fault: Result<Fault, Vec<Violation>>) -> Vec<String> {
        fault.unwrap_err().into_iter().map(|found| format!("{}: {}", found.field, found.message)).collect()
    }

    #[test]
    fn an_unknown_name_is_reported_with_the_nearest() {
        assert_eq!(
            messages(fault("dca_bots.edt", "close_aftr")),
            [
                r#"operation: unknown operation "dca_bots.edt"; did you mean dca_bots.edit?"#,
                r#"kind: unknown kind of fault "close_aftr"; did you mean close_after?"#,
            ]
        );
    }

    #[test]
    fn a_name_without_a_near_match_is_reported_with_all_names() {
        let messages = messages(fault("*", "zzz"));
        assert!(
            messages[0].starts_with(r#"kind: unknown kind of fault "zzz"; choose one of status, refuse, "#),
            "{messages:?}"
        );
    }

    #[test]
    fn an_option_of_another_kind_is_an_error() {
        let options =
            FaultOptions { interval: Some(Duration::ZERO), location: Some("x".to_owned()), ..FaultOptions::default() };
        let messages = messages(Fault::new("*", "stall", None, options));
        assert_eq!(
            messages,
            ["interval: is not an option of the kind stall", "location: is not an option of the kind stall"]
        );
    }

    #[test]
    fn a_status_must_be_an_error_status() {
        let with =
            |status, plan| Fault::new("*", "status", None, FaultOptions { status, plan, ..FaultOptions::default() });
        assert_eq!(messages(with(None, false)), ["status: is required, such as 429 or 503"]);
        assert_eq!(messages(with(Some(200), false)), ["status: must be between 400 and 599, not 200"]);
        assert_eq!(messages(with(Some(418), true)), ["status: must be 429 if plan is true, not 418"]);
        assert!(with(Some(418), false).is_ok() && with(None, true).is_ok() && with(Some(429), true).is_ok());
    }

    #[test]
    fn a_header_value_has_no_line_breaks() {
        let options =
            FaultOptions { status: Some(429), retry_after: Some("1\r\nx: y".to_owned()), ..FaultOptions::default() };
        let messages = messages(Fault::new("*", "status", None, options));
        assert_eq!(messages, ["retry_after: must be printable ASCII, because it becomes a header"]);
    }

    #[test]
    fn refused_connections_are_not_counted() {
        let refuse = |times| Fault::new("dca_bots.edit", "refuse", times, FaultOptions::default());
        assert_eq!((refuse(Some(1)).unwrap().times, refuse(None).unwrap().operation), (None, ANY));
        assert!(messages(refuse(Some(2)))[0].starts_with("times: refused connections can't be counted"));
        assert_eq!(messages(Fault::new("*", "stall", Some(0), FaultOptions::default())), ["times: must be at least 1"]);
    }
}
