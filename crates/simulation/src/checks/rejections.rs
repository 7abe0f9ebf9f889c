//! Bans and rejections: during them, no attempt may start.

use std::time::Duration;

/// The time for which the service rejects a key if the response does not say how long.
const REJECTED: Duration = Duration::from_secs(300);

/// The shortest ban that the service is known to give.
const MIN_BAN: Duration = Duration::from_secs(120);

/// The shortest wait in the response to a ban that is plausible; the client ignores shorter ones.
const MIN_PLAUSIBLE_BAN: Duration = Duration::from_secs(1);

/// A response that rejects the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// 418: the IP address is banned.
    Ban,
    /// 429: the key is rejected for a while.
    Key,
}

/// Checks that no attempt starts while the service rejects the client.
#[derive(Debug, Default)]
pub(crate) struct RejectionCheck {
    latest: Option<(Rejection, Duration)>,
}

impl RejectionCheck {
    /// Notes that the client received a rejection with this `Retry-After`.
    pub(crate) fn reject(&mut self, rejection: Rejection, wait: Option<Duration>, at: Duration) {
        let wait = match rejection {
            Rejection::Ban => wait.filter(|wait| *wait >= MIN_PLAUSIBLE_BAN).unwrap_or(MIN_BAN),
            Rejection::Key => wait.unwrap_or(REJECTED),
        };
        let until = at + wait;
        if self.latest.is_none_or(|(_, end)| until > end) {
            self.latest = Some((rejection, until));
        }
    }

    /// Fails if an attempt starts during a rejection.
    pub(crate) fn start(&self, at: Duration) -> Result<(), String> {
        match self.latest.filter(|(_, until)| at < *until) {
            Some((Rejection::Ban, until)) => {
                Err(format!("an attempt starts {:?} before the end of a ban", until.saturating_sub(at)))
            }
            Some((Rejection::Key, until)) => Err(format!(
                "an attempt starts {:?} before the service accepts the key again",
                until.saturating_sub(at)
            )),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn an_attempt_may_start_only_after_the_rejection() {
        for (rejection, wait, end) in [
            (Rejection::Ban, Some(seconds(30)), 30),
            (Rejection::Ban, Some(Duration::from_millis(10)), 120),
            (Rejection::Ban, None, 120),
            (Rejection::Key, Some(seconds(0)), 0),
            (Rejection::Key, None, 300),
        ] {
            let mut check = RejectionCheck::default();
            check.reject(rejection, wait, seconds(1_000));
            assert_eq!(check.start(seconds(1_000 + end)), Ok(()));
            assert!(check.start(seconds(999 + end)).is_err());
        }
    }

    #[test]
    fn a_shorter_rejection_does_not_end_a_longer_one() {
        let mut check = RejectionCheck::default();
        check.reject(Rejection::Ban, Some(seconds(100)), seconds(0));
        check.reject(Rejection::Key, Some(seconds(1)), seconds(10));
        assert_eq!(check.start(seconds(99)), Err("an attempt starts 1s before the end of a ban".to_owned()));
    }
}
