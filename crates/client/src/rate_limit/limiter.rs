//! How many requests may be sent: one account of them for each API key and address, shared by all clients of a process.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use crate::process::PerProcess;
use crate::rate_limit::bans::Bans;
use botdesk_system::lock::locked;

/// How many requests may be sent in a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// How many.
    pub requests: u32,
    /// In which time; any time of that length, wherever it begins.
    pub per: Duration,
}

impl Default for RateLimit {
    /// What services allow an API key: 100 a minute.
    fn default() -> Self {
        Self { requests: 100, per: Duration::from_secs(60) }
    }
}

/// What is left of a rate limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// How many requests count now.
    pub used: u32,
    /// How many may count at once.
    pub limit: u32,
    /// After how long a request may be sent again, where none may now; otherwise after how long the first one counts no
    /// more. A request that has not ended is taken to end now.
    pub resets_in: Duration,
}

/// Why a request may not be sent now, and after how long one may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// As many as may be were sent.
    Spent(Duration),
    /// The service refuses the key for a while.
    Refused(Duration),
    /// The address of this machine is banned.
    Banned(Duration),
}

/// The requests of one API key to one address.
#[derive(Debug, Default)]
pub struct Throttle {
    /// Who waits stands in this line, the first at its head.
    line: tokio::sync::Mutex<()>,
    sent: Mutex<Sent>,
    /// Wakes the first in the line when a request ends, which may free a turn or rule one out.
    returned: Notify,
    /// What the address says of this machine, whatever the key.
    bans: Arc<Bans>,
}

#[derive(Debug, Default)]
struct Sent {
    /// How many requests are under way.
    under_way: usize,
    /// When each of the others arrived at the latest, the earliest first. A request that was given up may arrive in the future.
    arrivals: VecDeque<Instant>,
    /// The longest time over which any client of the key counts.
    longest: Duration,
    refused_until: Option<Instant>,
}

/// How long a request that was given up may still be on its way: in a buffer of the service, or in a proxy.
///
/// Nothing bounds this for certain. A service that works has read it within 30 seconds, and together with the default timeout
/// this makes the minute after which proxies and load balancers drop a request. Each second more locks out clients whose
/// requests time out for longer.
pub const ARRIVES_WITHIN: Duration = Duration::from_secs(30);

/// How far a request has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Nothing of it was sent.
    NotSent,
    /// Sent, and not answered.
    Sent,
    /// The head of a response came back.
    Answered,
}

/// Leave to send a request, held until the request has ended or is given up.
///
/// The service counts a request when it arrives, which is some time between its start and its end. Counted here from its
/// end, no time of the limit's length sees more requests there either. A request that is given up without a response counts
/// as if it arrived [`ARRIVES_WITHIN`] later. One of which nothing was sent does not count.
#[derive(Debug)]
#[must_use = "the request counts from when this is dropped"]
pub struct Turn {
    throttle: Arc<Throttle>,
    progress: Progress,
}

impl Turn {
    /// Notes that the request is handed to a connection, and may arrive from now on.
    pub fn sent(&mut self) {
        self.progress = Progress::Sent;
    }

    /// Notes that the request found no connection.
    pub fn not_sent(&mut self) {
        self.progress = Progress::NotSent;
    }

    /// Notes that a response came, so that the request has arrived.
    pub fn answered(&mut self) {
        self.progress = Progress::Answered;
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut sent = locked(&self.throttle.sent);
        sent.under_way = sent.under_way.saturating_sub(1);
        match self.progress {
            Progress::NotSent => {}
            Progress::Sent => sent.arrived(Instant::now() + ARRIVES_WITHIN),
            Progress::Answered => sent.arrived(Instant::now()),
        }
        self.throttle.returned.notify_one();
    }
}

#[derive(Default)]
struct Throttles {
    by_key: HashMap<u64, Arc<Throttle>>,
    by_address: HashMap<String, Arc<Bans>>,
}

static THROTTLES: PerProcess<Mutex<Throttles>> = PerProcess::new();

