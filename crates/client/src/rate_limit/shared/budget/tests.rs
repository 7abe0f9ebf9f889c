//! Tests of the shared budget, with files in a temporary folder. Two budgets stand for two processes.

use std::fs;
use std::path::Path;

use super::*;
use crate::warnings::warnings_about;
use botdesk_system::clock::ClockReading;

const LIMIT: RateLimit = RateLimit { requests: 2, per: Duration::from_secs(60) };
const SERVICE: &str = "https://host.example";

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[derive(Clone)]
struct ManualClock(Arc<Mutex<ClockReading>>);

impl ManualClock {
    fn new() -> Self {
        let now = ClockTime(1_000_000_000_000);
        Self(Arc::new(Mutex::new(ClockReading { boot: 1, now, system: now })))
    }

    fn advance(&self, by: Duration) {
        let mut reading = locked(&self.0);
        (reading.now, reading.system) = (reading.now + by, reading.system + by);
    }
}

impl Clock for ManualClock {
    fn read(&self) -> ClockReading {
        *locked(&self.0)
    }
}

struct Machine {
    folder: tempfile::TempDir,
    clock: ManualClock,
}

impl Machine {
    /// Moves a file to another place, and puts a link to it in its place.
    #[cfg(unix)]
    fn replace_by_link(&self, path: &Path) {
        let elsewhere = self.folder.path().join("elsewhere");
        fs::rename(path, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, path).unwrap();
    }

    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock: ManualClock::new() }
    }

    /// Starts a process, whose namespace nobody can observe.
    fn process(&self, number: u64) -> Arc<SharedBudget> {
        self.process_in(&self.folder.path().join("limits"), number)
    }

    fn process_in(&self, folder: &Path, number: u64) -> Arc<SharedBudget> {
        SharedBudget::in_folder(folder.to_owned(), b"key", SERVICE, Box::new(self.clock.clone())).of_process(number)
    }

    /// Returns the number of warnings about the folder.
    fn warnings(&self) -> usize {
        warnings_about(&self.folder.path().display().to_string())
    }
}

fn send(process: &Arc<SharedBudget>) -> Result<(), StartError> {
    process.start(LIMIT, None).map(|permit| permit.end(Some(Duration::ZERO)))
}

fn reached(wait: u64) -> Result<(), StartError> {
    Err(StartError::Throttled(RateLimitError::LimitReached(seconds(wait))))
}

fn used(process: &Arc<SharedBudget>) -> u32 {
    process.budget(LIMIT).unwrap().used
}

#[test]
fn processes_share_the_limit() {
    let machine = Machine::new();
    let [one, other] = [1, 2].map(|number| machine.process(number));
    assert_eq!(one.budget(LIMIT), None);
    assert_eq!((send(&one), send(&other)), (Ok(()), Ok(())));
    assert_eq!((used(&one), used(&other)), (2, 2));
    assert_eq!((send(&one), send(&other)), (reached(60), reached(60)));
    machine.clock.advance(seconds(60));
    assert_eq!(send(&other), Ok(()));
    assert_eq!(machine.warnings(), 0);
}

#[test]
fn requests_in_flight_count_until_they_end() {
    let machine = Machine::new();
    let [one, other] = [1, 2].map(|number| machine.process(number));
    let permits = [(); 2].map(|()| one.start(LIMIT, None).unwrap());
    assert_eq!(send(&other), reached(60));
    let [unsent, abandoned] = permits;
    unsent.end(None);
    assert_eq!(used(&other), 1);
    abandoned.end(Some(seconds(30)));
    machine.clock.advance(seconds(89));
    assert_eq!(used(&other), 1);
    machine.clock.advance(seconds(1));
    assert_eq!(used(&other), 0);
}

#[test]
fn an_attempt_with_a_long_timeout_counts_for_as_long() {
    let machine = Machine::new();
    let [one, other] = [1, 2].map(|number| machine.process(number));
    let [short, long] = [(); 2].map(|()| one.start(LIMIT, None).unwrap());
    short.prolong(seconds(10));
    long.prolong(seconds(1_000));
    machine.clock.advance(seconds(999));
    assert_eq!(used(&other), 1);
    drop((short, long));
}

