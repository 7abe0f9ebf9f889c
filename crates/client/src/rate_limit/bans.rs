//! Bans of the IP address of this machine.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// The shortest ban that the service is known to give.
const MIN_BAN: Duration = Duration::from_secs(120);

/// The longest ban that the service is known to give.
pub(crate) const MAX_BAN: Duration = Duration::from_secs(3 * 86_400);

/// The difference of two readings of the clock, below which the end of a ban is the same.
const TOLERANCE: Duration = Duration::from_millis(100);

/// The bans by one service, for any API key.
#[derive(Debug)]
pub(crate) struct BanTracker {
    latest: watch::Sender<Ban>,
}

impl Default for BanTracker {
    fn default() -> Self {
        // `models/` replaces the sender by one that has no default.
        Self { latest: watch::channel(Ban::default()).0 }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Ban {
    until: Option<Instant>,
    /// True if another process has stored this end.
    is_learned: bool,
    /// The assumed duration of the last ban whose duration the service did not say.
    guess: Option<Duration>,
}

impl Ban {
    fn until(&self, now: Instant) -> Option<Instant> {
        self.until.filter(|until| *until > now)
    }
}

impl BanTracker {
    /// Stores a ban, and its duration if the service reports it.
    pub(crate) fn start(&self, duration: Option<Duration>) {
        let now = Instant::now();
        self.latest.send_modify(|ban| {
            let guess = match ban.guess {
                None => MIN_BAN,
                // Responses to requests that were in flight together report the same ban.
                Some(guess) if ban.until(now).is_some() => guess,
                Some(before) => (before * 2).min(MAX_BAN),
            };
            if duration.is_none() {
                ban.guess = Some(guess);
            }
            let until = Some(now + duration.unwrap_or(guess));
            if ban.until < until {
                (ban.until, ban.is_learned) = (until, false);
            }
        });
    }

    /// Notes a ban that another process has stored: the time that it still lasts, zero if it is over, and its assumed duration.
    pub(crate) fn learn(&self, left: Duration, guess: Option<Duration>) {
        let until = Some(Instant::now() + left);
        self.latest.send_if_modified(|ban| {
            let is_longer = ban.until.is_none_or(|known| !left.is_zero() && known + TOLERANCE < Instant::now() + left);
            if is_longer {
                (ban.until, ban.is_learned) = (until, true);
            }
            ban.guess = ban.guess.max(guess);
            is_longer
        });
    }

    /// Returns true if another process has stored the end of the ban.
    pub(crate) fn is_learned(&self) -> bool {
        self.latest.borrow().is_learned
    }

    /// Returns the time that the ban still lasts, zero without one, and its assumed duration.
    pub(crate) fn current(&self) -> (Duration, Option<Duration>) {
        let now = Instant::now();
        let ban = *self.latest.borrow();
        (ban.until(now).map_or(Duration::ZERO, |until| until - now), ban.guess)
    }

    /// Notes a response other than a ban, and returns true if that ends one. During a ban it is the response to an earlier request,
    /// which ends nothing.
    pub(crate) fn confirm_none(&self) -> bool {
        let now = Instant::now();
        self.latest.send_if_modified(|ban| {
            let is_over = ban.until.is_some() && ban.until(now).is_none();
            if is_over {
                *ban = Ban::default();
            }
            is_over
        })
    }

    /// Returns the end of the ban; None without a ban.
    pub(crate) fn until(&self, now: Instant) -> Option<Instant> {
        self.latest.borrow().until(now)
    }

    /// Waits until there is a ban, and returns how long it lasts.
    pub(crate) async fn banned(&self) -> Duration {
        let mut latest = self.latest.subscribe();
        loop {
            let now = Instant::now();
            if let Some(until) = latest.borrow_and_update().until(now) {
                return until - now;
            }
            // It fails only if the sender is dropped, which is `self`.
            let _ = latest.changed().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(bans: &BanTracker) -> Option<u64> {
        let now = Instant::now();
        bans.until(now).map(|until| (until - now).as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_ban_has_the_duration_from_the_service() {
        let bans = BanTracker::default();
        assert_eq!(left(&bans), None);
        bans.start(Some(Duration::from_secs(500)));
        assert_eq!(left(&bans), Some(500));
        tokio::time::advance(Duration::from_secs(500)).await;
        assert_eq!(left(&bans), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_ban_of_unknown_duration_is_assumed_to_double_until_another_response_comes() {
        let bans = BanTracker::default();
        let mut guesses = Vec::new();
        for _ in 0..14 {
            bans.start(None);
            guesses.push(left(&bans).unwrap());
            tokio::time::advance(MAX_BAN).await;
        }
        assert_eq!(guesses[..3], [120, 240, 480]);
        assert_eq!(guesses[13], 3 * 86_400);
        bans.confirm_none();
        bans.start(None);
        assert_eq!(left(&bans), Some(120));
    }

    #[tokio::test(start_paused = true)]
    async fn requests_that_were_in_flight_together_report_one_ban() {
        let bans = BanTracker::default();
        for _ in 0..64 {
            bans.start(None);
        }
        assert_eq!(left(&bans), Some(120));
        bans.start(Some(Duration::from_secs(30)));
        assert_eq!(left(&bans), Some(120));
    }

    #[tokio::test(start_paused = true)]
    async fn a_ban_of_another_process_is_known_as_such_until_a_longer_one_of_this_process() {
        let bans = BanTracker::default();
        bans.learn(Duration::from_secs(300), None);
        assert!(bans.is_learned());
        for not_longer in [200, 300] {
            bans.start(Some(Duration::from_secs(not_longer)));
            assert!(bans.is_learned());
        }
        bans.start(Some(Duration::from_secs(400)));
        // The file has the same end now.
        bans.learn(Duration::from_secs(400), None);
        assert!(!bans.is_learned());
    }

    #[tokio::test(start_paused = true)]
    async fn a_ban_of_another_process_replaces_only_a_shorter_one() {
        let bans = BanTracker::default();
        bans.start(Some(Duration::from_secs(300)));
        for shorter in
            [Duration::ZERO, Duration::from_secs(200), Duration::from_secs(300), Duration::from_secs(300) + TOLERANCE]
        {
            bans.learn(shorter, None);
            assert_eq!((left(&bans), bans.is_learned()), (Some(300), false), "{shorter:?}");
        }
        bans.learn(Duration::from_secs(301), None);
        assert_eq!((left(&bans), bans.is_learned()), (Some(301), true));
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_assumed_duration_of_all_processes_is_doubled() {
        let bans = BanTracker::default();
        bans.learn(Duration::ZERO, Some(Duration::from_secs(480)));
        bans.learn(Duration::ZERO, Some(Duration::from_secs(240)));
        assert_eq!(bans.current(), (Duration::ZERO, Some(Duration::from_secs(480))));
        bans.start(None);
        assert_eq!(bans.current(), (Duration::from_secs(960), Some(Duration::from_secs(960))));
    }

    #[tokio::test(start_paused = true)]
    async fn a_ban_of_another_process_that_is_over_ends_with_the_next_response() {
        let bans = BanTracker::default();
        bans.learn(Duration::ZERO, Some(Duration::from_secs(480)));
        assert_eq!(left(&bans), None);
        assert!(bans.confirm_none());
        assert_eq!(bans.current(), (Duration::ZERO, None));
        assert!(!bans.confirm_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_ban_is_waited_for_until_it_starts_here_or_in_another_process() {
        for learns in [false, true] {
            let bans = BanTracker::default();
            let begin = async {
                tokio::task::yield_now().await;
                if learns {
                    bans.learn(Duration::from_secs(300), None);
                } else {
                    bans.start(Some(Duration::from_secs(300)));
                }
            };
            let waited = async { tokio::time::timeout(Duration::from_secs(1), bans.banned()).await };
            assert_eq!(tokio::join!(waited, begin).0, Ok(Duration::from_secs(300)), "{learns}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_response_to_an_earlier_request_does_not_end_a_ban() {
        let bans = BanTracker::default();
        bans.start(None);
        bans.confirm_none();
        assert_eq!(left(&bans), Some(120));
    }
}
