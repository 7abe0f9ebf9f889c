//! Tests of the rate limiter, with a paused clock.

use proptest::prelude::*;

use std::task::{Context, Waker};

use super::*;

const ALONE: SharedCounts = SharedCounts { files: None, server: None };

const LIMIT: RateLimit = RateLimit { requests: 3, per: Duration::from_secs(60) };

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn try_acquire(limiter: &Arc<RateLimiter>, limit: RateLimit) -> Result<Permit, RateLimitError> {
    let mut acquired = pin!(limiter.try_acquire(limit, &ALONE, None));
    let Poll::Ready(permit) = acquired.as_mut().poll(&mut Context::from_waker(Waker::noop())) else {
        panic!("only a server is waited for")
    };
    permit.map_err(|error| match error {
        AcquireError::Throttled(error) => error,
        AcquireError::Locked => panic!("nothing is locked"),
    })
}

/// Sends a request whose response comes at once.
async fn send(limiter: &Arc<RateLimiter>) {
    let mut permit = limiter.acquire(LIMIT, &ALONE, None).await.unwrap();
    permit.mark_responded();
}

/// Sends a request and abandons it.
async fn abandon(limiter: &Arc<RateLimiter>) {
    let mut permit = limiter.acquire(LIMIT, &ALONE, None).await.unwrap();
    permit.mark_sent();
}

async fn exhausted() -> Arc<RateLimiter> {
    let limiter = Arc::default();
    for _ in 0..LIMIT.requests {
        send(&limiter).await;
        tokio::time::advance(seconds(1)).await;
    }
    limiter
}

#[tokio::test(start_paused = true)]
async fn a_request_beyond_the_limit_waits_until_the_first_stops_counting() {
    let limiter = exhausted().await;
    let begun = Instant::now();
    assert_eq!(try_acquire(&limiter, LIMIT).err(), Some(RateLimitError::LimitReached(seconds(57))));
    send(&limiter).await;
    assert_eq!(begun.elapsed(), seconds(57));
    send(&limiter).await;
    assert_eq!(begun.elapsed(), seconds(58));
}

#[tokio::test(start_paused = true)]
async fn no_window_of_that_length_has_more_requests() {
    let limiter = Arc::<RateLimiter>::default();
    let mut sent = Vec::new();
    for _ in 0..20 {
        send(&limiter).await;
        sent.push(Instant::now());
        tokio::time::advance(seconds(7)).await;
    }
    assert!(sent.iter().zip(sent.iter().skip(3)).all(|(first, fourth)| *fourth - *first >= LIMIT.per));
}