#[test]
fn a_place_in_the_queue_is_kept_until_it_is_dropped() {
    let machine = Machine::new();
    let [one, first, next] = [1, 2, 3].map(|number| machine.process(number));
    let permits = [(); 2].map(|()| one.start(LIMIT, None).unwrap());
    let mut places = [first.place(), next.place()];
    for (process, place) in [&first, &next].into_iter().zip(&mut places) {
        assert!(process.start(LIMIT, Some(place)).is_err());
    }
    permits.into_iter().next().unwrap().end(None);
    let [first_place, mut next_place] = places;
    assert_eq!(next.start(LIMIT, Some(&mut next_place)).err(), reached(60).err());
    drop(first_place);
    next.start(LIMIT, Some(&mut next_place)).unwrap().end(None);
    assert!(!next_place.is_queued);
}

#[test]
fn a_new_process_does_not_walk_into_a_ban() {
    let machine = Machine::new();
    let [one, other] = [1, 2].map(|number| machine.process(number));
    assert_eq!(other.ban(), None);
    one.store_ban(seconds(900), Some(seconds(240)));
    one.store_ban(seconds(100), None);
    assert_eq!(other.ban(), Some((seconds(900), Some(seconds(240)))));
    // A response to an earlier request does not end it.
    one.forget_ban();
    machine.clock.advance(seconds(1_000));
    assert_eq!(other.ban(), Some((Duration::ZERO, Some(seconds(240)))));
    one.forget_ban();
    assert_eq!(other.ban(), None);
}

#[test]
fn a_ban_outlasts_a_restart_of_the_machine() {
    let machine = Machine::new();
    machine.process(1).store_ban(seconds(86_400), None);
    let system = machine.clock.read().system + seconds(3_600);
    *locked(&machine.clock.0) = ClockReading { boot: 2, now: ClockTime(5), system };
    assert_eq!(machine.process(2).ban(), Some((seconds(82_800), None)));
}

/// Restarts the machine, and sets its system time back.
fn restart_in_the_past(clock: &ManualClock) {
    let mut reading = locked(&clock.0);
    *reading = ClockReading { boot: 2, now: ClockTime(5), system: ClockTime(reading.system.0 / 2) };
}

#[test]
fn a_ban_ends_after_a_restart_with_the_clock_set_back() {
    let machine = Machine::new();
    machine.process(1).store_ban(seconds(900), None);
    restart_in_the_past(&machine.clock);
    let process = machine.process(2);
    assert_eq!(process.ban(), Some((seconds(900), None)));
    machine.clock.advance(seconds(300));
    assert_eq!((process.ban(), machine.process(3).ban()), (Some((seconds(600), None)), Some((seconds(600), None))));
    machine.clock.advance(seconds(600));
    assert_eq!(process.ban(), Some((Duration::ZERO, None)));
}

#[test]
fn a_rejection_ends_after_a_restart_with_the_clock_set_back() {
    let machine = Machine::new();
    machine.process(1).reject_key(seconds(300));
    restart_in_the_past(&machine.clock);
    let process = machine.process(2);
    // A caller with a deadline only reads the file.
    let wait = |left| Err(RateLimitError::KeyRejected(seconds(left)));
    assert_eq!(process.check_wait(LIMIT, seconds(1)), wait(300));
    machine.clock.advance(seconds(200));
    assert_eq!(process.check_wait(LIMIT, seconds(1)), wait(100));
    machine.clock.advance(seconds(100));
    assert_eq!((process.check_wait(LIMIT, seconds(1)), send(&process)), (Ok(()), Ok(())));
}

#[test]
fn an_end_in_the_far_future_is_lowered_once() {
    let machine = Machine::new();
    let process = machine.process(1);
    let far = ClockTime(i64::MAX);
    process.update_ban(PATIENCE, |_, _| SharedBan { until: Some(far), guess: None });
    assert!(process.update(|state, _| (state.reject_key(far), true)).is_ok());
    let longest = crate::rate_limit::bans::MAX_BAN;
    assert_eq!(process.ban(), Some((longest, None)));
    assert_eq!(process.check_wait(LIMIT, seconds(1)), Err(RateLimitError::KeyRejected(longest)));
    machine.clock.advance(longest);
    assert_eq!((process.ban(), send(&process)), (Some((Duration::ZERO, None)), Ok(())));
}

