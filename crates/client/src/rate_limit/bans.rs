//! Whether the service has banned the address of this machine, and for how long.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// The shortest ban that is known.
const SHORTEST: Duration = Duration::from_secs(120);

/// The longest ban that is known.
pub(crate) const LONGEST: Duration = Duration::from_secs(3 * 86_400);

/// What is known of bans by one service, whatever the key.
#[derive(Debug, Default)]
pub(crate) struct Bans {
    newest: watch::Sender<Ban>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Ban {
    until: Option<Instant>,
    /// How long the last one was taken to be, where the service did not say.
    guess: Option<Duration>,
}

impl Ban {
    fn until(&self, now: Instant) -> Option<Instant> {
        self.until.filter(|until| *until > now)
    }
}

impl Bans {
    /// Notes a ban, and for how long it is if the service says.
    pub(crate) fn begin(&self, told: Option<Duration>) {
        let now = Instant::now();
        self.newest.send_modify(|ban| {
            let guess = match ban.guess {
                None => SHORTEST,
                // Answers to requests that were on their way together tell of the same ban.
                Some(guess) if ban.until(now).is_some() => guess,
                Some(before) => (before * 2).min(LONGEST),
            };
            if told.is_none() {
                ban.guess = Some(guess);
            }
            ban.until = ban.until.max(Some(now + told.unwrap_or(guess)));
        });
    }

    /// Notes an answer that tells of no ban. While one lasts, it is the answer to a request from before.
    pub(crate) fn let_in(&self) {
        let now = Instant::now();
        self.newest.send_if_modified(|ban| {
            let is_over = ban.until.is_some() && ban.until(now).is_none();
            if is_over {
                *ban = Ban::default();
            }
            is_over
        });
    }

    /// When the ban ends; None where there is none.
    pub(crate) fn until(&self, now: Instant) -> Option<Instant> {
        self.newest.borrow().until(now)
    }

    /// Waits until there is a ban, and tells how long it lasts.
    pub(crate) async fn begun(&self) -> Duration {
        let mut newest = self.newest.subscribe();
        loop {
            let now = Instant::now();
            if let Some(until) = newest.borrow_and_update().until(now) {
                return until - now;
            }
            // It fails where the sender is gone, which is `self`.
            let _ = newest.changed().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(bans: &Bans) -> Option<u64> {
        let now = Instant::now();
        bans.until(now).map(|until| (until - now).as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_ban_lasts_as_long_as_the_service_says() {
        let bans = Bans::default();
        assert_eq!(left(&bans), None);
        bans.begin(Some(Duration::from_secs(500)));
        assert_eq!(left(&bans), Some(500));
        tokio::time::advance(Duration::from_secs(500)).await;
        assert_eq!(left(&bans), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_ban_of_unknown_length_is_taken_to_be_longer_each_time_until_an_answer_comes() {
        let bans = Bans::default();
        let mut guesses = Vec::new();
        for _ in 0..14 {
            bans.begin(None);
            guesses.push(left(&bans).unwrap());
            tokio::time::advance(LONGEST).await;
        }
        assert_eq!(guesses[..3], [120, 240, 480]);
        assert_eq!(guesses[13], 3 * 86_400);
        bans.let_in();
        bans.begin(None);
        assert_eq!(left(&bans), Some(120));
    }

    #[tokio::test(start_paused = true)]
    async fn requests_that_were_on_their_way_together_tell_of_one_ban() {
        let bans = Bans::default();
        for _ in 0..64 {
            bans.begin(None);
        }
        assert_eq!(left(&bans), Some(120));
        bans.begin(Some(Duration::from_secs(30)));
        assert_eq!(left(&bans), Some(120));
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_answer_to_a_request_from_before_does_not_end_a_ban() {
        let bans = Bans::default();
        bans.begin(None);
        bans.let_in();
        assert_eq!(left(&bans), Some(120));
    }
}
