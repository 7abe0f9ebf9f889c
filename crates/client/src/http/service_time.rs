//! The time of the service, from the `Date` of its responses: the clock of this machine may be wrong.

use arc_swap::ArcSwapOption;
use jiff::{SignedDuration, Timestamp};
use reqwest::header::{DATE, HeaderMap, HeaderValue};
use tokio::time::Instant;

use super::retry_after::date;

/// The latest `Date`, and when it was received.
#[derive(Debug, Default)]
pub(super) struct ServiceTime {
    latest: ArcSwapOption<(HeaderValue, Instant)>,
}

impl ServiceTime {
    /// Notes the `Date` of a response.
    pub(super) fn note(&self, headers: &HeaderMap) {
        if let Some(date) = headers.get(DATE) {
            self.latest.store(Some((date.clone(), Instant::now()).into()));
        }
    }

    /// Returns the time of the service at an instant; None if no response has told it.
    pub(super) fn at(&self, instant: Instant) -> Option<Timestamp> {
        let latest = self.latest.load_full()?;
        let (value, received) = latest.as_ref();
        let date = date(value.to_str().ok()?)?;
        let later = SignedDuration::try_from(instant.saturating_duration_since(*received)).ok()?;
        let earlier = SignedDuration::try_from(received.saturating_duration_since(instant)).ok()?;
        date.checked_add(later).ok()?.checked_sub(earlier).ok()
    }
}