#[test]
fn a_file_of_the_same_clock_is_not_written_by_a_reading() {
    let machine = Machine::new();
    let process = machine.process(1);
    send(&process).unwrap();
    process.store_ban(seconds(900), None);
    let files = || [&process.requests, &process.bans].map(|file| fs::read(file.path()).unwrap());
    let before = files();
    machine.clock.advance(seconds(1));
    assert_eq!((process.ban(), used(&process)), (Some((seconds(899), None)), 1));
    assert!(files() == before);
}

#[test]
fn a_ban_concerns_all_keys_and_a_rejection_one() {
    let machine = Machine::new();
    let folder = machine.folder.path().join("limits");
    let one = machine.process(1);
    let budget =
        |key, service| Arc::new(SharedBudget::in_folder(folder.clone(), key, service, Box::new(machine.clock.clone())));
    let [same, other_key] = [b"key".as_slice(), b"other"].map(|key| budget(key, SERVICE));
    one.store_ban(seconds(900), None);
    one.reject_key(seconds(300));
    assert_eq!((same.ban(), other_key.ban()), (Some((seconds(900), None)), Some((seconds(900), None))));
    let rejected = StartError::Throttled(RateLimitError::KeyRejected(seconds(300)));
    assert_eq!((send(&same), send(&other_key)), (Err(rejected), Ok(())));
    let elsewhere = budget(b"key", "https://elsewhere.example");
    assert_eq!((elsewhere.ban(), send(&elsewhere)), (None, Ok(())));
}

#[test]
fn a_wait_that_is_too_long_is_reported() {
    let machine = Machine::new();
    let [one, other] = [1, 2].map(|number| machine.process(number));
    assert_eq!(other.check_wait(LIMIT, seconds(1)), Ok(()));
    let in_flight = one.start(LIMIT, None).unwrap();
    send(&one).unwrap();
    // The request in flight may not be sent.
    assert_eq!(other.check_wait(LIMIT, seconds(1)), Ok(()));
    in_flight.end(Some(Duration::ZERO));
    assert_eq!(other.check_wait(LIMIT, seconds(61)), Ok(()));
    assert_eq!(other.check_wait(LIMIT, seconds(60)), Err(RateLimitError::LimitReached(seconds(60))));
    one.reject_key(seconds(300));
    assert_eq!(other.check_wait(LIMIT, seconds(60)), Err(RateLimitError::KeyRejected(seconds(300))));
}

#[test]
fn a_damaged_file_is_replaced_with_a_warning() {
    let machine = Machine::new();
    let process = machine.process(1);
    send(&process).unwrap();
    for contents in [b"text".to_vec(), vec![0; 200_000]] {
        fs::write(process.requests.path(), contents).unwrap();
        assert_eq!(send(&process), Ok(()));
        assert_eq!(used(&process), 1);
    }
    fs::write(process.bans.path(), "text").unwrap();
    process.store_ban(seconds(900), None);
    assert_eq!(process.ban(), Some((seconds(900), None)));
    assert_eq!(machine.warnings(), 2);
}

#[test]
fn a_damaged_file_with_a_ban_is_replaced_with_a_warning_by_a_reading() {
    let machine = Machine::new();
    let process = machine.process(1);
    process.store_ban(seconds(900), None);
    fs::write(process.bans.path(), "text").unwrap();
    assert_eq!(process.ban(), None);
    assert_eq!(warnings_about(&process.bans.path().display().to_string()), 1);
    assert!(matches!(process.bans.read(), Ok(Contents::Valid(_))));
}

#[cfg(unix)]
#[test]
fn a_warning_names_the_file_of_any_key() {
    for number in 0..50 {
        let file = folder::requests_file(Path::new("/state"), format!("key {number}").as_bytes(), "service");
        assert_eq!(shown_file(file.path()), file.path().display().to_string());
    }
}

