//! The budget that all processes of a user share, for an API key and a service.

use std::cell::RefCell;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use botdesk_schema::key_text::shown_message;
use botdesk_system::clock::{Clock, ClockTime, SystemClock};
use botdesk_system::files;
use botdesk_system::lock::locked;
use botdesk_system::process::ProcessIdentity;
use botdesk_system::slot_file::{Contents, SlotFile, UpdateError};

use super::ban::SharedBan;
use super::folder::{self, STATE_FOLDER_VARIABLE};
use super::state::{Holder, SharedState};
use crate::rate_limit::error::RateLimitError;
use crate::rate_limit::limit::{Budget, RateLimit};
use crate::warnings::warn_once;

/// The time that a thread waits for the lock of a file. Other processes hold it for some microseconds.
const PATIENCE: Duration = Duration::from_millis(2);

/// The time that a thread waits for the lock to store what blocks other processes, or must block them: the end of a request, a ban or a
/// rejection. An idle process makes no further change with which it could be stored.
const LONG_PATIENCE: Duration = Duration::from_millis(50);

/// The time that others may hold the lock until its holder is taken to be stopped.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest time between two failed tries to lock a file in which others are taken to have held the lock.
const CONTENTION_GAP: Duration = Duration::from_millis(100);

/// The time that requests are counted in this process alone after an error.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// The lease of a request that is about to be sent. It is prolonged for an attempt with a longer timeout.
const LEASE: Duration = Duration::from_secs(60);

/// The highest number of ended requests that wait for the file.
const MAX_UNSTORED: usize = 1_000;

/// The budget that all processes of a user share, for an API key and a service.
pub(crate) struct SharedBudget {
    requests: SlotFile,
    bans: SlotFile,
    folder: PathBuf,
    clock: Box<dyn Clock>,
    process: ProcessIdentity,
    next_number: AtomicU64,
    condition: Mutex<Condition>,
}

/// The state of the files as this process knows it, and the changes that it has not stored yet.
#[derive(Default)]
struct Condition {
    requests: FileCondition,
    bans: FileCondition,
    /// The ended requests that are not in the file yet, and the latest times at which they arrived.
    unstored: Vec<(Holder, Option<ClockTime>)>,
    /// The time until which the service rejects the API key, if that is not in the file yet.
    unstored_rejection: Option<ClockTime>,
    /// The ban that is not in the file yet.
    unstored_ban: Option<SharedBan>,
}

impl Condition {
    fn add_ban(&mut self, ban: SharedBan) {
        self.unstored_ban = Some(self.unstored_ban.unwrap_or_default().merged(ban));
    }

    fn of(&mut self, file: SharedFile) -> &mut FileCondition {
        match file {
            SharedFile::Requests => &mut self.requests,
            SharedFile::Bans => &mut self.bans,
        }
    }
}

/// One of the two files.
#[derive(Clone, Copy)]
enum SharedFile {
    Requests,
    Bans,
}

/// The state of a file as this process knows it.
#[derive(Default)]
struct FileCondition {
    /// The time until which the file is not used, after an error.
    unusable_until: Option<Instant>,
    contention: Option<Contention>,
}

impl FileCondition {
    /// Returns how long to wait for the lock. If others have held it for so long already, their process may be stopped, and then
    /// not every change waits for it.
    fn patience(&self, longest: Duration) -> Duration {
        let is_held = self
            .contention
            .is_some_and(|known| known.last_try.elapsed() <= CONTENTION_GAP && known.held >= LONG_PATIENCE);
        if is_held { longest.min(PATIENCE) } else { longest }
    }

    /// Notes a failed try to lock the file, and returns for how long others have held the lock since it was last free, as far as this
    /// process has seen it.
    ///
    /// `began` is the start of the try, and `patience` the longest time that it waits. More time is not counted, nor a long time
    /// between two tries: this process was stopped, or had no core. It may have no core again and again, so such a break does not
    /// begin the count anew.
    fn note_locked(&mut self, began: Instant, patience: Duration) -> Duration {
        let ended = Instant::now().min(began + patience);
        let tried = ended.saturating_duration_since(began);
        let held = self.contention.map_or(tried, |known| {
            let gap = began.saturating_duration_since(known.last_try);
            known.held + tried + if gap <= CONTENTION_GAP { gap } else { Duration::ZERO }
        });
        self.contention = Some(Contention { held, last_try: ended });
        held
    }
}