impl Throttle {
    /// The account that all clients of this process share for a key and an address.
    pub fn of(api_key: &[u8], address: &str) -> Arc<Self> {
        let Ok(throttles) = THROTTLES.get_or_try_init(|| Ok::<_, std::convert::Infallible>(Mutex::default()));
        let mut hasher = DefaultHasher::new();
        (api_key, address).hash(&mut hasher);
        let mut throttles = locked(throttles);
        if let Some(throttle) = throttles.by_key.get(&hasher.finish()) {
            return Arc::clone(throttle);
        }
        let bans = Arc::clone(throttles.by_address.entry(address.to_owned()).or_default());
        let throttle = Arc::new(Self { bans, ..Self::default() });
        throttles.by_key.insert(hasher.finish(), Arc::clone(&throttle));
        throttle
    }

    /// Waits for a turn and takes it. Callers come in the order in which they asked; one that is dropped leaves the line.
    ///
    /// A ban is not waited for: all who stand in the line leave it at once. Nor is a turn that is certainly not free before the
    /// deadline, so that nobody holds up the line for nothing.
    pub async fn turn(self: &Arc<Self>, limit: RateLimit, deadline: Option<Instant>) -> Result<Turn, Blocked> {
        let mut banned = pin!(self.bans.begun());
        let mut in_line = pin!(self.turn_in_line(limit, deadline));
        poll_fn(|context| match banned.as_mut().poll(context) {
            Poll::Ready(wait) => Poll::Ready(Err(Blocked::Banned(wait))),
            Poll::Pending => in_line.as_mut().poll(context),
        })
        .await
    }

    async fn turn_in_line(self: &Arc<Self>, limit: RateLimit, deadline: Option<Instant>) -> Result<Turn, Blocked> {
        self.check_deadline(limit, deadline)?;
        let _first = self.line.lock().await;
        loop {
            match self.take(limit) {
                Err(Blocked::Spent(wait) | Blocked::Refused(wait)) => {
                    self.check_deadline(limit, deadline)?;
                    // Whether the time is up or a request has ended, the next look tells.
                    let _ = timeout(wait, self.returned.notified()).await;
                }
                other => return other,
            }
        }
    }

    /// Returns an error if a turn is certainly not free before the deadline, however the requests under way end.
    pub fn check_deadline(&self, limit: RateLimit, deadline: Option<Instant>) -> Result<(), Blocked> {
        let Some(deadline) = deadline else { return Ok(()) };
        let sent = locked(&self.sent);
        let wait = |until: Option<Instant>| {
            let until = until.filter(|until| *until >= deadline)?;
            Some(until.saturating_duration_since(Instant::now()))
        };
        if let Some(wait) = wait(sent.refused_until) {
            return Err(Blocked::Refused(wait));
        }
        wait(sent.free_at_soonest(limit)).map_or(Ok(()), |wait| Err(Blocked::Spent(wait)))
    }

    /// Takes a turn if there is one now.
    pub fn take(self: &Arc<Self>, limit: RateLimit) -> Result<Turn, Blocked> {
        let now = Instant::now();
        if let Some(until) = self.bans.until(now) {
            return Err(Blocked::Banned(until - now));
        }
        let mut sent = locked(&self.sent);
        if let Some(until) = sent.refused_until.filter(|until| *until > now) {
            return Err(Blocked::Refused(until - now));
        }
        sent.forget(now, limit);
        if let Some(free) = sent.free_at(now, limit) {
            return Err(Blocked::Spent(free - now));
        }
        sent.under_way += 1;
        Ok(Turn { throttle: Arc::clone(self), progress: Progress::NotSent })
    }

    /// Notes that the service refuses the key for so long.
    pub fn refused(&self, wait: Duration) {
        let until = Instant::now() + wait;
        let mut sent = locked(&self.sent);
        sent.refused_until = sent.refused_until.max(Some(until));
    }

    /// Notes that the service has banned the address, and for how long if it says.
    pub fn banned(&self, told: Option<Duration>) {
        self.bans.begin(told);
    }

