//! Threads that sign at once with one cache.

use std::sync::Arc as Count;
use std::sync::atomic::{AtomicUsize, Ordering};

use reqwest::header::HeaderValue;
use shuttle::sync::Arc;
use shuttle::thread;

use crate::credentials::signature_cache::SignatureCache;

/// A cache, and the number of signatures that were made.
#[derive(Clone)]
struct Signer {
    cache: Arc<SignatureCache>,
    made: Count<AtomicUsize>,
}

impl Signer {
    fn new(capacity: usize) -> Self {
        Self { cache: Arc::new(SignatureCache::new(capacity)), made: Count::default() }
    }

    /// Signs a payload. Its signature is the payload itself.
    fn sign(&self, payload: &'static str) {
        let sign = || {
            self.made.fetch_add(1, Ordering::SeqCst);
            Ok::<_, ()>(HeaderValue::from_static(payload))
        };
        assert_eq!(self.cache.get_or_sign(payload.as_bytes(), sign).unwrap(), payload);
    }

    /// Signs payloads in threads of their own.
    fn sign_at_once(&self, payloads: &[&'static str]) {
        let sign = |payload: &&'static str| {
            let (signer, payload) = (self.clone(), *payload);
            thread::spawn(move || signer.sign(payload))
        };
        let threads: Vec<_> = payloads.iter().map(sign).collect();
        for thread in threads {
            thread.join().unwrap();
        }
    }

    /// Returns how many signatures of these payloads are not in the cache.
    fn missing(&self, payloads: &[&'static str]) -> usize {
        let before = self.made.load(Ordering::SeqCst);
        payloads.iter().for_each(|payload| self.sign(payload));
        self.made.load(Ordering::SeqCst) - before
    }
}

/// Two threads sign the same payload. It takes one place of the cache, however often it was signed.
pub fn threads_sign_the_same_payload() {
    let signer = Signer::new(2);
    signer.sign_at_once(&["a", "a"]);
    signer.sign("b");
    assert_eq!(signer.missing(&["a", "b"]), 0);
}

/// Two threads sign different payloads, and the cache has room for one.
pub fn the_cache_has_room_for_one() {
    let signer = Signer::new(1);
    signer.sign_at_once(&["a", "b"]);
    // The one that is kept is found, or was dropped for the other just before.
    assert!((1..=2).contains(&signer.missing(&["a", "b"])));
    assert_eq!(signer.missing(&["b"]), 0);
}