#[test]
fn a_file_that_can_not_be_used_is_named_in_the_warning() {
    let machine = Machine::new();
    let process = machine.process(1);
    send(&process).unwrap();
    let path = process.requests.path();
    machine.replace_by_link(path);
    assert_eq!(send(&process), Ok(()));
    assert_eq!(warnings_about(&format!("{}: it can't be used", path.display())), 1);
}

#[cfg(unix)]
#[test]
fn a_ban_that_can_not_be_read_is_not_ignored_silently() {
    let machine = Machine::new();
    let process = machine.process(1);
    process.store_ban(seconds(900), None);
    let path = process.bans.path();
    machine.replace_by_link(path);
    assert_eq!([(); 2].map(|()| process.ban()), [None; 2]);
    assert_eq!(warnings_about(&format!("{}: it can't be used", path.display())), 1);
}

#[test]
fn without_a_usable_folder_nothing_is_shared_and_nothing_fails() {
    let machine = Machine::new();
    let file = machine.folder.path().join("file");
    fs::write(&file, "text").unwrap();
    let process = machine.process_in(&file.join("limits"), 1);
    for _ in 0..5 {
        assert_eq!(send(&process), Ok(()));
    }
    process.reject_key(seconds(1));
    process.store_ban(seconds(1), None);
    assert_eq!((process.budget(LIMIT), process.ban()), (None, None));
    assert_eq!(machine.warnings(), 1);
}

#[test]
fn requests_that_the_file_has_missed_are_stored_later() {
    let machine = Machine::new();
    let [one, other] = [1, 2].map(|number| machine.process(number));
    send(&one).unwrap();
    locked(&one.condition).requests.unusable_until = Some(Instant::now() + seconds(3_600));
    for _ in 0..3 {
        assert_eq!(send(&one), Ok(()));
    }
    assert_eq!(used(&other), 1);
    locked(&one.condition).requests.unusable_until = None;
    assert_eq!(send(&one), reached(60));
    assert_eq!(used(&other), 4);
}

/// Returns a contention that goes on, however slow this machine is.
fn without_a_break(held: Duration) -> Contention {
    Contention { held, last_try: Instant::now() + seconds(3_600) }
}

/// Locks the file, which another process may hold for a moment.
fn hold(file: &SlotFile) -> fs::File {
    let holder = fs::File::open(file.path()).unwrap();
    holder.lock().unwrap();
    holder
}

#[test]
fn the_end_of_the_last_request_outlasts_a_short_contention() {
    let machine = Machine::new();
    let [idle, other] = [1, 2].map(|number| machine.process(number));
    let permit = idle.start(LIMIT, None).unwrap();
    let holder = hold(&idle.requests);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(5 * PATIENCE);
            holder.unlock().unwrap();
        });
        permit.end(None);
    });
    assert_eq!(used(&other), 0);
}

#[test]
fn a_lock_that_is_held_for_longer_is_waited_for_once() {
    let now = Instant::now();
    let mut condition = FileCondition::default();
    assert_eq!(condition.patience(LONG_PATIENCE), LONG_PATIENCE);
    condition.contention = Some(without_a_break(LONG_PATIENCE));
    assert_eq!((condition.patience(LONG_PATIENCE), condition.patience(Duration::ZERO)), (PATIENCE, Duration::ZERO));
    let long_ago = now.checked_sub(2 * CONTENTION_GAP).unwrap();
    condition.contention = Some(Contention { held: LONG_PATIENCE, last_try: long_ago });
    assert_eq!(condition.patience(LONG_PATIENCE), LONG_PATIENCE);
}

#[test]
fn a_rejection_that_meets_a_locked_file_is_stored_later() {
    let machine = Machine::new();
    let [one, other] = [1, 2].map(|number| machine.process(number));
    send(&one).unwrap();
    let holder = hold(&one.requests);
    one.reject_key(seconds(300));
    one.reject_key(seconds(100));
    holder.unlock().unwrap();
    assert_eq!(send(&other), Ok(()));
    machine.clock.advance(seconds(10));
    // A process whose key is rejected only looks for a ban.
    assert_eq!(one.ban(), None);
    let rejected = StartError::Throttled(RateLimitError::KeyRejected(seconds(290)));
    assert_eq!((send(&other), send(&one)), (Err(rejected), Err(rejected)));
}