/// The tries to lock a file that have failed one after the other.
#[derive(Clone, Copy)]
struct Contention {
    /// The time in which this process saw that the lock was held.
    held: Duration,
    /// The end of the last try. Between tries that are far apart, the lock may have been free.
    last_try: Instant,
}

/// The reason why a request is not in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartError {
    /// The request may not be sent now.
    Throttled(RateLimitError),
    /// Another process holds the lock at this moment.
    Locked,
}

/// The reason why the file was not changed.
enum Unchanged {
    Locked,
    Unusable,
}

impl SharedBudget {
    /// Returns the budget for an API key and a service, with the clocks of this machine; None without a folder for it.
    pub(crate) fn open(api_key: &[u8], service: &str) -> Option<Arc<Self>> {
        let Some(folder) = folder::folder() else {
            warn_once(counted_alone(&format!("no home folder was found; set HOME or {STATE_FOLDER_VARIABLE}")));
            return None;
        };
        let budget = Self::in_folder(folder, api_key, service, Box::new(SystemClock::new()));
        folder::delete_unused_once(&budget.folder, budget.clock.read());
        Some(Arc::new(budget))
    }

    /// Returns the budget with files in a folder, which need not exist.
    pub(crate) fn in_folder(folder: PathBuf, api_key: &[u8], service: &str, clock: Box<dyn Clock>) -> Self {
        Self {
            requests: folder::requests_file(&folder, api_key, service),
            bans: folder::bans_file(&folder, service),
            folder,
            clock,
            process: ProcessIdentity::current(),
            next_number: AtomicU64::new(0),
            condition: Mutex::default(),
        }
    }

    /// Returns the path of the file with the requests and the rejection of the API key.
    pub(crate) fn requests_path(&self) -> &Path {
        self.requests.path()
    }

    /// Returns the path of the file with the ban.
    pub(crate) fn bans_path(&self) -> &Path {
        self.bans.path()
    }

    /// Returns the budget as another process has it, whose end nobody can observe.
    #[cfg(test)]
    pub(crate) fn of_process(mut self, number: u64) -> Arc<Self> {
        self.process.namespace = u64::MAX - number;
        Arc::new(self)
    }

    /// Starts a request. With a place, a request that has to wait is put into the queue of all processes.
    pub(crate) fn start(
        self: &Arc<Self>,
        limit: RateLimit,
        mut place: Option<&mut FileQueueEntry>,
    ) -> Result<SharedPermit, StartError> {
        let request = self.new_holder();
        let queued = place.as_ref().map(|place| place.holder);
        let started = self.update(|state, now| {
            let mut started = state.start(now, limit, request, queued, LEASE);
            if matches!(started, Err(RateLimitError::LimitReached(_))) {
                state.settle(now, self.has_ended());
                started = state.start(now, limit, request, queued, LEASE);
            }
            if let (Err(RateLimitError::LimitReached(_)), Some(queued)) = (&started, queued) {
                state.wait_in_queue(now, limit, queued);
            }
            (started, started.is_ok() || queued.is_some())
        });
        if let (Ok(started), Some(place)) = (&started, &mut place) {
            place.is_queued = started.is_err();
        }
        let permit = |is_stored| SharedPermit { budget: Arc::clone(self), request, is_stored, started: Instant::now() };
        match started {
            Ok(Ok(())) => Ok(permit(true)),
            Ok(Err(error)) => Err(StartError::Throttled(error)),
            Err(Unchanged::Locked) => Err(StartError::Locked),
            Err(Unchanged::Unusable) => Ok(permit(false)),
        }
    }

    /// Returns a place in the queue of all processes. It is taken when a request has to wait.
    pub(crate) fn place(self: &Arc<Self>) -> FileQueueEntry {
        FileQueueEntry { budget: Arc::clone(self), holder: self.new_holder(), is_queued: false }
    }

