//! Tests of the shared requests, and of their file.

use proptest::prelude::*;

use super::*;

const LIMIT: RateLimit = RateLimit { requests: 3, per: Duration::from_secs(60) };
const LEASE: Duration = Duration::from_secs(60);

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn at(seconds: i64) -> ClockTime {
    ClockTime(seconds * 1_000_000_000)
}

fn reading(now: ClockTime) -> ClockReading {
    ClockReading { boot: 1, now, system: now }
}

fn holder(pid: u32, number: u64) -> Holder {
    Holder { process: ProcessIdentity { pid, started: 5, namespace: 6 }, number }
}

/// Sends a request of a process whose response comes at once.
fn send(state: &mut SharedState, now: ClockTime, pid: u32, place: Option<Holder>) -> Result<(), RateLimitError> {
    let request = holder(pid, u64::try_from(now.0).unwrap());
    state.start(now, LIMIT, request, place, LEASE)?;
    state.end(request, Some(now));
    Ok(())
}

fn exhausted() -> SharedState {
    let mut state = SharedState::default();
    (0..3).for_each(|second| send(&mut state, at(second), 1, None).unwrap());
    state
}

fn reached(wait: u64) -> Result<(), RateLimitError> {
    Err(RateLimitError::LimitReached(seconds(wait)))
}

#[test]
fn a_process_counts_the_requests_of_others() {
    let mut state = exhausted();
    assert_eq!(send(&mut state, at(3), 2, None), reached(57));
    assert_eq!(state.budget(at(3), LIMIT), Budget { used: 3, limit: 3, resets_in: seconds(57) });
    assert_eq!(send(&mut state, at(60), 2, None), Ok(()));
}

#[test]
fn processes_are_served_in_the_order_in_which_they_came() {
    let mut state = exhausted();
    let places = [2, 3, 4].map(|pid| holder(pid, 0));
    for place in places {
        state.wait_in_queue(at(57), LIMIT, place);
    }
    // Each of them waits for a request of its own.
    let waits = places.map(|place| send(&mut state, at(57), place.process.pid, Some(place)));
    assert_eq!(waits, [reached(3), reached(4), reached(5)]);
    // A request has expired, and it is for the first one.
    assert_eq!(send(&mut state, at(60), 4, Some(places[2])), reached(2));
    assert_eq!(send(&mut state, at(60), 5, None), reached(60));
    assert_eq!(send(&mut state, at(60), 2, Some(places[0])), Ok(()));
    assert_eq!(send(&mut state, at(60), 3, Some(places[1])), reached(1));
    assert_eq!(send(&mut state, at(61), 4, Some(places[2])), reached(1));
    assert_eq!(send(&mut state, at(61), 3, Some(places[1])), Ok(()));
    assert_eq!(send(&mut state, at(62), 4, Some(places[2])), Ok(()));
    assert!(state.waiters.is_empty());
}

#[test]
fn a_process_that_does_not_look_again_loses_its_place() {
    let mut state = exhausted();
    let [stopped, next] = [2, 3].map(|pid| holder(pid, 0));
    state.wait_in_queue(at(55), LIMIT, stopped);
    state.wait_in_queue(at(56), LIMIT, next);
    state.wait_in_queue(at(59), LIMIT, next);
    state.settle(at(60), |_| false);
    assert_eq!(send(&mut state, at(60), 3, Some(next)), Ok(()));
}

/// A limit that is reached sooner than `LIMIT`.
const LOW: RateLimit = RateLimit { requests: 1, ..LIMIT };

#[test]
fn a_process_that_its_own_lower_limit_blocks_keeps_no_room_free() {
    let mut state = SharedState::default();
    send(&mut state, at(0), 1, None).unwrap();
    for place in [2, 3].map(|pid| holder(pid, 0)) {
        assert!(state.start(at(1), LOW, holder(2, 1), Some(place), LEASE).is_err());
        state.wait_in_queue(at(1), LOW, place);
    }
    assert_eq!([2, 3, 4].map(|second| send(&mut state, at(second), 4, None)), [Ok(()), Ok(()), reached(56)]);
}

#[test]
fn a_process_whose_lower_limit_has_room_again_is_served_in_turn() {
    let (mut state, place) = (exhausted(), holder(2, 0));
    state.wait_in_queue(at(60), LOW, place);
    let shorter = RateLimit { per: seconds(50), ..LOW };
    assert!(state.start(at(62), shorter, holder(3, 1), None, LEASE).is_err());
    assert_eq!(state.start(at(62), LOW, holder(2, 1), Some(place), LEASE), Ok(()));
}

