//! The sandbox on the virtual clock, its market, and the network in front of it.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Waker};
use std::time::Duration;

use bigdecimal::BigDecimal;
use jiff::SignedDuration;
use tokio::sync::Notify;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};

use botdesk_client::error::Error;
use botdesk_client::http::events::{Event, Listener};
use botdesk_client::rate_limit::RateLimit;
use botdesk_sandbox::{ANY, Fault, FaultKind, FaultOptions, Random, SandboxServer};
use botdesk_system::lock::locked;

use crate::checks::writes::WriteOutcome;
use crate::observer::Observer;
use crate::traffic::{AttemptNumber, CallId};

/// The number of turns of the runtime after which the sandbox has certainly read what was sent to it.
const TURNS: u32 = 64;

/// The sandbox and all checks. Scripts come and go; the world stays.
pub(crate) struct SimulatedService {
    pub(crate) sandbox: SandboxServer,
    started: Instant,
    observer: Mutex<Observer>,
    /// The virtual time up to which the clock of the sandbox was advanced.
    synchronized: Mutex<Duration>,
    /// Wakes the run when an attempt starts, or when the script is killed.
    pub(crate) changed: Notify,
}

impl SimulatedService {
    pub(crate) fn new(sandbox: SandboxServer, limit: RateLimit) -> Self {
        Self {
            sandbox,
            started: Instant::now(),
            observer: Mutex::new(Observer::new(limit)),
            synchronized: Mutex::default(),
            changed: Notify::new(),
        }
    }

    /// Returns the virtual time since the start.
    pub(crate) fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Returns the state of the checks.
    pub(crate) fn observer(&self) -> MutexGuard<'_, Observer> {
        locked(&self.observer)
    }

    /// Adds an event to the journal.
    pub(crate) fn note(&self, event: &str) {
        self.observer().journal.add(self.now(), event);
    }

    /// Keeps the message of a failed check.
    pub(crate) fn require(&self, check: Result<(), String>) {
        let is_failed = check.is_err();
        self.observer().require(check);
        if is_failed {
            self.changed.notify_one();
        }
    }

    /// Returns if the clock must not advance, if the script has to be killed, and the first thing that was wrong.
    pub(crate) fn state(&self) -> (bool, bool, Option<String>) {
        let observer = self.observer();
        (observer.traffic.stops_clock(), observer.is_killed, observer.failure.clone())
    }

    /// Passes the requests that the sandbox has received to the checks.
    pub(crate) fn observe(&self) {
        let requests = self.sandbox.take_requests();
        let now = self.now();
        let mut observer = self.observer();
        for request in &requests {
            observer.note_request(request, now);
        }
    }

    /// Notes that a request of a call is held back, so that only time can end it; returns its attempt.
    pub(crate) fn hold_back(&self, call: CallId) -> Option<AttemptNumber> {
        let now = self.now();
        let mut observer = self.observer();
        observer.journal.add(now, &format!("c{call} is held back"));
        observer.journal.summary.held_back += 1;
        observer.traffic.stall(call)
    }

    /// Notes that a request of a call is not held back any more, and arrives now.
    pub(crate) fn release(&self, call: CallId, attempt: Option<AttemptNumber>) {
        self.synchronize();
        if let Some(attempt) = attempt {
            self.observer().traffic.release(call, attempt);
        }
        self.changed.notify_one();
    }

    /// Kills the script.
    pub(crate) fn kill(&self) {
        self.observer().is_killed = true;
        self.changed.notify_one();
    }

    /// Lets the sandbox read what was sent to it. No time passes meanwhile.
    pub(crate) async fn settle(&self) {
        for _ in 0..TURNS {
            yield_now().await;
            self.observe();
        }
    }

    /// Advances the clock of the sandbox to the virtual time.
    fn synchronize(&self) {
        let mut synchronized = locked(&self.synchronized);
        let milliseconds = self.now().saturating_sub(*synchronized).as_millis();
        let by = Duration::from_millis(u64::try_from(milliseconds).unwrap_or(u64::MAX));
        *synchronized += by;
        let advanced = self.sandbox.advance(SignedDuration::try_from(by).unwrap_or_default());
        self.require(advanced.map_err(|violation| violation.message));
    }

    fn note_event(&self, call: CallId, event: &Event) {
        self.synchronize();
        self.observe();
        let fault = self.observer().note_event(call, event, self.now());
        if let Some(fault) = fault {
            // A fault of a request is added at once; only those of connections wait.
            let _ = pin!(self.sandbox.add_fault(fault)).poll(&mut Context::from_waker(Waker::noop()));
        }
        self.changed.notify_one();
    }
}

