//! Tests of rate limiters that share a file, with a paused clock. Each stands for a process.

use botdesk_system::clock::{Clock, ClockReading, ClockTime};
use proptest::prelude::*;
use tokio::task::JoinSet;

use super::*;
use crate::rate_limit::leased::redis_url::RedisUrl;
use crate::warnings::warnings_about;

const LIMIT: RateLimit = RateLimit { requests: 3, per: Duration::from_secs(60) };

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// The paused clock of the runtime.
struct PausedClock(Instant);

impl Clock for PausedClock {
    fn read(&self) -> ClockReading {
        let now = ClockTime(0) + self.0.elapsed();
        ClockReading { boot: 1, now, system: now }
    }
}

struct Machine {
    folder: tempfile::TempDir,
    start: Instant,
}

impl Machine {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), start: Instant::now() }
    }

    fn process(&self, number: u64) -> Arc<ClientLimiter> {
        let folder = self.folder.path().to_owned();
        let shared = SharedBudget::in_folder(folder, b"key", "https://host.example", Box::new(PausedClock(self.start)));
        Arc::new(ClientLimiter {
            limiter: Arc::default(),
            limit: LIMIT,
            shared: SharedCounts { files: Some(shared.of_process(number)), server: None },
        })
    }

    fn processes<const COUNT: usize>(&self) -> [Arc<ClientLimiter>; COUNT] {
        std::array::from_fn(|number| self.process(u64::try_from(number).unwrap()))
    }
}

/// Sends a request whose response comes at once, and returns when it was sent.
async fn send(process: &ClientLimiter) -> Instant {
    let mut permit = process.acquire(None).await.unwrap();
    permit.mark_responded();
    Instant::now()
}

