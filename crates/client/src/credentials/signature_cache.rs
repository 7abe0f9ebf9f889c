//! A cache of the newest signatures. The same request has the same signature, so polling does not sign again.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;

use reqwest::header::HeaderValue;

use super::digest::{Digest, sha256};
use crate::process::PerProcess;
use crate::sync::{Mutex, locked};

/// A cache of signatures by the hash of their payload. The payload itself is not stored, because it may have secrets.
pub struct SignatureCache {
    capacity: usize,
    entries: PerProcess<Mutex<Entries>>,
}

#[derive(Default)]
struct Entries {
    by_digest: HashMap<Digest, HeaderValue>,
    /// The digests, the oldest first.
    order: VecDeque<Digest>,
}

impl SignatureCache {
    /// Returns a cache of at most `capacity` signatures; 0 turns it off.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, entries: PerProcess::new() }
    }

    /// Returns the capacity.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the signature of a payload, and signs it if it is not in the cache.
    pub fn get_or_sign<E>(
        &self,
        payload: &[u8],
        sign: impl FnOnce() -> Result<HeaderValue, E>,
    ) -> Result<HeaderValue, E> {
        if self.capacity == 0 {
            return sign();
        }
        let Ok(entries) = self.entries.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
        let digest = sha256(payload);
        let known = locked(entries).by_digest.get(&digest).cloned();
        if let Some(signature) = known {
            return Ok(signature);
        }
        // Not under the lock: signing takes long, and signing the same payload twice gives the same signature.
        let signature = sign()?;
        locked(entries).insert(digest, signature.clone(), self.capacity);
        Ok(signature)
    }
}

impl Entries {
    fn insert(&mut self, digest: Digest, signature: HeaderValue, capacity: usize) {
        if self.by_digest.insert(digest, signature).is_none() {
            self.order.push_back(digest);
        }
        while self.order.len() > capacity {
            let oldest = self.order.pop_front();
            oldest.map(|digest| self.by_digest.remove(&digest));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Gets signatures one after another, and returns how many were made.
    fn made(capacity: usize, payloads: &[&str]) -> usize {
        let cache = SignatureCache::new(capacity);
        let made = Cell::new(0);
        for payload in payloads {
            let sign = || {
                made.set(made.get() + 1);
                Ok::<_, Infallible>(HeaderValue::from_str(payload).unwrap())
            };
            assert_eq!(cache.get_or_sign(payload.as_bytes(), sign).unwrap(), payload);
        }
        made.get()
    }

    #[test]
    fn the_same_payload_is_signed_once() {
        assert_eq!(made(2, &["a", "a", "b", "a", "b"]), 2);
    }

    #[test]
    fn the_oldest_signature_is_dropped_first() {
        assert_eq!(made(2, &["a", "b", "c", "b", "c"]), 3);
        assert_eq!(made(2, &["a", "b", "c", "a"]), 4);
    }

    #[test]
    fn a_cache_of_capacity_0_stores_nothing() {
        assert_eq!(made(0, &["a", "a"]), 2);
    }

    #[test]
    fn the_capacity_can_be_read() {
        assert_eq!(SignatureCache::new(3).capacity(), 3);
    }

    #[test]
    fn a_failure_is_not_stored() {
        let cache = SignatureCache::new(2);
        assert_eq!(cache.get_or_sign(b"a", || Err("no")), Err("no"));
        assert_eq!(cache.get_or_sign(b"a", || Ok::<_, &str>(HeaderValue::from_static("s"))).unwrap(), "s");
    }
}