    /// Returns an error if no request can be sent for at least this long, however those in flight end.
    pub(crate) fn check_wait(&self, limit: RateLimit, longest: Duration) -> Result<(), RateLimitError> {
        let error = self.read_requests().and_then(|(state, now)| state.free_at_soonest(now, limit));
        match error {
            Some(RateLimitError::LimitReached(wait) | RateLimitError::KeyRejected(wait)) if wait < longest => Ok(()),
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Returns how much of a limit is left; None if the file can't be read.
    pub(crate) fn budget(&self, limit: RateLimit) -> Option<Budget> {
        let (mut state, now) = self.read_requests()?;
        state.settle(now, self.has_ended());
        Some(state.budget(now, limit))
    }

    /// Notes that the service rejects the API key for this long, now or with the next change.
    pub(crate) fn reject_key(&self, wait: Duration) {
        let until = Some(self.clock.read().now + wait);
        let mut condition = locked(&self.condition);
        condition.unstored_rejection = condition.unstored_rejection.max(until);
        drop(condition);
        // If the file is locked, the rejection is kept for the next change, and this process waits in any case.
        let _ = self.update_within(LONG_PATIENCE, |_, _| ((), false));
    }

    /// Stores what could not be stored when it was noticed.
    fn store_missed(&self) {
        let condition = locked(&self.condition);
        let has_missed = condition.unstored_rejection.is_some() || !condition.unstored.is_empty();
        drop(condition);
        if has_missed {
            let _ = self.update(|_, _| ((), false));
        } else {
            self.store_missed_ban();
        }
    }

    fn store_missed_ban(&self) {
        let has_missed = locked(&self.condition).unstored_ban.is_some();
        if has_missed {
            self.update_ban(PATIENCE, |known, _| known);
        }
    }

    /// Returns the time that the stored ban still lasts, and its assumed duration; None if none is stored.
    pub(crate) fn ban(&self) -> Option<(Duration, Option<Duration>)> {
        self.store_missed();
        let reading = self.clock.read();
        let decoded = match self.bans.read() {
            Ok(Contents::Empty) => return None,
            Ok(Contents::Valid(bytes)) => SharedBan::decode_adjusted(&bytes, reading),
            Ok(Contents::Invalid | Contents::Newer) | Err(_) => None,
        };
        // A file that can't be read is replaced or left as it is, with a warning.
        if decoded.is_none_or(|(_, is_adjusted)| is_adjusted) {
            self.update_ban(PATIENCE, |known, _| known);
        }
        let (ban, _) = decoded?;
        Some((ban.until?.since(reading.now), ban.guess))
    }

    /// Stores a ban, now or with the next change. It may last for days, so it is also written to the disk.
    pub(crate) fn store_ban(&self, left: Duration, guess: Option<Duration>) {
        let ban = SharedBan { until: Some(self.clock.read().now + left), guess };
        locked(&self.condition).add_ban(ban);
        self.update_ban(LONG_PATIENCE, |known, _| known);
    }

    /// Deletes the stored ban, which is over.
    pub(crate) fn forget_ban(&self) {
        self.update_ban(PATIENCE, |known, now| if known.until > Some(now) { known } else { SharedBan::default() });
    }

    /// Changes the ban in the file, after one that is not in the file yet is added to it.
    fn update_ban(&self, patience: Duration, change: impl Fn(SharedBan, ClockTime) -> SharedBan) {
        let unstored = locked(&self.condition).unstored_ban.take();
        let changed = self.change_file(SharedFile::Bans, patience, |contents| {
            let reading = self.clock.read();
            let known = match contents {
                Contents::Valid(bytes) => SharedBan::decode(bytes, reading),
                Contents::Empty => Some(SharedBan::default()),
                Contents::Invalid | Contents::Newer => None,
            };
            let known = known.unwrap_or_else(|| replaced(&self.bans, "a ban in it is not known any more"));
            let known = unstored.map_or(known, |unstored| known.merged(unstored));
            Some(change(known, reading.now).encode(reading))
        });
        match (changed, unstored) {
            (Ok(()), Some(_)) => {
                // Without it, only a failure of the power would lose the ban.
                let _ = self.bans.sync();
            }
            (Err(_), Some(unstored)) => locked(&self.condition).add_ban(unstored),
            (_, None) => {}
        }
    }

    /// Changes the requests in the file, first with what is not in the file yet. The change returns false to store nothing.
    fn update<T>(&self, change: impl FnOnce(&mut SharedState, ClockTime) -> (T, bool)) -> Result<T, Unchanged> {
        self.update_within(PATIENCE, change)
    }

    /// Changes the requests like `update`, and waits for the lock at most for `patience`.
    fn update_within<T>(
        &self,
        patience: Duration,
        change: impl FnOnce(&mut SharedState, ClockTime) -> (T, bool),
    ) -> Result<T, Unchanged> {
        self.store_missed_ban();
        let mut condition = locked(&self.condition);
        let mut unstored = std::mem::take(&mut condition.unstored);
        let rejection = condition.unstored_rejection.take();
        drop(condition);
        let (mut change, mut result) = (Some(change), None);
        let changed = self.change_file(SharedFile::Requests, patience, |contents| {
            let change = change.take()?;
            let reading = self.clock.read();
            let decoded = match contents {
                Contents::Valid(bytes) => SharedState::decode_adjusted(bytes, reading),
                Contents::Empty => Some(Default::default()),
                Contents::Invalid | Contents::Newer => None,
            };
            let forgotten = "requests of other processes before it do not count";
            let (mut state, is_adjusted) = decoded.unwrap_or_else(|| (replaced(&self.requests, forgotten), false));
            state.settle(reading.now, |_| false);
            let had_unstored = !unstored.is_empty() || rejection.is_some();
            if let Some(until) = rejection {
                state.reject_key(until);
            }
            for (request, arrival) in &unstored {
                state.end(*request, *arrival);
            }
            let (value, is_changed) = change(&mut state, reading.now);
            result = Some(value);
            (is_changed || is_adjusted || had_unstored).then(|| state.encode(reading))
        });
        if changed.is_err() {
            let mut condition = locked(&self.condition);
            condition.unstored.append(&mut unstored);
            condition.unstored_rejection = condition.unstored_rejection.max(rejection);
        }
        match (changed, result) {
            (Ok(()), Some(value)) => Ok(value),
            (Err(error), _) => Err(error),
            (Ok(()), None) => Err(Unchanged::Unusable),
        }
    }

    /// Changes a file, and creates its folder if needed. After an error, the file is not used for a while.
    fn change_file(
        &self,
        shared_file: SharedFile,
        patience: Duration,
        mut change: impl FnMut(&Contents) -> Option<Vec<u8>>,
    ) -> Result<(), Unchanged> {
        let began = Instant::now();
        let mut condition = locked(&self.condition);
        let condition_before = condition.of(shared_file);
        if condition_before.unusable_until.is_some_and(|until| until > began) {
            return Err(Unchanged::Unusable);
        }
        let patience = condition_before.patience(patience);
        drop(condition);
        let file = match shared_file {
            SharedFile::Requests => &self.requests,
            SharedFile::Bans => &self.bans,
        };
        let mut changed = file.update(patience, &mut change);
        if matches!(&changed, Err(UpdateError::Io(error)) if error.kind() == ErrorKind::NotFound) {
            changed = files::create_private_folder(&self.folder).map_err(UpdateError::Io);
            changed = changed.and_then(|()| file.update(patience, &mut change));
        }
        let mut condition = locked(&self.condition);
        let condition = condition.of(shared_file);
        let why = match changed {
            Ok(()) => {
                condition.contention = None;
                return Ok(());
            }
            Err(UpdateError::Locked) => {
                if condition.note_locked(began, patience) < LOCK_TIMEOUT {
                    return Err(Unchanged::Locked);
                }
                format!("{}: a process that does not run holds its lock; end the process", shown_file(file.path()))
            }
            Err(UpdateError::Io(error)) => self.unusable(file.path(), &error),
        };
        condition.contention = None;
        condition.unusable_until = Some(Instant::now() + RETRY_AFTER);
        warn_once(counted_alone(&why));
        Err(Unchanged::Unusable)
    }

    /// Returns why a file can't be used, and what to do.
    fn unusable(&self, file: &Path, error: &Error) -> String {
        if error.kind() == ErrorKind::Unsupported {
            return format!("{}: {error}; update botdesk for this program", shown_file(file));
        }
        let (place, what, advice) = if file.symlink_metadata().is_ok() {
            (file, "it can't be used", "delete it")
        } else {
            (self.folder.as_path(), "a file there can't be written", "make the folder writable")
        };
        format!("{}: {what} ({error}); {advice}, or set {STATE_FOLDER_VARIABLE} to another folder", shown_file(place))
    }

    /// Reads the requests without a lock; None if the file can't be read, or is in use at this moment.
    fn read_requests(&self) -> Option<(SharedState, ClockTime)> {
        let Contents::Valid(bytes) = self.requests.read().ok()? else { return None };
        let reading = self.clock.read();
        let (state, is_adjusted) = SharedState::decode_adjusted(&bytes, reading)?;
        if is_adjusted {
            // If it fails, the next reading tries it again.
            let _ = self.update(|_, _| ((), false));
        }
        Some((state, reading.now))
    }

    /// Returns a function that finds out if a process has ended. It looks at each process once.
    fn has_ended(&self) -> impl Fn(&ProcessIdentity) -> bool {
        let known = RefCell::new(vec![(self.process, false)]);
        move |process| {
            let found = known.borrow().iter().find(|(other, _)| other == process).map(|(_, has_ended)| *has_ended);
            found.unwrap_or_else(|| {
                let has_ended = process.has_ended(&self.process);
                known.borrow_mut().push((*process, has_ended));
                has_ended
            })
        }
    }

    fn new_holder(&self) -> Holder {
        Holder { process: self.process, number: self.next_number.fetch_add(1, Ordering::Relaxed) }
    }

    /// Stores the end of a request, now or with the next change.
    fn end(&self, request: Holder, arrival: Option<ClockTime>) {
        let mut condition = locked(&self.condition);
        condition.unstored.push((request, arrival));
        let excess = condition.unstored.len().saturating_sub(MAX_UNSTORED);
        condition.unstored.drain(..excess);
        drop(condition);
        // If the file stays locked, the next change stores it; until then, the request counts as in flight.
        let _ = self.update_within(LONG_PATIENCE, |_, _| ((), true));
    }

    /// Returns true if this process is a forked child of the one that opened the budget.
    fn is_of_parent(&self) -> bool {
        self.process.pid != std::process::id()
    }
}

impl std::fmt::Debug for SharedBudget {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SharedBudget").field("requests", &self.requests).finish_non_exhaustive()
    }
}

/// A request in the file, until it ends.
#[derive(Debug)]
pub(crate) struct SharedPermit {
    budget: Arc<SharedBudget>,
    request: Holder,
    /// False if the file was unusable when the request started.
    is_stored: bool,
    started: Instant,
}

impl SharedPermit {
    /// Prolongs the lease if it could end before the request, which will be sent now.
    pub(crate) fn prolong(&self, timeout: Duration) {
        if self.is_stored && self.started.elapsed() + timeout > LEASE {
            // If the file is locked, the lease ends early, and the request then counts as one that may arrive later.
            let _ = self.budget.update(|state, now| (state.prolong(now, self.request, timeout), true));
        }
    }