/// A call of the script, until it ends or is dropped.
pub(crate) struct Call {
    world: Arc<SimulatedService>,
    pub(crate) id: CallId,
    is_write: bool,
    has_ended: bool,
}

impl Call {
    pub(crate) fn begin(world: &Arc<SimulatedService>, is_write: bool) -> Self {
        let id = world.observer().begin_call(is_write);
        Self { world: Arc::clone(world), id, is_write, has_ended: false }
    }

    /// Returns the listener for the events of the call.
    pub(crate) fn listener(&self) -> Listener {
        let (world, id) = (Arc::clone(&self.world), self.id);
        Arc::new(move |event| world.note_event(id, &event))
    }

    /// Checks the result of the call; returns the outcome.
    pub(crate) fn end<T>(mut self, result: &Result<T, Error>) -> WriteOutcome {
        self.has_ended = true;
        self.world.observe();
        let outcome = WriteOutcome::of(result);
        let mut observer = self.world.observer();
        if self.is_write {
            let checked = observer.writes.end(self.id, outcome);
            observer.require(checked);
            let summary = &mut observer.journal.summary;
            match outcome {
                WriteOutcome::Done => summary.done += 1,
                WriteOutcome::Failed => summary.failed += 1,
                WriteOutcome::Unknown => summary.unknown += 1,
            }
        }
        observer.journal.add(self.world.now(), &format!("c{} ends: {outcome:?}", self.id));
        outcome
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut observer = self.world.observer();
        observer.traffic.end(self.id);
        if self.has_ended {
            return;
        }
        observer.journal.add(self.world.now(), &format!("c{} is abandoned", self.id));
        let summary = &mut observer.journal.summary;
        let count = if self.is_write { &mut summary.killed } else { &mut summary.cancelled };
        *count += 1;
    }
}

/// The pairs of the sandbox, with a usual price in units of the last decimal place, and the number of decimal places.
const PAIRS: &[(&str, i64, i64)] = &[
    ("USDT_ETH", 342_115, 2),
    ("USDT_BTC", 618_904, 1),
    ("USDT_SOL", 12_874, 2),
    ("USDT_ADA", 7_231, 4),
    ("USDT_XRP", 6_025, 4),
    ("USDT_DOGE", 14_127, 5),
    ("USDC_BTC", 6_190_377, 2),
    ("USDC_ETH", 342_204, 2),
    ("USDC_LINK", 19_874, 3),
    ("USDC_AVAX", 42_318, 3),
];

/// Moves prices at random times.
pub(crate) async fn trade(world: Arc<SimulatedService>, mut random: Random) {
    loop {
        sleep(seconds(&mut random, 120, 1_800)).await;
        let Some((pair, usual, places)) = Some(random.choose(PAIRS, ("", 0, 0))).filter(|(pair, ..)| !pair.is_empty())
        else {
            continue;
        };
        let ticks = usual * random.between(940, 1_060) / 1_000;
        world.synchronize();
        let moved = world.sandbox.move_price(pair, BigDecimal::new(ticks.into(), places));
        world.note(&format!("{pair} moves to {ticks} ticks"));
        world.require(moved.map_err(|violation| format!("the price of {pair} can't be moved: {violation:?}")));
    }
}

/// Refuses and resets connections at random times.
pub(crate) async fn disturb(world: Arc<SimulatedService>, mut random: Random) {
    loop {
        sleep(seconds(&mut random, 600, 10_800)).await;
        let refuses = random.between(1, 2) == 1;
        let (kind, times, duration) = if refuses {
            (FaultKind::Refuse, None, Some(seconds(&mut random, 1, 120)))
        } else {
            (FaultKind::Reset, u32::try_from(random.between(1, 3)).ok(), None)
        };
        world.note(&format!("connections: {}", kind.as_str()));
        world.observer().journal.count_fault(kind.as_str());
        let options = FaultOptions { seconds: duration, ..FaultOptions::default() };
        world.sandbox.add_fault(Fault { operation: ANY, kind, times, options }).await;
    }
}

/// Returns a random duration in seconds.
pub(crate) fn seconds(random: &mut Random, min: i64, max: i64) -> Duration {
    Duration::from_secs(random.between(min, max).unsigned_abs())
}
