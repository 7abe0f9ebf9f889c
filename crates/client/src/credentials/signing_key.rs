//! The key of a client, of either kind: what it signs, and how.

use std::sync::Arc;

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::credentials::api_secret::ApiSecret;
use crate::credentials::private_key::{KeyError, PrivateKey};

/// The key of a client.
#[derive(Clone, Debug)]
pub enum SigningKey {
    /// A self-generated key: the private half of an RSA key pair.
    Rsa(Arc<PrivateKey>),
    /// A system-generated key: the secret that the service displayed when it created the key.
    Hmac(Arc<ApiSecret>),
    /// No key, so that only requests without a signature can be sent.
    Absent,
}

impl SigningKey {
    /// Signs a payload, in the encoding of the kind of key.
    pub fn sign(&self, payload: &[u8]) -> Result<String, KeyError> {
        match self {
            Self::Rsa(key) => key.sign(payload),
            Self::Hmac(secret) => Ok(secret.sign(payload)),
            Self::Absent => Err(KeyError::absent()),
        }
    }

    /// Returns the string that separates the path from a body in the payload. A query string is separated by `?` for both kinds.
    pub fn body_separator(&self) -> &'static str {
        match self {
            Self::Rsa(_) | Self::Absent => "",
            Self::Hmac(_) => "?",
        }
    }

    /// Returns true if looking up a signature that is cached takes much less time than signing.
    pub(crate) fn is_slow(&self) -> bool {
        match self {
            Self::Rsa(_) => true,
            // A lookup hashes the payload too, and takes a lock.
            Self::Hmac(_) | Self::Absent => false,
        }
    }

    /// Returns the fingerprint of the key, which is safe to show: `SHA256:…` of an RSA public key, or `HMAC:…` of the API key.
    ///
    /// A digest of a secret could be used to test guesses of it, so that of its API key identifies the secret: the service creates
    /// both at once, and never changes one of them.
    pub fn fingerprint(&self, api_key: &[u8]) -> String {
        match self {
            Self::Rsa(key) => key.fingerprint().to_owned(),
            Self::Hmac(_) => format!("HMAC:{}", digest_of(b"botdesk system-generated key\n", api_key)),
            Self::Absent => "none".to_owned(),
        }
    }

    /// Returns the secret that the service knows too, so that a response may contain it. The service never has a private key.
    pub fn shared_secret(&self) -> Option<&str> {
        match self {
            Self::Rsa(_) | Self::Absent => None,
            Self::Hmac(secret) => Some(secret.text()),
        }
    }
}

impl From<Arc<PrivateKey>> for SigningKey {
    fn from(key: Arc<PrivateKey>) -> Self {
        Self::Rsa(key)
    }
}

impl From<ApiSecret> for SigningKey {
    fn from(secret: ApiSecret) -> Self {
        Self::Hmac(Arc::new(secret))
    }
}

/// Returns a digest that identifies an API key and does not reveal it, because API keys are random and long.
pub(super) fn digest_of(salt: &[u8], api_key: &[u8]) -> String {
    // 72 bits.
    const LENGTH: usize = 12;
    let salted = [salt, api_key].concat();
    STANDARD_NO_PAD.encode(digest(&SHA256, &salted)).chars().take(LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_secret(secret: &str) -> SigningKey {
        ApiSecret::read(secret, "an-api-key").unwrap().secret.into()
    }

    #[test]
    fn the_fingerprint_of_a_secret_depends_on_its_api_key_alone() {
        let found = of_secret("one").fingerprint(b"an-api-key");
        assert!(found.starts_with("HMAC:") && found.len() == 17, "{found}");
        assert_eq!(of_secret("two").fingerprint(b"an-api-key"), found);
        assert_ne!(of_secret("one").fingerprint(b"another-api-key"), found);
    }

    #[test]
    fn the_kinds_encode_a_signature_differently() {
        let rsa = SigningKey::from(Arc::new(PrivateKey::generate(2048).unwrap()));
        assert_eq!(rsa.sign(b"x").unwrap().len(), 344);
        let signature = of_secret("one").sign(b"x").unwrap();
        assert!(signature.len() == 64 && signature.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
        assert_eq!((rsa.shared_secret(), of_secret("one").shared_secret()), (None, Some("one")));
    }
}
