//! Writes: carried out at most once, and reported as what they are.

use std::collections::BTreeMap;

use botdesk_client::error::Error;
use botdesk_sandbox::FaultKind;

use crate::traffic::CallId;

/// A request as the sandbox received it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) fault: Option<FaultKind>,
    /// The status of the response; None if none was sent.
    pub(crate) status: Option<u16>,
    pub(crate) carried_out: bool,
}

impl Arrival {
    /// Returns true if the client can't know from the response whether the request was carried out.
    fn leaves_outcome_open(self) -> bool {
        match self.fault {
            None | Some(FaultKind::Trickle) => false,
            Some(FaultKind::Status) => self.status.is_some_and(|status| status == 409 || status >= 500),
            Some(_) => true,
        }
    }
}

/// The outcome of a write, as the client reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// It was carried out.
    Done,
    /// It certainly was not carried out.
    Failed,
    /// It may have been carried out.
    Unknown,
}

impl WriteOutcome {
    /// Returns the outcome of a call.
    pub(crate) fn of<T>(result: &Result<T, Error>) -> Self {
        match result {
            Ok(_) => Self::Done,
            Err(error) if error.may_have_applied() => Self::Unknown,
            Err(_) => Self::Failed,
        }
    }
}

/// Compares the outcomes of writes with the requests that the sandbox received.
#[derive(Debug, Default)]
pub(crate) struct WriteCheck {
    /// The received requests of each write, which stay here, so that one that arrives late is noticed.
    writes: BTreeMap<CallId, Vec<Arrival>>,
}

impl WriteCheck {
    /// Notes that a write starts.
    pub(crate) fn start(&mut self, call: CallId) {
        self.writes.insert(call, Vec::new());
    }

    /// Returns true if a call is a write.
    pub(crate) fn has(&self, call: CallId) -> bool {
        self.writes.contains_key(&call)
    }

    /// Notes that a request arrived; fails if it repeats a write that was, or may have been, carried out. Requests of reads may repeat.
    pub(crate) fn arrive(&mut self, call: CallId, arrival: Arrival) -> Result<(), String> {
        let Some(arrivals) = self.writes.get_mut(&call) else { return Ok(()) };
        let was_carried_out = arrivals.iter().any(|earlier| earlier.carried_out);
        let was_open = arrivals.iter().any(|earlier| earlier.leaves_outcome_open());
        arrivals.push(arrival);
        if was_carried_out && arrival.carried_out {
            return Err(format!("the write c{call} was carried out twice"));
        }
        if was_carried_out || was_open {
            return Err(format!("the write c{call} was sent again, although it may have been carried out"));
        }
        Ok(())
    }

    /// Fails if the outcome of a write is not what the sandbox did.
    pub(crate) fn end(&self, call: CallId, outcome: WriteOutcome) -> Result<(), String> {
        let Some(arrivals) = self.writes.get(&call) else { return Ok(()) };
        let was_carried_out = arrivals.iter().any(|arrival| arrival.carried_out);
        let was_open = arrivals.iter().any(|arrival| arrival.leaves_outcome_open());
        match outcome {
            WriteOutcome::Done if !was_carried_out => {
                Err(format!("the write c{call} is reported as done, but was not carried out"))
            }
            WriteOutcome::Failed if was_carried_out => {
                Err(format!("the write c{call} is reported as failed, but was carried out"))
            }
            WriteOutcome::Failed if was_open => {
                Err(format!("the outcome of the write c{call} is unknown, but it is reported as failed"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(fault: Option<FaultKind>, status: Option<u16>, carried_out: bool) -> Arrival {
        Arrival { fault, status, carried_out }
    }

    fn done() -> Arrival {
        arrival(None, Some(200), true)
    }

    fn rejected() -> Arrival {
        arrival(Some(FaultKind::Status), Some(429), false)
    }

    fn closed(carried_out: bool) -> Arrival {
        let kind = if carried_out { FaultKind::CloseAfter } else { FaultKind::CloseBefore };
        arrival(Some(kind), None, carried_out)
    }

    fn check(arrivals: &[Arrival], outcome: WriteOutcome) -> Result<(), String> {
        let mut check = WriteCheck::default();
        check.start(7);
        arrivals.iter().try_for_each(|arrival| check.arrive(7, *arrival))?;
        check.end(7, outcome)
    }

    #[test]
    fn a_write_is_carried_out_at_most_once() {
        let twice = check(&[done(), done()], WriteOutcome::Done);
        assert_eq!(twice, Err("the write c7 was carried out twice".to_owned()));
    }

    #[test]
    fn a_write_may_be_sent_again_only_after_a_definite_rejection() {
        assert_eq!(check(&[rejected(), done()], WriteOutcome::Done), Ok(()));
        let again = Err("the write c7 was sent again, although it may have been carried out".to_owned());
        assert_eq!(check(&[closed(false), done()], WriteOutcome::Done), again);
        assert_eq!(check(&[closed(true), rejected()], WriteOutcome::Failed), again);
    }

    #[test]
    fn the_outcome_is_what_the_sandbox_did() {
        assert_eq!(check(&[done()], WriteOutcome::Done), Ok(()));
        assert_eq!(check(&[done()], WriteOutcome::Unknown), Ok(()));
        assert_eq!(check(&[], WriteOutcome::Failed), Ok(()));
        assert!(check(&[], WriteOutcome::Done).is_err());
        assert!(check(&[rejected()], WriteOutcome::Done).is_err());
        assert!(check(&[done()], WriteOutcome::Failed).is_err());
    }

    #[test]
    fn an_unknown_outcome_has_to_be_reported_as_such() {
        let server_error = arrival(Some(FaultKind::Status), Some(503), false);
        for open in [closed(false), closed(true), server_error] {
            assert_eq!(check(&[open], WriteOutcome::Unknown), Ok(()));
            assert!(check(&[open], WriteOutcome::Failed).is_err(), "{open:?}");
        }
    }

    #[test]
    fn reads_may_be_repeated() {
        let mut check = WriteCheck::default();
        assert_eq!(check.arrive(8, done()), Ok(()));
        assert_eq!(check.arrive(8, done()), Ok(()));
    }
}
