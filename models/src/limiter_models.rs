//! Callers of the rate limiter that wait for permits at once.
//!
//! No time passes: a permit is free again when a request ends that was not sent. Shuttle reports a caller that is never woken as a
//! deadlock.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Context;
use std::time::Duration;

use shuttle::{future, thread};

use crate::rate_limit::error::RateLimitError;
use crate::rate_limit::limit::RateLimit;
use crate::rate_limit::limiter::{Permit, RateLimiter};
use crate::rate_limit::sharing::SharedCounts;

fn limit(requests: u32) -> RateLimit {
    RateLimit { requests, per: Duration::from_secs(86_400) }
}

fn acquire(limiter: &Arc<RateLimiter>, requests: u32) -> Result<Permit, RateLimitError> {
    future::block_on(limiter.acquire(limit(requests), &SharedCounts::default(), None))
}

fn acquire_now(limiter: &Arc<RateLimiter>, requests: u32) -> Option<Permit> {
    future::block_on(limiter.try_acquire(limit(requests), &SharedCounts::default(), None)).ok()
}

/// Two callers that wait, and one that does not, have at most as many permits at once as the limit allows.
pub fn callers_share_a_limit(requests: u32) {
    let (limiter, held) = (Arc::new(RateLimiter::default()), Arc::new(AtomicU32::new(0)));
    let send = |waits| {
        let (limiter, held) = (Arc::clone(&limiter), Arc::clone(&held));
        thread::spawn(move || {
            let permit = if waits { acquire(&limiter, requests).ok() } else { acquire_now(&limiter, requests) };
            assert!(!waits || permit.is_some());
            let Some(permit) = permit else { return };
            assert!(held.fetch_add(1, Ordering::SeqCst) < requests, "the limit is exceeded");
            thread::yield_now();
            held.fetch_sub(1, Ordering::SeqCst);
            drop(permit);
        })
    };
    let threads = [true, true, false].map(send);
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(limiter.budget(limit(requests)).used, 0);
}

/// A caller leaves the queue at any moment while a request ends. The caller behind it gets the permit.
pub fn a_caller_leaves_the_queue() {
    let limiter = Arc::new(RateLimiter::default());
    let permit = acquire(&limiter, 1).unwrap();
    let leaving = Arc::clone(&limiter);
    let leaving = thread::spawn(move || {
        let shared = SharedCounts::default();
        let mut waiting = pin!(leaving.acquire(limit(1), &shared, None));
        for _ in 0..2 {
            if waiting.as_mut().poll(&mut Context::from_waker(std::task::Waker::noop())).is_ready() {
                break;
            }
            thread::yield_now();
        }
    });
    let behind = Arc::clone(&limiter);
    let behind = thread::spawn(move || drop(acquire(&behind, 1).unwrap()));
    drop(permit);
    leaving.join().unwrap();
    behind.join().unwrap();
    assert_eq!(limiter.budget(limit(1)).used, 0);
}

/// A ban ends the waits of the head of the queue and of the caller behind it, while a request is in flight.
pub fn a_ban_ends_all_waits() {
    let limiter = Arc::new(RateLimiter::default());
    let permit = acquire(&limiter, 1).unwrap();
    let wait = || {
        let limiter = Arc::clone(&limiter);
        thread::spawn(move || acquire(&limiter, 1).map(drop))
    };
    let waiting = [(); 2].map(|()| wait());
    limiter.bans().start(None);
    for thread in waiting {
        assert!(matches!(thread.join().unwrap(), Err(RateLimitError::Banned(_))));
    }
    drop(permit);
}