#[test]
fn a_process_that_leaves_the_queue_holds_up_no_other() {
    let mut state = exhausted();
    let [first, next] = [2, 3].map(|pid| holder(pid, 0));
    state.wait_in_queue(at(59), LIMIT, first);
    state.wait_in_queue(at(59), LIMIT, next);
    state.leave_queue(first);
    assert_eq!(send(&mut state, at(60), 3, Some(next)), Ok(()));
}

#[test]
fn a_request_of_a_process_that_was_killed_counts_as_one_that_may_still_arrive() {
    let mut state = SharedState::default();
    let request = holder(2, 0);
    state.start(at(0), LIMIT, request, None, LEASE).unwrap();
    state.settle(at(10), |process| process.pid == 2);
    let one = RateLimit { requests: 1, ..LIMIT };
    assert_eq!(state.budget(at(10), one), Budget { used: 1, limit: 1, resets_in: ARRIVES_WITHIN + one.per });
    assert_eq!(state.budget(at(100), one).used, 0);
}

#[test]
fn a_request_whose_process_can_not_be_observed_counts_until_its_lease_ends() {
    let mut state = SharedState::default();
    state.start(at(0), LIMIT, holder(2, 0), None, LEASE).unwrap();
    state.settle(at(59), |_| false);
    assert_eq!(state.in_flight.len(), 1);
    state.settle(at(500), |_| false);
    assert_eq!(state.in_flight.len(), 0);
    assert_eq!(state.window.arrivals(), &[at(90)]);
}

#[test]
fn a_request_that_is_sent_after_its_lease_counts_again() {
    let mut state = SharedState::default();
    let request = holder(2, 0);
    state.start(at(0), LIMIT, request, None, LEASE).unwrap();
    state.prolong(at(50), request, LEASE);
    state.settle(at(109), |_| false);
    assert_eq!(state.in_flight.len(), 1);
    state.settle(at(110), |_| false);
    state.prolong(at(120), request, LEASE);
    assert_eq!(state.budget(at(120), LIMIT).used, 2);
    state.end(request, Some(at(130)));
    assert_eq!(state.window.arrivals(), &[at(130), at(140)]);
    // Its end is stored although nothing is in flight any more.
    state.end(request, Some(at(135)));
    state.end(request, None);
    assert_eq!(state.window.arrivals(), &[at(130), at(135), at(140)]);
}

#[test]
fn a_rejected_key_blocks_all_processes() {
    let mut state = SharedState::default();
    state.reject_key(at(300));
    state.reject_key(at(200));
    assert_eq!(send(&mut state, at(0), 2, None), Err(RateLimitError::KeyRejected(seconds(300))));
    assert_eq!(state.free_at_soonest(at(0), LIMIT), Some(RateLimitError::KeyRejected(seconds(300))));
    assert_eq!(state.budget(at(0), LIMIT).resets_in, seconds(300));
    assert!(!state.is_unused(at(299)));
    assert!(state.is_unused(at(300)));
    assert_eq!(send(&mut state, at(300), 2, None), Ok(()));
}

#[test]
fn the_requests_that_a_full_file_drops_affect_no_limit() {
    let mut state = SharedState::default();
    let hour = RateLimit { requests: MAX_SHARED_REQUESTS, per: seconds(3_600) };
    state.window.prune(at(0), hour);
    for second in 0..1_500 {
        state.end(holder(1, 0), Some(at(second)));
    }
    assert_eq!(state.window.arrivals().len(), MAX_REQUESTS);
    let blocked = state.start(at(1_500), hour, holder(2, 0), None, LEASE);
    assert_eq!(blocked, Err(RateLimitError::LimitReached(seconds(3_600 - 1_000))));
}

#[test]
fn a_file_is_unused_when_nothing_in_it_counts() {
    let mut state = exhausted();
    assert!(SharedState::default().is_unused(at(0)));
    assert!(!state.is_unused(at(61)));
    assert!(state.is_unused(at(62)));
    state.start(at(62), LIMIT, holder(2, 0), None, LEASE).unwrap();
    assert!(!state.is_unused(at(10_000)));
}

#[test]
fn a_full_file_fits_into_a_slot() {
    let leases = |count: usize| {
        (0..count).map(|number| Lease { holder: holder(1, u64::try_from(number).unwrap()), ends: at(1) })
    };
    let window = Window::restored(MAX_REQUESTS, (0..1_000).map(at).collect(), seconds(60));
    let waiters = leases(MAX_WAITERS).map(|place| WaitingProcess { place, limit: LIMIT }).collect();
    let in_flight = leases(MAX_REQUESTS).collect();
    let state = SharedState { window, rejected_until: Some(at(9)), in_flight, waiters };
    let bytes = state.encode(reading(at(0)));
    assert!(bytes.len() <= botdesk_system::slot_file::MAX_CONTENTS, "{}", bytes.len());
    assert_eq!(SharedState::decode(&bytes, reading(at(0))), Some(state));
}

