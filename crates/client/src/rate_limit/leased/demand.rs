//! The number of requests to lease at once.

use std::time::Duration;

use tokio::time::Instant;

use crate::rate_limit::limit::RateLimit;

/// The time for which a process keeps a leased request that it does not use.
pub(super) fn hold(limit: RateLimit) -> Duration {
    (limit.per / 20).clamp(Duration::from_millis(250), Duration::from_secs(1))
}

/// The number of requests to lease at once: one at first, and twice as many each time that a lease was used up in less than half the time for
/// which it may be kept. One process leases at most a tenth of the limit.
#[derive(Debug, Default)]
pub(super) struct Demand {
    last: Option<(Instant, u32)>,
}

impl Demand {
    /// Returns the number of requests to lease now, when none is left.
    pub(super) fn next(&self, now: Instant, limit: RateLimit) -> u32 {
        let most = (limit.requests / 10).max(1);
        match self.last {
            Some((leased_at, number)) if now.saturating_duration_since(leased_at) < hold(limit) / 2 => {
                number.saturating_mul(2).min(most)
            }
            _ => 1,
        }
    }

    /// Notes that requests were leased.
    pub(super) fn note(&mut self, now: Instant, leased: u32) {
        self.last = Some((now, leased));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: RateLimit = RateLimit { requests: 100, per: Duration::from_secs(60) };

    #[test]
    fn a_process_that_uses_up_its_leases_gets_larger_ones_up_to_a_tenth_of_the_limit() {
        let (mut demand, now) = (Demand::default(), Instant::now());
        let sizes = [(); 6].map(|()| {
            let size = demand.next(now, LIMIT);
            demand.note(now, size);
            size
        });
        assert_eq!(sizes, [1, 2, 4, 8, 10, 10]);
    }

    #[test]
    fn a_process_that_rests_begins_with_one_again() {
        let (mut demand, now) = (Demand::default(), Instant::now());
        demand.note(now, 8);
        assert_eq!(demand.next(now + Duration::from_millis(500), LIMIT), 1);
    }

    #[test]
    fn a_small_limit_is_leased_one_by_one() {
        let (mut demand, now) = (Demand::default(), Instant::now());
        let limit = RateLimit { requests: 5, ..LIMIT };
        demand.note(now, 1);
        assert_eq!(demand.next(now, limit), 1);
    }
}