    /// Ends the request; `arrives_within` is the time within which it has arrived from now on, None if it was not sent.
    pub(crate) fn end(self, arrives_within: Option<Duration>) {
        // A forked child has copies of its parent's requests.
        if self.budget.is_of_parent() || (!self.is_stored && arrives_within.is_none()) {
            return;
        }
        let now = self.budget.clock.read().now;
        self.budget.end(self.request, arrives_within.map(|after| now + after));
    }
}

/// A place in the queue of all processes, given up when this is dropped.
#[derive(Debug)]
pub(crate) struct FileQueueEntry {
    budget: Arc<SharedBudget>,
    holder: Holder,
    is_queued: bool,
}

impl Drop for FileQueueEntry {
    fn drop(&mut self) {
        if self.is_queued && !self.budget.is_of_parent() {
            // If the file is locked, the place is lost after some seconds.
            let _ = self.budget.update(|state, _| (state.leave_queue(self.holder), true));
        }
    }
}

/// Returns the path of a shared file or of its folder. The names of the files are digests, which `shown_path` may take for keys.
fn shown_file(path: &Path) -> String {
    shown_message(&path.to_string_lossy())
}

/// Warns that a file is replaced, and what is forgotten, and returns what is known after it.
fn replaced<T: Default>(file: &SlotFile, forgotten: &str) -> T {
    let path = shown_file(file.path());
    warn_once(format!("{path} was damaged or is of another program; it is replaced, and {forgotten}"));
    T::default()
}

/// Returns the warning that requests are counted in this process alone.
fn counted_alone(why: &str) -> String {
    format!("the rate limit is not shared with other processes: {why}; requests of this process still count")
}

#[cfg(test)]
mod tests;