#[test]
fn a_ban_that_meets_a_locked_file_is_stored_later() {
    let machine = Machine::new();
    let [one, other] = [1, 2].map(|number| machine.process(number));
    one.store_ban(seconds(100), None);
    let holder = hold(&one.bans);
    one.store_ban(seconds(900), Some(seconds(240)));
    one.store_ban(seconds(500), None);
    assert_eq!(one.ban(), Some((seconds(100), None)));
    holder.unlock().unwrap();
    machine.clock.advance(seconds(10));
    send(&one).unwrap();
    assert_eq!(other.ban(), Some((seconds(890), Some(seconds(240)))));
    assert!(locked(&one.condition).unstored_ban.is_none());
}

#[test]
fn a_ban_and_a_rejection_are_stored_when_the_files_are_usable_again() {
    let machine = Machine::new();
    let [one, other] = [1, 2].map(|number| machine.process(number));
    let set_unusable = |until: Option<Instant>| {
        let mut condition = locked(&one.condition);
        (condition.requests.unusable_until, condition.bans.unusable_until) = (until, until);
    };
    set_unusable(Some(Instant::now() + seconds(3_600)));
    one.store_ban(seconds(900), None);
    one.reject_key(seconds(300));
    assert_eq!((other.ban(), send(&other)), (None, Ok(())));
    set_unusable(None);
    assert_eq!(one.ban(), Some((seconds(900), None)));
    let rejected = StartError::Throttled(RateLimitError::KeyRejected(seconds(300)));
    assert_eq!((other.ban(), send(&other)), (Some((seconds(900), None)), Err(rejected)));
}

#[test]
fn a_lock_that_is_held_for_long_is_not_waited_for() {
    let machine = Machine::new();
    let [one, other] = [1, 2].map(|number| machine.process(number));
    send(&one).unwrap();
    let holder = fs::File::open(one.requests.path()).unwrap();
    holder.lock().unwrap();
    assert_eq!(send(&other), Err(StartError::Locked));
    // Reading needs no lock.
    assert_eq!(used(&other), 1);
    let contention = without_a_break(LOCK_TIMEOUT);
    locked(&other.condition).requests.contention = Some(contention);
    assert_eq!(send(&other), Ok(()));
    assert!(locked(&other.condition).requests.unusable_until.is_some());
    assert_eq!(machine.warnings(), 1);
    holder.unlock().unwrap();
    locked(&other.condition).requests.unusable_until = None;
    assert_eq!(send(&other), reached(60));
    assert_eq!(used(&one), 2);
}

#[test]
fn the_time_in_which_this_process_was_stopped_is_not_counted() {
    let mut condition = FileCondition::default();
    let began = Instant::now().checked_sub(2 * LOCK_TIMEOUT).unwrap();
    assert_eq!(condition.note_locked(began, LONG_PATIENCE), LONG_PATIENCE);
    let seen = LONG_PATIENCE + PATIENCE;
    assert_eq!(condition.note_locked(began + LOCK_TIMEOUT, PATIENCE), seen);
    assert_eq!(condition.note_locked(began + LOCK_TIMEOUT + CONTENTION_GAP, PATIENCE), seen + CONTENTION_GAP);
}

#[test]
fn a_stopped_process_is_found_out_by_one_that_seldom_has_a_core() {
    let mut condition = FileCondition::default();
    let began = Instant::now().checked_sub(seconds(3_600)).unwrap();
    let tries = (0..1_000).map(|number| condition.note_locked(began + number * 2 * CONTENTION_GAP, PATIENCE));
    assert!(tries.into_iter().any(|held| held >= LOCK_TIMEOUT));
}

#[test]
fn two_short_contentions_are_not_taken_for_a_stopped_process() {
    let machine = Machine::new();
    let process = machine.process(1);
    send(&process).unwrap();
    let last_try = Instant::now().checked_sub(2 * LOCK_TIMEOUT).unwrap();
    locked(&process.condition).requests.contention = Some(Contention { held: LONG_PATIENCE, last_try });
    let holder = fs::File::open(process.requests.path()).unwrap();
    holder.lock().unwrap();
    assert_eq!(send(&process), Err(StartError::Locked));
    holder.unlock().unwrap();
    assert_eq!(send(&process), Ok(()));
    assert_eq!((used(&process), machine.warnings()), (2, 0));
}