#[test]
fn no_time_in_a_file_blocks_for_ever() {
    let far = ClockTime(i64::MAX);
    let lease = Lease { holder: holder(1, 1), ends: far };
    let state = SharedState {
        window: Window::restored(1, [far].into(), seconds(60)),
        rejected_until: Some(far),
        in_flight: vec![lease],
        waiters: vec![WaitingProcess { place: lease, limit: LIMIT }],
    };
    let decoded = SharedState::decode(&state.encode(reading(at(0))), reading(at(0))).unwrap();
    let day = at(86_400);
    assert_eq!(decoded.rejected_until, Some(at(0) + bans::MAX_BAN));
    assert_eq!((decoded.in_flight[0].ends, decoded.waiters[0].place.ends), (day, at(5)));
    assert_eq!(decoded.window.arrivals(), &[day + ARRIVES_WITHIN]);
}

/// A step of the property test: a time passes, in milliseconds; then a request starts, or the first in flight ends.
#[derive(Clone, Copy, Debug)]
enum Step {
    Start,
    EndNotSent,
    EndAbandoned,
    EndResponded,
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let step = prop_oneof![
        4 => Just(Step::Start),
        1 => Just(Step::EndNotSent),
        1 => Just(Step::EndAbandoned),
        3 => Just(Step::EndResponded),
    ];
    proptest::collection::vec((0..15_000_u64, step), 1..120)
}

/// Returns the reading at a system time after that many restarts, each of which sets the clock back.
fn since_start(restarts: i64, system: ClockTime) -> ClockReading {
    ClockReading { boot: u64::try_from(restarts).unwrap(), now: system.shifted(restarts * -7_000_000_000), system }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn no_process_is_served_more_than_twice_while_another_waits(
        rounds in proptest::collection::vec((0..30_u64, Just([0_u32, 1, 2, 3, 4, 5, 6, 7]).prop_shuffle()), 1..60),
    ) {
        let (mut state, mut now) = (SharedState::default(), at(0));
        // How often each process was served, now and when each process began to wait.
        let mut served = [0_u64; 8];
        let mut served_before = [[0_u64; 8]; 8];
        for (pause, order) in rounds {
            now = now + seconds(pause);
            for pid in order {
                let place = holder(pid, served[pid as usize]);
                state.wait_in_queue(now, LIMIT, place);
                if send(&mut state, now, pid, Some(place)).is_ok() {
                    served[pid as usize] += 1;
                    served_before[pid as usize] = served;
                    state.wait_in_queue(now, LIMIT, holder(pid, served[pid as usize]));
                }
            }
            for before in &served_before {
                prop_assert!(served.iter().zip(before).all(|(served, before)| served - before <= 2), "{served:?}");
            }
        }
    }

    #[test]
    fn the_file_counts_like_the_window_of_a_process(
        steps in steps(),
        boots in proptest::collection::vec(any::<bool>(), 120),
    ) {
        let (mut window, mut state) = (Window::<ClockTime>::default(), SharedState::default());
        let mut in_flight = std::collections::VecDeque::new();
        let (mut now, mut boot) = (at(1_000), 1);
        for (number, ((after, step), restarts)) in (0..).zip(steps.into_iter().zip(boots)) {
            now = now + Duration::from_millis(after);
            // Each step is that of another process, some after a restart of the machine, which starts its clock again.
            let bytes = state.encode(since_start(boot, now));
            boot += i64::from(restarts);
            let read = since_start(boot, now);
            state = SharedState::decode(&bytes, read).unwrap();
            let ended = match step {
                Step::Start => {
                    window.prune(now, LIMIT);
                    let free = window.free_at(now, LIMIT, 0);
                    let started = state.start(read.now, LIMIT, holder(1, number), None, MAX_LEASE);
                    prop_assert_eq!(started.err(), free.map(|free| RateLimitError::LimitReached(free.since(now))));
                    if free.is_none() {
                        window.start();
                        in_flight.push_back(holder(1, number));
                    }
                    continue;
                }
                Step::EndNotSent => None,
                Step::EndAbandoned => Some(ARRIVES_WITHIN),
                Step::EndResponded => Some(Duration::ZERO),
            };
            if let Some(request) = in_flight.pop_front() {
                window.end(ended.map(|after| now + after));
                state.end(request, ended.map(|after| read.now + after));
            }
            prop_assert_eq!(state.window.used(read.now, LIMIT), window.used(now, LIMIT));
        }
    }

    #[test]
    fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let header = exhausted().encode(reading(at(0)));
        prop_assert_eq!(SharedState::decode(&bytes, reading(at(0))), None);
        let bytes = [header.get(..32).unwrap(), &bytes].concat();
        if let Some(state) = SharedState::decode(&bytes, reading(at(0))) {
            state.budget(at(0), LIMIT);
        }
    }
}