    /// Notes that the service answered something other than a ban.
    pub fn let_in(&self) {
        self.bans.let_in();
    }

    /// What is left.
    pub fn budget(&self, limit: RateLimit) -> Budget {
        let now = Instant::now();
        let mut sent = locked(&self.sent);
        sent.forget(now, limit);
        let blocked_until = self.bans.until(now).max(sent.refused_until.filter(|until| *until > now));
        let resets = blocked_until.or(sent.free_at(now, limit)).or(sent.next_end(now, limit));
        Budget {
            used: u32::try_from(sent.used(now, limit)).unwrap_or(u32::MAX),
            limit: limit.requests,
            resets_in: resets.map_or(Duration::ZERO, |until| until.saturating_duration_since(now)),
        }
    }
}

impl Sent {
    /// Counts a request that arrived at that time at the latest.
    fn arrived(&mut self, at: Instant) {
        let place = self.arrivals.partition_point(|arrival| *arrival <= at);
        self.arrivals.insert(place, at);
    }

    /// Forgets the requests that count no more, for none of the clients of the key.
    fn forget(&mut self, now: Instant, limit: RateLimit) {
        self.longest = self.longest.max(limit.per);
        while self.arrivals.front().is_some_and(|first| *first + self.longest <= now) {
            self.arrivals.pop_front();
        }
    }

    /// How many of those that ended count no more for a limit.
    fn passed(&self, now: Instant, limit: RateLimit) -> usize {
        self.arrivals.partition_point(|arrival| *arrival + limit.per <= now)
    }

    /// How many requests count for a limit.
    fn used(&self, now: Instant, limit: RateLimit) -> usize {
        self.under_way + self.arrivals.len().saturating_sub(self.passed(now, limit))
    }

    /// When the next request may be sent; None where that is now.
    fn free_at(&self, now: Instant, limit: RateLimit) -> Option<Instant> {
        let most = usize::try_from(limit.requests).unwrap_or(usize::MAX);
        let over = (self.used(now, limit) + 1).checked_sub(most).filter(|over| *over > 0)?;
        Some(self.counts_until(over - 1, now, limit))
    }

    /// Returns when a request may be sent if none of those under way comes to count; None if fewer have ended than the
    /// limit allows.
    fn free_at_soonest(&self, limit: RateLimit) -> Option<Instant> {
        let most = usize::try_from(limit.requests).unwrap_or(usize::MAX);
        let blocking = self.arrivals.len().checked_sub(most)?;
        self.arrivals.get(blocking).map(|arrival| *arrival + limit.per)
    }

    /// When the first request that counts now counts no more; None where none does.
    fn next_end(&self, now: Instant, limit: RateLimit) -> Option<Instant> {
        (self.used(now, limit) > 0).then(|| self.counts_until(0, now, limit))
    }

