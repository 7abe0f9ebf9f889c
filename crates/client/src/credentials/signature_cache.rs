//! The signatures of the newest requests. The same request has the same signature, so polling need not sign again.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::Mutex;

use aws_lc_rs::digest;
use reqwest::header::HeaderValue;

use crate::process::PerProcess;
use botdesk_system::lock::locked;

/// The SHA-256 of a payload.
type Digest = [u8; digest::SHA256_OUTPUT_LEN];

/// So many signatures, by the hash of what they are over. A payload itself is not kept: it may hold secrets.
pub struct SignatureCache {
    most: usize,
    kept: PerProcess<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    by_digest: HashMap<Digest, HeaderValue>,
    /// The digests, the oldest first.
    order: VecDeque<Digest>,
}

impl SignatureCache {
    /// A cache of so many signatures; of 0 it keeps none.
    pub fn of(most: usize) -> Self {
        Self { most, kept: PerProcess::new() }
    }

    /// How many signatures it keeps at most.
    pub fn most(&self) -> usize {
        self.most
    }

    /// The signature of a payload, made now if it is not kept.
    pub fn get_or_sign<E>(
        &self,
        payload: &[u8],
        sign: impl FnOnce() -> Result<HeaderValue, E>,
    ) -> Result<HeaderValue, E> {
        if self.most == 0 {
            return sign();
        }
        let Ok(kept) = self.kept.get_or_try_init(|| Ok::<_, Infallible>(Mutex::default()));
        let mut digest = Digest::default();
        digest.copy_from_slice(digest::digest(&digest::SHA256, payload).as_ref());
        let known = locked(kept).by_digest.get(&digest).cloned();
        if let Some(signature) = known {
            return Ok(signature);
        }
        // Without the lock: signing takes long, and two who sign the same come to the same.
        let signature = sign()?;
        locked(kept).keep(digest, signature.clone(), self.most);
        Ok(signature)
    }
}

impl Kept {
    fn keep(&mut self, digest: Digest, signature: HeaderValue, most: usize) {
        if self.by_digest.insert(digest, signature).is_none() {
            self.order.push_back(digest);
        }
        while self.order.len() > most {
            let oldest = self.order.pop_front();
            oldest.map(|digest| self.by_digest.remove(&digest));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    /// Asks for signatures in turn, and tells how many were made.
    fn made(most: usize, payloads: &[&str]) -> usize {
        let cache = SignatureCache::of(most);
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
    fn the_oldest_goes_first() {
        assert_eq!(made(2, &["a", "b", "c", "b", "c"]), 3);
        assert_eq!(made(2, &["a", "b", "c", "a"]), 4);
    }

    #[test]
    fn a_cache_of_none_keeps_none() {
        assert_eq!(made(0, &["a", "a"]), 2);
    }

    #[test]
    fn it_tells_how_many_it_keeps() {
        assert_eq!(SignatureCache::of(3).most(), 3);
    }

    #[test]
    fn what_fails_is_not_kept() {
        let cache = SignatureCache::of(2);
        assert_eq!(cache.get_or_sign(b"a", || Err("no")), Err("no"));
        assert_eq!(cache.get_or_sign(b"a", || Ok::<_, &str>(HeaderValue::from_static("s"))).unwrap(), "s");
    }
}
