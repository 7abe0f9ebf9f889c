//! Passes each event of the client and each request of the sandbox to the checks.

use std::collections::BTreeMap;
use std::time::Duration;

use botdesk_client::http::events::{Event, EventKind};
use botdesk_client::rate_limit::RateLimit;
use botdesk_sandbox::{Fault, LoggedRequest, Random};

use crate::checks::rate::RateCheck;
use crate::checks::rejections::{Rejection, RejectionCheck};
use crate::checks::settings::SettingCheck;
use crate::checks::writes::{Arrival, WriteCheck};
use crate::faults::{FaultSource, name, takes_time};
use crate::journal::Journal;
use crate::kill::Kill;
use crate::traffic::{CallId, Traffic};

/// The state of all checks of a run.
pub(crate) struct Observer {
    pub(crate) traffic: Traffic,
    pub(crate) journal: Journal,
    pub(crate) writes: WriteCheck,
    pub(crate) settings: SettingCheck,
    rate: RateCheck,
    rejections: RejectionCheck,
    /// None while faults are off.
    faults: Option<FaultSource>,
    /// The fault of the latest request of each call.
    latest_faults: BTreeMap<CallId, Fault>,
    kill: Kill,
    /// True once the script has to be killed.
    pub(crate) is_killed: bool,
    /// The first thing that was wrong.
    pub(crate) failure: Option<String>,
    calls: CallId,
}

impl Observer {
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self {
            traffic: Traffic::default(),
            journal: Journal::default(),
            writes: WriteCheck::default(),
            settings: SettingCheck::default(),
            rate: RateCheck::new(limit),
            rejections: RejectionCheck::default(),
            faults: None,
            latest_faults: BTreeMap::new(),
            kill: Kill::Never,
            is_killed: false,
            failure: None,
            calls: 0,
        }
    }

    /// Starts drawing faults.
    pub(crate) fn start_faults(&mut self, random: Random) {
        self.faults = Some(FaultSource::new(random));
    }

    /// Stops drawing faults.
    pub(crate) fn stop_faults(&mut self) {
        self.faults = None;
    }

    /// Sets when the script is killed.
    pub(crate) fn set_kill(&mut self, kill: Kill) {
        self.kill = kill;
        self.is_killed = false;
    }

    /// Keeps the message of the first failed check.
    pub(crate) fn require(&mut self, check: Result<(), String>) {
        if let Err(message) = check {
            self.failure.get_or_insert(message);
        }
    }

    /// Returns the number of a new call.
    pub(crate) fn begin_call(&mut self, is_write: bool) -> CallId {
        self.calls += 1;
        if is_write {
            self.writes.start(self.calls);
            self.journal.summary.writes += 1;
        }
        self.calls
    }

    /// Notes an event of a call; returns the fault to add for the attempt that starts.
    pub(crate) fn note_event(&mut self, call: CallId, event: &Event, at: Duration) -> Option<Fault> {
        let (operation, attempt) = (&event.operation, event.attempt);
        match &event.kind {
            EventKind::Start => {
                self.journal.add(at, &format!("c{call} {operation} starts attempt {attempt}"));
                self.traffic.start(call);
                self.require(self.rejections.start(at));
                self.is_killed |= self.kill.start();
                self.faults.as_mut().and_then(FaultSource::draw)
            }
            EventKind::End { status, failure, .. } => {
                // A message has the number of the port, which is not the same in each run.
                let shown = status.map_or_else(|| "without a response".to_owned(), |status| format!("with {status}"));
                let failed = if failure.is_some() { ", an error" } else { "" };
                self.journal.add(at, &format!("c{call} {operation} ends attempt {attempt} {shown}{failed}"));
                self.traffic.end(call);
                self.note_rejection(call, *status, at);
                None
            }
            EventKind::Retry { wait, .. } => {
                self.journal.add(at, &format!("c{call} {operation} retries after {wait:?}"));
                None
            }
        }
    }

    fn note_rejection(&mut self, call: CallId, status: Option<u16>, at: Duration) {
        let Some(fault) = self.latest_faults.get(&call) else { return };
        let rejection = match status {
            Some(418) => Rejection::Ban,
            Some(429) if !fault.options.plan => Rejection::Key,
            _ => return,
        };
        let wait = fault.options.retry_after.as_deref().and_then(|seconds| seconds.parse().ok());
        self.rejections.reject(rejection, wait.map(Duration::from_secs_f64), at);
        match rejection {
            Rejection::Ban => self.journal.summary.bans += 1,
            Rejection::Key => self.journal.summary.rejections += 1,
        }
    }

    /// Notes a request that the sandbox received.
    pub(crate) fn note_request(&mut self, request: &LoggedRequest, at: Duration) {
        let Some(call) = call_of(request) else {
            return self.require(Err(format!("the request to {} belongs to no call", request.path)));
        };
        self.journal.summary.requests += 1;
        let counted = self.rate.arrive(at);
        self.require(counted);
        self.is_killed |= self.kill.arrive(self.writes.has(call));
        let fault = request.fault.and_then(|kind| self.faults.as_mut()?.take(kind));
        let shown = fault.as_ref().map_or_else(String::new, |fault| format!(", fault {}", name(fault)));
        let LoggedRequest { method, status, carried_out, .. } = request;
        self.journal.add(at, &format!("c{call} {method} arrives: {status:?}, carried out: {carried_out}{shown}"));
        if request.fault.is_none() && *status == Some(429) {
            self.require(Err("the service counts more requests than the rate limit allows".to_owned()));
        }
        let arrival =
            Arrival { fault: fault.as_ref().map(|fault| fault.kind), status: *status, carried_out: *carried_out };
        let checked = self.writes.arrive(call, arrival);
        self.require(checked);
        self.note_fault(call, fault);
    }

    fn note_fault(&mut self, call: CallId, fault: Option<Fault>) {
        let Some(fault) = fault else {
            self.latest_faults.remove(&call);
            return;
        };
        self.journal.count_fault(&name(&fault));
        if takes_time(&fault) {
            let _ = self.traffic.stall(call);
        }
        self.latest_faults.insert(call, fault);
    }
}

/// Returns the call of a request, which is the prefix of its path: `/c17/public/api/…`.
fn call_of(request: &LoggedRequest) -> Option<CallId> {
    request.path.strip_prefix("/c")?.split_once('/')?.0.parse().ok()
}