#[test]
fn a_contention_of_one_file_does_not_concern_the_other() {
    let machine = Machine::new();
    let process = machine.process(1);
    send(&process).unwrap();
    process.store_ban(seconds(900), None);
    let contention = without_a_break(LOCK_TIMEOUT);
    locked(&process.condition).requests.contention = Some(contention);
    let holder = fs::File::open(process.bans.path()).unwrap();
    holder.lock().unwrap();
    process.store_ban(seconds(1_000), None);
    assert!(locked(&process.condition).bans.contention.is_some());
    assert!(locked(&process.condition).bans.unusable_until.is_none());
    assert_eq!((send(&process), machine.warnings()), (Ok(()), 0));
    holder.unlock().unwrap();
}

#[test]
fn a_forked_child_ends_no_requests_of_its_parent() {
    let machine = Machine::new();
    let mut parent =
        SharedBudget::in_folder(machine.folder.path().join("limits"), b"key", SERVICE, Box::new(machine.clock.clone()));
    parent.process.namespace = 0;
    parent.process.pid += 1;
    let copied = Arc::new(parent);
    let mut place = copied.place();
    let permits = [(); 2].map(|()| copied.start(LIMIT, None).unwrap());
    assert!(copied.start(LIMIT, Some(&mut place)).is_err());
    for permit in permits {
        permit.end(None);
    }
    drop(place);
    assert_eq!(used(&machine.process(2)), 2);
    assert_eq!(send(&machine.process(2)), reached(60));
}

#[cfg(unix)]
#[test]
fn only_the_user_has_access_to_the_folder_and_the_files() {
    use std::os::unix::fs::PermissionsExt as _;

    let machine = Machine::new();
    let process = machine.process(1);
    send(&process).unwrap();
    process.store_ban(seconds(1), None);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode(&process.folder), mode(process.requests.path()), mode(process.bans.path())),
        (0o700, 0o600, 0o600)
    );
}

#[test]
fn no_file_has_the_key() {
    let machine = Machine::new();
    let folder = machine.folder.path().join("limits");
    let key = b"a-secret-key-of-the-service";
    let budget = Arc::new(SharedBudget::in_folder(folder.clone(), key, SERVICE, Box::new(machine.clock.clone())));
    send(&budget).unwrap();
    budget.store_ban(seconds(1), None);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let contents = [fs::read(&path).unwrap(), path.display().to_string().into_bytes()].concat();
        for secret in [key.as_slice(), SERVICE.as_bytes(), b"host.example"] {
            assert!(!contents.windows(secret.len()).any(|found| found == secret), "{}", path.display());
        }
    }
}

#[test]
fn a_process_deletes_unused_files_once() {
    let machine = Machine::new();
    let process = machine.process(1);
    let path = process.requests.path();
    let delete_later = || {
        send(&process).unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(std::time::SystemTime::now() - seconds(90_000)).unwrap();
        machine.clock.advance(seconds(60));
        folder::delete_unused_once(&process.folder, machine.clock.read());
        !path.exists()
    };
    assert_eq!([(); 2].map(|()| delete_later()), [true, false]);
}

#[test]
fn a_file_that_was_not_used_for_a_day_is_deleted() {
    let machine = Machine::new();
    let process = machine.process(1);
    send(&process).unwrap();
    process.store_ban(seconds(900), None);
    let foreign = process.folder.join("notes.txt");
    fs::write(&foreign, "text").unwrap();
    let delete = || folder::delete_unused(&process.folder, machine.clock.read());
    let exist = || [process.requests.path(), process.bans.path(), &foreign].map(Path::exists);
    delete();
    assert_eq!(exist(), [true; 3]);
    let long_ago = std::time::SystemTime::now() - seconds(90_000);
    for path in [process.requests.path(), process.bans.path(), &foreign] {
        fs::File::options().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
    }
    machine.clock.advance(seconds(60));
    delete();
    assert_eq!(exist(), [false, true, true]);
    machine.clock.advance(seconds(900));
    delete();
    assert_eq!(exist(), [false, false, true]);
}