#[tokio::test(start_paused = true)]
async fn all_of_the_limit_is_used_and_no_process_starves() {
    const WINDOWS: u64 = 40;
    let machine = Machine::new();
    let (sender, mut sent) = tokio::sync::mpsc::unbounded_channel();
    let mut callers = JoinSet::new();
    for (number, process) in machine.processes::<8>().into_iter().enumerate() {
        for _ in 0..4 {
            let (process, sender) = (Arc::clone(&process), sender.clone());
            callers.spawn(async move {
                loop {
                    sender.send((send(&process).await, number)).unwrap();
                }
            });
        }
    }
    let mut times = Vec::new();
    let mut by_process = [0_u64; 8];
    while times.len() < usize::try_from(WINDOWS * 3).unwrap() {
        let (time, number) = sent.recv().await.unwrap();
        times.push(time);
        by_process[number] += 1;
    }
    times.sort();
    assert!(times.iter().zip(times.iter().skip(3)).all(|(first, fourth)| *fourth - *first >= LIMIT.per));
    // The timers of tokio are exact to a millisecond.
    let used = (times[times.len() - 1] - times[0]).as_secs_f64();
    let ideal = (LIMIT.per * u32::try_from(WINDOWS - 1).unwrap()).as_secs_f64();
    assert!(used < ideal * 1.001, "{used} s instead of {ideal} s");
    let [fewest, most] = [by_process.iter().min(), by_process.iter().max()].map(|count| *count.unwrap());
    assert!(most - fewest <= 3, "{by_process:?}");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_process_sees_the_ban_of_another() {
    let machine = Machine::new();
    let [one, other] = machine.processes();
    for _ in 0..3 {
        send(&one).await;
    }
    let waiting = tokio::spawn(async move { other.acquire(None).await.err() });
    tokio::time::advance(seconds(2)).await;
    let start = Instant::now();
    one.ban(Some(seconds(900)));
    assert!(matches!(waiting.await.unwrap(), Some(RateLimitError::Banned(wait)) if wait > seconds(890)));
    assert!(start.elapsed() <= seconds(2));
    let new = machine.process(3);
    let left = seconds(900).saturating_sub(start.elapsed());
    assert_eq!(new.acquire_now().await.err(), Some(RateLimitError::Banned(left)));
    assert_eq!(new.budget().resets_in, left);
}

#[tokio::test(start_paused = true)]
async fn bans_of_unknown_duration_double_over_all_processes() {
    let machine = Machine::new();
    for guess in [120, 240, 480] {
        let process = machine.process(guess);
        process.ban(None);
        assert_eq!(process.budget().resets_in, seconds(guess));
        // The response to a request that another process sent before the ban.
        let other = machine.process(guess + 1);
        other.ban(None);
        assert_eq!(other.budget().resets_in, seconds(guess));
        tokio::time::advance(seconds(guess)).await;
    }
    let process = machine.process(1);
    send(&process).await;
    process.confirm_no_ban();
    let next = machine.process(2);
    next.ban(None);
    assert_eq!(next.budget().resets_in, seconds(120));
}

#[tokio::test(start_paused = true)]
async fn a_new_process_waits_while_the_key_is_rejected() {
    let machine = Machine::new();
    let [one, other] = machine.processes();
    one.reject_key(seconds(300));
    assert_eq!(other.acquire_now().await.err(), Some(RateLimitError::KeyRejected(seconds(300))));
    let deadline = Instant::now() + seconds(30);
    assert_eq!(other.acquire(Some(deadline)).await.err(), Some(RateLimitError::KeyRejected(seconds(300))));
    let start = Instant::now();
    send(&other).await;
    assert_eq!(start.elapsed(), seconds(300));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_before_the_next_permit_of_all_processes_is_an_error() {
    let machine = Machine::new();
    let [one, other] = machine.processes();
    assert_eq!(other.check_deadline(Instant::now()), Ok(()));
    for _ in 0..3 {
        send(&one).await;
    }
    for process in [&one, &other] {
        let early = process.check_deadline(Instant::now() + seconds(59));
        assert_eq!(early, Err(RateLimitError::LimitReached(seconds(60))));
        assert_eq!(process.check_deadline(Instant::now() + seconds(61)), Ok(()));
    }
}

#[tokio::test(start_paused = true)]
async fn the_budget_counts_the_requests_of_all_processes() {
    let machine = Machine::new();
    let [one, other] = machine.processes();
    for process in [&one, &other, &other] {
        send(process).await;
        tokio::time::advance(seconds(10)).await;
    }
    for process in [&one, &other] {
        assert_eq!(process.limit(), LIMIT);
        assert_eq!(process.budget(), Budget { used: 3, limit: 3, resets_in: seconds(30) });
    }
}

#[tokio::test(start_paused = true)]
async fn the_budget_counts_at_least_the_requests_of_the_process() {
    let machine = Machine::new();
    let [one, other] = machine.processes();
    for _ in 0..2 {
        send(&one).await;
    }
    // The other process makes a new file, in which only its own request is.
    std::fs::remove_file(one.shared.files.as_ref().unwrap().requests_path()).unwrap();
    send(&other).await;
    assert_eq!(other.budget().used, 1);
    assert_eq!(one.budget().used, 2);
}

#[tokio::test(start_paused = true)]
async fn a_request_with_a_long_timeout_counts_for_others_until_then() {
    let machine = Machine::new();
    let [killed, other] = machine.processes();
    for _ in 0..3 {
        let permit = killed.acquire(None).await.unwrap();
        permit.prolong(seconds(120));
        std::mem::forget(permit);
    }
    // They may arrive 30 seconds after their timeout, and count for 60 seconds from then.
    tokio::time::advance(seconds(209)).await;
    assert_eq!(other.acquire_now().await.err(), Some(RateLimitError::LimitReached(seconds(1))));
    tokio::time::advance(seconds(1)).await;
    send(&other).await;
}

#[tokio::test(start_paused = true)]
async fn a_waiting_process_sees_that_another_frees_a_permit() {
    let machine = Machine::new();
    let [one, other] = machine.processes();
    let unsent = one.acquire(None).await.unwrap();
    let _rest = [one.acquire(None).await.unwrap(), one.acquire(None).await.unwrap()];
    let waiting = tokio::spawn(async move { send(&other).await });
    tokio::time::advance(seconds(5)).await;
    let start = Instant::now();
    drop(unsent);
    assert!(waiting.await.unwrap() - start <= seconds(1));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_caller_leaves_the_queue_of_all_processes() {
    let machine = Machine::new();
    let [one, first, next] = machine.processes();
    for _ in 0..3 {
        send(&one).await;
    }
    let mut ahead = Box::pin(first.acquire(None));
    assert!(tokio::time::timeout(seconds(58), &mut ahead).await.is_err());
    let waiting = tokio::spawn(async move { send(&next).await });
    tokio::time::advance(seconds(1)).await;
    drop(ahead);
    assert_eq!(waiting.await.unwrap() - machine.start, seconds(60));
}

/// A request of the property test: its process, when it starts, how long it takes in milliseconds, how it ends, and when in
/// between, or after, it arrives.
#[derive(Clone, Copy, Debug)]
struct PlannedRequest {
    process: usize,
    after: u64,
    takes: u64,
    outcome: Outcome,
    lateness: f64,
}

#[derive(Clone, Copy, Debug)]
enum Outcome {
    NotSent,
    Abandoned,
    Responded,
}

fn planned() -> impl Strategy<Value = Vec<PlannedRequest>> {
    let outcome =
        prop_oneof![1 => Just(Outcome::NotSent), 2 => Just(Outcome::Abandoned), 6 => Just(Outcome::Responded)];
    let planned = (0..3_usize, 0..20_000_u64, 0..40_000_u64, outcome, 0.0..=1.0);
    let planned = planned.prop_map(|(process, after, takes, outcome, lateness)| PlannedRequest {
        process,
        after,
        takes,
        outcome,
        lateness,
    });
    proptest::collection::vec(planned, 1..40)
}

/// Sends a request, and returns when it arrives at a service that reads late.
async fn arrival(process: Arc<ClientLimiter>, planned: PlannedRequest) -> Option<Instant> {
    tokio::time::sleep(Duration::from_millis(planned.after)).await;
    let mut permit = process.acquire(None).await.unwrap();
    let start = Instant::now();
    permit.prolong(seconds(40));
    permit.mark_sent();
    tokio::time::sleep(Duration::from_millis(planned.takes)).await;
    let at_most = match planned.outcome {
        Outcome::NotSent => {
            permit.mark_not_sent();
            return None;
        }
        Outcome::Abandoned => start.elapsed() + seconds(30),
        Outcome::Responded => {
            permit.mark_responded();
            start.elapsed()
        }
    };
    Some(start + at_most.mul_f64(planned.lateness))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_service_that_reads_late_never_sees_more_requests_of_all_processes(planned in planned()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let arrivals = runtime.block_on(async {
            let machine = Machine::new();
            let processes = machine.processes::<3>();
            let mut requests = JoinSet::new();
            for planned in &planned {
                requests.spawn(arrival(Arc::clone(&processes[planned.process]), *planned));
            }
            requests.join_all().await
        });
        let mut arrivals: Vec<_> = arrivals.into_iter().flatten().collect();
        arrivals.sort();
        prop_assert!(arrivals.iter().zip(arrivals.iter().skip(3)).all(|(first, next)| *next - *first >= LIMIT.per));
    }
}

#[test]
fn the_files_of_a_key_are_opened_once() {
    let machine = Machine::new();
    let files = machine.process(1).shared.files.clone().unwrap();
    let limiter = RateLimiter::default();
    for open in [Some(&files), None] {
        assert!(Arc::ptr_eq(&limiter.shared_files(|| open.cloned()).unwrap(), &files));
    }
}

#[test]
fn only_shared_counts_include_other_processes() {
    let machine = Machine::new();
    assert!(!SharedCounts::default().counts_others());
    assert!(machine.process(1).shared.counts_others());
}

#[test]
fn each_server_of_a_key_is_opened_once() {
    let limiter = RateLimiter::default();
    let [one, other] = ["redis://127.0.0.1:1", "redis://127.0.0.1:2"].map(|url| RedisUrl::parse(url).unwrap());
    let [first, second] = [&one, &other].map(|url| {
        let server = limiter.server(url, || LeasedBudget::open(url, b"key", "https://host.example"));
        assert_eq!(server.as_ref().unwrap().server(), url.to_string());
        server.unwrap()
    });
    assert!(Arc::ptr_eq(&limiter.server(&one, || None).unwrap(), &first));
    assert!(Arc::ptr_eq(&limiter.server(&other, || None).unwrap(), &second));
}

fn is_stored(origin: Option<StoredAt<'_>>) -> bool {
    matches!(origin, Some(StoredAt::File(file)) if file.exists())
}

#[tokio::test(start_paused = true)]
async fn only_an_error_that_another_process_has_stored_has_a_file() {
    let machine = Machine::new();
    let [one, other] = machine.processes();
    one.reject_key(seconds(300));
    for (process, is_learned) in [(&one, false), (&other, true)] {
        let error = process.acquire_now().await.unwrap_err();
        assert!(matches!(error, RateLimitError::KeyRejected(_)));
        assert_eq!(is_stored(process.origin_of(error)), is_learned);
    }
    one.ban(Some(seconds(900)));
    for (process, is_learned) in [(&one, false), (&other, true)] {
        let error = process.acquire_now().await.unwrap_err();
        assert!(matches!(error, RateLimitError::Banned(_)));
        assert_eq!(is_stored(process.origin_of(error)), is_learned);
        assert!(process.origin_of(RateLimitError::LimitReached(seconds(1))).is_none());
    }
}

/// Returns the rate limiter of a process that shares nothing, for a service with this name, which no other test may use.
fn alone(name: &str, requests: u32) -> ClientLimiter {
    let option = RateLimitOption { limit: RateLimit { requests, ..LIMIT }, sharing: Sharing::Process };
    ClientLimiter::new(b"key", &format!("https://{name}.example"), false, option)
}

#[tokio::test(start_paused = true)]
async fn the_first_rejection_far_under_the_limit_halves_it_and_is_warned_of_once() {
    let limiter = alone("halved", 40);
    send(&limiter).await;
    for _ in 0..2 {
        limiter.reject_key(seconds(1));
        assert_eq!((limiter.limit().requests, limiter.budget().limit), (20, 20));
    }
    assert_eq!(warnings_about("although only 1 of 40 in 60 s were counted"), 1);
    assert_eq!(warnings_about("of 20 in 60 s were counted"), 0);
    assert_eq!(alone("halved", 40).limit().requests, 20, "all clients of the key send less");
}

#[tokio::test(start_paused = true)]
async fn a_rejection_near_the_limit_leaves_it_as_it_is() {
    let limiter = alone("not-halved", 4);
    for _ in 0..2 {
        send(&limiter).await;
    }
    limiter.reject_key(seconds(1));
    assert_eq!(limiter.limit().requests, 4);
    let smallest = alone("smallest", 1);
    smallest.reject_key(seconds(1));
    assert_eq!((smallest.limit().requests, warnings_about("only 0 of 1 in")), (1, 0));
}