    /// Until when one of the requests counts that count now. One under way ends now at the soonest: after those that have
    /// arrived, and before those that may arrive later.
    fn counts_until(&self, place: usize, now: Instant, limit: RateLimit) -> Instant {
        let place = self.passed(now, limit) + place;
        let arrived = self.arrivals.partition_point(|arrival| *arrival <= now);
        let arrival = if place < arrived {
            self.arrivals.get(place)
        } else {
            place.checked_sub(arrived + self.under_way).and_then(|late| self.arrivals.get(arrived + late))
        };
        arrival.copied().unwrap_or(now) + limit.per
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMIT: RateLimit = RateLimit { requests: 3, per: Duration::from_secs(60) };

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Sends a request that is answered at once.
    async fn send(throttle: &Arc<Throttle>) {
        let mut turn = throttle.turn(LIMIT, None).await.unwrap();
        turn.answered();
    }

    /// Sends a request and gives it up.
    async fn give_up(throttle: &Arc<Throttle>) {
        let mut turn = throttle.turn(LIMIT, None).await.unwrap();
        turn.sent();
    }

    async fn spent() -> Arc<Throttle> {
        let throttle = Arc::default();
        for _ in 0..LIMIT.requests {
            send(&throttle).await;
            tokio::time::advance(seconds(1)).await;
        }
        throttle
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_past_the_limit_waits_until_the_first_counts_no_more() {
        let throttle = spent().await;
        let begun = Instant::now();
        assert_eq!(throttle.take(LIMIT).err(), Some(Blocked::Spent(seconds(57))));
        send(&throttle).await;
        assert_eq!(begun.elapsed(), seconds(57));
        send(&throttle).await;
        assert_eq!(begun.elapsed(), seconds(58));
    }

    #[tokio::test(start_paused = true)]
    async fn no_time_of_that_length_sees_more_requests() {
        let throttle = Arc::<Throttle>::default();
        let mut sent = Vec::new();
        for _ in 0..20 {
            send(&throttle).await;
            sent.push(Instant::now());
            tokio::time::advance(seconds(7)).await;
        }
        assert!(sent.iter().zip(sent.iter().skip(3)).all(|(first, fourth)| *fourth - *first >= LIMIT.per));
    }

    #[tokio::test(start_paused = true)]
    async fn callers_come_in_the_order_in_which_they_asked() {
        let throttle = spent().await;
        let (told, mut order) = tokio::sync::mpsc::unbounded_channel();
        for caller in 0..5 {
            let (throttle, told) = (Arc::clone(&throttle), told.clone());
            tokio::spawn(async move {
                send(&throttle).await;
                told.send(caller).unwrap();
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
    async fn a_caller_who_gives_up_leaves_the_line_and_spends_nothing() {
        let throttle = spent().await;
        assert!(tokio::time::timeout(seconds(5), throttle.turn(LIMIT, None)).await.is_err());
        let begun = Instant::now();
        send(&throttle).await;
        assert_eq!(begun.elapsed(), seconds(52));
        assert_eq!(throttle.budget(LIMIT).used, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn all_wait_once_the_service_refuses() {
        let throttle = Arc::<Throttle>::default();
        throttle.refused(seconds(300));
        assert_eq!(throttle.take(LIMIT).err(), Some(Blocked::Refused(seconds(300))));
        let begun = Instant::now();
        send(&throttle).await;
        assert_eq!(begun.elapsed(), seconds(300));
    }

    #[tokio::test(start_paused = true)]
    async fn a_ban_is_for_all_keys_of_an_address_and_is_not_waited_for() {
        let [one, other] = ["one", "other"].map(|key| Throttle::of(key.as_bytes(), "https://banned.example"));
        let elsewhere = Throttle::of(b"one", "https://elsewhere.example");
        one.banned(Some(seconds(500)));
        assert_eq!(other.turn(LIMIT, None).await.err(), Some(Blocked::Banned(seconds(500))));
        send(&elsewhere).await;
        tokio::time::advance(seconds(500)).await;
        send(&other).await;
    }

    #[tokio::test(start_paused = true)]
    async fn all_who_wait_are_refused_as_soon_as_the_address_is_banned() {
        let throttle = spent().await;
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..3 {
            let throttle = Arc::clone(&throttle);
            waiting.spawn(async move { throttle.turn(LIMIT, None).await.err() });
            tokio::task::yield_now().await;
        }
        let begun = Instant::now();
        throttle.banned(Some(seconds(900)));
        assert_eq!(throttle.turn(LIMIT, None).await.err(), Some(Blocked::Banned(seconds(900))));
        assert_eq!(waiting.join_all().await, [Some(Blocked::Banned(seconds(900))); 3]);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_counts_from_its_end() {
        let throttle = Arc::<Throttle>::default();
        let mut slow = throttle.turn(LIMIT, None).await.unwrap();
        slow.sent();
        send(&throttle).await;
        send(&throttle).await;
        tokio::time::advance(seconds(59)).await;
        slow.answered();
        drop(slow);
        let begun = Instant::now();
        for after in [1, 1, 60] {
            send(&throttle).await;
            assert_eq!(begun.elapsed(), seconds(after));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn requests_on_their_way_count() {
        let throttle = Arc::<Throttle>::default();
        let mut turns = [(); 3].map(|()| throttle.take(LIMIT).unwrap());
        assert_eq!(throttle.take(LIMIT).err(), Some(Blocked::Spent(LIMIT.per)));
        assert_eq!(throttle.budget(LIMIT), Budget { used: 3, limit: 3, resets_in: LIMIT.per });
        turns.iter_mut().for_each(Turn::answered);
        drop(turns);
        assert_eq!(throttle.budget(LIMIT).used, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_counts_over_a_shorter_time_spoils_no_other_ones_account() {
        let throttle = spent().await;
        let short = RateLimit { requests: 5, per: seconds(1) };
        assert_eq!(throttle.budget(short).used, 0);
        throttle.turn(short, None).await.unwrap().answered();
        assert_eq!(throttle.budget(LIMIT).used, 4);
        // Two have to pass before there is room for one.
        assert_eq!(throttle.take(LIMIT).err(), Some(Blocked::Spent(seconds(58))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_was_given_up_counts_for_as_long_as_it_may_arrive() {
        let throttle = Arc::<Throttle>::default();
        for _ in 0..3 {
            give_up(&throttle).await;
        }
        assert_eq!(throttle.take(LIMIT).err(), Some(Blocked::Spent(ARRIVES_WITHIN + LIMIT.per)));
        assert_eq!(throttle.budget(LIMIT), Budget { used: 3, limit: 3, resets_in: ARRIVES_WITHIN + LIMIT.per });
        let begun = Instant::now();
        send(&throttle).await;
        assert_eq!(begun.elapsed(), ARRIVES_WITHIN + LIMIT.per);
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_was_never_sent_does_not_count_and_lets_the_next_one_go() {
        let throttle = Arc::<Throttle>::default();
        send(&throttle).await;
        send(&throttle).await;
        let mut last = throttle.take(LIMIT).unwrap();
        let waiting = tokio::spawn({
            let throttle = Arc::clone(&throttle);
            async move { send(&throttle).await }
        });
        tokio::time::advance(seconds(5)).await;
        last.sent();
        last.not_sent();
        let begun = Instant::now();
        drop(last);
        waiting.await.unwrap();
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert_eq!(throttle.budget(LIMIT).used, 3);
    }

    /// A limit of one request, and a deadline before a request that was given up counts no more.
    const ONE: RateLimit = RateLimit { requests: 1, per: Duration::from_millis(10) };
    const TIMEOUT: Duration = Duration::from_secs(6);

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_is_not_free_before_the_deadline_is_not_waited_for() {
        let throttle = Arc::<Throttle>::default();
        throttle.turn(ONE, None).await.unwrap().sent();
        let begun = Instant::now();
        let late = ARRIVES_WITHIN + ONE.per;
        assert_eq!(throttle.turn(ONE, Some(begun + TIMEOUT)).await.err(), Some(Blocked::Spent(late)));
        assert_eq!(begun.elapsed(), Duration::ZERO);
        throttle.turn(ONE, Some(begun + late + TIMEOUT)).await.unwrap().answered();
        assert_eq!(begun.elapsed(), late);
        throttle.refused(seconds(300));
        let refused = throttle.turn(ONE, Some(Instant::now() + TIMEOUT)).await.err();
        assert_eq!(refused, Some(Blocked::Refused(seconds(300))));
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_held_up_by_a_caller_whose_turn_can_not_come() {
        let throttle = Arc::<Throttle>::default();
        let mut under_way = throttle.take(ONE).unwrap();
        let deadline = Instant::now() + TIMEOUT;
        let waiting = [(); 2].map(|()| {
            let throttle = Arc::clone(&throttle);
            tokio::spawn(async move { throttle.turn(ONE, Some(deadline)).await.err() })
        });
        tokio::time::advance(seconds(1)).await;
        under_way.sent();
        let begun = Instant::now();
        drop(under_way);
        for waiting in waiting {
            assert_eq!(waiting.await.unwrap(), Some(Blocked::Spent(ARRIVES_WITHIN + ONE.per)));
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_turn_that_a_request_under_way_may_give_back_is_waited_for() {
        let throttle = Arc::<Throttle>::default();
        let under_way = throttle.take(LIMIT).unwrap();
        send(&throttle).await;
        send(&throttle).await;
        let begun = Instant::now();
        let waiting = tokio::spawn({
            let throttle = Arc::clone(&throttle);
            async move { throttle.turn(LIMIT, Some(begun + TIMEOUT)).await.is_ok() }
        });
        tokio::time::advance(seconds(1)).await;
        drop(under_way);
        assert!(waiting.await.unwrap());
        assert_eq!(begun.elapsed(), seconds(1));
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_for_a_request_under_way_does_not_wait_for_one_that_was_given_up() {
        let throttle = Arc::<Throttle>::default();
        let mut slow = throttle.take(LIMIT).unwrap();
        give_up(&throttle).await;
        send(&throttle).await;
        let limit = RateLimit { requests: 2, ..LIMIT };
        // Two have to end: the one that was answered, and the one under way.
        assert_eq!(throttle.take(limit).err(), Some(Blocked::Spent(LIMIT.per)));
        slow.answered();
        drop(slow);
        assert_eq!(throttle.take(limit).err(), Some(Blocked::Spent(LIMIT.per)));
        let last = RateLimit { requests: 1, ..LIMIT };
        assert_eq!(throttle.take(last).err(), Some(Blocked::Spent(ARRIVES_WITHIN + LIMIT.per)));
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
        let progress =
            prop_oneof![1 => Just(Progress::NotSent), 4 => Just(Progress::Sent), 4 => Just(Progress::Answered)];
        let planned = (0..20_000_u64, 0..40_000_u64, progress, 0.0..=1.0);
        let planned =
            planned.prop_map(|(after, takes, progress, lateness)| PlannedRequest { after, takes, progress, lateness });
        proptest::collection::vec(planned, 1..60)
    }

    /// Sends a request, and tells when it arrives at a service that reads late.
    async fn arrival(throttle: Arc<Throttle>, planned: PlannedRequest) -> Option<Instant> {
        tokio::time::sleep(Duration::from_millis(planned.after)).await;
        let mut turn = throttle.turn(LIMIT, None).await.unwrap();
        let begun = Instant::now();
        turn.sent();
        tokio::time::sleep(Duration::from_millis(planned.takes)).await;
        turn.progress = planned.progress;
        drop(turn);
        let at_most = match planned.progress {
            Progress::NotSent => return None,
            Progress::Sent => begun.elapsed() + ARRIVES_WITHIN,
            Progress::Answered => begun.elapsed(),
        };
        Some(begun + at_most.mul_f64(planned.lateness))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn a_service_that_reads_late_never_sees_more_requests(requests_planned in requests_planned()) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
            let arrivals = runtime.block_on(async {
                let throttle = Arc::<Throttle>::default();
                let mut requests = tokio::task::JoinSet::new();
                for planned in &requests_planned {
                    requests.spawn(arrival(Arc::clone(&throttle), *planned));
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
    async fn clients_of_one_key_share_an_account() {
        let [one, same] = [(); 2].map(|()| Throttle::of(b"shared", "https://host.example"));
        send(&one).await;
        assert_eq!(same.budget(LIMIT), Budget { used: 1, limit: 3, resets_in: LIMIT.per });
        assert_eq!(Throttle::of(b"unshared", "https://host.example").budget(LIMIT).used, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_budget_tells_after_how_long_a_request_may_be_sent() {
        let throttle = spent().await;
        assert_eq!(throttle.budget(LIMIT), Budget { used: 3, limit: 3, resets_in: seconds(57) });
        throttle.refused(seconds(300));
        assert_eq!(throttle.budget(LIMIT).resets_in, seconds(300));
        tokio::time::advance(seconds(300)).await;
        assert_eq!(throttle.budget(LIMIT), Budget { used: 0, limit: 3, resets_in: Duration::ZERO });
    }
}