#[tokio::test(start_paused = true)]
async fn callers_are_served_in_order() {
    let limiter = exhausted().await;
    let (sender, mut order) = tokio::sync::mpsc::unbounded_channel();
    for caller in 0..5 {
        let (limiter, sender) = (Arc::clone(&limiter), sender.clone());
        tokio::spawn(async move {
            send(&limiter).await;
            sender.send(caller).unwrap();
        });
        tokio::task::yield_now().await;
    }
    let mut came = Vec::new();
    order.recv_many(&mut came, 1).await;
    while came.len() < 5 {
        order.recv_many(&mut came, 1).await;
    }
    assert_eq!(came, [0, 1, 2, 3, 4]);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_is_dropped_leaves_the_queue_and_counts_nothing() {
    let limiter = exhausted().await;
    assert!(tokio::time::timeout(seconds(5), limiter.acquire(LIMIT, &ALONE, None)).await.is_err());
    let begun = Instant::now();
    send(&limiter).await;
    assert_eq!(begun.elapsed(), seconds(52));
    assert_eq!(limiter.budget(LIMIT).used, 3);
}

#[tokio::test(start_paused = true)]
async fn all_callers_wait_while_the_key_is_rejected() {
    let limiter = Arc::<RateLimiter>::default();
    limiter.reject_key(seconds(300));
    assert_eq!(try_acquire(&limiter, LIMIT).err(), Some(RateLimitError::KeyRejected(seconds(300))));
    let begun = Instant::now();
    send(&limiter).await;
    assert_eq!(begun.elapsed(), seconds(300));
}

#[tokio::test(start_paused = true)]
async fn a_ban_applies_to_all_keys_of_a_service_and_is_not_waited_for() {
    let [one, other] = ["one", "other"].map(|key| RateLimiter::shared(key.as_bytes(), "https://banned.example"));
    let elsewhere = RateLimiter::shared(b"one", "https://elsewhere.example");
    one.bans().start(Some(seconds(500)));
    assert_eq!(other.acquire(LIMIT, &ALONE, None).await.err(), Some(RateLimitError::Banned(seconds(500))));
    send(&elsewhere).await;
    tokio::time::advance(seconds(500)).await;
    send(&other).await;
}

#[tokio::test(start_paused = true)]
async fn a_ban_empties_the_queue() {
    let limiter = exhausted().await;
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..3 {
        let limiter = Arc::clone(&limiter);
        waiting.spawn(async move { limiter.acquire(LIMIT, &ALONE, None).await.err() });
        tokio::task::yield_now().await;
    }
    let begun = Instant::now();
    limiter.bans().start(Some(seconds(900)));
    assert_eq!(limiter.acquire(LIMIT, &ALONE, None).await.err(), Some(RateLimitError::Banned(seconds(900))));
    assert_eq!(waiting.join_all().await, [Some(RateLimitError::Banned(seconds(900))); 3]);
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_request_counts_from_its_end() {
    let limiter = Arc::<RateLimiter>::default();
    let mut slow = limiter.acquire(LIMIT, &ALONE, None).await.unwrap();
    slow.mark_sent();
    send(&limiter).await;
    send(&limiter).await;
    tokio::time::advance(seconds(59)).await;
    slow.mark_responded();
    drop(slow);
    let begun = Instant::now();
    for after in [1, 1, 60] {
        send(&limiter).await;
        assert_eq!(begun.elapsed(), seconds(after));
    }
}

#[tokio::test(start_paused = true)]
async fn requests_in_flight_count() {
    let limiter = Arc::<RateLimiter>::default();
    let mut permits = [(); 3].map(|()| try_acquire(&limiter, LIMIT).unwrap());
    assert_eq!(try_acquire(&limiter, LIMIT).err(), Some(RateLimitError::LimitReached(LIMIT.per)));
    assert_eq!(limiter.budget(LIMIT), Budget { used: 3, limit: 3, resets_in: LIMIT.per });
    permits.iter_mut().for_each(Permit::mark_responded);
    drop(permits);
    assert_eq!(limiter.budget(LIMIT).used, 3);
}

#[tokio::test(start_paused = true)]
async fn a_client_with_a_shorter_limit_does_not_change_what_counts_for_others() {
    let limiter = exhausted().await;
    let short = RateLimit { requests: 5, per: seconds(1) };
    assert_eq!(limiter.budget(short).used, 0);
    limiter.acquire(short, &ALONE, None).await.unwrap().mark_responded();
    assert_eq!(limiter.budget(LIMIT).used, 4);
    // Two have to expire before one is free.
    assert_eq!(try_acquire(&limiter, LIMIT).err(), Some(RateLimitError::LimitReached(seconds(58))));
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_request_counts_for_as_long_as_it_may_arrive() {
    let limiter = Arc::<RateLimiter>::default();
    for _ in 0..3 {
        abandon(&limiter).await;
    }
    assert_eq!(try_acquire(&limiter, LIMIT).err(), Some(RateLimitError::LimitReached(ARRIVES_WITHIN + LIMIT.per)));
    assert_eq!(limiter.budget(LIMIT), Budget { used: 3, limit: 3, resets_in: ARRIVES_WITHIN + LIMIT.per });
    let begun = Instant::now();
    send(&limiter).await;
    assert_eq!(begun.elapsed(), ARRIVES_WITHIN + LIMIT.per);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_never_sent_does_not_count_and_frees_its_permit() {
    let limiter = Arc::<RateLimiter>::default();
    send(&limiter).await;
    send(&limiter).await;
    let mut last = try_acquire(&limiter, LIMIT).unwrap();
    let waiting = tokio::spawn({
        let limiter = Arc::clone(&limiter);
        async move { send(&limiter).await }
    });
    tokio::time::advance(seconds(5)).await;
    last.mark_sent();
    last.mark_not_sent();
    let begun = Instant::now();
    drop(last);
    waiting.await.unwrap();
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(limiter.budget(LIMIT).used, 3);
}

/// A limit of one request, and a timeout before the end of which an abandoned request still counts.
const ONE: RateLimit = RateLimit { requests: 1, per: Duration::from_millis(10) };
const TIMEOUT: Duration = Duration::from_secs(6);

#[tokio::test(start_paused = true)]
async fn a_permit_that_is_not_free_before_the_deadline_is_not_waited_for() {
    let limiter = Arc::<RateLimiter>::default();
    limiter.acquire(ONE, &ALONE, None).await.unwrap().mark_sent();
    let begun = Instant::now();
    let late = ARRIVES_WITHIN + ONE.per;
    assert_eq!(
        limiter.acquire(ONE, &ALONE, Some(begun + TIMEOUT)).await.err(),
        Some(RateLimitError::LimitReached(late))
    );
    assert_eq!(begun.elapsed(), Duration::ZERO);
    limiter.acquire(ONE, &ALONE, Some(begun + late + TIMEOUT)).await.unwrap().mark_responded();
    assert_eq!(begun.elapsed(), late);
    limiter.reject_key(seconds(300));
    let rejected = limiter.acquire(ONE, &ALONE, Some(Instant::now() + TIMEOUT)).await.err();
    assert_eq!(rejected, Some(RateLimitError::KeyRejected(seconds(300))));
}

#[tokio::test(start_paused = true)]
async fn a_caller_whose_permit_can_not_be_free_in_time_holds_up_no_other() {
    let limiter = Arc::<RateLimiter>::default();
    let mut in_flight = try_acquire(&limiter, ONE).unwrap();
    let deadline = Instant::now() + TIMEOUT;
    let waiting = [(); 2].map(|()| {
        let limiter = Arc::clone(&limiter);
        tokio::spawn(async move { limiter.acquire(ONE, &ALONE, Some(deadline)).await.err() })
    });
    tokio::time::advance(seconds(1)).await;
    in_flight.mark_sent();
    let begun = Instant::now();
    drop(in_flight);
    for waiting in waiting {
        assert_eq!(waiting.await.unwrap(), Some(RateLimitError::LimitReached(ARRIVES_WITHIN + ONE.per)));
    }
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_a_request_in_flight_may_free_is_waited_for() {
    let limiter = Arc::<RateLimiter>::default();
    let in_flight = try_acquire(&limiter, LIMIT).unwrap();
    send(&limiter).await;
    send(&limiter).await;
    let begun = Instant::now();
    let waiting = tokio::spawn({
        let limiter = Arc::clone(&limiter);
        async move { limiter.acquire(LIMIT, &ALONE, Some(begun + TIMEOUT)).await.is_ok() }
    });
    tokio::time::advance(seconds(1)).await;
    drop(in_flight);
    assert!(waiting.await.unwrap());
    assert_eq!(begun.elapsed(), seconds(1));
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_request_in_flight_is_not_waiting_for_an_abandoned_one() {
    let limiter = Arc::<RateLimiter>::default();
    let mut slow = try_acquire(&limiter, LIMIT).unwrap();
    abandon(&limiter).await;
    send(&limiter).await;
    let limit = RateLimit { requests: 2, ..LIMIT };
    // Two have to end: the one with a response, and the one in flight.
    assert_eq!(try_acquire(&limiter, limit).err(), Some(RateLimitError::LimitReached(LIMIT.per)));
    slow.mark_responded();
    drop(slow);
    assert_eq!(try_acquire(&limiter, limit).err(), Some(RateLimitError::LimitReached(LIMIT.per)));
    let last = RateLimit { requests: 1, ..LIMIT };
    assert_eq!(try_acquire(&limiter, last).err(), Some(RateLimitError::LimitReached(ARRIVES_WITHIN + LIMIT.per)));
}

/// A request of the property test: when it starts, how long it takes in milliseconds, how it ends, and when in between, or
/// after, it arrives.
#[derive(Clone, Copy, Debug)]
struct PlannedRequest {
    after: u64,
    takes: u64,
    progress: Progress,
    lateness: f64,
}

fn requests_planned() -> impl Strategy<Value = Vec<PlannedRequest>> {
    let progress = prop_oneof![1 => Just(Progress::NotSent), 4 => Just(Progress::Sent), 4 => Just(Progress::Responded)];
    let planned = (0..20_000_u64, 0..40_000_u64, progress, 0.0..=1.0);
    let planned =
        planned.prop_map(|(after, takes, progress, lateness)| PlannedRequest { after, takes, progress, lateness });
    proptest::collection::vec(planned, 1..60)
}

/// Sends a request, and returns when it arrives at a service that reads late.
async fn arrival(limiter: Arc<RateLimiter>, planned: PlannedRequest) -> Option<Instant> {
    tokio::time::sleep(Duration::from_millis(planned.after)).await;
    let mut permit = limiter.acquire(LIMIT, &ALONE, None).await.unwrap();
    let begun = Instant::now();
    permit.mark_sent();
    tokio::time::sleep(Duration::from_millis(planned.takes)).await;
    permit.progress = planned.progress;
    drop(permit);
    let at_most = match planned.progress {
        Progress::NotSent => return None,
        Progress::Sent => begun.elapsed() + ARRIVES_WITHIN,
        Progress::Responded => begun.elapsed(),
    };
    Some(begun + at_most.mul_f64(planned.lateness))
}

proptest! {
    #[test]
    fn a_service_that_reads_late_never_sees_more_requests(requests_planned in requests_planned()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        let arrivals = runtime.block_on(async {
            let limiter = Arc::<RateLimiter>::default();
            let mut requests = tokio::task::JoinSet::new();
            for planned in &requests_planned {
                requests.spawn(arrival(Arc::clone(&limiter), *planned));
            }
            requests.join_all().await
        });
        let mut arrivals: Vec<_> = arrivals.into_iter().flatten().collect();
        arrivals.sort();
        let most = usize::try_from(LIMIT.requests).unwrap();
        prop_assert!(arrivals.iter().zip(arrivals.iter().skip(most)).all(|(first, next)| *next - *first >= LIMIT.per));
    }
}

#[tokio::test(start_paused = true)]
async fn clients_of_one_key_share_a_limiter() {
    let [one, same] = [(); 2].map(|()| RateLimiter::shared(b"shared", "https://host.example"));
    send(&one).await;
    assert_eq!(same.budget(LIMIT), Budget { used: 1, limit: 3, resets_in: LIMIT.per });
    assert_eq!(RateLimiter::shared(b"unshared", "https://host.example").budget(LIMIT).used, 0);
}

#[tokio::test(start_paused = true)]
async fn a_budget_has_the_time_until_a_request_may_be_sent() {
    let limiter = exhausted().await;
    assert_eq!(limiter.budget(LIMIT), Budget { used: 3, limit: 3, resets_in: seconds(57) });
    limiter.reject_key(seconds(300));
    assert_eq!(limiter.budget(LIMIT).resets_in, seconds(300));
    tokio::time::advance(seconds(300)).await;
    assert_eq!(limiter.budget(LIMIT), Budget { used: 0, limit: 3, resets_in: Duration::ZERO });
}

#[tokio::test(start_paused = true)]
async fn a_rejection_is_over_at_its_end() {
    let limiter = Arc::default();
    send(&limiter).await;
    limiter.reject_key(seconds(10));
    tokio::time::advance(seconds(9)).await;
    assert!(limiter.knows_rejection());
    assert_eq!(limiter.blocked_for(), Some(seconds(1)));
    assert_eq!(limiter.budget(LIMIT).resets_in, seconds(1));
    tokio::time::advance(seconds(1)).await;
    assert!(!limiter.knows_rejection());
    assert_eq!(limiter.blocked_for(), None);
    assert_eq!(limiter.budget(LIMIT).resets_in, seconds(50));
}
